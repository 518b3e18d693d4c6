"""Pruning: what is done with is deleted when its time is over, a few rows at a time, so that no writer waits long."""

from core.retention.periods import KEPT, Spent
from core.store import retention
from core.store.database import Database

BATCH = 1000
"""Rows a write transaction."""
BATCHES = 10
"""Of a table, in one call: whoever stops the process waits for no more."""


class RetentionEngine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def prune(self, tenant_id: str) -> int:
        """Delete a bounded share of what is done with; how many rows. Nothing is left when none were."""
        return sum(self._prune(tenant_id, what) for what in KEPT)

    def _prune(self, tenant_id: str, what: Spent) -> int:
        before, deleted = self._database.clock.now() - KEPT[what], 0
        for _ in range(BATCHES):
            with self._database.read(tenant_id) as tx:
                keys = retention.find(tx, what, before, BATCH)
            if keys:
                with self._database.write(tenant_id) as tx:
                    deleted += retention.delete(tx, what, keys, before)
            if len(keys) < BATCH:
                break
        return deleted
