"""The durable inbox: what people asked and tapped is kept before it is acknowledged, and driven until it is done."""

from typing import Any

from core.clock import SECOND
from core.ids import jitter
from core.jobs.backoff import wait
from core.model.work import Inbound, Place
from core.store import briefs, inbox, messages, people
from core.store.database import ANY_TENANT, Database


class InboundEngine:
    def __init__(self, database: Database, *, lease_secs: int, max_attempts: int) -> None:
        self._database = database
        self._lease = lease_secs * SECOND
        self._max_attempts = max_attempts

    def receive(self, tenant_id: str, place: Place, event_id: str, kind: str, body: dict[str, Any]) -> bool:
        """Keep an event; False for a repeat. An event id is one user's: the same id of another is another event.

        Whoever writes can be written to: a user lost before is reached again, and told what no card could tell them.
        """
        with self._database.write(tenant_id) as tx:
            people.regain(tx, place)
            person_id = people.seen(tx, place)
            if person_id is not None:
                messages.recall(tx, person_id)
                briefs.recall(tx, person_id)
            return inbox.receive(tx, place, event_id, person_id, kind, body)

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
