"""The background work: everything due is done, once, whatever fails or comes twice on the way."""

import asyncio
import threading

import pytest
from structlog.testing import capture_logs

from bot.delivery import AT_ONCE
from bot.worker import AT_ONCE as JOBS_AT_ONCE
from bot.worker import PRUNE_EVERY, Loop, Worker
from cards.codec import to_json
from cards.notices import notice
from core.clock import DAY, HOUR, MINUTE, SECOND
from core.errors import StoreUnavailable
from core.model.watching import Cadence, ScopeType
from core.outcomes.engine import LOOK_AFTER
from core.retention.periods import KEPT, Spent
from core.store import briefs
from core.store.tables import CardMessage, ChatIdentity, Inbox, Job, NotifyDelivery, Person
from tests.fakes.platform_channel import PLATFORM, PlatformChannel
from tests.support.bots import parts_over
from tests.support.memories import change_row, document, page, put, rows, section, watch_request

ASKED = "What may a meal cost at most?"


@pytest.fixture
def worker(parts):
    return parts.worker


@pytest.fixture
async def watching(memory, worker, revise, adas, ada):
    """Ada watches the handbook, and nothing is new to her."""
    revise()
    view = memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md"), name="travel"), ada)
    await worker.settle()
    return view


def inbox_states(memory):
    return [row.state for row in rows(memory, Inbox)]


# ── from a change to a card ──


async def test_a_change_becomes_one_card_and_then_nothing_is_due(worker, watching, revise, adas, room):
    revise(meals=55)
    await worker.settle()
    [text] = adas.texts()
    assert "40 EUR at most" in text
    assert "55 EUR at most" in text
    assert "You watch travel" in text
    assert await worker.round() == 0
    assert room.tried() == 1


async def test_two_watches_of_one_person_on_one_change_share_a_card_that_names_both(
    memory, worker, watching, revise, ada, adas
):
    request = watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals"), name="meals")
    memory.watch(request, ada)
    revise(meals=55)
    await worker.settle()
    [text] = adas.texts()
    assert "you watch\n• travel\n  [Stop watching]\n• meals\n" in text
    assert text.count("Travel › Meals") == 1, "the one passage that changed is shown once"


MANY = JOBS_AT_ONCE * 2 + 1


def fees(amount):
    return page("Fees", {f"Fee {number}": f"Fee {number} is {amount + number} EUR at most." for number in range(MANY)})


async def test_more_watches_on_one_page_than_there_are_jobs_at_once_share_one_card(memory, worker, room, ada):
    put(memory, "fees.md", fees(100))
    for number in range(MANY):
        ref = section("fees.md", "Fees", f"Fee {number}")
        memory.watch(watch_request(ada, ScopeType.ENTITY, ref, name=f"fee {number}"), ada)
    await worker.settle()
    put(memory, "fees.md", fees(500))
    await worker.settle()
    assert room.tried() == 1
    assert {(row.state, row.reason) for row in rows(memory, NotifyDelivery)} == {("sent", None)}


async def test_more_answers_that_cite_one_page_than_there_are_jobs_at_once_share_one_card(
    memory, worker, room, ada, adas
):
    put(memory, "fees.md", fees(100))
    for number in range(MANY):
        memory.save_answer(memory.generate(f"What is Fee {number} at most?", ada).trace_id, ada)
    await worker.settle()
    put(memory, "fees.md", fees(500))
    await worker.settle()
    assert (room.tried(), f"{MANY} saved answers" in adas.texts()[-1]) == (1, True)


async def test_what_takes_long_to_refresh_holds_up_no_news(memory, clock, worker, watching, revise, adas, monkeypatch):
    await adas.save(ASKED)
    go, begun, refresh = threading.Event(), threading.Event(), memory.refresh_answer

    def slow(*args):
        begun.set()
        assert go.wait(30)
        return refresh(*args)

    monkeypatch.setattr(memory, "refresh_answer", slow)
    revise(meals=55)
    await worker.settle()
    await adas.press(adas.button("answer_refresh"))
    running = asyncio.create_task(worker.run(0.01))
    await asyncio.to_thread(begun.wait, 30)
    clock.advance(HOUR)
    revise(meals=60)
    async with asyncio.timeout(30):
        while "60 EUR" not in adas.texts()[-1]:  # noqa: ASYNC110  # another process's doing tells nobody
            await asyncio.sleep(0.01)
    go.set()
    worker.stop()
    await running


