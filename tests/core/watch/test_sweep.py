"""From the feed to fires, once: the seven invariants by name, and what else must never be missed or told twice."""

import pytest

from core.clock import DAY, HOUR, MINUTE, SECOND, ManualClock
from core.errors import InvalidRequest, LimitReached, NotFound, StoreUnavailable
from core.ids import watch_derived
from core.model.nodes import SECTION
from core.model.watching import EventKind, ScopeType
from core.store.tables import Feed, Job, SweepCheckpoint, Watch, WatchFire, WatchPending
from tests.support.memories import (
    add_person,
    change_row,
    document,
    last_tx,
    open_memory,
    page,
    put,
    rows,
    section,
    source_id,
    watch_request,
    without_table,
)
from tests.support.threads import at_once

MOVED = (EventKind.NEW_SOURCE_VERSION, EventKind.FACT_TOMBSTONED)
NO_FLOOR = {"watch": {"debounce_floor_secs": 0}}


def handbook(meals=40, hotels=150):
    words = {"Meals": f"Meals cost at most {meals} EUR.", "Hotels": f"Hotels cost at most {hotels} EUR."}
    return page("Travel", words)


@pytest.fixture
def settled(memory, ada):
    """A memory that was swept once over one document."""
    put(memory, "travel.md", handbook())
    memory.sweep()
    return memory


def on_label(memory, person, **more):
    return memory.watch(watch_request(person, ScopeType.LABEL, SECTION, **more), person)


def fires(memory, tenant="default"):
    return sorted(rows(memory, WatchFire, tenant), key=lambda fire: fire.fire_tx)


def kinds(memory):
    return [[event["kind"] for event in fire.events] for fire in fires(memory)]


# ── the invariants ──


def test_fresh_start_skips_history(memory, ada):
    on_label(memory, ada)
    put(memory, "travel.md", handbook())
    assert memory.sweep().fires == 0
    assert rows(memory, SweepCheckpoint)[0].tx == last_tx(memory)
    assert memory.sweep().fires == 0


def test_label_watch_fires_coalesces_and_enqueues(settled, ada):
    watch = on_label(settled, ada)
    put(settled, "travel.md", handbook(meals=45, hotels=160))
    assert settled.sweep().fires == 1
    (fire,) = fires(settled)
    assert [event["kind"] for event in fire.events] == ["fact_changed"] * 2
    (job,) = [job for job in rows(settled, Job) if job.kind == "notify:watch"]
    window = (fire.window_start, fire.window_end)
    assert fire.fire_id == watch_derived("fire", watch.watch_id, *window)
    assert job.job_id == fire.job_id == watch_derived("job", watch.watch_id, *window)


def test_no_refire_after_checkpoint_advances(settled, ada):
    on_label(settled, ada)
    put(settled, "travel.md", handbook(meals=45))
    assert [settled.sweep().fires for _ in range(3)] == [1, 0, 0]


def test_tenant_isolation(settled, ada):
    settled.people.ensure_tenant("other", "Other")
    eve = add_person(settled, "Eve", tenant="other")
    settled.sweep("other")
    on_label(settled, eve)
    on_label(settled, ada)
    put(settled, "travel.md", handbook(meals=45))
    assert (settled.sweep("other").fires, settled.sweep().fires) == (0, 1)
    assert fires(settled, "other") == []


def test_fires_append_prune_and_order(reopen):
    memory = reopen(watch={"debounce_floor_secs": 0, "fire_keep_per_watch": 2})
    ada = add_person(memory, "Ada")
    put(memory, "travel.md", handbook())
    memory.sweep()
    watch = on_label(memory, ada)
    for meals in range(41, 46):
        put(memory, "travel.md", handbook(meals))
        memory.sweep()
        for fire in fires(memory):
            change_row(memory, WatchFire, ("default", fire.fire_id), status="delivered")
    stored = sorted(fires(memory), key=lambda fire: -fire.fire_tx)
    assert [one.fire_id for one in memory.watched.fires(watch.watch_id, ada)] == [fire.fire_id for fire in stored]
    assert len(stored) == 2
    assert stored[0].fire_tx == max(row.tx for row in rows(memory, Feed))
    with pytest.raises(NotFound):
        memory.watched.fires(watch.watch_id, add_person(memory, "Bob"))


def test_debounce_clamped_to_floor(settled, ada):
    on_label(settled, ada, debounce_secs=5)
    assert rows(settled, Watch)[0].debounce_secs == 60


def test_a_watch_that_is_made_anew_is_as_it_was_asked_for_now(settled, ada):
    watch = on_label(settled, ada, debounce_secs=3600)
    settled.mute_watch(watch.watch_id, ada, None)
    settled.clock.advance(DAY)
    again = on_label(settled, ada, debounce_secs=7200)
    assert (again.watch_id, again.fresh) == (watch.watch_id, True)
    [row] = rows(settled, Watch)
    assert (row.debounce_secs, row.created_at - watch.created_at) == (7200, DAY)


