"""Taps: what was done stands on the card in words, and nobody does anything with a card that is not theirs."""

from dataclasses import replace

import pytest

from bot.actions import INACTIVE
from cards.codec import from_json
from core.clock import DAY, HOUR
from core.errors import GenerateUnavailable, InvalidRequest
from core.jobs.kinds import Audience, JobKind
from core.model.grants import CardAction
from core.store.tables import CardMessage, Job, Watch
from tests.support.bots import buttons
from tests.support.memories import audited, change_row, page, put, rows

ASKED = "What may a meal cost at most?"
ABOUT_NIGHTS = "What may a night cost at most?"


@pytest.fixture
async def asked(revise, adas):
    """Ada has an answer before her."""
    revise()
    await adas.ask(ASKED)
    return adas


@pytest.fixture
async def told(asked, parts, revise):
    """Ada has saved her answer, its words have moved, and she was told."""
    await asked.press(asked.button("answer_save"))
    await parts.worker.settle()
    revise(meals=55)
    await parts.worker.settle()
    assert "40 EUR" in asked.texts()[-1]
    return asked


def watches(memory):
    """Those of people, by name; those of answers are left out."""
    return [row for row in rows(memory, Watch) if row.scope_type == "entity"]


# ── the outcome in words ──


async def test_saving_says_so_and_takes_its_button_away(asked, memory, ada):
    words = await asked.press(asked.button("answer_save"))
    assert words == "Saved. You will hear when its words change."
    assert words in asked.texts()[-1]
    assert {button.kind for button in buttons(asked.cards()[-1])} == {"watch_create"}
    assert [answer.question for answer in memory.answers(ada)] == [ASKED]


async def test_watching_names_what_is_watched(asked, memory):
    assert await asked.press(asked.button("watch_create")) == "Watching “Meals”."
    assert [watch.name for watch in watches(memory)] == ["Meals"]


@pytest.mark.parametrize(
    ("kind", "again"),
    [("answer_save", "You have saved this already."), ("watch_create", "You already watch “Meals”.")],
)
async def test_a_second_tap_says_already_and_changes_nothing(kind, again, asked, memory, ada):
    button = asked.button(kind)
    await asked.press(button)
    assert await asked.press(button) == again
    assert again in asked.texts()[-1]
    assert len(memory.answers(ada)) + len(watches(memory)) == 1


async def test_the_outcome_of_one_button_leaves_that_of_another(asked):
    save, watch = asked.button("answer_save"), asked.button("watch_create")
    await asked.press(save)
    await asked.press(watch)
    assert buttons(asked.cards()[-1]) == []


@pytest.fixture
async def news(asked, parts, revise):
    """Ada watches the meals, and they have changed."""
    await asked.press(asked.button("watch_create"))
    await parts.worker.settle()
    revise(meals=55)
    await parts.worker.settle()
    return asked


@pytest.mark.parametrize(
    ("arg", "words", "lasts"), [("1d", "Muted for a day.", DAY), ("1w", "Muted for a week.", 7 * DAY)]
)
async def test_a_mute_lasts_as_long_as_it_says(arg, words, lasts, news, memory, clock):
    assert await news.press(news.button("watch_mute", arg)) == words
    assert words in news.texts()[-1]
    assert [watch.muted_until - clock.now() for watch in watches(memory)] == [lasts]


async def test_a_muted_watch_is_quiet_and_then_catches_up(news, parts, clock, revise):
    await news.press(news.button("watch_mute", "1d"))
    clock.advance(HOUR)
    revise(meals=60)
    await parts.worker.settle()
    assert len(news.cards()) == 2
    clock.advance(DAY)
    await parts.worker.settle()
    assert "60 EUR" in news.texts()[-1]


async def test_stop_ends_the_watch(news, memory, parts, clock, revise):
    assert await news.press(news.button("watch_mute", "stop")) == "Stopped. You will not hear of it again."
    assert [watch.enabled for watch in watches(memory)] == [False]
    clock.advance(DAY)
    revise(meals=60)
    await parts.worker.settle()
    assert len(news.cards()) == 2


# ── whose card, and which ──


async def test_a_card_that_nobody_knows_is_no_longer_active_and_nothing_happens(asked, memory, ada):
    unknown = replace(asked.button("answer_save"), nonce="n" * 22)
    assert await asked.press(unknown) == INACTIVE
    assert await asked.parts.actions.active("default", ada.person_id, unknown.nonce) is None
    assert memory.answers(ada) == []


