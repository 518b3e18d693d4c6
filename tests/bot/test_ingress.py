"""What comes in is kept once, whoever repeats it, and worked on in each person's order, side by side for several."""

import asyncio
import threading

import pytest
from structlog.testing import capture_logs

from bot.actions import INACTIVE
from bot.channels.base import NotSent, Profile
from bot.ingress import Tap
from bot.talks import TALKS
from core.clock import DAY, HOUR
from core.model.grants import CardAction
from core.model.watching import ScopeType
from core.store.tables import CardMessage, ChatIdentity, Inbox, Watch
from tests.fakes.scripted_channel import ScriptedChannel
from tests.support.memories import document, rows, watch_request
from tests.support.posting import connect, member, place
from tests.support.talks import Talk, bot_over

ASKED = "What may a meal cost at most?"
EVENT_GIVEN_UP = "inbound.given_up"


@pytest.fixture
def channel():
    return ScriptedChannel()


@pytest.fixture
def ada(memory):
    return member(memory, "Ada")


@pytest.fixture
def bob(memory):
    return member(memory, "Bob")


@pytest.fixture(autouse=True)
def workspace(memory):
    connect(memory, "A")


@pytest.fixture
def adas(parts, channel, ada):
    return Talk(parts, channel, "Ada")


@pytest.fixture
def bobs(parts, channel, bob):
    return Talk(parts, channel, "Bob")


@pytest.fixture
async def asked(revise, adas):
    """Ada has an answer before her."""
    revise()
    await adas.ask(ASKED)
    return adas


def inbox(memory, kind="question"):
    return sorted((row.state, row.attempts) for row in rows(memory, Inbox) if row.kind == kind)


# ── kept once ──


async def test_an_event_that_is_delivered_four_times_is_answered_once(memory, adas, parts, channel):
    for _ in range(4):
        await adas.say("help", "e1")
        await parts.worker.settle()
    assert (inbox(memory), channel.tried(), len(adas.texts())) == ([("done", 1)], 1, 1)


async def test_an_event_that_is_delivered_four_times_at_once_is_answered_once(memory, adas, parts, channel):
    await asyncio.gather(*(adas.say("help", "e1") for _ in range(4)))
    await parts.worker.settle()
    assert (inbox(memory), channel.tried()) == ([("done", 1)], 1)


async def test_an_event_that_two_processes_hear_at_once_is_answered_once(memory, reopen, adas, parts, channel):
    with bot_over(reopen(), channel, owner="other") as other:
        elsewhere = Talk(other, channel, "Ada")
        await asyncio.gather(*(talk.say("help", "e1") for talk in (adas, elsewhere, adas, elsewhere)))
        await asyncio.gather(parts.worker.settle(), other.worker.settle())
    assert (inbox(memory), channel.tried()) == ([("done", 1)], 1)


async def test_the_same_words_in_two_events_are_two_questions(memory, adas, parts):
    for _ in range(2):
        await adas.say("help")
    await parts.worker.settle()
    assert len(adas.texts()) == 2


async def test_an_event_of_a_workspace_that_nobody_connected_has_no_effect(memory, parts, channel, ada):
    before = memory.people.places("default")
    unknown = Talk(parts, channel, "Ada", "Z")
    await unknown.say("help")
    await parts.ingress.opened_home(unknown.place, "e2")
    gone = Profile("Ada", None, None, None, active=False)
    await parts.ingress.profile_changed(unknown.place, gone)
    await parts.worker.settle()
    assert (rows(memory, Inbox, None), rows(memory, CardMessage, None), channel.calls) == ([], [], [])
    assert memory.people.places("default") == before


async def test_an_event_goes_to_the_tenant_of_its_workspace(memory, parts, channel, ada):
    memory.people.ensure_tenant("other", "Other")
    memory.workspaces.connect("other", "fake", "O", "Other", {}, trusted=False)
    person = memory.people.put("other", "Ada")
    memory.people.bind("other", person, place("Ada", "O"))
    [text] = await Talk(parts, channel, "Ada", "O").ask("whoami")
    assert text.startswith("Ada")
    assert [row.tenant_id for row in rows(memory, Inbox, None)] == ["other"]