async def test_two_workers_at_once_tell_each_person_of_each_fire_once(memory, worker, revise, ada, adas, bob, bobs):
    revise()
    for person in (ada, bob):
        for number, name in enumerate(("Meals", "Hotels")):
            refs = (section("travel.md", "Travel", name),)
            memory.watch(watch_request(person, ScopeType.ENTITY, *refs, name=f"{name} {number}"), person)
    await worker.settle()
    revise(meals=55, hotels=180)
    others = [parts_over(memory, {PLATFORM: PlatformChannel(adas.room.url)}, owner=f"w{n}") for n in range(2)]
    await asyncio.gather(worker.settle(), *(other.worker.settle() for other in others))
    for other in others:
        other.gateway.stop()
    told = [text.count("Travel › Meals") for chat in (adas, bobs) for text in chat.texts()]
    assert sum(told) == 2, "one card a person speaks of it"
    assert len({delivery.fire_id for delivery in rows(memory, NotifyDelivery)}) == 4


async def test_news_of_a_watch_that_is_muted_comes_as_one_card_when_the_mute_ends(
    memory, clock, worker, watching, revise, ada, adas
):
    memory.mute_all(ada, clock.now() + HOUR)
    for meals in (50, 55):
        revise(meals=meals)
        await worker.settle()
        clock.advance(10 * MINUTE)
    assert adas.cards() == []
    clock.advance(HOUR)
    await worker.settle()
    [text] = adas.texts()
    assert "40 EUR" in text
    assert "55 EUR" in text


@pytest.mark.parametrize("what", ["inactive", "unreachable", "unreadable"])
async def test_who_lost_a_right_between_the_fire_and_the_send_is_told_nothing_of_it(
    what, memory, worker, watching, ada, adas, revise
):
    revise(meals=55)
    await worker._sweep()
    await worker._notify_jobs()
    await worker._gather()
    if what == "inactive":
        change_row(memory, Person, ("default", ada.person_id), active=False)
    elif what == "unreachable":
        change_row(memory, ChatIdentity, ("default", PLATFORM, "room", "Ada"), state="unreachable")
        change_row(memory, Person, ("default", ada.person_id), active=False)
    else:
        memory.ingest("travel.md", b"# Travel\n\nFor stewards now.\n", readers=["role:steward"])
    await worker.settle()
    assert ["rests" in text for text in adas.texts()] == ([True] if what == "unreadable" else [])
    assert not any(words in text for text in adas.texts() for words in ("EUR", "stewards"))
    assert [(delivery.state, bool(delivery.reason)) for delivery in rows(memory, NotifyDelivery)] == [("skipped", True)]


async def test_a_watch_stopped_before_the_send_tells_nothing(memory, worker, watching, ada, adas, revise, room):
    await adas.ask("watching")
    revise(meals=55)
    await worker._sweep()
    await worker._notify_jobs()
    await worker._gather()
    await adas.press(adas.button("watch_mute", "stop"))
    await worker.settle()
    assert [text for text in adas.texts() if "55 EUR" in text] == []


async def test_the_same_words_again_are_news_again(worker, watching, revise, adas, clock):
    """What makes a card a repeat is its fire and its reader, never its text."""
    for meals in (55, 40, 55):
        revise(meals=meals)
        await worker.settle()
        clock.advance(HOUR)
    there, back, again = adas.cards()
    assert there.title == again.title != back.title


async def test_two_people_get_the_same_words_each(memory, worker, watching, revise, adas, bob, bobs):
    memory.watch(watch_request(bob, ScopeType.ENTITY, document("travel.md"), name="travel"), bob)
    revise(meals=55)
    await worker.settle()
    assert adas.cards()[0].title == bobs.cards()[0].title


async def test_many_changes_and_three_workers_tell_each_person_of_each_fire_once(memory, worker, ada, adas, bob, bobs):
    sections = {f"Part {n}": f"Part {n} costs 10 EUR." for n in range(40)}
    put(memory, "prices.md", page("Prices", sections))
    for person in (ada, bob):
        for number in range(40):
            ref = section("prices.md", "Prices", f"Part {number}")
            memory.watch(watch_request(person, ScopeType.ENTITY, ref, name=f"part {number}"), person)
    await worker.settle()
    put(memory, "prices.md", page("Prices", {name: words.replace("10", "12") for name, words in sections.items()}))
    others = [parts_over(memory, {PLATFORM: PlatformChannel(adas.room.url)}, owner=f"w{n}") for n in range(2)]
    await asyncio.gather(worker.settle(), *(other.worker.settle() for other in others))
    for other in others:
        other.gateway.stop()
    deliveries = rows(memory, NotifyDelivery)
    assert len({(delivery.fire_id, delivery.person_id) for delivery in deliveries}) == len(deliveries) == 80
    assert {delivery.state for delivery in deliveries} == {"sent"}
    keys = [message["key"] for message in adas.room.messages()]
    assert len(set(keys)) == len(keys) == len({delivery.message_id for delivery in deliveries})


