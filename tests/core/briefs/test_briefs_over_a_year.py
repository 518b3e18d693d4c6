"""The scheduler itself over changes of clocks, moves and years: one brief of each slot, whoever looks and how often."""

from contextlib import closing
from datetime import date, timedelta
from itertools import pairwise
from uuid import UUID

import pytest

from core.clock import DAY, HOUR
from core.delivery.grouping import CHANGES
from core.jobs.kinds import JobKind
from core.model.local_time import local
from core.model.watching import Cadence
from core.store import briefs, messages
from core.store.tables import Job
from core.watch.cadence import APART
from tests.strategies.zones import END, ODD, START, switches
from tests.support.briefs import MONDAY
from tests.support.memories import add_person, open_memory, rows
from tests.support.threads import at_once

PACES = (Cadence.HOURLY, Cadence.DAILY)
ROUND_THE_WORLD = ("Pacific/Kiritimati", "America/Los_Angeles", "Asia/Kolkata", "Etc/GMT+12", "Australia/Lord_Howe")


def expecting(memory, person, *paces):
    """Let a person have something waiting for the briefs of these periods, always."""
    with memory._database.write("default") as tx:
        for cadence in paces:
            briefs.enrol(tx, [person.person_id], 0, cadence)
            messages.add_delivery(tx, UUID(int=PACES.index(cadence)), person.person_id, CHANGES, cadence)
    memory.briefs.schedule("default")


@pytest.fixture
def traveller(sqlite_url, clock):
    """A memory at the beginning of 2026, and somebody who wants briefs at two o'clock, the weekly one on Sundays."""
    clock.ts = START
    with closing(open_memory(sqlite_url, clock)) as memory:
        memory.people.ensure_tenant("default", "Default")
        ada = add_person(memory, "Ada")
        memory.prefer(ada, "brief_day", "sunday")
        memory.prefer(ada, "brief_hour", "2")
        expecting(memory, ada, Cadence.DAILY)
        yield memory


def living_in(memory, zone):
    return memory.people.principal("default", memory.people.put("default", "Ada", zone=zone))


def made(memory, period):
    """The slots of the jobs that were made, oldest first."""
    jobs = sorted(
        (job for job in rows(memory, Job) if job.kind == JobKind.NOTIFY_BRIEF), key=lambda job: job.created_at
    )
    return [(job.payload["slot"], job.created_at) for job in jobs if job.payload["period"] == period]


def look(memory, *moments):
    for ts in moments:
        memory.clock.ts = ts
        memory.briefs.schedule("default")


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Los_Angeles", "Australia/Lord_Howe"])
def test_at_every_change_of_clocks_each_full_hour_and_each_day_has_one(traveller, zone):
    expecting(traveller, living_in(traveller, zone), *PACES)
    for edge in switches(zone):
        look(traveller, edge - 4 * HOUR)
        before = len(made(traveller, "hourly"))
        look(traveller, *range(edge - 3 * HOUR, edge + 3 * HOUR, HOUR // 2), edge + 3 * HOUR)
        full = [ts for ts in range(edge - 3 * HOUR, edge + 3 * HOUR + 1, HOUR // 2) if local(ts, zone).minute == 0]
        assert [ts for _, ts in made(traveller, "hourly")[before:]] == full
    days = [slot for slot, _ in made(traveller, "daily")]
    assert len(days) == len(set(days))
    on_the_day = {local(edge, zone).date().isoformat() for edge in switches(zone)}
    assert on_the_day <= set(days)


@pytest.mark.parametrize("zone", ODD[:5])
def test_two_years_of_looks_at_odd_hours_make_one_brief_each_local_week_and_no_two_a_day(traveller, zone):
    traveller.people.put("default", "Ada", zone=zone)
    look(traveller, *range(START, END, 101 * HOUR))
    weeks = [date.fromisoformat(f"{slot}-1") for slot, _ in made(traveller, "weekly")]
    assert len(weeks) in {103, 104}
    assert all(b - a == timedelta(days=7) for a, b in pairwise(weeks))
    days = [slot for slot, _ in made(traveller, "daily")]
    assert len(days) == len(set(days)) > 170


def test_months_of_travel_has_one_brief_each_week_and_never_two_a_day(traveller):
    """A move every nine days, and across the date line."""
    zones = 3 * ROUND_THE_WORLD
    for number, zone in enumerate(zones):
        begin = START + number * 9 * DAY
        traveller.people.put("default", "Ada", zone=zone)
        look(traveller, *range(begin, begin + 9 * DAY, 13 * HOUR))
    weeks = [date.fromisoformat(f"{slot}-1") for slot, _ in made(traveller, "weekly")]
    assert all(b - a == timedelta(days=7) for a, b in pairwise(weeks))
    assert abs(len(weeks) - len(zones) * 9 / 7) <= 2
    days = [slot for slot, _ in made(traveller, "daily")]
    assert days == sorted(set(days))


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Australia/Lord_Howe"])
def test_two_schedulers_at_once_make_one_each_hour_day_and_week(reopen, clock, zone):
    """Each with a memory of its own, as two processes have."""
    clock.ts = MONDAY - DAY
    one, two = reopen(), reopen()
    ada = add_person(one, "Ada")
    one.people.put("default", "Ada", zone=zone)
    expecting(one, ada, *PACES)
    moments = [MONDAY - DAY + hours * HOUR for hours in (1, 2, 3, 24, 25, 48, 8 * 24, 8 * 24 + 1)]
    for ts in moments:
        clock.ts = ts
        assert at_once(*[lambda memory=memory: memory.briefs.schedule("default") for memory in (one, two)] * 2)
    for period in Cadence.HOURLY, Cadence.DAILY, Cadence.WEEKLY:
        slots = [slot for slot, _ in made(one, period)]
        assert len(slots) == len(set(slots)) > 0
    assert len(made(one, "hourly")) == len(moments)
    assert len(made(one, "weekly")) == 2
    assert all(b - a >= APART[Cadence.DAILY] for (_, a), (_, b) in pairwise(made(one, "daily")))
