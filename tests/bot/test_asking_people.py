"""A question comes to each of its audience in one card of their own, and the card says what came of it."""

import pytest

from bot.actions import INACTIVE, NOT_SAID
from bot.presenters import present
from cards.plain import to_plain
from core.clock import DAY, HOUR
from core.jobs.kinds import Audience, JobKind
from core.model.grants import CardAction
from core.store.tables import CardMessage, Inbox, Job
from tests.support.bots import Chat, buttons
from tests.support.memories import dump, page, put, rows, source_id
from tests.support.questions import LUNCH, dispute, newest, opened, price, says, state


@pytest.fixture
def bobs(parts, room, memory):
    """Bob, who is a member and a steward."""
    person_id = memory.people.put("default", "bob", roles=["member", "steward"])
    chat = Chat(parts, room, memory.people.principal("default", person_id), "bob")
    memory.people.bind("default", person_id, chat.place)
    return chat


def outcome(memory, chat):
    """What became of the one card that asks somebody: its state, and why."""
    [message] = [row for row in rows(memory, CardMessage) if row.person_id == chat.person.person_id]
    return message.state, message.reason


def asked_jobs(memory):
    return {job.payload["person_id"]: (job.state, job.error) for job in rows(memory, Job) if job.kind == "clarify:ask"}


# ── asking ──


async def test_everybody_gets_one_card_with_a_button_an_option(adas, bobs, parts, memory):
    opened(memory, quorum=2)
    for _ in range(2):
        await parts.worker.settle()
    for chat in (adas, bobs):
        [card] = chat.cards()
        assert LUNCH in to_plain(card)
        assert "somebody on your team asks about “Lunch”" in to_plain(card)
        assert [button.label for button in buttons(card)] == ["At noon", "At one", "Don’t know"]


async def test_a_dispute_shows_the_words_of_each_document(bobs, parts, memory):
    dispute(memory)
    await parts.worker.settle()
    [text] = bobs.texts()
    assert "Sources disagree on “price”" in text
    for words in ("A meal may cost 40 EUR.", "A meal may cost 55 EUR."):
        assert words in text


async def test_only_options_that_the_reader_may_read_are_quoted(bobs, parts, memory):
    memory.put_node(says(memory, "a.md", 40))
    memory.put_node(says(memory, "secret.md", 55, readers=("board",)))
    await parts.worker.settle()
    [text] = bobs.texts()
    assert "40" in text
    assert "55" not in text
    assert [button.arg for button in buttons(bobs.cards()[0])] == ["0", "dont_know"]


async def test_a_mute_and_quiet_hours_hold_it_and_its_end_lets_it_come(bobs, parts, memory, clock):
    memory.mute_all(bobs.person, clock.now() + DAY)
    opened(memory)
    await parts.worker.settle()
    assert bobs.cards() == []
    memory.mute_all(bobs.person, 0)
    await parts.worker.settle()
    assert len(bobs.cards()) == 1


async def test_who_may_no_longer_read_it_or_vote_is_not_asked_and_why_is_kept(adas, bobs, parts, memory, clock):
    for chat in (adas, bobs):
        memory.mute_all(chat.person, clock.now() + HOUR)
    opened(memory)
    await parts.worker.settle()
    memory.people.put("default", "bob", roles=["guest"])
    put(memory, "day.md", page("day.md", {"Lunch": "Lunch is served daily."}), ("board",))
    clock.advance(2 * HOUR)
    await parts.worker.settle()
    assert (adas.cards(), bobs.cards()) == ([], [])
    assert outcome(memory, bobs) == ("skipped", "not_authorised")


async def test_who_cannot_be_reached_is_skipped_with_the_reason(bobs, parts, memory):
    memory.people.departed("default", bobs.place, "opted_out")
    opened(memory, audience=("steward",))
    await parts.worker.settle()
    assert asked_jobs(memory) == {str(bobs.person.person_id): ("done", "skipped: unreachable")}


async def test_what_is_settled_before_its_card_goes_out_is_not_asked(adas, bobs, parts, memory, clock):
    memory.mute_all(bobs.person, clock.now() + HOUR)
    asked = opened(memory)
    await parts.worker.settle()
    await adas.press(adas.button("clarify_vote", "0"))
    clock.advance(2 * HOUR)
    await parts.worker.settle()
    assert bobs.cards() == []
    assert outcome(memory, bobs) == ("skipped", "settled")
    assert state(memory, asked) == "bound"


# ── voting ──


async def test_a_vote_shows_what_was_chosen_and_can_be_changed(adas, bobs, parts, memory):
    memory.people.put("default", "Cleo")
    asked = opened(memory, quorum=2)
    await parts.worker.settle()
    assert await adas.press(adas.button("clarify_vote", "1")) == "Your choice counts."
    assert "You chose: At one" in adas.texts()[-1]
    await adas.press(adas.button("clarify_vote", "dont_know"))
    assert "You said that you do not know." in adas.texts()[-1]
    await adas.press(adas.button("clarify_vote", "0"))
    assert newest(memory, asked).votes == {str(adas.person.person_id): 0}
    assert "You chose" not in bobs.texts()[-1], "everybody's choice is their own"


async def test_what_settles_it_is_shown_to_all_who_were_asked(adas, bobs, parts, memory):
    opened(memory)
    await parts.worker.settle()
    assert await adas.press(adas.button("clarify_vote", "1")) == "Your choice counts, and settles it."
    await parts.worker.settle()
    for chat in (adas, bobs):
        [card] = chat.cards()
        assert "Settled: At one" in to_plain(card)
        assert buttons(card) == []
    assert "You chose: At one" in adas.texts()[0]


