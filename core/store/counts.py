"""How much is remembered, and what waits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import literal_column
from sqlmodel import col, func, select

from core.clock import FOREVER, SECOND
from core.metrics import Backlog
from core.model.nodes import DOCUMENT, PASSAGE, SAVED_ANSWER
from core.store.database import ReadTx
from core.store.tables import CardMessage, Feed, Inbox, Job, NodeVersion, Person, Source, SweepCheckpoint, Tenant, Watch


@dataclass(frozen=True, slots=True)
class Status:
    """`sweep_lag`: feed µs not yet swept. `synced_at`: when the stalest source was last looked at; None without any."""

    documents: int
    passages: int
    saved_answers: int
    people: int
    watches: int
    jobs: dict[str, int]
    cards: dict[str, int]
    sweep_lag: int
    synced_at: int | None


def status(tx: ReadTx) -> Status:
    swept = tx.session.get(SweepCheckpoint, tx.tenant_id)
    kept = (Source.tenant_id == tx.tenant_id, Source.erased_tx == 0)
    synced = tx.session.exec(select(func.min(Source.checked_at)).where(*kept)).one()
    return Status(
        documents=_nodes(tx, DOCUMENT),
        passages=_nodes(tx, PASSAGE),
        saved_answers=_nodes(tx, SAVED_ANSWER),
        people=_count(tx, Person),
        watches=_count(tx, Watch, col(Watch.enabled)),
        jobs=_by_state(tx, Job),
        cards=_by_state(tx, CardMessage),
        sweep_lag=max(0, tx.last_tx - swept.tx) if swept else 0,
        synced_at=synced,
    )


_EVENTS = ("ready", "running", "failed")
_CARDS = ("pending", "sending", "failed", "parked", "unknown")


def backlog(tx: ReadTx, now: int) -> Backlog:
    """What waits, of every tenant."""
    undone: Any = literal_column("state <> 'done'")  # in the index's words: the many that are done are not looked at
    jobs = select(Job.kind, Job.state, func.count()).select_from(Job).where(undone).group_by(Job.kind, Job.state)
    swept = select(SweepCheckpoint.tx).where(SweepCheckpoint.tenant_id == Tenant.tenant_id).scalar_subquery()
    since = select(func.min(Feed.tx)).where(Feed.tenant_id == Tenant.tenant_id, Feed.tx > func.coalesce(swept, 0))
    waiting = [tx for tx in tx.session.exec(select(since.scalar_subquery()).select_from(Tenant)) if tx is not None]
    return Backlog(
        jobs={(kind, state): depth for kind, state, depth in tx.session.exec(jobs)},
        events=_in_states(tx, Inbox, _EVENTS),
        cards=_in_states(tx, CardMessage, _CARDS),
        sweep_lag_secs=max(0, now - min(waiting, default=now)) / SECOND,
    )


def _in_states(tx: ReadTx, table: Any, states: Sequence[str]) -> dict[str, int]:
    rows = select(table.state, func.count()).where(col(table.state).in_(states)).group_by(table.state)
    return dict(tx.session.exec(rows).all())


def _nodes(tx: ReadTx, label: str) -> int:
    standing = (
        col(NodeVersion.label) == label,
        col(NodeVersion.tx_end) == FOREVER,
        col(NodeVersion.valid_end) == FOREVER,
        col(NodeVersion.tombstone).is_(False),
    )
    return _count(tx, NodeVersion, *standing)


def _count(tx: ReadTx, table: Any, *conditions: Any) -> int:
    rows = select(func.count()).select_from(table).where(table.tenant_id == tx.tenant_id, *conditions)
    return int(tx.session.exec(rows).one())


def _by_state(tx: ReadTx, table: Any) -> dict[str, int]:
    rows = select(table.state, func.count()).where(table.tenant_id == tx.tenant_id).group_by(table.state)
    return dict(tx.session.exec(rows.order_by(table.state)).all())
