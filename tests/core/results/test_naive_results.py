"""Watches on queries against a naive reading: the whole result at both coordinates of each sweep, by today's rights."""

import json
from dataclasses import dataclass, field
from uuid import UUID

from hypothesis import HealthCheck, given, settings

from core.clock import SECOND
from core.errors import NotFound
from core.graph.records import Record
from core.ids import derived, random_id
from core.model.watching import EventKind, ScopeType
from core.results.standing import fingerprint
from core.store.tables import Person, SweepCheckpoint, Watch, WatchFire
from tests.strategies.standing_queries import (
    QUERIES,
    TOPIC,
    Gone,
    Put,
    Remove,
    Role,
    Sweep,
    Wait,
    Watching,
    Write,
    histories,
)
from tests.support.memories import add_person, change_row, rows, watch_request

EVENTS = (EventKind.QUERY_RESULTS_CHANGED,)


@dataclass
class World:
    """One tenant. `god` may read everything, `ada` what she may."""

    memory: object
    tenant: str
    made: dict[UUID, tuple[str, int]] = field(default_factory=dict)
    """Watches: the query, and their birth."""

    def __post_init__(self):
        self.memory.people.ensure_tenant(self.tenant, self.tenant)
        self.ada = add_person(self.memory, "Ada", tenant=self.tenant)
        self.god = add_person(self.memory, "God", ("board",), tenant=self.tenant)
        self.memory.sweep(self.tenant)

    @property
    def now(self):
        return self.memory.clock.now()

    def node(self, which):
        return derived(self.tenant, which)

    def do(self, step):
        memory, tenant = self.memory, self.tenant
        start = getattr(step, "start", None)
        start = None if start is None else self.now + start
        match step:
            case Put():
                end = step.lasts and (start or self.now) + step.lasts
                interval = {"valid_start": start, "valid_end": end}
                record = Record(self.node(step.which), TOPIC, step.props, (step.readers,), **interval)
                memory.put_node(record, tenant=tenant)
            case Write():
                memory.ingest(step.uri, step.text, readers=[step.readers], tenant=tenant, valid_start=start)
            case Role():
                roles = ["member", "board"] if step.holds else ["member"]
                change_row(memory, Person, (tenant, self.ada.person_id), roles=roles)
                self.ada = memory.people.principal(tenant, self.ada.person_id)
            case Wait():
                memory.clock.advance(step.span)
            case Sweep():
                self.swept()
            case Watching():
                self.watch(step.query)
            case Remove() | Gone():
                self.remove(step, start)

    def remove(self, step, start):
        try:
            if isinstance(step, Gone):
                self.memory.remove(step.uri, tenant=self.tenant)
            else:
                self.memory.remove_node(self.node(step.which), tenant=self.tenant, valid_start=start)
        except NotFound:
            pass

    def watch(self, name):
        find, where = QUERIES[name]
        request = watch_request(self.ada, ScopeType.QUERY, json.dumps({"find": find, "where": where}), events=EVENTS)
        made = self.memory.watch(request, self.ada)
        [row] = [row for row in rows(self.memory, Watch, self.tenant) if row.watch_id == made.watch_id]
        self.made[made.watch_id] = name, row.created_tx

    def checkpoint(self):
        [row] = rows(self.memory, SweepCheckpoint, self.tenant)
        return row.swept_at, row.tx

    def found(self, name, who, moment):
        nodes = self.memory.query(*QUERIES[name], who, valid_time=moment[0], tx_time=moment[1], limit=1000)
        return {node.node_id: node for node in nodes}

    def stands_for(self, who, node_id, moment):
        try:
            return bool(self.memory.get_as_of(node_id, who, valid_time=moment[0], tx_time=moment[1]))
        except NotFound:
            return False

    def news(self, name, since, until):
        """What differs in the whole result for its owner, and for whoever may read everything."""
        old, new = (self.found(name, self.ada, moment) for moment in (since, until))
        everything = [self.found(name, self.god, moment) for moment in (since, until)]
        for node_id in old.keys() | new.keys():
            is_hidden = self.stands_for(self.god, node_id, until) and not self.stands_for(self.ada, node_id, until)
            if differ(node_id, old, new) and differ(node_id, *everything) and not is_hidden:
                yield node_id

    def swept(self):
        """Sweep, and hold what every watch heard against the naive reading."""
        before, told = self.checkpoint(), {row.fire_id for row in rows(self.memory, WatchFire, self.tenant)}
        swept = self.memory.sweep(self.tenant)
        after = self.checkpoint()
        fires = [row for row in rows(self.memory, WatchFire, self.tenant) if row.fire_id not in told]
        heard = {row.watch_id: {UUID(event["changed_ref_id"]) for event in row.events} for row in fires}
        kept = {row.watch_id: row.result_fingerprint for row in rows(self.memory, Watch, self.tenant)}
        for watch_id, (name, born) in self.made.items():
            since, until = ((max(at[0], born), max(at[1], born)) for at in (before, after))
            assert heard.get(watch_id, set()) == set(self.news(name, since, until)), name
            if watch_id in heard:
                assert kept[watch_id] == fingerprint(self.found(name, self.ada, until).values())
        return swept


def differ(node_id, old, new):
    before, after = old.get(node_id), new.get(node_id)
    return (before and before.key) != (after and after.key)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(history=histories)
def test_a_watch_fires_where_a_changed_node_moved_its_owners_result_and_names_that(reopen, history):
    memory = reopen(watch={"debounce_floor_secs": 0, "max_rows_per_tick": 3})
    world = World(memory, f"t-{random_id()}")
    world.watch("open records")
    world.watch("sections on tea")
    for step in history:
        world.do(step)
        memory.clock.advance(SECOND)
    while world.swept().backlog:
        pass