async def test_what_people_cannot_agree_on_says_so(adas, bobs, parts, memory):
    opened(memory, quorum=2)
    await parts.worker.settle()
    await adas.press(adas.button("clarify_vote", "0"))
    await bobs.press(bobs.button("clarify_vote", "1"))
    await parts.worker.settle()
    for chat in (adas, bobs):
        assert "People could not agree on this: a steward settles it." in chat.texts()[-1]
        assert buttons(chat.cards()[-1]) == []


async def test_a_vote_on_a_settled_one_says_so(adas, bobs, parts, memory):
    asked = opened(memory)
    await parts.worker.settle()
    late = bobs.button("clarify_vote", "0")
    memory.clarify.override("default", asked, 1)
    assert await bobs.press(late) == "This was settled before you chose."
    assert "Settled: At one" in bobs.texts()[-1]
    assert newest(memory, asked).votes == {}


async def test_a_new_option_comes_to_the_card_that_stands(bobs, parts, memory):
    dispute(memory)
    await parts.worker.settle()
    memory.put_node(says(memory, "c.md", 60))
    await parts.worker.settle()
    [card] = bobs.cards()
    assert [button.label for button in buttons(card)] == ["40", "55", "60", "Don’t know"]
    await bobs.press(bobs.button("clarify_vote", "2"))
    assert price(memory, bobs.person) == 60


async def test_a_tap_on_what_is_said_no_more_brings_what_there_is_to_choose(bobs, parts, memory):
    asked = dispute(memory)
    memory.put_node(says(memory, "c.md", 60))
    await parts.worker.settle()
    gone = bobs.button("clarify_vote", "1")
    put(memory, "b.md", page("b.md", {"Meals": "Meals are free now."}))
    assert await bobs.press(gone) == NOT_SAID
    assert state(memory, asked) == "pending"
    assert [button.label for button in buttons(bobs.cards()[-1])] == ["40", "60", "Don’t know"]
    await bobs.press(bobs.button("clarify_vote", "2"))
    assert price(memory, bobs.person) == 60


async def test_an_option_that_the_card_never_offered_is_not_granted(adas, parts, memory):
    opened(memory)
    await parts.worker.settle()
    button = adas.button("clarify_vote", "0")
    card = memory.messages.tapped(button.nonce)
    words = await parts.actions.tap(adas.person.person_id, card, CardAction("clarify_vote", button.target, "7"))
    assert "the card never offered this" in words


# ── races ──


async def test_somebody_deactivated_between_the_card_and_the_tap_has_no_vote(adas, bobs, parts, memory):
    asked = opened(memory)
    await parts.worker.settle()
    button = adas.button("clarify_vote", "0")
    memory.people.set_active("default", adas.person.person_id, False)
    assert "no longer active" in await adas.press(button)
    assert (state(memory, asked), newest(memory, asked).votes) == ("pending", {})


async def test_an_erasure_while_the_card_is_out_takes_its_words(bobs, parts, memory):
    asked = dispute(memory)
    await parts.worker.settle()
    button = bobs.button("clarify_vote", "1")
    await bobs.press(bobs.button("clarify_vote", "dont_know"))
    memory.erase(source_id("b.md"), "asked by mail")
    await parts.worker.settle()
    assert "55" not in bobs.texts()[-1]
    assert await bobs.press(button) == INACTIVE
    assert state(memory, asked) == "bound", "only one document is left, and nothing is in question"
    assert price(memory, bobs.person) == 40


async def test_what_was_chosen_is_nowhere_once_its_source_is_erased(adas, bobs, parts, memory):
    memory.put_node(says(memory, "a.md", "marzipan"))
    memory.put_node(says(memory, "b.md", "zanzibar"))
    await parts.worker.settle()
    bobs.tap(bobs.button("clarify_vote", "1"))
    await parts.worker.settle()
    assert price(memory, bobs.person) == "zanzibar"
    assert rows(memory, Inbox)[-1].result == "Your choice counts, and settles it."
    memory.erase(source_id("b.md"), "asked by mail")
    await parts.worker.settle()
    assert "zanzibar" not in dump(memory)
    assert "zanzibar" not in bobs.texts()[-1]


async def test_an_outcome_that_comes_while_the_card_is_on_its_way_is_shown_after_it(bobs, parts, memory):
    asked = opened(memory, audience=("steward",))
    await parts.worker._notify_jobs()
    [waiting] = memory.delivery.due()
    card = memory.delivery.take(waiting.tenant_id, waiting.message_id, present)
    memory.clarify.override("default", asked, 1)
    await parts.worker._notify_jobs()
    ref = bobs.room.post(card.delivery_key, "bob", card.card)
    memory.outcomes.sent(card, ref)
    assert "Settled" not in bobs.texts()[-1]
    await parts.worker.settle()
    assert len(bobs.cards()) == 1
    assert "Settled: At one" in bobs.texts()[-1]


async def test_a_job_that_is_done_twice_asks_once(bobs, parts, memory):
    opened(memory, audience=("steward",))
    [job] = memory.jobs.lease(Audience.CLARIFY, [JobKind.CLARIFY_ASK], "one", 10)
    for _ in range(2):
        memory.delivery.ask(job, present)
    await parts.worker.settle()
    assert len(bobs.cards()) == len(rows(memory, CardMessage)) == 1