# ── what a watch hears ──


def test_a_fire_that_waits_to_be_told_is_never_pruned(reopen):
    memory = reopen(watch={"debounce_floor_secs": 0, "fire_keep_per_watch": 1})
    ada = add_person(memory, "Ada")
    put(memory, "travel.md", handbook())
    memory.sweep()
    on_label(memory, ada)
    for meals in (41, 42, 43):
        put(memory, "travel.md", handbook(meals))
        memory.sweep()
    assert len(fires(memory)) == 3


def test_a_watch_hears_nothing_from_before_it_was_made(settled, ada):
    put(settled, "travel.md", handbook(meals=45))
    on_label(settled, ada)
    assert settled.sweep().fires == 0
    put(settled, "travel.md", handbook(meals=46))
    assert settled.sweep().fires == 1


@pytest.mark.parametrize("scope", [ScopeType.ENTITY, ScopeType.SOURCE])
def test_a_watch_hears_its_own_scope_alone(settled, ada, scope):
    put(settled, "other.md", page("Other", {"Meals": "Lunch is at noon."}))
    settled.sweep()
    ref = section("travel.md", "Travel", "Meals") if scope is ScopeType.ENTITY else str(source_id("travel.md"))
    settled.watch(watch_request(ada, scope, ref, events=(*MOVED, EventKind.FACT_CHANGED)), ada)
    put(settled, "other.md", page("Other", {"Meals": "Lunch is at one."}))
    assert settled.sweep().fires == 0
    put(settled, "travel.md", handbook(meals=45))
    assert settled.sweep().fires == 1


def test_removal_is_a_tombstone_and_return_a_change(settled, ada):
    settled.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md")), ada)
    settled.remove("travel.md")
    settled.sweep()
    settled.clock.advance(HOUR)
    put(settled, "travel.md", handbook())
    settled.sweep()
    assert kinds(settled) == [["fact_tombstoned"], ["fact_changed"]]


def test_what_came_and_went_unseen_is_no_event(settled, ada):
    on_label(settled, ada)
    put(settled, "brief.md", page("Brief", {"Life": "Here today."}))
    settled.remove("brief.md")
    settled.clock.advance(SECOND)
    assert settled.sweep().fires == 0


def test_there_and_back_within_one_window_is_no_event(settled, ada):
    on_label(settled, ada)
    put(settled, "travel.md", handbook(meals=45))
    put(settled, "travel.md", handbook())
    assert settled.sweep().fires == 0


def test_a_late_older_version_is_no_event(settled, ada):
    on_label(settled, ada)
    put(settled, "travel.md", handbook(meals=35), valid_start=settled.clock.now() - DAY)
    assert settled.sweep().fires == 0


def test_only_the_newest_events_are_kept_and_the_rest_counted(reopen):
    memory = reopen(watch={"max_events_per_fire": 2})
    ada = add_person(memory, "Ada")
    put(memory, "travel.md", handbook())
    memory.sweep()
    on_label(memory, ada)
    put(memory, "travel.md", handbook(meals=45, hotels=160))
    put(memory, "a.md", page("A", {"One": "One."}))
    memory.sweep()
    (fire,) = fires(memory)
    newest = max(event["change_tx"] for event in fire.events)
    assert (len(fire.events), fire.truncated, newest) == (2, 2, last_tx(memory))


# ── time ──


def test_changes_within_the_debounce_make_one_later_fire(settled, ada):
    on_label(settled, ada)
    put(settled, "travel.md", handbook(meals=41))
    assert settled.sweep().fires == 1
    for change in ({"meals": 42}, {"meals": 42, "hotels": 160}):
        put(settled, "travel.md", handbook(**change))
        assert settled.sweep().fires == 0
    settled.clock.advance(MINUTE)
    assert settled.sweep().fires == 1
    assert settled.sweep().fires == 0
    later = fires(settled)[1]
    assert (later.window_start, later.window_end) == tuple(sorted({e["change_tx"] for e in later.events}))
    assert rows(settled, WatchPending) == []


def test_what_waits_for_a_stopped_watch_is_never_told(settled, ada):
    watch = on_label(settled, ada)
    for meals in (41, 42):
        put(settled, "travel.md", handbook(meals))
        settled.sweep()
    change_row(settled, Watch, ("default", watch.watch_id), enabled=False)
    settled.clock.advance(HOUR)
    assert settled.sweep().fires == 0


