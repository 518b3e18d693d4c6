"""Traces, read back by whoever asked."""

from uuid import UUID

from core.errors import NotFound
from core.model.principals import Principal
from core.store import rights, sources, traces
from core.store.database import ReadTx
from core.traces.views import TraceView, seen


class TracesEngine:
    def get(self, tx: ReadTx, trace_id: UUID, principal: Principal, now: int) -> TraceView:
        """Raises NotFound, alike for what another asked and for none."""
        row, asker = traces.get(tx, trace_id), traces.asker(principal)
        if row is None or (row.person_id, row.key_id) != asker or asker == (None, None):
            raise NotFound
        readable = sources.readable(tx, rights.today(tx, principal, now))
        return seen(trace_id, row.kind, row.created_at, row.body, readable)
