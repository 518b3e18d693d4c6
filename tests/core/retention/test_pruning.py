"""What is done with goes when its time is over; nothing goes that somebody may still need, however old it is."""

from contextlib import contextmanager

import pytest
from sqlalchemy import event

from core.clock import DAY, HOUR, MINUTE, SECOND
from core.errors import Refused
from core.jobs.kinds import FENCE, Audience, JobKind
from core.model.grants import CardAction, PermittedAction
from core.model.work import Offer
from core.retention import engine
from core.retention.engine import BATCH
from core.retention.periods import KEPT, Spent
from core.store import jobs, messages
from core.store.tables import CardGrant, CardMessage, Inbox, Job, Trace, UsedJti
from tests.support.cards import card_with, tap
from tests.support.memories import add_person, audited, change_row, open_memory, page, place_of, put, rows

ASKED = "How much do meals cost a day?"
AGES = 1000 * DAY


def prune(memory, tenant="default"):
    """As a worker does, until nothing is left; how many rows went."""
    gone = 0
    while more := memory.retention.prune(tenant):
        gone += more
    return gone


@contextmanager
def deletions(memory):
    """How many rows each statement that deletes takes, by its write transaction."""
    taken = []

    def deleted(_, cursor, statement, *__):
        if statement.startswith("DELETE"):
            taken[-1].append(cursor.rowcount)

    def begun(connection):
        if connection.get_execution_options().get("begin") == "IMMEDIATE" or not memory._database.is_sqlite:
            taken.append([])

    bind = memory._database.engine
    event.listen(bind, "after_cursor_execute", deleted)
    event.listen(bind, "begin", begun)
    yield taken
    event.remove(bind, "after_cursor_execute", deleted)
    event.remove(bind, "begin", begun)


# ── tokens ──


@pytest.fixture
def answer(memory, ada):
    put(memory, "travel.md", page("Travel", {"Meals": "Meals cost at most 40 EUR a day."}))
    return memory.generate(ASKED, ada)


@pytest.fixture
def card(memory, ada, answer):
    return card_with(memory, ada, [PermittedAction("answer_save", str(answer.trace_id))])


@pytest.fixture
def save(answer):
    return CardAction("answer_save", str(answer.trace_id))


@pytest.mark.parametrize("later", [0, MINUTE, 125 * SECOND, HOUR, DAY, KEPT[Spent.TOKENS] + HOUR])
def test_a_token_is_never_believed_twice_whenever_it_is_pruned(memory, clock, card, save, mint_token, later):
    token = mint_token(tap(card, save.kind, save.target))
    memory.redeem(token, save)
    clock.advance(later)
    prune(memory)
    with pytest.raises(Refused) as caught:
        memory.redeem(token, save)
    assert caught.value.code in {"replayed", "expired"}


def test_a_token_that_was_used_is_forgotten_a_day_after_its_end(memory, clock, card, save, mint_token):
    memory.redeem(mint_token(tap(card, save.kind, save.target)), save)
    [row] = rows(memory, UsedJti)
    clock.ts = row.exp_at + KEPT[Spent.TOKENS]
    assert prune(memory) == 0
    clock.advance(1)
    assert (prune(memory), rows(memory, UsedJti)) == (1, [])


# ── events ──


def receive(memory, ada, event_id="e1"):
    return memory.inbound.receive("default", place_of(ada.person_id), event_id, "question", {"text": "?"})


def done(memory, ada, event_id="e1"):
    receive(memory, ada, event_id)
    [event_] = memory.inbound.lease()
    memory.inbound.finish(event_, "answered")


def test_an_event_that_comes_again_within_a_week_is_known(memory, ada, clock):
    done(memory, ada)
    clock.advance(7 * DAY)
    prune(memory)
    assert not receive(memory, ada)
    assert memory.inbound.lease() == []


def test_an_event_that_is_done_is_forgotten_after_a_week(memory, ada, clock):
    done(memory, ada)
    clock.advance(KEPT[Spent.EVENTS] + 1)
    assert (prune(memory), rows(memory, Inbox)) == (1, [])


