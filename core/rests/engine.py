"""Watches that rest: their owner is told once, in one card for all that began to rest together.

A watch that begins to rest is marked (`notice_at`). Whoever gathers takes the marks of one owner off and puts one card
down, in one transaction; the card is named after that transaction's tx, so that no crash and no second worker makes
another of it. An owner who is out of reach keeps the marks until their return. What the card says is read when it is
sent: a watch that goes on again by then is told of as one that does.
"""

from collections.abc import Collection
from uuid import UUID

from core.clock import FOREVER
from core.delivery.grouping import RESTING
from core.model.apart import apart
from core.model.notices import Resting, RestNotice
from core.model.ports import Composed
from core.store import messages, people, watches
from core.store.database import ANY_TENANT, Database, ReadTx


class RestsEngine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def gather(self, limit: int = 100) -> int:
        """Give every owner of watches that began to rest one card that tells of them; how many cards were made.

        Raises ExceptionGroup of what failed for some of them, when the others have theirs.
        """
        with self._database.read(ANY_TENANT) as tx:
            waiting = watches.untold(tx, self._database.clock.now(), limit)
        made = 0
        with apart("owners of watches that rest") as turn:
            for tenant_id, owner_id in waiting:
                with turn():
                    made += self._put(tenant_id, owner_id)
        return made

    def _put(self, tenant_id: str, owner_id: UUID) -> int:
        with self._database.write(tenant_id) as tx:
            tx.lock()
            person, identity = people.get(tx, owner_id), people.reachable(tx, owner_id)
            there = person is not None and person.active and identity is not None
            resting = watches.untold_of(tx, owner_id, tx.now)
            for watch in resting:
                watch.notice_at = None if there else FOREVER
                tx.session.add(watch)
            told = [watch.watch_id for watch in resting if watch.enabled]
            if identity is None or not there or not told:
                return 0
            subject = f"{messages.RESTS}{tx.tx}"
            message = messages.new(tx, owner_id, people.place_of(identity), subject, RESTING)
            message.shown = [[str(watch_id), tx.tx] for watch_id in told]
            return 1

    def compose(self, tx: ReadTx, owner_id: UUID, watch_ids: Collection[UUID]) -> Composed | None:
        """How these watches of a person stand by now; None where they have stopped every one."""
        standing = [watch for watch in watches.by_ids(tx, watch_ids) if watch.enabled and watch.owner_id == owner_id]
        if not standing:
            return None
        ordered = sorted(standing, key=lambda watch: (watch.created_tx, watch.watch_id))
        notice = RestNotice(tuple(Resting(watch.watch_id, watch.name, watch.suspended) for watch in ordered))
        return Composed(notice, tuple((watch.watch_id, tx.last_tx) for watch in ordered), ())
