"""Commands are few and exact: whatever else is written is a question."""

from uuid import UUID

import pytest

from cards.plain import to_plain
from core.clock import DAY, HOUR, MINUTE
from core.model.local_time import local
from core.model.nodes import SECTION
from core.model.watching import ScopeType, Suspension, TargetKind, WatchRequest
from core.store import watches
from core.store.tables import CardGrant, Source
from tests.support.bots import buttons, choices, parts_over
from tests.support.memories import (
    CHANGES,
    audited,
    change_row,
    made_steward,
    page,
    put,
    rows,
    section,
    source_id,
    watch_request,
)

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


# ── mute and stop ──


async def test_a_mute_until_tomorrow_ends_in_the_persons_own_morning(memory, adas, ada):
    memory.people.put("default", "Ada", zone="Asia/Kolkata")
    assert "Muted until tomorrow" in to_plain(await adas.ask("mute tomorrow"))
    until = memory.people.get("default", ada.person_id).muted_until
    assert local(until, "Asia/Kolkata").hour == 6


@pytest.fixture
def watching(memory, revise, ada):
    revise()
    for name in ("Meals", "Hotels"):
        ref = section("travel.md", "Travel", name)
        memory.watch(watch_request(ada, ScopeType.ENTITY, ref, name=name), ada)


@pytest.mark.parametrize(
    ("time", "said", "lasts"),
    [
        ("1h", "for an hour", HOUR),
        ("1d", "for a day", DAY),
        ("1w", "for a week", 7 * DAY),
        ("tomorrow", "until tom", 0),
    ],
)
async def test_one_watch_is_muted_by_its_name_and_a_tap_and_unmuted_from_the_list(
    memory, clock, adas, ada, watching, time, said, lasts
):
    card = await adas.ask(f"mute meals {time}")
    assert [button.arg for button in buttons(card)] == [time]
    assert said in await adas.press(adas.button("watch_mute", time))
    until = next(view.muted_until for view in memory.watches(ada) if view.name == "Meals")
    assert until == clock.now() + lasts or (time == "tomorrow" and clock.now() < until <= clock.now() + DAY)
    await adas.ask("watching")
    assert await adas.press(adas.button("watch_mute", "off")) == "Not muted: its cards come again."
    assert {view.muted_until for view in memory.watches(ada)} == {0}


async def test_to_unmute_by_a_name_lists_it_and_any_other_words_are_a_question(memory, parts, adas, ada, watching):
    await adas.ask("mute meals 1d")
    await adas.press(adas.button("watch_mute", "1d"))
    await adas.ask("unmute meals")
    await adas.press(adas.button("watch_mute", "off"))
    assert {view.muted_until for view in memory.watches(ada)} == {0}
    assert await parts.commands.reply("default", ada.person_id, "unmute the projector") is None


async def test_all_is_muted_and_unmuted_by_that_word_too(memory, clock, adas, ada, watching):
    assert "Muted for a day" in to_plain(await adas.ask("mute all 1d"))
    assert memory.people.get("default", ada.person_id).muted_until == clock.now() + DAY
    assert "Not muted" in to_plain(await adas.ask("unmute all!"))
    assert memory.people.get("default", ada.person_id).muted_until == 0


async def test_what_nobody_watches_cannot_be_muted(adas, watching):
    assert "You watch nothing like that" in to_plain(await adas.ask("mute zebras 1d"))


@pytest.mark.parametrize("text", ["stop all", "stop", "Stop everything!", "Stop watching.", "stop watching all"])
async def test_everything_is_stopped_after_a_question_by_one_tap_that_is_written_down(
    memory, adas, ada, watching, text
):
    card = await adas.ask(text)
    [button] = buttons(card)
    assert "End 2 watches?" in (button.confirm or "")
    assert memory.watches(ada) != [], "nothing before the tap"
    assert "2 watches" in await adas.press(button)
    assert memory.watches(ada) == []
    [row] = [row for row in audited(memory) if row.action == "watch_mute"]
    assert (row.actor, row.target, row.outcome) == (ada.actor, "all", "done")


async def test_the_list_has_a_way_to_stop_all_and_one_by_a_word_has_not(memory, adas, ada, watching):
    found = await adas.ask("watching meals")
    assert [button.target for button in buttons(found)] == [str(memory.watches(ada)[0].watch_id)]
    everything = await adas.ask("watching")
    assert [button.target for button in buttons(everything)][-1] == "all"
    await adas.press(buttons(everything)[-1])
    assert buttons(adas.cards()[-1]) == [], "nothing is left to stop"


async def test_stop_and_a_name_lists_it_and_any_other_words_are_a_question(parts, adas, ada, watching):
    for words in ("stop hotels", "stop watching hotels", "watching hotels"):
        assert "You watch 1 thing named “hotels”" in to_plain(await adas.ask(words))
    for words in ("stop the presses", "stop all the meetings", "stop watching the presses"):
        assert await parts.commands.reply("default", ada.person_id, words) is None


async def test_who_watches_nothing_has_nothing_to_stop(adas):
    assert "You watch nothing yet" in to_plain(await adas.ask("stop all"))


# ── what others watch for them ──


@pytest.fixture
def team(memory, revise, clock, parts, bob):
    """Bob, a steward, lets every member be told."""
    revise()
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"]}}
    request = WatchRequest("team news", ScopeType.LABEL, (SECTION,), CHANGES, target, debounce_secs=0)
    return memory.watch(request, made_steward(memory, bob))


async def test_one_of_those_who_are_told_asks_why_and_hears_no_more_of_it(
    memory, adas, bobs, parts, revise, clock, team
):
    await parts.worker.settle()
    clock.advance(HOUR)
    revise(meals=55)
    await parts.worker.settle()
    clock.advance(MINUTE)
    await parts.worker.settle()
    assert "Your team watches team news" in adas.texts()[-1]
    why = to_plain(await adas.ask("why"))
    assert "Because your team watches: team news" in why
    assert "It was sent to you." in why
    assert await adas.press(adas.button("watch_mute", "stop")) == "Stopped. You will not hear of it again."
    before = len(adas.cards())
    clock.advance(HOUR)
    revise(meals=60)
    await parts.worker.settle()
    clock.advance(MINUTE)
    await parts.worker.settle()
    assert (len(adas.cards()), "60 EUR" in bobs.texts()[-1]) == (before, True)


async def test_a_watch_that_rests_is_told_of_and_says_why_in_the_list(memory, adas, ada, parts, watching):
    with memory._database.write("default") as tx:
        for view in memory.watches(ada):
            watches.suspend(tx, watches.get(tx, view.watch_id), Suspension.NOT_READABLE)
    change_row(memory, Source, ("default", source_id("travel.md")), readers=["legal"])
    await parts.worker.settle()
    assert "2 watches of yours rest" in adas.texts()[-1]
    assert "you may no longer read what it is on" in adas.texts()[-1]
    assert "40 EUR" not in adas.texts()[-1]
    listed = to_plain(await adas.ask("watching"))
    assert listed.count("rests, since you may no longer read what it is on") == 2
    assert await adas.press(adas.button("watch_mute", "stop", at=0)) == "Stopped. You will not hear of it again."