async def test_another_persons_card_is_not_active_for_me_and_stays_as_it_was(asked, bobs, memory, ada, bob):
    before = asked.room.messages()
    button = asked.button("answer_save")
    assert await bobs.press(button) == INACTIVE
    assert await asked.parts.actions.active("default", bob.person_id, button.nonce) is None
    assert await asked.parts.actions.active("elsewhere", ada.person_id, button.nonce) is None
    card = await asked.parts.actions.active("default", ada.person_id, button.nonce)
    action = CardAction(button.kind, button.target)
    assert await asked.parts.actions.tap(bob.person_id, card, action) == INACTIVE, "nor if it came past the door"
    assert (memory.answers(ada), memory.answers(bob)) == ([], [])
    assert asked.room.messages() == before


async def test_my_own_card_is_active(asked, ada, memory):
    [row] = rows(memory, CardMessage)
    card = await asked.parts.actions.active("default", ada.person_id, asked.button("answer_save").nonce)
    assert card.message_id == row.message_id


async def test_a_card_that_was_erased_before_its_tap_was_worked_on_does_nothing(asked, memory, ada):
    asked.tap(asked.button("answer_save"))
    [card] = rows(memory, CardMessage)
    change_row(memory, CardMessage, ("default", card.message_id), state="redacted")
    await asked.parts.worker.settle()
    assert memory.answers(ada) == []


async def test_a_tap_is_done_though_the_one_before_it_has_renewed_the_buttons(news, memory):
    """Both were made on the card as it was."""
    stop = news.button("watch_mute", "stop")
    news.tap(replace(stop, arg="9w"))
    news.tap(stop)
    await news.parts.worker.settle()
    assert [watch.enabled for watch in watches(memory)] == [False]


async def test_a_redacted_card_is_no_longer_active(asked, memory):
    button = asked.button("answer_save")
    [card] = rows(memory, CardMessage)
    change_row(memory, CardMessage, ("default", card.message_id), state="redacted")
    assert await asked.press(button) == INACTIVE


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "watch_mute", "arg": "stop"},
        {"target": "00000000-0000-0000-0000-000000000001"},
        {"kind": "answer_refresh"},
    ],
)
async def test_what_a_card_never_offered_is_refused_and_said_on_the_card(change, asked, memory, ada):
    words = await asked.press(replace(asked.button("answer_save"), **change))
    assert words == "That could not be done: the card never offered this"
    assert words in asked.texts()[-1]
    assert memory.answers(ada) == []
    assert [row.detail["code"] for row in audited(memory)] == ["not_granted"]


async def test_a_mute_of_a_length_the_card_never_offered_is_refused(news, memory):
    words = await news.press(replace(news.button("watch_mute", "1d"), arg="9w"))
    assert words.startswith("That could not be done")
    assert [watch.muted_until for watch in watches(memory)] == [0]


async def test_a_refusal_leaves_the_buttons_that_work(asked):
    await asked.press(replace(asked.button("answer_save"), kind="answer_refresh"))
    assert await asked.press(asked.button("answer_save")) == "Saved. You will hear when its words change."


async def test_what_is_no_longer_mine_to_see_is_refused_in_words_without_its_title(asked, memory):
    memory.ingest("travel.md", b"# Secret\n\nFor stewards now.\n", readers=["role:steward"])
    words = await asked.press(asked.button("watch_create"))
    assert words == "That could not be done: this is no longer yours to see or to change"
    assert watches(memory) == []
    assert words in asked.texts()[-1]
    assert "40 EUR" not in asked.texts()[-1]
    assert "is no longer yours to read" in asked.texts()[-1]
    assert buttons(asked.cards()[-1]) == []


# ── refreshing ──


async def test_a_refresh_says_so_at_once_and_then_the_card_becomes_the_new_answer(told, parts, memory, ada):
    button = told.button("answer_refresh")
    assert await told.press(button) == "Refreshing…"
    assert "Refreshing…" in told.texts()[-1]
    assert "answer_refresh" not in {button.kind for button in buttons(told.cards()[-1])}
    sent = told.room.tried()
    await parts.worker.settle()
    text = told.texts()[-1]
    assert "A meal may cost 55 EUR at most." in text
    assert "Refreshed. The answer you saved before stays as it was quoted." in text
    assert "Refreshing…" not in text
    assert told.room.tried() == sent, "the card changes in place"
    assert [answer.text for answer in memory.answers(ada)] == ["A meal may cost 55 EUR at most."]