# ── questions and taps ──


async def test_a_question_that_comes_again_is_answered_once(memory, worker, revise, adas, room):
    revise()
    for _ in range(3):
        await adas.ask(ASKED, event_id="e1")
    assert len(adas.cards()) == room.tried() == 1
    assert inbox_states(memory) == ["done"]


async def test_the_same_event_id_from_another_person_is_another_question(worker, revise, adas, bobs):
    revise()
    await adas.ask(ASKED, event_id="e1")
    await bobs.ask(ASKED, event_id="e1")
    assert (len(adas.cards()), len(bobs.cards())) == (1, 1)


@pytest.mark.parametrize("trouble", ["429", "500", "cut"])
async def test_a_question_is_done_only_when_its_card_is_out(trouble, memory, clock, worker, revise, adas, room):
    revise()
    room.script(trouble)
    adas.write(ASKED)
    await worker.settle()
    assert inbox_states(memory) == ["ready"]
    for _ in range(4):
        clock.advance(LOOK_AFTER + MINUTE)
        await worker.settle()
    assert (inbox_states(memory), len(adas.cards())) == (["done"], 1)


async def test_a_question_whose_answer_cannot_be_sent_for_good_is_not_driven_for_ever(memory, worker, adas, room):
    room.script("403")
    adas.write("help")
    await worker.settle()
    assert inbox_states(memory) == ["done"]
    assert room.tried() == 1


async def test_whoever_writes_can_be_written_to_again(memory, worker, ada, adas):
    """A person was lost, and so their watches wait; a word of theirs ends that."""
    memory.people.departed("default", adas.place, "account_inactive")
    assert memory.people.places("default")[0].state == "unreachable"
    assert len(await ask_all(adas, "help")) == 1
    assert memory.people.places("default")[0].state == "bound"


async def ask_all(chat, text):
    await chat.ask(text)
    return chat.cards()


async def test_a_question_left_half_done_is_driven_again_when_its_lease_ends(memory, clock, worker, revise, adas):
    revise()
    adas.write(ASKED)
    assert len(memory.inbound.lease()) == 1, "by a bot that died then"
    await worker.settle()
    assert adas.cards() == []
    clock.advance(memory.config.watch.lease_secs * SECOND)
    await worker.settle()
    assert len(adas.cards()) == 1


async def test_a_double_click_has_one_effect_and_the_second_shows_it(memory, worker, revise, adas, ada):
    revise()
    await adas.ask(ASKED)
    button = adas.button("answer_save")
    adas.tap(button)
    adas.tap(button)
    await worker.settle()
    assert len(memory.answers(ada)) == 1
    assert "You have saved this already." in adas.texts()[0]
    assert sorted(row.result for row in rows(memory, Inbox) if row.kind == "tap") == [
        "Saved. You will hear when its words change.",
        "You have saved this already.",
    ]


async def test_a_tap_that_comes_again_is_done_once(memory, worker, revise, adas):
    revise()
    await adas.ask(ASKED)
    for _ in range(3):
        adas.tap(adas.button("watch_create"), event_id="t1")
        await worker.settle()
        if "watch_create" not in str(adas.cards()[-1].actions):
            break
    assert "Watching “Meals”." in adas.texts()[0]
    assert len([row for row in rows(memory, Inbox) if row.kind == "tap"]) == 1


# ── jobs, steps and the loop ──


async def test_a_job_that_fails_waits_longer_each_time_and_is_given_up_in_the_end(
    memory, clock, worker, revise, adas, ada
):
    revise()
    await adas.save(ASKED)
    revise(meals=55)
    await worker.settle()
    await adas.press(adas.button("answer_refresh"))
    change_row(memory, Person, ("default", ada.person_id), active=False)
    for _ in range(memory.config.watch.max_attempts):
        await worker.settle()
        clock.advance(HOUR)
    [job] = [job for job in rows(memory, Job) if job.kind == "refresh:answer"]
    assert (job.state, job.attempts) == ("dead", memory.config.watch.max_attempts)
    assert job.error.startswith("not_found at ")


