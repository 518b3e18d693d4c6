"""A fire is told to its webhook at least once under one id, as its roles may read it, until nobody takes it."""

import json

import pytest

from core.clock import DAY, HOUR, MINUTE, SECOND
from core.graph.records import Record
from core.ids import derived
from core.model.nodes import SECTION
from core.model.watching import EventKind, ScopeType
from core.store.tables import Source, WatchFire, WatchPending, Webhook
from core.webhooks.replies import PATIENCE, Reply
from tests.core.webhooks.conftest import (
    BROKEN,
    GONE,
    KEY,
    MEALS,
    OPERATING,
    SILENT,
    SOURCE,
    TAKEN,
    Hooked,
    telling,
    travel,
)
from tests.support.memories import add_person, audited, change_row, dump, page, put, rows
from tests.support.threads import at_once

ATTEMPTS = 8


def told(hooked):
    """What the last message says."""
    return json.loads(hooked.sent[-1].body)


def exhaust(hooked, reply=BROKEN):
    """Every attempt at what is due fails so."""
    for _ in range(ATTEMPTS):
        assert hooked.work(reply) == 1
        hooked.pass_time(2 * HOUR)


# ── what is sent ──


def test_a_change_is_told_by_ids_and_kinds_alone(hooked):
    hooked.change()
    assert hooked.work() == 1
    [fire] = rows(hooked.memory, WatchFire)
    [event] = fire.events
    assert told(hooked)["data"] == {
        "fire_id": str(fire.fire_id),
        "watch_id": str(hooked.view.watch_id),
        "window": [fire.window_start, fire.window_end],
        "events": [event],
        "truncated": 0,
    }
    assert set(event) == {"kind", "changed_ref_type", "changed_ref_id", "change_tx"}
    parcel = hooked.sent[0]
    assert (parcel.url, parcel.headers["webhook-id"]) == (hooked.webhook.url, str(fire.fire_id))
    assert b"Meals" not in parcel.body
    assert b"travel" not in parcel.body
    assert hooked.fires() == [("delivered", None)]
    assert [job.state for job in hooked.jobs()] == ["done"]
    assert hooked.work() == 0


def test_a_webhook_is_told_at_once_and_people_when_it_has_settled(hooked):
    """A card shows how things read; this only says that they moved."""
    hooked.change()
    [job] = hooked.jobs()
    assert job.not_before == rows(hooked.memory, WatchFire)[0].created_at


def test_a_source_and_a_label_are_told_of_as_well(hooked):
    memory, hook = hooked.memory, hooked.made.webhook_id
    version = (EventKind.NEW_SOURCE_VERSION, EventKind.FACT_TOMBSTONED)
    memory.watch(telling(hook, str(SOURCE), scope=ScopeType.SOURCE, events=version), OPERATING)
    memory.watch(telling(hook, SECTION, scope=ScopeType.LABEL), OPERATING)
    hooked.change()
    assert hooked.work() == 3
    kinds = [[event["kind"] for event in json.loads(parcel.body)["data"]["events"]] for parcel in hooked.sent]
    assert sorted(kinds) == [["fact_changed"], ["fact_changed"], ["new_source_version"]]


def test_a_document_that_is_gone_is_told_of(hooked):
    version = (EventKind.NEW_SOURCE_VERSION, EventKind.FACT_TOMBSTONED)
    request = telling(hooked.made.webhook_id, str(SOURCE), scope=ScopeType.SOURCE, events=version)
    hooked.memory.watch(request, OPERATING)
    hooked.memory.remove("travel.md")
    hooked.pass_time(SECOND)
    hooked.memory.sweep()
    assert hooked.work() == 2
    kinds = {event["kind"] for parcel in hooked.sent for event in json.loads(parcel.body)["data"]["events"]}
    assert kinds == {"fact_tombstoned"}


# ── rights are today's, and the webhook's ──


def test_of_a_label_a_webhook_hears_only_what_its_roles_may_read(hooked):
    memory = hooked.memory
    memory.webhooks.unwatch("default", "ledger", hooked.view.watch_id)
    memory.watch(telling(hooked.made.webhook_id, SECTION, scope=ScopeType.LABEL), OPERATING)
    hooked.pass_time(SECOND)
    put(memory, "secret.md", page("Secret", {"Pay": "Pay is 90 EUR."}), readers=["board"])
    hooked.change()
    hooked.work()
    [fire] = rows(memory, WatchFire)
    heard = [event["changed_ref_id"] for event in told(hooked)["data"]["events"]]
    assert heard == [MEALS]
    assert len(fire.events) > 1


