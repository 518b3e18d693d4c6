"""The durable inbox: what people asked and tapped is kept before it is acknowledged, and driven until it is done.

Platforms deliver again, also what they had delivered before somebody let the bot go: only an event that is new says
that they are there.
"""

from collections.abc import Mapping
from typing import Any

from core.clock import SECOND
from core.ids import jitter
from core.jobs.backoff import wait
from core.model.work import Inbound, Place
from core.store import addresses, briefs, inbox, messages, people
from core.store.database import ANY_TENANT, Database, WriteTx

_BY_THE_PLATFORM = "withdrawn"
"""The kind of event that shows nobody there: a platform can tell of it long after they have gone."""


class InboundEngine:
    def __init__(self, database: Database, *, lease_secs: int, max_attempts: int) -> None:
        self._database = database
        self._lease = lease_secs * SECOND
        self._max_attempts = max_attempts

    def receive(
        self,
        tenant_id: str,
        place: Place,
        event_id: str,
        kind: str,
        body: dict[str, Any],
        address: Mapping[str, Any] | None = None,
    ) -> bool:
        """Keep an event; False for a repeat. An event id is one user's: the same id of another is another event.

        Whoever writes can be written to, at `address` where that matters: a user lost before is reached again, and told
        what no card could tell them. A repeat says nothing of that.
        """
        with self._database.write(tenant_id) as tx:
            known = people.identity(tx, place)
            if not inbox.keep(tx, place, event_id, known.person_id if known else None, kind, body):
                return inbox.revive(tx, place, event_id)
            if kind != _BY_THE_PLATFORM:
                _met(tx, place, address)
            return True

    def left(self, tenant_id: str, place: Place, event_id: str, reason: str) -> bool:
        """Keep that a user has let the bot go, and obey at once; False for a repeat, since they may be back by then."""
        with self._database.write(tenant_id) as tx:
            known = people.identity(tx, place)
            person_id = known.person_id if known else None
            if not inbox.keep(tx, place, event_id, person_id, "left", {}, "done", reason):
                return False
            addresses.forget(tx, place)
            people.depart(tx, place, reason)
            return True

    def is_open(self, tenant_id: str, place: Place, event_id: str) -> bool:
        """Whether an event that was kept is still to be driven."""
        with self._database.read(tenant_id) as tx:
            return inbox.open_event(tx, inbox.key(place, event_id)) is not None

    def lease(self, limit: int = 10) -> list[Inbound]:
        """Take what is to be worked on now: of each user one at a time, in the order in which they said it."""
        with self._database.read(ANY_TENANT) as tx:
            if not inbox.any_due(tx, self._database.clock.now()):
                return []
        with self._database.write(ANY_TENANT) as tx:
            inbox.bury(tx, self._max_attempts)
            return inbox.lease(tx, tx.now + self._lease, limit)

    def extend(self, event: Inbound) -> bool:
        """Keep an event in hand for as long again from now; False when another has taken it over."""
        with self._database.write(event.tenant_id) as tx:
            row = inbox.held(tx, event)
            if row is not None:
                row.lease_until = tx.now + self._lease
                tx.session.add(row)
            return row is not None

    def finish(self, event: Inbound, result: str) -> None:
        """Record what came of an event; nothing when another has taken it over."""
        with self._database.write(event.tenant_id) as tx:
            row = inbox.held(tx, event)
            if row is not None:
                row.state, row.result = "done", result
                if row.kind == "withdrawn":
                    row.body = {}  # the words of an edit have been compared
                tx.session.add(row)

    def release(self, event: Inbound) -> None:
        """Give an event back that nothing was done about."""
        with self._database.write(event.tenant_id) as tx:
            row = inbox.held(tx, event)
            if row is not None:
                row.state, row.lease_until, row.attempts = "ready", 0, row.attempts - 1
                tx.session.add(row)

    def fail(self, event: Inbound, error: str) -> bool:
        """Try again later; True when the attempts are spent and the event is given up."""
        with self._database.write(event.tenant_id) as tx:
            row = inbox.held(tx, event)
            if row is None:
                return False
            spent = row.attempts >= self._max_attempts
            row.state, row.result = ("failed" if spent else "ready"), error
            row.lease_until, row.not_before = 0, tx.now + wait(row.attempts, jitter())
            tx.session.add(row)
            return spent


def _met(tx: WriteTx, place: Place, address: Mapping[str, Any] | None) -> None:
    """A user is there, and hears what no card could tell them."""
    if address is not None:
        addresses.keep(tx, place, address)
    people.regain(tx, place)
    person_id = people.seen(tx, place)
    if person_id is not None:
        messages.recall(tx, person_id)
        briefs.recall(tx, person_id)