@pytest.mark.parametrize("scope", [ScopeType.LABEL, ScopeType.SOURCE])
def test_a_fact_that_becomes_true_tomorrow_is_noticed_tomorrow(settled, ada, scope):
    """Nothing else is written in between: time itself moves the fact."""
    refs = SECTION if scope is ScopeType.LABEL else str(source_id("travel.md"))
    settled.watch(watch_request(ada, scope, refs, events=(*MOVED, EventKind.FACT_CHANGED)), ada)
    put(settled, "travel.md", handbook(meals=45), valid_start=settled.clock.now() + DAY)
    assert settled.sweep().fires == 0
    settled.clock.advance(DAY)
    assert [settled.sweep().fires for _ in range(2)] == [1, 0]


def test_a_removal_that_comes_true_tomorrow_is_noticed_tomorrow(settled, ada):
    settled.watch(watch_request(ada, ScopeType.SOURCE, str(source_id("travel.md")), events=MOVED), ada)
    settled.remove("travel.md", valid_start=settled.clock.now() + DAY)
    assert settled.sweep().fires == 0
    settled.clock.advance(DAY)
    assert settled.sweep().fires == 1
    assert kinds(settled) == [["fact_tombstoned"]]


def test_a_backlog_does_not_swallow_a_fact_whose_time_has_come(reopen):
    memory = reopen(watch={"max_rows_per_tick": 1, "debounce_floor_secs": 0})
    ada = add_person(memory, "Ada")
    put(memory, "travel.md", handbook())
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals")), ada)
    put(memory, "travel.md", handbook(meals=45), valid_start=memory.clock.now() + HOUR)
    while memory.sweep().backlog:
        pass
    memory.clock.advance(HOUR)
    for name in ("a.md", "b.md", "c.md"):
        put(memory, name, page(name, {"One": "One."}))
    while memory.sweep().backlog:
        pass
    assert kinds(memory) == [["fact_changed"]]


# ── once, whatever happens ──


def test_a_full_tick_never_splits_a_transaction(reopen):
    memory = reopen(watch={"max_rows_per_tick": 1, "debounce_floor_secs": 0})
    ada = add_person(memory, "Ada")
    memory.sweep()
    on_label(memory, ada)
    for name in ("a.md", "b.md"):
        put(memory, name, page(name, {"One": "One.", "Two": "Two."}))
    swept = [memory.sweep() for _ in range(3)]
    by_tx = [[row.tx for row in rows(memory, Feed)].count(tx) for tx in sorted({r.tx for r in rows(memory, Feed)})]
    assert [one.rows for one in swept] == [*by_tx, 0]
    assert [one.backlog for one in swept] == [True, True, False]
    assert [len(fire.events) for fire in fires(memory)] == [3, 3]


def test_two_sweepers_at_once_make_one_fire(settled, ada):
    on_label(settled, ada)
    put(settled, "travel.md", handbook(meals=45))
    swept = at_once(settled.sweep, settled.sweep)
    assert sorted(one.fires for one in swept) == [0, 1]
    assert len(fires(settled)) == 1


def test_writers_and_two_sweepers_lose_nothing_and_double_nothing(reopen):
    memory = reopen(**NO_FLOOR)
    ada = add_person(memory, "Ada")
    memory.sweep()
    on_label(memory, ada)

    def write(name):
        for day in range(1, 6):
            memory.ingest(f"{name}{day}.md", page(f"{name}{day}", {"Day": f"Day {day}."}), readers=["everyone"])

    def sweep():
        for _ in range(10):
            memory.sweep()

    assert at_once(lambda: write("a"), lambda: write("b"), sweep, sweep) == [None] * 4
    memory.sweep()
    heard = [event["changed_ref_id"] for fire in fires(memory) for event in fire.events]
    assert len(heard) == len(set(heard)) == 20


def test_a_sweep_that_fails_keeps_its_place(settled, ada):
    on_label(settled, ada)
    put(settled, "travel.md", handbook(meals=45))
    before = rows(settled, SweepCheckpoint)[0].tx
    with without_table(settled, "watch_fire"), pytest.raises(StoreUnavailable):
        settled.sweep()
    assert rows(settled, SweepCheckpoint)[0].tx == before
    assert [job for job in rows(settled, Job) if job.kind == "notify:watch"] == []
    assert [settled.sweep().fires for _ in range(2)] == [1, 0]


# ── making watches ──


def test_watching_twice_makes_one_watch(settled, ada):
    first, again = on_label(settled, ada), on_label(settled, ada)
    assert (first.fresh, again.fresh, again.watch_id) == (True, False, first.watch_id)


def test_a_double_tap_makes_one_watch(settled, ada):
    views = at_once(lambda: on_label(settled, ada), lambda: on_label(settled, ada))
    assert sorted(view.fresh for view in views) == [False, True]
    assert len(settled.watches(ada)) == 1