@pytest.mark.parametrize("others", [("member",), ("board",)])
def test_of_records_it_hears_those_that_name_its_roles_also_when_they_end(hooked, others):
    memory, pay = hooked.memory, derived("pay")
    memory.webhooks.unwatch("default", "ledger", hooked.view.watch_id)
    memory.watch(telling(hooked.made.webhook_id, "PAY", scope=ScopeType.LABEL), OPERATING)
    hooked.pass_time(SECOND)
    for step in (lambda: memory.put_node(Record(pay, "PAY", {"amount": 1}, others)), lambda: memory.remove_node(pay)):
        step()
        hooked.pass_time(DAY)
        memory.sweep()
        hooked.work()
    kinds = [event["kind"] for parcel in hooked.sent for event in json.loads(parcel.body)["data"]["events"]]
    assert kinds == (["fact_changed", "fact_tombstoned"] if others == ("member",) else [])


def test_a_right_that_ended_since_the_change_skips_the_fire(hooked):
    hooked.change()
    change_row(hooked.memory, Source, ("default", SOURCE), readers=["board"])
    assert hooked.work() == 0
    assert hooked.fires() == [("skipped", "not_authorised")]
    assert [(job.state, job.error) for job in hooked.jobs()] == [("done", "skipped: not_authorised")]


def test_an_erased_document_is_told_of_to_nobody(hooked):
    hooked.change()
    hooked.memory.erase(SOURCE, "asked to")
    hooked.pass_time(SECOND)
    hooked.memory.sweep()
    assert hooked.work() == 0
    assert {status for status, _ in hooked.fires()} <= {"skipped"}


def test_erasing_leaves_nothing_of_a_document_in_what_webhooks_keep(hooked):
    travel(hooked.memory, 4711)
    hooked.change()
    hooked.work()
    hooked.memory.erase(SOURCE, "asked to")
    assert "4711" not in dump(hooked.memory)


def test_the_one_who_asked_for_it_may_leave(hooked):
    admin = add_person(hooked.memory, "Ada", roles=("member", "admin"))
    hooked.memory.watch(telling(hooked.made.webhook_id, str(SOURCE), scope=ScopeType.SOURCE,
                                events=(EventKind.NEW_SOURCE_VERSION,)), admin)  # fmt: skip
    hooked.pass_time(SECOND)
    hooked.memory.erase(admin.person_id, "left")
    hooked.change()
    assert hooked.work() == 2


# ── at least once, under one id ──


def test_killed_between_sending_and_recording_it_is_sent_again_under_the_same_id(hooked):
    hooked.change()
    [job] = hooked.leased("dies")
    first = hooked.take(job)
    hooked.pass_time(61 * SECOND)
    assert hooked.work() == 1
    assert hooked.sent[0].headers["webhook-id"] == first.headers["webhook-id"]
    assert hooked.sent[0].body == first.body
    assert int(hooked.sent[0].headers["webhook-timestamp"]) > int(first.headers["webhook-timestamp"])
    assert hooked.fires() == [("delivered", None)]


@pytest.mark.parametrize("late", [TAKEN, BROKEN, GONE])
def test_whoever_lost_a_lease_records_nothing(hooked, late):
    hooked.change()
    [lost] = hooked.leased("slow")
    hooked.take(lost)
    hooked.pass_time(61 * SECOND)
    [job] = hooked.leased("other")
    assert hooked.memory.webhooks.record(lost, late) is False
    assert hooked.take(lost) is None
    assert hooked.fires() == [("fired", None)]
    assert hooked.webhook.enabled
    hooked.memory.webhooks.record(job, TAKEN)
    assert hooked.fires() == [("delivered", None)]
    hooked.memory.webhooks.record(lost, late)
    assert hooked.fires() == [("delivered", None)]
    assert hooked.webhook.reason is None


def test_of_two_workers_one_sends(hooked):
    hooked.change()
    taken = at_once(*(lambda: hooked.leased("w") for _ in range(4)))
    assert sum(map(len, taken)) == 1