@pytest.mark.parametrize("state", ["ready", "running", "failed"])
def test_an_event_that_is_not_done_is_kept_for_ever(memory, ada, clock, state):
    receive(memory, ada)
    if state != "ready":
        [event_] = memory.inbound.lease()
    if state == "failed":
        change_row(memory, Inbox, ("default", event_.event_id), state="failed")
    clock.advance(AGES)
    assert prune(memory) == 0
    assert [row.state for row in rows(memory, Inbox)] == [state]


# ── jobs ──


def enqueue(memory, kind=JobKind.CHECK_ANSWER, cause="saved", again=False):
    with memory._database.write("default") as tx:
        put_ = jobs.enqueue_again if again else jobs.enqueue
        put_(tx, kind, FENCE[kind], "answer", cause, {}, tx.now)


def work(memory, kind=JobKind.CHECK_ANSWER):
    [leased] = memory.jobs.lease(Audience.INTERNAL, [kind], "worker")
    return leased


def test_a_job_that_is_done_is_forgotten_after_a_month(memory, clock):
    enqueue(memory)
    memory.jobs.complete(work(memory))
    clock.advance(KEPT[Spent.JOBS])
    assert prune(memory) == 0
    clock.advance(1)
    assert (prune(memory), rows(memory, Job)) == (1, [])


@pytest.mark.parametrize("state", ["ready", "leased", "dead"])
def test_a_job_that_waits_or_that_somebody_is_to_look_at_is_kept_for_ever(memory, clock, state):
    enqueue(memory)
    if state != "ready":
        work(memory)
    if state == "dead":
        clock.advance(AGES)
        with memory._database.write("default") as tx:
            jobs.expire(tx, 1)
    clock.advance(AGES)
    assert prune(memory) == 0
    assert [row.state for row in rows(memory, Job)] == [state]


def test_of_what_is_asked_for_again_and_again_one_at_a_time_is_under_way_also_when_the_first_is_long_done(
    memory, clock
):
    kind = JobKind.REFRESH_ANSWER
    enqueue(memory, kind, again=True)
    memory.jobs.complete(work(memory, kind))
    clock.advance(AGES)
    enqueue(memory, kind, again=True)
    prune(memory)
    enqueue(memory, kind, again=True)
    assert sorted(row.state for row in rows(memory, Job)) == ["done", "ready"]


# ── grants ──


def offer_instead(memory, card, *actions):
    """Let a card that stands offer something else."""
    with memory._database.write("default") as tx:
        message = messages.locked(tx, card.message_id)
        messages.fill(tx, message, message.card, Offer(actions, "g-1"))


def fingerprints(memory):
    return {row.fingerprint for row in rows(memory, CardGrant)}


def test_what_a_card_offers_can_be_taken_up_however_old_it_is(memory, clock, ada, mint_token):
    put(memory, "travel.md", page("Travel", {"Meals": "Meals cost at most 40 EUR a day."}))
    card = card_with(memory, ada, [PermittedAction("preference_set", "brief_day", ("off",))])
    clock.advance(AGES)
    prune(memory)
    off = CardAction("preference_set", "brief_day", "off")
    memory.redeem(mint_token(tap(card, off.kind, off.target, off.arg)), off)
    assert memory.people.preferences("default", ada.person_id).brief_day is None


def test_what_no_card_offers_any_more_is_forgotten_after_a_day(memory, clock, card):
    offer_instead(memory, card, PermittedAction("preference_set", "brief_day", ("off",)))
    clock.advance(KEPT[Spent.GRANTS])
    assert prune(memory) == 0
    clock.advance(1)
    assert prune(memory) == 1
    [now] = rows(memory, CardMessage)
    assert fingerprints(memory) == {now.fingerprint} != {card.fingerprint}


def test_what_was_tapped_before_the_card_changed_is_kept_until_the_tap_is_done(memory, clock, ada, card):
    body = {"fingerprint": card.fingerprint}
    memory.inbound.receive("default", place_of(ada.person_id), "t1", "tap", body)
    offer_instead(memory, card)
    clock.advance(KEPT[Spent.GRANTS] + 1)
    assert (prune(memory), card.fingerprint in fingerprints(memory)) == (0, True)
    [event_] = memory.inbound.lease()
    memory.inbound.finish(event_, "done")
    assert (prune(memory), card.fingerprint in fingerprints(memory)) == (1, False)


