"""A plan at any coordinates: what held and was believed then, for whom may read today; and boundaries as they pass."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import DAY, HOUR, SECOND, ManualClock
from core.errors import InsufficientEvidence, InvalidRequest
from core.graph.records import Record
from core.ids import derived
from core.model.watching import ScopeType
from core.planner.request import PlanRequest
from core.store.tables import Boundary, Feed
from tests.support.memories import (
    NOW,
    add_person,
    document,
    last_tx,
    open_memory,
    page,
    put,
    rows,
    section,
    watch_request,
)

QUESTION = "What do meals cost a day?"


def meals(amount):
    return page("Travel", {"Meals": f"Meals cost at most {amount} EUR a day."})


def amounts(memory, who, **when):
    """The amounts that a plan says at these coordinates."""
    try:
        planned = memory.plan(PlanRequest(question=QUESTION, **when), who)
    except InsufficientEvidence:
        return []
    return [int(word) for span in planned.spans for word in span.text.split() if word.isdigit()]


def changes(memory, ref_id):
    return [row.change for row in sorted(rows(memory, Feed), key=lambda row: (row.tx, row.seq)) if row.ref_id == ref_id]


# ── boundaries ahead ──


def test_what_becomes_true_tomorrow_is_planned_tomorrow_and_reported_when_its_time_has_come(memory, ada, clock):
    put(memory, "travel.md", meals(40))
    memory.sweep()
    put(memory, "travel.md", meals(50), valid_start=NOW + DAY)
    assert amounts(memory, ada) == [40]
    assert amounts(memory, ada, valid_time=NOW + DAY - 1) == [40]
    assert amounts(memory, ada, valid_time=NOW + DAY) == [50]
    memory.sweep()
    meals_section = UUID(section("travel.md", "Travel", "Meals"))
    assert "boundary" not in changes(memory, meals_section)
    before = last_tx(memory)
    clock.ts = NOW + DAY
    memory.sweep()
    assert changes(memory, meals_section)[-1] == "boundary"
    [passed] = {row.tx for row in rows(memory, Feed) if row.change == "boundary"}
    assert passed > before
    assert rows(memory, Boundary) == []
    assert amounts(memory, ada) == [50]
    assert amounts(memory, ada, valid_time=NOW + HOUR) == [40]
    clock.advance(DAY)
    memory.sweep()
    assert changes(memory, meals_section).count("boundary") == 1, "a boundary passes once"


def test_the_clock_alone_brings_what_is_true_now_into_the_plan_sweep_or_none(memory, ada, clock):
    put(memory, "travel.md", meals(40))
    put(memory, "travel.md", meals(50), valid_start=NOW + DAY)
    clock.ts = NOW + DAY - 1
    assert amounts(memory, ada) == [40]
    clock.ts = NOW + DAY
    assert amounts(memory, ada) == [50]


def test_what_ends_tomorrow_is_in_no_plan_from_then_on(memory, ada, clock):
    put(memory, "travel.md", meals(40))
    memory.remove("travel.md", valid_start=NOW + DAY)
    assert amounts(memory, ada) == [40]
    assert amounts(memory, ada, valid_time=NOW + DAY) == []
    clock.ts = NOW + DAY
    memory.sweep()
    assert amounts(memory, ada) == []
    assert amounts(memory, ada, valid_time=NOW + DAY - 1) == [40]


def test_a_watcher_hears_of_tomorrows_fact_tomorrow_and_of_none_today(memory, ada, clock):
    put(memory, "travel.md", meals(40))
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md")), ada)
    put(memory, "travel.md", meals(50), valid_start=NOW + DAY)
    assert memory.sweep().fires == 0
    clock.ts = NOW + DAY
    assert memory.sweep().fires == 1
    assert memory.sweep().fires == 0


def test_a_record_of_tomorrow_is_found_by_the_structured_leg_tomorrow(memory, ada):
    memory.put_node(Record(derived("r"), "RATE", {"eur": 50}, ["everyone"], valid_start=NOW + DAY))

    def found(**when):
        with pytest.raises(InsufficientEvidence) as caught:
            memory.plan(PlanRequest(find="RATE", **when), ada)
        return caught.value.stats.recall.query

    assert (found(), found(valid_time=NOW + DAY)) == (0, 1)


# ── every coordinate ──


HISTORY = [(NOW - 3 * DAY, 10), (NOW - DAY, 20), (NOW + DAY, 30), (NOW - 2 * DAY, 40)]
"""(valid_start, amount) in the order of arrival; the last comes late."""


@pytest.fixture(scope="module")
def history(migrated_file, tmp_path_factory):
    """A memory, its reader, and the tx of each arrival."""
    file = tmp_path_factory.mktemp("history") / "memory.db"
    file.write_bytes(migrated_file.read_bytes())
    with open_memory(f"sqlite:///{file}", ManualClock(NOW)) as memory:
        memory.people.ensure_tenant("default", "Default")
        ada = add_person(memory, "Ada")
        arrived = []
        for valid_start, amount in HISTORY:
            put(memory, "travel.md", meals(amount), valid_start=valid_start)
            arrived.append(last_tx(memory))
        yield memory, ada, arrived


@given(
    valid=st.integers(NOW - 4 * DAY, NOW + 2 * DAY),
    known=st.integers(0, len(HISTORY)),
    since=st.integers(0, SECOND - 1),
)
def test_a_plan_says_what_was_believed_then_of_then(history, valid, known, since):
    memory, ada, arrived = history
    tx_time = arrived[known - 1] + since if known else arrived[0] - 1
    held = max(((start, amount) for start, amount in HISTORY[:known] if start <= valid), default=None)
    assert amounts(memory, ada, valid_time=valid, tx_time=tx_time) == ([held[1]] if held else [])


@pytest.mark.parametrize("name", ["valid_time", "tx_time"])
@pytest.mark.parametrize("ts", [-1, 2**62, 2**70])
def test_a_coordinate_that_is_no_time_is_refused_by_name(memory, ada, name, ts):
    with pytest.raises(InvalidRequest, match=f"{name} is {ts}; it must be microseconds"):
        memory.plan(PlanRequest(question=QUESTION, **{name: ts}), ada)
    with pytest.raises(InvalidRequest, match=name):
        memory.query("SECTION", [], ada, **{name: ts})
    with pytest.raises(InvalidRequest, match=name):
        memory.get_as_of(derived("r"), ada, **{name: ts})


# ── rights are today's ──


def test_who_may_read_today_reads_what_was_so_when_they_might_not(memory):
    put(memory, "travel.md", meals(40), ["board"])
    believed = last_tx(memory)
    put(memory, "travel.md", meals(50), ["board"])
    ada = add_person(memory, "Ada")
    assert amounts(memory, ada, tx_time=believed, valid_time=NOW) == []
    memory.people.put("default", "Ada", roles=["board"])
    promoted = memory.people.principal("default", ada.person_id)
    assert amounts(memory, promoted, tx_time=believed, valid_time=NOW) == [40]


def test_who_may_read_no_more_does_not_by_going_back(memory, ada):
    put(memory, "travel.md", meals(40), ["member"])
    believed = last_tx(memory)
    assert amounts(memory, ada, tx_time=believed, valid_time=NOW) == [40]
    put(memory, "travel.md", meals(40), ["board"])
    assert amounts(memory, ada, tx_time=believed, valid_time=NOW) == []
    put(memory, "travel.md", meals(40), ["member"])
    assert amounts(memory, ada, tx_time=believed, valid_time=NOW) == [40]