async def test_a_refreshed_card_is_withdrawn_with_what_the_new_answer_rests_on(told, parts, memory, clock):
    """The answer that was saved rests on one source, the new one on another."""
    memory.remove("travel.md")
    put(memory, "rules.md", page("Rules", {"Meals": "A meal may cost 70 EUR at most."}))
    await told.press(told.button("answer_refresh"))
    await parts.worker.settle()
    assert "70 EUR" in told.texts()[-1]
    put(memory, "rules.md", page("Rules", {"Meals": "A meal may cost 70 EUR at most."}), readers=["role:steward"])
    await told.press(told.button("watch_create"))
    assert "70 EUR" not in told.texts()[-1]


async def test_the_new_answers_own_buttons_work(told, parts, memory):
    await told.press(told.button("answer_refresh"))
    await parts.worker.settle()
    assert await told.press(told.button("watch_create")) == "Watching “Meals”."


async def test_a_refresh_tapped_twice_is_done_once(told, parts, memory, ada):
    button = told.button("answer_refresh")
    await told.press(button)
    assert await told.press(button) == "Refreshing…"
    await parts.worker.settle()
    assert len(memory.answers(ada)) == 1
    assert await told.press(button) != "Refreshing…"
    await parts.worker.settle()
    assert len(memory.answers(ada)) == 1


async def test_a_refresh_whose_bot_died_before_it_was_shown_is_shown_by_the_next(told, parts, memory, ada):
    await told.press(told.button("answer_refresh"))
    [before] = memory.answers(ada)
    assert not memory.refresh_answer(before.answer_id, ada).already
    await parts.worker.settle()
    assert "A meal may cost 55 EUR at most." in told.texts()[-1]
    assert "Refreshed. The answer you saved before stays as it was quoted." in told.texts()[-1]
    assert len(memory.answers(ada)) == 1


async def test_a_refresh_that_was_done_before_and_finds_nothing_now_says_where_the_newer_answer_is(
    told, parts, memory, ada
):
    await told.press(told.button("answer_refresh"))
    [before] = memory.answers(ada)
    memory.refresh_answer(before.answer_id, ada)
    memory.remove("travel.md")
    await parts.worker.settle()
    assert any("You have a newer answer to this already: write “saved” to see it." in text for text in told.texts())


async def test_a_refresh_in_the_very_moment_of_the_change_is_not_stale_again(asked, parts, memory, ada):
    """Nothing here moves the clock: what came first is told by the order of transactions alone."""
    await asked.press(asked.button("answer_save"))
    await parts.worker.settle()
    words = {"Meals": "A meal may cost 55 EUR at most.", "Hotels": "A night may cost 150 EUR at most."}
    memory.ingest("travel.md", page("Travel", words), readers=["everyone"])
    await parts.worker.settle()
    await asked.press(asked.button("answer_refresh"))
    await parts.worker.settle()
    assert [(answer.status, answer.text) for answer in memory.answers(ada)] == [("current", words["Meals"])]
    assert len(asked.cards()) == 2


async def test_a_refresh_that_finds_nothing_puts_the_button_back_and_ends_the_old_one(told, parts, memory, ada):
    memory.remove("travel.md")
    old = told.button("answer_refresh")
    before = memory.answers(ada)[0]
    await told.press(old)
    await parts.worker.settle()
    [card] = [card for card in told.cards() if "Your saved answer stays as it is." in str(card.outcomes)]
    [new] = [button for button in buttons(card) if button.kind == "answer_refresh"]
    assert new.nonce != old.nonce
    assert new.confirm, "it asks before it costs anything"
    assert await told.press(old) == INACTIVE
    assert await told.press(new) == "Refreshing…"
    assert memory.answers(ada)[0].text == before.text


async def test_after_a_refresh_that_found_nothing_every_button_of_the_card_is_renewed(told, parts, memory):
    memory.remove("travel.md")
    await told.press(told.button("answer_refresh"))
    await parts.worker.settle()
    for card in rows(memory, CardMessage):
        assert {button.nonce for button in buttons(from_json(card.card))} <= {card.nonce}


def raises(error):
    def _raises(*_):
        raise error

    return _raises


@pytest.mark.parametrize("error", [InvalidRequest("too long"), GenerateUnavailable("it was cut off")])
async def test_a_refresh_that_no_later_try_would_end_otherwise_is_tried_once(told, parts, memory, monkeypatch, error):
    """Each try may cost what a model takes for it."""
    old = told.button("answer_refresh")
    monkeypatch.setattr(memory, "refresh_answer", raises(error))
    await told.press(old)
    await parts.worker.settle()
    assert "It could not be refreshed." in told.texts()[-1]
    assert await told.press(old) == INACTIVE
    assert [(job.state, job.attempts) for job in rows(memory, Job) if job.kind == JobKind.REFRESH_ANSWER] == [
        ("done", 1)
    ]