def test_a_grant_whose_card_is_being_changed_is_left_alone(postgres_url, clock):
    """Whoever has the card may be about to offer again what it offered once. On PostgreSQL, where they can meet."""
    memory = open_memory(postgres_url, clock)
    memory.people.ensure_tenant("default", "Default")
    first = PermittedAction("preference_set", "brief_day", ("off",))
    card = card_with(memory, add_person(memory, "Ada"), [first])
    offer_instead(memory, card)
    clock.advance(KEPT[Spent.GRANTS] + 1)
    with memory._database.write("default") as tx:
        message = messages.locked(tx, card.message_id)
        messages.fill(tx, message, message.card, Offer((first,), "g-1"))
        tx.flush()
        assert memory.retention.prune("default") == 0
    assert prune(memory) == 1
    assert fingerprints(memory) == {card.fingerprint}
    memory.close()


# ── traces ──


def test_an_answer_can_be_saved_for_a_quarter_of_a_year(memory, clock, ada, answer):
    clock.advance(KEPT[Spent.TRACES])
    prune(memory)
    assert memory.save_answer(answer.trace_id, ada)


def test_what_nobody_saved_is_forgotten_then(memory, clock, answer):
    clock.advance(KEPT[Spent.TRACES] + MINUTE)
    prune(memory)
    assert rows(memory, Trace) == []


def test_what_a_saved_answer_was_made_from_is_kept_for_ever(memory, clock, ada, answer):
    memory.generate("How much do meals cost?", ada)
    saved = memory.save_answer(answer.trace_id, ada)
    clock.advance(AGES)
    prune(memory)
    assert [row.trace_id for row in rows(memory, Trace)] == [answer.trace_id]
    assert memory.answer(saved, ada).text == answer.text


def test_also_when_it_was_superseded(memory, clock, ada, answer):
    saved = memory.save_answer(answer.trace_id, ada)
    put(memory, "travel.md", page("Travel", {"Meals": "Meals cost at most 55 EUR a day."}))
    memory.refresh_answer(saved, ada)
    clock.advance(AGES)
    prune(memory)
    assert len(rows(memory, Trace)) == 2


# ── how ──


def used(memory, count, tenant="default"):
    with memory._database.write(tenant) as tx:
        tx.insert(UsedJti, [{"tenant_id": tenant, "jti": f"{number}", "exp_at": 0} for number in range(count)])


def test_no_write_transaction_deletes_more_than_a_thousand_rows(memory):
    used(memory, 2 * BATCH + 5)
    with deletions(memory) as taken:
        assert prune(memory) == 2 * BATCH + 5
    assert [sum(of_one) for of_one in taken if of_one] == [1000, 1000, 5]


def test_one_call_takes_a_bounded_share_and_the_next_goes_on(memory, monkeypatch):
    monkeypatch.setattr(engine, "BATCH", 10)
    monkeypatch.setattr(engine, "BATCHES", 2)
    used(memory, 45)
    assert [memory.retention.prune("default") for _ in range(4)] == [20, 20, 5, 0]


def test_where_nothing_is_done_with_no_writer_waits(memory, ada, answer, monkeypatch):
    def write(_):
        raise AssertionError("a write transaction")

    monkeypatch.setattr(memory._database, "write", write)
    assert memory.retention.prune("default") == 0


def test_what_is_another_tenants_is_left_to_it(memory):
    memory.people.ensure_tenant("other", "Other")
    for tenant in ("default", "other"):
        used(memory, 3, tenant)
    assert prune(memory) == 3
    assert [row.tenant_id for row in rows(memory, UsedJti, None)] == ["other"] * 3


def test_the_audit_and_the_cards_stay(memory, clock, card, save, mint_token):
    memory.redeem(mint_token(tap(card, save.kind, save.target)), save)
    clock.advance(AGES)
    prune(memory)
    assert (len(audited(memory)), len(rows(memory, CardMessage))) == (1, 1)


def test_every_kind_of_what_is_done_with_has_its_time_and_its_rule(memory):
    assert set(KEPT) == set(Spent)
    assert min(KEPT.values()) >= DAY