async def test_a_given_up_event_that_comes_again_is_driven_anew(memory, clock, adas, parts, monkeypatch):
    def broken(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr(memory.messages, "post", broken)
    await adas.say("help", "e1")
    for _ in range(memory.config.watch.max_attempts):
        await parts.worker.settle()
        clock.advance(HOUR)
    assert inbox(memory) == [("failed", memory.config.watch.max_attempts)]
    monkeypatch.undo()
    await parts.worker.settle()
    assert adas.texts() == []
    assert len(await adas.ask("help", "e1")) == 1
    assert inbox(memory) == [("done", 1)]


def given_up(logs):
    return [(entry["log_level"], entry["tenant"], entry["kind"]) for entry in logs if entry["event"] == EVENT_GIVEN_UP]


async def driven_to_the_end(memory, clock, parts):
    for _ in range(memory.config.watch.max_attempts):
        await parts.worker.settle()
        clock.advance(HOUR)


async def test_what_is_given_up_is_an_error_in_the_log_and_whoever_asked_is_told(
    memory, clock, asked, parts, monkeypatch
):
    def broken(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr(memory, "redeem", broken)
    before = len(asked.texts())
    await asked.tap(asked.button("answer_save"))
    with capture_logs() as logs:
        await driven_to_the_end(memory, clock, parts)
    assert given_up(logs) == [("error", "default", "tap")]
    assert inbox(memory, "tap") == [("failed", memory.config.watch.max_attempts)]
    [words] = asked.texts()[before:]
    assert "Something is broken on my side." in words


async def test_somebody_nobody_knows_is_told_too(memory, clock, parts, channel, monkeypatch):
    def broken(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr(memory.messages, "greet", broken)
    eve = Talk(parts, channel, "Eve")
    await eve.say("hello")
    with capture_logs() as logs:
        await driven_to_the_end(memory, clock, parts)
    assert given_up(logs) == [("error", "default", "question")]
    assert ["Something is broken on my side." in text for text in eve.texts()] == [True]


async def test_an_event_whose_card_never_got_out_is_an_error_in_the_log(memory, clock, adas, parts, channel):
    channel.script("send", *[NotSent("busy")] * 100)
    await adas.say("help")
    with capture_logs() as logs:
        await driven_to_the_end(memory, clock, parts)
    assert given_up(logs) == [("error", "default", "question")]
    assert len(rows(memory, CardMessage)) == 1, "the answer itself still waits, and needs no word beside it"


async def test_a_look_at_the_bots_page_that_fails_writes_to_nobody(memory, clock, adas, parts, monkeypatch):
    def broken(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr(memory.messages, "show", broken)
    await parts.ingress.opened_home(adas.place, "e1")
    with capture_logs() as logs:
        await driven_to_the_end(memory, clock, parts)
    assert given_up(logs) == [("error", "default", "home")]
    assert adas.texts() == []


# ── taps ──


async def test_one_button_pressed_twice_at_once_is_one_event_with_one_effect(memory, asked, parts, ada):
    button = asked.button("answer_save")
    assert await asyncio.gather(*(asked.tap(button) for _ in range(3))) == [None] * 3
    await parts.worker.settle()
    assert inbox(memory, "tap") == [("done", 1)]
    assert len(memory.answers(ada)) == 1
    assert "Saved." in asked.texts()[0]


async def test_one_button_pressed_in_two_processes_at_once_is_one_event(memory, reopen, asked, parts, channel):
    button = asked.button("watch_create")
    with bot_over(reopen(), channel, owner="other") as other:
        elsewhere = Talk(other, channel, "Ada")
        await asyncio.gather(asked.tap(button), elsewhere.tap(button))
        await asyncio.gather(parts.worker.settle(), other.worker.settle())
    assert inbox(memory, "tap") == [("done", 1)]
    assert len([row for row in rows(memory, Watch) if row.scope_type == "entity"]) == 1


async def test_a_button_pressed_again_when_it_is_done_changes_nothing(memory, asked, ada):
    button = asked.button("answer_save")
    await asked.press(button)
    before = asked.texts()
    assert await asked.press(button) is None
    assert (asked.texts(), inbox(memory, "tap"), len(memory.answers(ada))) == (before, [("done", 1)], 1)


async def test_two_buttons_of_a_card_and_two_choices_of_one_are_events_of_their_own(memory, asked, parts, revise):
    await asked.press(asked.button("watch_create"))
    revise(meals=55)
    await parts.worker.settle()
    for choice in ("1d", "1w"):
        await asked.tap(asked.button("watch_mute", choice), "m1")
    await asked.press(asked.button("answer_save", at=0))
    assert inbox(memory, "tap") == [("done", 1)] * 4


async def test_a_tap_on_a_card_that_was_renewed_is_another_event_and_the_old_button_is_none(memory, asked, parts, ada):
    """The answer that is refreshed finds nothing: its button comes back with a nonce of its own."""
    await asked.press(asked.button("answer_save"))
    memory.remove("travel.md")
    await parts.worker.settle()
    [at] = [i for i, card in enumerate(asked.cards()) if "answer_refresh" in str(card)]
    ref = list(asked.channel.standing)[at]
    old = asked.button("answer_refresh", at=at)
    await asked.press(old, ref)
    new = asked.button("answer_refresh", at=at)
    assert new.nonce != old.nonce
    taps = len(inbox(memory, "tap"))
    assert await asked.press(new, ref) is None
    assert len(inbox(memory, "tap")) == taps + 1
    assert await asked.press(old, ref) == INACTIVE
    assert len(inbox(memory, "tap")) == taps + 1


async def test_a_tap_of_somebody_nobody_knows_is_refused_in_words_and_kept_nowhere(memory, asked, parts, channel):
    eve = Talk(parts, channel, "Eve")
    assert await eve.press(asked.button("answer_save")) == INACTIVE
    assert (inbox(memory, "tap"), eve.texts()) == ([], [])


async def test_a_tap_on_another_persons_card_is_refused_in_words_and_leaves_it_as_it_was(memory, asked, bobs, ada, bob):
    before = asked.texts()
    assert await bobs.press(asked.button("answer_save")) == INACTIVE
    assert (inbox(memory, "tap"), asked.texts(), bobs.texts()) == ([], before, [])
    assert memory.answers(ada) == memory.answers(bob) == []


@pytest.mark.parametrize("made_up", ["bm9ib2R5IGdhdmUgdGhpcw", "", "é" * 22, "a" * 10_000])
async def test_a_tap_with_a_nonce_that_nobody_gave_out_is_refused_in_words(memory, asked, made_up):
    save = asked.button("answer_save")
    tap = Tap(made_up, CardAction(save.kind, save.target), "m0")
    assert await asked.parts.ingress.tapped(asked.place, tap) == INACTIVE
    assert inbox(memory, "tap") == []


async def test_a_tap_tells_where_the_card_stands_whatever_was_known_of_it(memory, asked):
    [card] = rows(memory, CardMessage)
    with memory._database.write("default") as tx:
        row = tx.session.get_one(CardMessage, ("default", card.message_id))
        row.state, row.message_ref = "unknown", None
        tx.session.add(row)
    await asked.press(asked.button("answer_save"), "m0")
    assert [(row.state, row.message_ref) for row in rows(memory, CardMessage)] == [("sent", "m0")]
    assert "Saved." in asked.texts()[0]
    assert asked.channel.tried() == 1


# ── what the platform says of its users ──


async def profile(talk, *, active=True, zone="Asia/Kolkata", locale="de"):
    await talk.parts.ingress.profile_changed(talk.place, Profile("Ada", None, zone, locale, active))


async def test_who_is_deactivated_waits_with_their_watches_until_they_are_back(memory, adas, ada, revise):
    revise()
    memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md")), ada)
    await profile(adas, active=False)
    assert [(row.state, row.reason) for row in rows(memory, ChatIdentity)] == [("unreachable", "deactivated")]
    assert [(row.enabled, row.suspended) for row in rows(memory, Watch)] == [(True, "unreachable")]
    await profile(adas)
    assert [row.state for row in rows(memory, ChatIdentity)] == ["bound"]
    assert [row.suspended for row in rows(memory, Watch)] == [None]


async def test_who_moves_lives_there_from_now_on(memory, adas, ada):
    await profile(adas)
    person = memory.people.get("default", ada.person_id)
    assert (person.zone, person.locale) == ("Asia/Kolkata", "de")
    await profile(adas, zone="Mars/Olympus", locale=None)
    assert memory.people.get("default", ada.person_id) == person


@pytest.mark.parametrize("active", [True, False])
async def test_what_is_new_of_somebody_nobody_knows_makes_no_writer_wait(memory, parts, channel, monkeypatch, active):
    def write(_):
        raise AssertionError("a write transaction")

    eve = Talk(parts, channel, "Eve")
    monkeypatch.setattr(memory._database, "write", write)
    await profile(eve, active=active)


# ── one after the other, and side by side ──


async def test_what_one_person_says_is_answered_in_order(adas, parts, clock):
    for word in ("help", "whoami", "status", "saved"):
        await adas.say(word)
        clock.advance(1)
    await parts.worker.settle()
    firsts = [text.splitlines()[0] for text in adas.texts()]
    assert [first[:8] for first in firsts] == ["What you", "Ada", "What I r", firsts[3][:8]]
    assert adas.channel.most["A"] == 1, "one at a time"


async def running(parts):
    return asyncio.create_task(parts.worker.run(3600))


async def stopped(parts, run):
    parts.worker.stop()
    await asyncio.wait_for(run, 30)


async def test_one_persons_slow_reply_holds_up_nobody_else_but_what_they_say_next(adas, bobs, parts, channel, clock):
    gate = channel.gate("send", user="Ada")
    run = await running(parts)
    await adas.say("help")
    await gate.reached.wait()
    clock.advance(1)
    await adas.say("whoami")
    for word in ("help", "whoami", "status"):
        clock.advance(1)
        await bobs.say(word)
    await channel.until(lambda: len(bobs.texts()) == 3)
    assert adas.texts() == []
    gate.opened.set()
    await channel.until(lambda: len(adas.texts()) == 2)
    assert adas.texts()[1].startswith("Ada")
    await stopped(parts, run)


async def test_one_persons_slow_question_holds_up_nobody_else(memory, revise, adas, bobs, parts, channel, monkeypatch):
    revise()
    answered, generate = threading.Event(), memory.generate

    def slowly(question, principal, **named):
        assert question == "help" or answered.wait(30)
        return generate(question, principal, **named)

    monkeypatch.setattr(memory, "generate", slowly)
    run = await running(parts)
    await adas.say(ASKED)
    await bobs.say("help")
    await channel.until(bobs.texts)
    assert adas.texts() == []
    answered.set()
    await channel.until(adas.texts)
    assert "40 EUR" in adas.texts()[0]
    await stopped(parts, run)


async def test_however_much_one_person_says_nobody_else_waits_for_it(adas, bobs, parts, channel, clock):
    gate = channel.gate("send", user="Ada")
    for _ in range(TALKS * 2):
        await adas.say("help")
        clock.advance(1)
    run = await running(parts)
    await gate.reached.wait()
    await bobs.say("help")
    await channel.until(bobs.texts)
    assert adas.texts() == []
    await gate_opened(gate, channel, adas, TALKS * 2)
    await stopped(parts, run)


async def gate_opened(gate, channel, talk, count):
    gate.opened.set()
    await channel.until(lambda: len(talk.texts()) == count)


async def test_who_writes_in_two_threads_of_theirs_is_one_person(adas, parts, channel, clock):
    for number, word in enumerate(("help", "whoami")):
        await parts.ingress.said(place("Ada", thread=f"t{number}"), f"e{number}", word)
        clock.advance(1)
    await parts.worker.settle()
    assert channel.most["A"] == 1
    assert [one.place.thread for one in channel.at("A")] == ["t0", "t1"], "and each is answered where it was asked"


# ── stopping ──


async def test_events_that_were_not_begun_when_the_bot_stops_are_given_back_with_their_attempts(
    memory, adas, bobs, parts, channel, clock
):
    gate = channel.gate("send", user="Ada")
    for _ in range(3):
        await adas.say("help")
        clock.advance(1)
    run = await running(parts)
    await gate.reached.wait()
    parts.worker.stop()
    await bobs.say("help")
    gate.opened.set()
    await asyncio.wait_for(run, 30)
    assert inbox(memory) == [("done", 1), *[("ready", 0)] * 3]
    assert {row.lease_until for row in rows(memory, Inbox) if row.state == "ready"} == {0}
    assert (len(adas.texts()), bobs.texts()) == (1, [])


async def test_events_in_hand_but_not_begun_when_the_bot_stops_are_given_back_with_their_attempts(
    memory, adas, bobs, parts
):
    for talk in (adas, bobs):
        await talk.say("help")
    assert await parts.worker._talks.begin() == 2
    parts.worker.stop()
    await parts.worker._finish()
    assert inbox(memory) == [("ready", 0)] * 2
    assert {row.lease_until for row in rows(memory, Inbox)} == {0}
    assert (adas.texts(), bobs.texts()) == ([], [])


async def test_the_next_bot_goes_on_at_once_with_what_was_given_back(memory, adas, parts, channel, clock):
    gate = channel.gate("send", user="Ada")
    for _ in range(3):
        await adas.say("help")
        clock.advance(1)
    run = await running(parts)
    await gate.reached.wait()
    parts.worker.stop()
    gate.opened.set()
    await asyncio.wait_for(run, 30)
    with bot_over(memory, channel, owner="next") as following:
        await following.worker.settle()
    assert (inbox(memory), len(adas.texts())) == ([("done", 1)] * 3, 3)


async def test_an_event_of_long_ago_is_answered_all_the_same(memory, adas, parts, clock):
    await adas.say("help")
    clock.advance(30 * DAY)
    await parts.worker.settle()
    assert len(adas.texts()) == 1