async def test_a_refresh_by_a_model_that_is_busy_is_tried_again(told, parts, memory, clock, monkeypatch):
    with monkeypatch.context() as busy:
        busy.setattr(memory, "refresh_answer", raises(GenerateUnavailable("it is busy", passing=True)))
        await told.press(told.button("answer_refresh"))
        await parts.worker.settle()
    assert "Refreshing…" in told.texts()[-1]
    clock.advance(HOUR)
    await parts.worker.settle()
    assert "A meal may cost 55 EUR at most." in told.texts()[-1]


async def test_a_refresh_that_fails_whatever_is_tried_puts_the_button_back_in_the_end(
    told, parts, memory, clock, monkeypatch
):
    old = told.button("answer_refresh")
    with monkeypatch.context() as broken:
        broken.setattr(memory, "refresh_answer", lambda *_: 1 / 0)
        await told.press(old)
        for _ in range(memory.config.watch.max_attempts):
            assert "Refreshing…" in told.texts()[-1]
            await parts.worker.settle()
            clock.advance(HOUR)
    assert "It could not be refreshed." in told.texts()[-1]
    new = told.button("answer_refresh")
    assert (await told.press(old), await told.press(new)) == (INACTIVE, "Refreshing…")
    await parts.worker.settle()
    assert "A meal may cost 55 EUR at most." in told.texts()[-1]


@pytest.fixture
async def two_told(revise, adas, parts):
    """One card lists two saved answers that moved."""
    revise()
    for question in (ASKED, ABOUT_NIGHTS):
        await adas.ask(question)
        await adas.press(adas.button("answer_save"))
    await parts.worker.settle()
    revise(meals=55, hotels=180)
    await parts.worker.settle()
    assert "2 saved answers may have changed" in adas.texts()[-1]
    return adas


async def test_refreshing_one_of_several_keeps_the_others_and_posts_the_new_answer_beside(two_told, parts):
    first, second = [button for button in buttons(two_told.cards()[-1]) if button.kind == "answer_refresh"]
    await two_told.press(first)
    await parts.worker.settle()
    listing, beside = two_told.cards()[-2:]
    assert [button for button in buttons(listing) if button.kind == "answer_refresh"] == [second]
    assert "Refreshed: the new answer is below." in str(listing.outcomes)
    assert "55 EUR" in str(beside) or "180 EUR" in str(beside)
    await two_told.press(second)
    await parts.worker.settle()
    said = " ".join(two_told.texts()[-2:])
    assert "55 EUR" in said
    assert "180 EUR" in said


async def test_a_refresh_of_several_that_is_driven_again_posts_one_card_beside(two_told, parts, memory, clock, ada):
    """The bot died after posting the new answer and before its job was done."""
    button = two_told.button("answer_refresh")
    await two_told.press(button)
    [job] = memory.jobs.lease(Audience.INTERNAL, [JobKind.REFRESH_ANSWER], "dies")
    await parts.worker._refresher.refresh(job)
    posted = len(two_told.cards())
    clock.advance(HOUR)
    await parts.worker.settle()
    assert len(two_told.cards()) == posted
    assert len(memory.answers(ada)) == 2


async def test_a_tap_that_is_driven_again_after_its_refresh_posts_no_second_card_beside(two_told, parts, memory, ada):
    """The bot died when it had asked for the refresh, and another did that before it drove the tap again."""
    button = two_told.button("answer_refresh")
    card, action = memory.messages.tapped(button.nonce), CardAction(button.kind, button.target)
    shown = []
    for _ in range(2):
        await parts.actions.tap(ada.person_id, card, action)
        await parts.worker.settle()
        shown.append(two_told.texts())
    assert shown[0] == shown[1]
    assert len(memory.answers(ada)) == 2


async def test_a_long_list_of_names_is_cut_short(memory, adas, parts):
    sections = {f"Part {n}": f"The zebra number {n} is striped." for n in range(4)}
    put(memory, "zebras.md", page("Zebras", sections))
    await adas.ask("Which zebra number is striped?")
    words = await adas.press(adas.button("watch_create"))
    assert words.startswith("Watching “Part")
    assert words.count("“") <= 2