def test_a_stopped_watch_made_again_hears_only_what_comes_after(settled, ada):
    watch = on_label(settled, ada)
    change_row(settled, Watch, ("default", watch.watch_id), enabled=False)
    put(settled, "travel.md", handbook(meals=45))
    assert on_label(settled, ada).fresh
    assert settled.sweep().fires == 0


def test_nobody_watches_what_they_may_not_read(settled, ada):
    put(settled, "secret.md", handbook(), ["legal"])
    for scope, ref in ((ScopeType.ENTITY, document("secret.md")), (ScopeType.SOURCE, str(source_id("secret.md")))):
        with pytest.raises(NotFound):
            settled.watch(watch_request(ada, scope, ref), ada)


def test_a_watch_for_somebody_else_is_refused(settled, ada, bob):
    with pytest.raises(InvalidRequest, match="own owner"):
        settled.watch(watch_request(bob, ScopeType.LABEL, SECTION), ada)


@pytest.mark.parametrize(("refs", "events"), [((), MOVED), ((SECTION,), ())])
def test_a_watch_on_nothing_is_refused(settled, ada, refs, events):
    with pytest.raises(InvalidRequest):
        settled.watch(watch_request(ada, ScopeType.LABEL, *refs, events=events), ada)


@pytest.mark.parametrize("label", ["section", "", "  ", "SECTION ", "É", "S" * 65, "SEC\x1bTION"])
def test_a_label_that_no_node_can_have_is_refused(settled, ada, label):
    with pytest.raises(InvalidRequest, match="is no label"):
        settled.watch(watch_request(ada, ScopeType.LABEL, SECTION, label), ada)
    assert settled.watches(ada) == []


@pytest.mark.parametrize("secs", [-1, 86_401, 10**30])
def test_a_watch_gathers_for_a_day_at_most(settled, ada, secs):
    with pytest.raises(InvalidRequest, match="86400 seconds"):
        settled.watch(watch_request(ada, ScopeType.LABEL, SECTION, debounce_secs=secs), ada)
    assert settled.watch(watch_request(ada, ScopeType.LABEL, SECTION, debounce_secs=86_400), ada).fresh


def test_a_person_has_a_limit_that_names_the_number(reopen):
    memory = reopen(watch={"max_watches_per_person": 1})
    ada = add_person(memory, "Ada")
    on_label(memory, ada)
    with pytest.raises(LimitReached, match="1 watches"):
        memory.watch(watch_request(ada, ScopeType.LABEL, "DOCUMENT"), ada)
    assert not on_label(memory, ada).fresh


# ── clocks that differ ──


@pytest.fixture
def slow(database_url, settled):
    """The same memory on a machine whose clock is ten seconds behind."""
    behind = open_memory(database_url, ManualClock(settled.clock.now() - 10 * SECOND), watch=NO_FLOOR["watch"])
    yield behind
    behind.close()


def test_a_sweeper_whose_clock_is_behind_hears_a_change_and_its_return_once_each(settled, slow, ada):
    on_label(settled, ada)
    for amount in (45, 40):
        put(settled, "travel.md", handbook(meals=amount))
        slow.clock.advance(SECOND)
        assert slow.sweep().fires == 1
        assert slow.sweep().fires == 0
        slow.clock.advance(HOUR)
        settled.clock.advance(HOUR)
    assert settled.sweep().fires == 0
    assert kinds(settled) == [["fact_changed"], ["fact_changed"]]


def test_a_fact_whose_time_has_come_on_another_clock_is_heard_once(settled, slow, ada):
    on_label(settled, ada)
    put(settled, "travel.md", handbook(meals=45), valid_start=settled.clock.now() + 2 * SECOND)
    settled.clock.advance(5 * SECOND)
    put(settled, "other.md", handbook())
    assert slow.sweep().fires == 1
    slow.clock.advance(HOUR)
    settled.clock.advance(HOUR)
    assert [settled.sweep().fires, slow.sweep().fires] == [0, 0]
    assert [len(found) for found in kinds(settled)] == [3 + 1]


def test_what_waited_for_a_watch_that_was_stopped_and_made_again_is_never_told(settled, ada):
    watch = on_label(settled, ada, debounce_secs=600)
    for amount in (45, 50):
        put(settled, "travel.md", handbook(meals=amount))
        settled.sweep()
    assert len(rows(settled, WatchPending)) == 1
    change_row(settled, Watch, ("default", watch.watch_id), enabled=False)
    assert on_label(settled, ada, debounce_secs=600).fresh
    settled.clock.advance(HOUR)
    assert settled.sweep().fires == 0
    assert (len(fires(settled)), rows(settled, WatchPending)) == (1, [])


def test_a_sweep_that_has_read_everything_is_behind_nothing(settled, ada):
    put(settled, "travel.md", handbook(meals=45))
    on_label(settled, ada)
    settled.sweep()
    assert settled.status("default").sweep_lag == 0
