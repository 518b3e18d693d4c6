"""Commands are few and exact: whatever else is written is a question."""

from uuid import UUID

import pytest

from cards.plain import to_plain
from core.clock import DAY, HOUR
from core.model.watching import ScopeType
from core.store.tables import CardGrant
from tests.support.bots import buttons, choices, parts_over
from tests.support.memories import page, put, rows, section, watch_request

ASKED = "What may a meal cost at most?"


async def title_of(parts, principal, text):
    reply = await parts.commands.reply(principal.tenant_id, principal.person_id, text)
    return reply and reply.card("n" * 22).title[0].text


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("help", "What you can say"),
        ("  HELP \n", "What you can say"),
        ("watching", "You watch nothing yet"),
        ("saved", "You have saved nothing yet"),
        ("mute 1d", "Muted for a day"),
        ("Mute  1H", "Muted for an hour"),
        ("mute\t1w", "Muted for a week"),
        ("mute", "For how long?"),
        ("mute 3 fortnights", "For how long?"),
        ("help?", "What you can say"),
        ("Status!", "What I remember"),
        ("mute forever", "For how long?"),
        ("unmute", "Not muted"),
        ("status", "What I remember"),
        ("whoami", "Ada"),
        ("watch", "Watch what?"),
        ("watch zebras", "Nothing to watch there"),
        ("", "I read words only"),
        (" \n\u200b", "I read words only"),
    ],
)
async def test_what_is_a_command(text, title, parts, ada):
    assert await title_of(parts, ada, text) == title


@pytest.mark.parametrize(
    "text",
    [
        "help me with my laptop",
        "status of the refund",
        "saved time: how much?",
        "watching the game at work, is that allowed?",
        "watch out for what?",
        "watch the deadline or not?",
        "mute?? why is it so quiet here?",
        "mute swans in the park: who feeds them?",
        "unmute myself in a call",
        "whoami is what command?",
        "watchdog timers",
        "helping hands",
        ASKED,
    ],
)
async def test_what_only_looks_like_a_command_is_a_question(text, parts, ada):
    assert await title_of(parts, ada, text) is None


async def test_help_names_every_command(parts, adas):
    await adas.ask("help")
    said = adas.texts()[0]
    assert [word for word in parts.commands._table if word not in said] == ["help"]


async def test_watch_offers_what_the_words_lead_to_and_a_tap_watches_it(revise, adas):
    revise()
    card = await adas.ask("watch meals")
    assert "Choose what to watch" in adas.texts()[0]
    [button] = [button for button in buttons(card) if button.kind == "watch_create"][:1]
    assert await adas.press(button) == "Watching “Meals”."


async def test_watch_offers_at_most_what_it_shows(memory, adas):
    """A grant holds no more than its card's buttons."""
    put(memory, "zebras.md", page("Zebras", {f"Part {n}": f"The zebra number {n} is striped." for n in range(12)}))
    card = await adas.ask("watch zebra")
    [grant] = rows(memory, CardGrant)
    assert len(grant.body["actions"]) == len(buttons(card)) == 5
    assert "8 more" in adas.texts()[0]


async def test_watching_offers_at_most_what_it_shows(memory, adas, ada):
    put(memory, "zebras.md", page("Zebras", {f"Part {n}": f"The zebra number {n} is striped." for n in range(7)}))
    for number in range(7):
        ref = section("zebras.md", "Zebras", f"Part {number}")
        memory.watch(watch_request(ada, ScopeType.ENTITY, ref, name=f"Part {number}"), ada)
    card = await adas.ask("watching")
    [grant] = rows(memory, CardGrant)
    offered = {(kind, target, *args) for kind, target, args in grant.body["actions"]}
    assert offered == {(button.kind, button.target, button.arg) for button in buttons(card)} | {
        (choice.kind, choice.target, *(option.arg for option in choice.options)) for choice in choices(card)
    }
    assert "You watch 7 things" in adas.texts()[0]
    assert "2 more" in adas.texts()[0]


async def test_a_command_that_fails_says_so(reopen, adas):
    parts = parts_over(reopen(embedder=None), {"fake": adas.parts.courier._channels["fake"]})
    adas.write("watch meals")
    await parts.worker.settle()
    parts.gateway.stop()
    assert adas.texts()[0].startswith("That did not work")


async def test_watch_shows_nothing_that_the_person_may_not_read(memory, adas):
    put(memory, "salaries.md", page("Salaries", {"Meals": "A meal may cost 900 EUR at most."}), ["role:steward"])
    await adas.ask("watch meals")
    assert "Nothing to watch there" in adas.texts()[0]
    assert "Salaries" not in adas.texts()[0]