def test_a_second_sweep_of_the_same_window_sends_nothing_more(hooked):
    hooked.change()
    hooked.memory.sweep()
    assert hooked.work() == 1
    hooked.memory.sweep()
    assert hooked.work() == 0


# ── failing ──


def test_a_failure_is_shown_on_the_fire_and_tried_again_with_backoff(hooked):
    hooked.change()
    assert hooked.work(BROKEN) == 1
    assert hooked.fires() == [("fired", "failing:http_500")]
    assert (hooked.webhook.reason, hooked.webhook.enabled) == ("http_500", True)
    assert hooked.work() == 0
    hooked.pass_time(6 * SECOND)
    assert hooked.work() == 1
    assert hooked.fires() == [("delivered", None)]
    assert (hooked.webhook.reason, hooked.webhook.failing_since) == (None, 0)
    assert len({parcel.headers["webhook-id"] for parcel in hooked.sent}) == 1


def test_no_sooner_than_the_receiver_asks(hooked):
    hooked.change()
    hooked.work(Reply("http_429", 429, retry_after=10 * MINUTE))
    hooked.pass_time(10 * MINUTE - SECOND)
    assert hooked.work() == 0
    hooked.pass_time(SECOND)
    assert hooked.work() == 1


@pytest.mark.parametrize(("reply", "held"), [(Reply("http_503", 503, retry_after=HOUR), HOUR), (SILENT, MINUTE)])
def test_while_a_receiver_is_busy_or_silent_nothing_else_is_sent_and_no_attempt_is_spent(hooked, reply, held):
    hooked.change()
    hooked.work(reply)
    hooked.change_at_once()
    for _ in range(ATTEMPTS + 2):
        assert hooked.work() == 0
    attempts = [job.attempts for job in hooked.jobs()]
    assert sorted(attempts) == [0, 1]
    hooked.pass_time(held)
    assert hooked.work() == 2


def test_one_that_answers_with_an_error_is_sent_the_next_message_all_the_same(hooked):
    hooked.change()
    hooked.work(Reply("http_400", 400))
    hooked.change_at_once()
    assert hooked.work() == 1


def test_another_webhook_is_not_held_up(hooked):
    other = hooked.memory.webhooks.add("default", "other", "https://example.org/", ["member"], KEY)
    hooked.memory.watch(telling(other.webhook_id, MEALS), OPERATING)
    hooked.pass_time(SECOND)
    hooked.change()
    for job in hooked.leased():
        parcel = hooked.take(job)
        hooked.memory.webhooks.record(job, SILENT if parcel.url == hooked.webhook.url else TAKEN)
    hooked.change_at_once()
    assert hooked.work() == 1
    assert hooked.sent[-1].url == "https://example.org/"


def test_after_the_last_attempt_a_message_is_given_up_and_the_job_is_dead(hooked):
    hooked.change()
    exhaust(hooked)
    assert hooked.work() == 0
    assert hooked.fires() == [("skipped", "given_up")]
    assert [(job.state, job.error) for job in hooked.jobs()] == [("dead", "http_500")]
    assert hooked.webhook.enabled, "it was not down for long"


# ── switched off ──


def test_gone_switches_it_off_at_once_and_visibly(hooked):
    hooked.change()
    assert hooked.work(GONE) == 1
    assert hooked.fires() == [("skipped", "gone")]
    assert (hooked.webhook.enabled, hooked.webhook.reason) == (False, "gone")
    [row] = [row for row in audited(hooked.memory) if row.action == "webhook_disabled"]
    assert (row.actor, row.target, row.detail) == ("bot", f"webhook:{hooked.made.webhook_id}", {"reason": "gone"})


def test_recording_says_when_it_was_switched_off_and_once(hooked):
    hooked.change()
    hooked.change_at_once()
    jobs = hooked.leased()
    for job in jobs:
        hooked.take(job)
    assert [hooked.memory.webhooks.record(job, GONE) for job in jobs] == [True, False]