async def test_one_failing_step_stops_no_other(memory, parts, adas):
    async def fails():
        raise RuntimeError("broken")

    worker = parts.worker
    worker._loops = tuple(Loop(loop.vital, (fails, *loop.steps, fails)) for loop in worker._loops)
    adas.write("help")
    await worker.settle()
    assert len(adas.cards()) == 1


class Heard(PlatformChannel):
    """Says when something was sent."""

    def __init__(self, room):
        super().__init__(room)
        self.sent = asyncio.Event()

    async def send(self, card):
        outcome = await super().send(card)
        self.sent.set()
        return outcome


@pytest.fixture
async def running(memory, room, adas):
    """A worker in its loop, that has found nothing and waits for an hour; and its channel."""
    channel = Heard(room.url)
    parts = parts_over(memory, {PLATFORM: channel})
    task = asyncio.create_task(parts.worker.run(3600))
    adas.write("help")
    parts.worker.wake()
    await asyncio.wait_for(channel.sent.wait(), 20)
    channel.sent.clear()
    yield parts.worker, channel, task
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    parts.gateway.stop()


async def test_it_works_as_soon_as_it_is_woken(running, adas):
    worker, channel, _ = running
    adas.write("whoami")
    worker.wake()
    await asyncio.wait_for(channel.sent.wait(), 20)
    assert adas.texts()[-1].startswith("Ada")


async def test_it_ends_at_once_when_it_is_stopped_while_it_waits(parts):
    looked = asyncio.Event()

    async def nothing():
        looked.set()
        return 0

    parts.worker._loops = (Loop(parts.worker.vitals[0], (nothing,)),)
    task = asyncio.create_task(parts.worker.run(3600))
    await looked.wait()
    parts.worker.stop()
    await asyncio.wait_for(task, 20)


class Stopping(PlatformChannel):
    """The bot is told to stop while a card to `place` is on its way."""

    worker = place = None

    async def send(self, card):
        if card.place == self.place:
            self.worker.stop()
        return await super().send(card)


async def test_stopped_during_a_send_it_records_the_cards_leaves_no_lease_and_begins_nothing_more(
    memory, room, adas, bob, bobs
):
    hello = to_json(notice("Hello", "Bob"))
    for number in range(AT_ONCE + 4):
        memory.messages.post("default", bob.person_id, bobs.place, f"hello{number}", "notice", lambda _: hello)
    channel = Stopping(room.url)
    parts = parts_over(memory, {PLATFORM: channel})
    channel.worker, channel.place = parts.worker, bobs.place
    adas.write("help")
    await asyncio.wait_for(parts.worker.run(3600), 20)
    parts.gateway.stop()
    states = [card.state for card in rows(memory, CardMessage) if card.person_id == bob.person_id]
    assert set(states) == {"sent", "pending"}
    assert states.count("sent") <= AT_ONCE
    assert set(inbox_states(memory)) <= {"done", "ready"}


def test_the_steps_are_in_the_order_in_which_one_causes_the_next(parts):
    names = [step.__name__ for loop in parts.worker._loops for step in loop.steps]
    assert isinstance(parts.worker, Worker)
    assert names == [
        "begin",
        "_sweep",
        "_briefs",
        "_checks",
        "_notify_jobs",
        "_gather",
        "_refreshes",
        "_webhook_jobs",
        "_prune",
        "carry",
    ]


async def test_a_job_nobody_can_be_told_of_ends(memory, clock, worker, watching, revise, room, ada):
    change_row(memory, ChatIdentity, ("default", PLATFORM, "room", "Ada"), state="unreachable")
    revise(meals=55)
    await worker.settle()
    clock.advance(DAY)
    await worker.settle()
    assert [(d.state, d.reason) for d in rows(memory, NotifyDelivery)] == [("skipped", "unreachable")]
    assert (rows(memory, CardMessage), room.tried()) == ([], 0)


# ── one and the others ──


