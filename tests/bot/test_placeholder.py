"""A slow answer has its place held; however that goes, what stands there in the end is the answer, once."""

import asyncio
import threading

import pytest

from bot.channels.base import NotSent, Unknown
from cards.codec import from_json
from cards.plain import to_plain
from core.clock import HOUR, MINUTE, SECOND
from core.errors import StoreUnavailable
from core.model.work import Extent, Inbound
from core.outcomes.engine import LOOK_AFTER
from core.store.tables import CardMessage, Inbox
from tests.fakes.scripted_channel import ScriptedChannel
from tests.support.memories import rows
from tests.support.posting import connect, member, place
from tests.support.talks import Talk, bot_over, carried

ASKED = "What may a meal cost at most?"
LOOKING = "Looking it up…"


@pytest.fixture
def channel():
    return ScriptedChannel()


@pytest.fixture(autouse=True)
def ada(memory):
    connect(memory, "A")
    return member(memory, "Ada")


@pytest.fixture
def parts(memory, channel):
    """A bot without patience: it holds the place of whatever is not there at once."""
    with bot_over(memory, channel, patience=0) as parts:
        yield parts


@pytest.fixture
def adas(parts, channel, revise):
    revise()
    return Talk(parts, channel, "Ada")


@pytest.fixture
def slowly(memory, monkeypatch):
    """Answers are made only when this is set."""
    ready, generate = threading.Event(), memory.generate

    def slow(question, principal, **named):
        assert ready.wait(30)
        return generate(question, principal, **named)

    monkeypatch.setattr(memory, "generate", slow)
    yield ready
    ready.set()


def said(channel):
    """All that each message has said, by its first words."""
    return [[to_plain(from_json(card)).split("\n")[0] for card in one.said] for one in channel.at("A")]


def is_answered(channel):
    [one] = channel.at("A")
    return "40 EUR" in to_plain(from_json(one.card))


def results(memory):
    return [(row.state, row.result) for row in rows(memory, Inbox)]


async def asking(adas, slowly):
    """The bot at work on a question, once its place is held; it is answered when `slowly` is set."""
    await adas.say(ASKED, "e1")
    work = asyncio.create_task(adas.parts.worker.settle())
    await adas.channel.until(lambda: adas.channel.calls)
    return work


# ── nothing goes wrong ──


async def test_a_slow_answer_takes_the_place_that_was_held_for_it(memory, adas, channel, slowly):
    work = await asking(adas, slowly)
    await channel.until(lambda: channel.at("A"))
    assert said(channel) == [[LOOKING]]
    assert results(memory) == [("running", None)]
    slowly.set()
    await work
    assert (len(said(channel)), said(channel)[0][0], is_answered(channel)) == (1, LOOKING, True)
    assert (channel.tried(), channel.tried("update"), results(memory)) == (1, 1, [("done", "answered")])


async def test_the_answer_is_shown_at_once_and_waits_for_nothing_else_that_is_due(memory, adas, ada, channel, slowly):
    await adas.say(ASKED, "e1")
    [held] = memory.inbound.lease()
    asked = asyncio.create_task(adas.parts.ask.question(held, ada.person_id))
    await channel.until(lambda: channel.at("A"))
    slowly.set()
    await asked
    assert is_answered(channel)


async def test_an_answer_that_is_there_soon_comes_at_once(memory, channel, adas):
    with bot_over(memory, channel, patience=60) as patient:
        await Talk(patient, channel, "Ada").ask(ASKED)
    assert (len(said(channel)[0]), is_answered(channel), channel.tried("update")) == (1, True, 0)


async def test_the_answers_own_buttons_work_where_the_place_was_held(memory, adas, slowly, ada):
    work = await asking(adas, slowly)
    slowly.set()
    await work
    assert await adas.press(adas.button("answer_save")) is None
    assert "Saved." in adas.texts()[0]
    assert len(memory.answers(ada)) == 1