async def test_watching_lists_each_watch_with_a_way_to_stop_it(revise, adas):
    revise()
    await adas.ask("watch meals")
    await adas.press(adas.button("watch_create"))
    await adas.ask("watching")
    assert "You watch 1 thing" in adas.texts()[-1]
    await adas.press(adas.button("watch_mute", "stop"))
    await adas.ask("watching")
    assert "You watch nothing yet" in adas.texts()[-1]


async def test_watching_says_which_watch_is_muted(revise, adas, memory, ada, parts):
    revise()
    await adas.ask("watch meals")
    await adas.press(adas.button("watch_create"))
    revise(meals=55)
    await parts.worker.settle()
    await adas.press(adas.button("watch_mute", "1d"))
    await adas.ask("watching")
    assert "muted for now" in adas.texts()[-1]


async def test_saved_lists_the_answers_and_how_they_stand(revise, adas, parts):
    revise()
    await adas.save(ASKED)
    await adas.ask("saved")
    assert ASKED in adas.texts()[-1]
    assert "Its sources still say what it says." in adas.texts()[-1]


@pytest.mark.parametrize(("words", "lasts"), [("1h", HOUR), ("1d", DAY), ("1w", 7 * DAY)])
async def test_mute_holds_every_card_for_that_long(words, lasts, memory, clock, adas, ada):
    await adas.ask(f"mute {words}")
    assert memory.people.get("default", ada.person_id).muted_until == clock.now() + lasts
    assert len(adas.cards()) == 1, "the reply itself is not held"


async def test_unmute_ends_it(memory, adas, ada):
    await adas.ask("mute 1w")
    await adas.ask("unmute")
    assert memory.people.get("default", ada.person_id).muted_until == 0


async def test_status_counts_what_is_remembered(revise, adas):
    revise()
    await adas.ask("status")
    assert "I remember 1 document with" in adas.texts()[0]


async def test_whoami_says_who_and_with_which_rights(adas):
    await adas.ask("whoami")
    text = adas.texts()[0]
    assert text.startswith("Ada")
    assert "member" in text
    assert "Europe/Berlin" in text


async def test_every_command_is_answered_in_the_persons_own_conversation_only(adas, bobs):
    for text in ("help", "watching", "saved", "mute 1d", "unmute", "status", "whoami"):
        await adas.ask(text)
    assert (len(adas.cards()), bobs.cards()) == (7, [])


async def test_why_says_what_was_heard_by_which_watch_and_what_became_of_the_card(adas, revise, clock):
    revise()
    await adas.ask("watch meals")
    await adas.press(adas.button("watch_create"))
    clock.advance(HOUR)
    revise(meals=55)
    await adas.parts.worker.settle()
    text = to_plain(await adas.ask("why"))
    assert "Because you watch: Meals" in text
    assert "It was sent to you." in text


async def test_why_finds_an_older_one_by_the_beginning_of_its_id_and_nobody_elses(adas, bobs, revise, clock, memory):
    revise()
    await adas.ask("watch meals")
    await adas.press(adas.button("watch_create"))
    clock.advance(HOUR)
    revise(meals=55)
    await adas.parts.worker.settle()
    [fire_id] = memory.recent_fires(adas.person)
    assert "Why you were notified" in to_plain(await adas.ask(f"why {str(fire_id)[:8]}"))
    assert "Nothing to explain" in to_plain(await bobs.ask(f"why {fire_id}"))
    assert "Nothing to explain" in to_plain(await bobs.ask(f"why {str(fire_id)[:13].upper()}"))


@pytest.mark.parametrize(
    "words", ["facade", "decade", "acceded", "deadbeef", "deadbeef-cafe", "2026-11", "2026-11-30", "-------", "12345"]
)
async def test_a_word_that_is_no_beginning_of_an_id_makes_a_question_of_why(words, parts, ada):
    """Also one of letters that ids are made of, where no news of this person begins so."""
    assert await title_of(parts, ada, f"why {words}") is None


async def test_an_id_that_begins_with_letters_only_is_found_where_there_is_such_news(parts, ada, monkeypatch):
    fire_id, asked = UUID("facadeff-1234-4567-89ab-0123456789ab"), []
    monkeypatch.setattr(parts.gateway.memory, "recent_fires", lambda _: [fire_id])
    monkeypatch.setattr(parts.gateway.memory, "explain_fire", lambda found, _: asked.append(found))
    await parts.commands.reply("default", ada.person_id, "why facade")
    assert asked == [fire_id]


async def test_why_without_news_says_so_and_with_other_words_is_a_question(adas, parts, ada):
    assert "Nothing to explain" in to_plain(await adas.ask("why"))
    assert await parts.commands.reply("default", ada.person_id, "why are meals limited") is None