def test_five_days_of_nothing_and_a_message_lost_switch_it_off(hooked):
    hooked.change()
    exhaust(hooked)
    hooked.pass_time(PATIENCE)
    hooked.change()
    assert hooked.work(BROKEN) == 1
    assert hooked.webhook.enabled, "a message that may yet arrive is no reason"
    for _ in range(ATTEMPTS - 1):
        assert hooked.webhook.enabled
        hooked.pass_time(2 * HOUR)
        hooked.work(BROKEN)
    assert (hooked.webhook.enabled, hooked.webhook.reason) == (False, "http_500")
    assert hooked.fires()[-1] == ("skipped", "given_up")


def test_a_message_taken_meanwhile_begins_the_five_days_anew(hooked):
    hooked.change()
    exhaust(hooked)
    hooked.change()
    hooked.work(TAKEN)
    hooked.pass_time(PATIENCE)
    hooked.change()
    exhaust(hooked)
    assert hooked.webhook.enabled


def test_what_waits_for_one_that_is_off_is_skipped_and_what_comes_too(hooked):
    hooked.change()
    change_row(hooked.memory, Webhook, ("default", hooked.made.webhook_id), enabled=False)
    assert hooked.work() == 0
    hooked.change()
    assert hooked.work() == 0
    assert hooked.fires() == [("skipped", "webhook_disabled")] * 2
    assert {job.state for job in hooked.jobs()} == {"done"}


def test_switched_on_by_hand_it_is_told_of_what_comes(hooked):
    hooked.change()
    hooked.work(GONE)
    hooked.pass_time(SECOND)
    hooked.memory.webhooks.enable("default", "ledger")
    assert (hooked.webhook.enabled, hooked.webhook.reason) == (True, None)
    assert [row.action for row in audited(hooked.memory)][-1] == "webhook_enabled"
    hooked.change()
    assert hooked.work() == 1


def test_what_waits_for_a_watch_that_was_ended_is_skipped(hooked):
    hooked.change()
    hooked.memory.webhooks.unwatch("default", "ledger", hooked.view.watch_id)
    assert hooked.work() == 0
    assert hooked.fires() == [("skipped", "watch_stopped")]


def test_what_still_gathers_for_one_that_was_removed_is_forgotten(reopen):
    memory = reopen(watch={"debounce_floor_secs": 60})
    travel(memory, 40)
    memory.sweep()
    made = memory.webhooks.add("default", "ledger", "https://example.com/", ["member"], KEY)
    hooked = Hooked(memory, made, memory.watch(telling(made.webhook_id, MEALS), OPERATING))
    hooked.change()
    hooked.change_at_once()
    assert len(rows(memory, WatchPending)) == 1
    memory.webhooks.remove("default", "ledger")
    assert rows(memory, WatchPending) == []


def test_what_waits_for_one_that_was_removed_is_skipped(hooked):
    hooked.change()
    [job] = hooked.leased()
    hooked.take(job)
    hooked.memory.webhooks.remove("default", "ledger")
    hooked.memory.webhooks.record(job, BROKEN)
    hooked.pass_time(HOUR)
    assert hooked.work() == 0
    assert hooked.fires() == [("skipped", "webhook_removed")]
    hooked.change()
    assert len(hooked.fires()) == 1, "its watches ended with it"


def test_a_fire_that_was_forgotten_ends_its_job(hooked):
    hooked.change()
    [fire] = rows(hooked.memory, WatchFire)
    with hooked.memory._database.write("default") as tx:
        tx.session.delete(tx.session.get_one(WatchFire, ("default", fire.fire_id)))
    assert hooked.work() == 0
    assert [(job.state, job.error) for job in hooked.jobs()] == [("done", "skipped: no_fire")]


# ── renewing ──


def test_a_renewed_secret_signs_beside_the_old_one_for_a_day(hooked):
    hooked.memory.webhooks.renew("default", "ledger", KEY)
    counts = []
    for wait in (0, DAY - MINUTE, 2 * MINUTE):
        hooked.pass_time(wait)
        counts.append(len(hooked.memory.webhooks.trial("default", "ledger", KEY).headers["webhook-signature"].split()))
    assert counts == [2, 2, 1]


def test_a_trial_goes_also_to_one_that_is_off_and_counts_for_nothing(hooked):
    hooked.change()
    hooked.work(GONE)
    before = dump(hooked.memory)
    parcel = hooked.memory.webhooks.trial("default", "ledger", KEY)
    assert json.loads(parcel.body)["type"] == "webhook.test"
    assert dump(hooked.memory) == before