async def test_it_is_answered_in_the_thread_where_it_was_asked(adas, slowly, channel, parts):
    in_thread = place("Ada", thread="t1")
    await parts.ingress.said(in_thread, "e1", ASKED)
    work = asyncio.create_task(parts.worker.settle())
    await channel.until(lambda: channel.at("A"))
    slowly.set()
    await work
    assert [one.place for one in channel.at("A")] == [in_thread]


async def test_of_two_slow_questions_each_has_its_own_place(adas, channel, slowly, clock):
    await adas.say(ASKED, "e1")
    clock.advance(1)
    await adas.say(ASKED, "e2")
    work = asyncio.create_task(adas.parts.worker.settle())
    await channel.until(lambda: channel.calls)
    slowly.set()
    await work
    assert len(channel.at("A")) == 2
    assert all("40 EUR" in text for text in adas.texts())


async def test_that_nothing_is_known_gives_way_like_any_answer(memory, adas, channel, slowly):
    memory.remove("travel.md")
    work = await asking(adas, slowly)
    slowly.set()
    await work
    assert said(channel) == [[LOOKING, "I don’t know"]]


async def test_an_error_in_words_gives_way_like_any_answer(memory, adas, channel, monkeypatch):
    ready = threading.Event()

    def full(*_, **__):
        assert ready.wait(30)
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(memory, "generate", full)
    work = await asking(adas, ready)
    await channel.until(lambda: channel.at("A"))
    ready.set()
    await work
    assert said(channel) == [[LOOKING, "That did not work"]]
    assert "the disk is full" in adas.texts()[0]


# ── the place itself meets trouble ──


async def test_a_place_still_on_its_way_is_filled_when_it_has_arrived(adas, channel, slowly):
    gate = channel.gate("send")
    work = await asking(adas, slowly)
    await gate.reached.wait()
    slowly.set()
    gate.opened.set()
    await work
    assert (len(channel.at("A")), is_answered(channel), channel.tried()) == (1, True, 1)


async def test_the_answer_itself_is_sent_where_the_place_was_refused_for_now(memory, clock, adas, channel, slowly):
    channel.script("send", NotSent("rate limited", retry_after=30 * SECOND))
    work = await asking(adas, slowly)
    slowly.set()
    await work
    assert channel.at("A") == []
    clock.advance(MINUTE)
    await adas.parts.worker.settle()
    assert (len(said(channel)), is_answered(channel), results(memory)) == (1, True, [("done", "answered")])
    assert LOOKING not in said(channel)[0]


@pytest.mark.parametrize("taken", [True, False])
async def test_whether_a_place_in_doubt_is_there_or_not_one_card_answers(memory, clock, adas, channel, slowly, taken):
    channel.script("send", Unknown("time-out"), taken=taken)
    work = await asking(adas, slowly)
    slowly.set()
    await work
    for _ in range(4):
        clock.advance(LOOK_AFTER)
        await adas.parts.worker.settle()
    assert (len(channel.at("A")), is_answered(channel)) == (1, True)
    assert (channel.tried(), results(memory)) == (1 if taken else 2, [("done", "answered")])


async def test_a_place_refused_for_good_is_not_held_for_ever(memory, clock, adas, channel, slowly):
    channel.script("send", NotSent("too big", lasting=Extent.CARD))
    work = await asking(adas, slowly)
    slowly.set()
    await work
    clock.advance(HOUR)
    await adas.parts.worker.settle()
    assert (channel.at("A"), channel.tried(), results(memory)) == ([], 1, [("done", "answered")])


@pytest.mark.parametrize(
    "trouble", [NotSent("rate limited", retry_after=30 * SECOND), Unknown("500"), RuntimeError("broken")]
)
async def test_an_answer_that_could_not_be_shown_at_once_is_shown_in_the_end(
    memory, clock, adas, channel, slowly, trouble
):
    channel.script("update", trouble)
    work = await asking(adas, slowly)
    slowly.set()
    await work
    assert said(channel) == [[LOOKING]]
    clock.advance(MINUTE)
    await carried(adas.parts)
    assert is_answered(channel)
    assert results(memory) == [("done", "answered")]