async def test_a_tenant_whose_sweep_fails_keeps_no_news_from_the_others(
    memory, worker, watching, revise, adas, monkeypatch
):
    memory.people.ensure_tenant("a", "A")
    sweep = memory.sweep

    def broken(tenant):
        if tenant == "a":
            raise RuntimeError("broken")
        return sweep(tenant)

    monkeypatch.setattr(memory, "sweep", broken)
    revise(meals=55)
    with capture_logs() as logs:
        await worker.settle()
    assert "55 EUR" in adas.texts()[-1]
    [failed, *_] = [entry for entry in logs if entry["event"] == "worker.step_failed"]
    assert failed["step"] == "_sweep"
    assert failed["error"].startswith("RuntimeError at test_worker.py:")


async def test_while_the_database_is_down_each_step_tells_it_once_a_minute(memory, worker, clock, monkeypatch):
    def down(*_):
        raise StoreUnavailable

    monkeypatch.setattr(memory._database, "read", down)
    monkeypatch.setattr(memory._database, "write", down)
    monkeypatch.setattr(memory.people, "tenants", down)
    with capture_logs() as logs:
        for _ in range(100):
            await worker.round()
            clock.advance(SECOND)
    told = {}
    for entry in logs:
        if entry["event"] == "worker.step_failed":
            told.setdefault(entry["step"], []).append(entry["times"])
    assert told["_sweep"] == told["_refreshes"] == told["begin"] == [1, 60]
    assert max(map(len, told.values())) == 2


async def test_a_tenant_whose_briefs_fail_keeps_none_from_the_others(memory, worker, watching, revise, clock, adas):
    memory.people.ensure_tenant("a", "A")
    lost = memory.people.put("a", "Lost")
    with memory._database.write("a") as tx:
        briefs.enrol(tx, [lost], 0, Cadence.IMMEDIATE)
    change_row(memory, Person, ("a", lost), zone="Mars/Olympus")
    revise(meals=55)
    await worker.settle()
    clock.advance(7 * DAY)
    with pytest.raises(ExceptionGroup):
        await worker._briefs()
    await worker.settle()
    assert adas.texts()[-1].startswith("Your week in memory")


# ── what is done with ──


async def test_what_is_done_with_goes_when_its_time_is_over_and_nobody_looks_more_than_once_an_hour(
    memory, clock, worker, adas, monkeypatch
):
    looks, prune = [], memory.retention.prune
    monkeypatch.setattr(memory.retention, "prune", lambda tenant: looks.append(tenant) or prune(tenant))
    await adas.ask("help")
    for _ in range(5):
        await worker.settle()
    assert (looks, inbox_states(memory)) == (["default"], ["done"])
    clock.advance(KEPT[Spent.EVENTS] + 1)
    await worker.settle()
    assert (looks, inbox_states(memory)) == (["default"] * 3, []), "again at once, where something was deleted"
    clock.advance(PRUNE_EVERY - 1)
    await worker.settle()
    assert len(looks) == 3
    clock.advance(1)
    await worker.settle()
    assert len(looks) == 4


async def test_a_tenant_that_cannot_be_pruned_keeps_no_other_from_it_and_is_not_tried_at_every_tick(
    memory, clock, worker, adas, monkeypatch
):
    memory.people.ensure_tenant("a", "A")
    tried, prune = [], memory.retention.prune

    def broken(tenant):
        tried.append(tenant)
        return prune(tenant) if tenant != "a" else 1 / 0

    await adas.ask("help")
    clock.advance(KEPT[Spent.EVENTS] + 1)
    monkeypatch.setattr(memory.retention, "prune", broken)
    for _ in range(3):
        await worker.round()
    assert (tried, inbox_states(memory)) == (["a", "default"], [])


async def test_an_erasure_for_which_there_is_no_room_keeps_nobody_from_being_pruned(
    memory, clock, worker, adas, monkeypatch
):
    memory.people.ensure_tenant("a", "A")

    def full(tenant):
        raise StoreUnavailable("the disk is full")

    await adas.ask("help")
    await worker.settle()
    clock.advance(KEPT[Spent.EVENTS] + 1)
    monkeypatch.setattr(memory.erasure, "finish", full)
    await worker.round()
    assert inbox_states(memory) == []


async def test_a_question_that_cannot_be_counted_keeps_nothing_from_being_pruned(
    memory, clock, worker, adas, monkeypatch
):
    await adas.ask("help")
    await worker.settle()
    clock.advance(KEPT[Spent.EVENTS] + 1)
    monkeypatch.setattr(memory.clarify, "recount", lambda tenant: 1 / 0)
    await worker.round()
    assert inbox_states(memory) == []