# ── the bot dies ──


def event(memory, adas, ada):
    [row] = rows(memory, Inbox)
    return Inbound("default", row.event_id, ada.person_id, adas.place, "question", row.body, row.attempts)


async def test_after_a_bot_that_died_with_the_place_held_the_next_answers_there(
    memory, clock, adas, ada, channel, slowly
):
    await adas.say(ASKED, "e1")
    [held] = memory.inbound.lease()
    dying = asyncio.create_task(adas.parts.ask.question(held, ada.person_id))
    await channel.until(lambda: channel.at("A"))
    await carried(adas.parts)
    dying.cancel()
    slowly.set()
    clock.advance(memory.config.watch.lease_secs * SECOND)
    with bot_over(memory, channel, owner="next") as following:
        await following.worker.settle()
    assert (len(channel.at("A")), is_answered(channel), channel.tried()) == (1, True, 1)
    assert results(memory) == [("done", "answered")]


async def test_a_question_driven_again_never_puts_a_placeholder_over_its_answer(memory, adas, ada, channel, slowly):
    work = await asking(adas, slowly)
    slowly.set()
    await work
    slowly.clear()
    again = asyncio.create_task(adas.parts.ask.question(event(memory, adas, ada), ada.person_id))
    await carried(adas.parts)
    slowly.set()
    await again
    [one] = rows(memory, CardMessage)
    assert (said(channel)[0][0], len(said(channel)[0]), one.kind) == (LOOKING, 2, "answer")
    assert is_answered(channel)


async def test_two_bots_that_work_on_one_question_answer_it_once(memory, reopen, adas, ada, channel, slowly):
    """The first has outlived its lease, and both hold its place and answer."""
    await adas.say(ASKED, "e1")
    with bot_over(reopen(watch={"settle_secs": 0}), channel, patience=0, owner="other") as other:
        asked = event(memory, adas, ada)
        first = asyncio.create_task(adas.parts.ask.question(asked, ada.person_id))
        await channel.until(lambda: channel.at("A"))
        second = asyncio.create_task(other.ask.question(asked, ada.person_id))
        slowly.set()
        assert await first == await second
    await carried(adas.parts)
    assert (len(channel.at("A")), is_answered(channel), channel.tried()) == (1, True, 1)


async def test_a_question_that_breaks_is_driven_again_and_answered_in_the_place_that_was_held(
    memory, clock, adas, channel, monkeypatch
):
    ready, generate = threading.Event(), memory.generate

    def broken(*_, **__):
        assert ready.wait(30)
        raise RuntimeError("a mistake of the bot's own")

    monkeypatch.setattr(memory, "generate", broken)
    work = await asking(adas, ready)
    await channel.until(lambda: channel.at("A"))
    ready.set()
    await work
    assert ([state for state, _ in results(memory)], said(channel)) == (["ready"], [[LOOKING]])
    monkeypatch.setattr(memory, "generate", generate)
    clock.advance(MINUTE)
    await adas.parts.worker.settle()
    assert (len(channel.at("A")), is_answered(channel)) == (1, True)


async def test_a_question_that_breaks_every_time_is_told_of_at_last_and_the_place_is_held_no_longer(
    memory, clock, adas, channel, monkeypatch
):
    def broken(*_, **__):
        raise RuntimeError("a mistake of the bot's own")

    monkeypatch.setattr(memory, "generate", broken)
    await adas.say(ASKED)
    for _ in range(memory.config.watch.max_attempts):
        await adas.parts.worker.settle()
        clock.advance(HOUR)
    await carried(adas.parts)
    assert said(channel)[0][-1] == "That did not work"
    assert "a mistake" not in adas.texts()[0]
    assert results(memory) == [("done", "answered")]
