"""Rows that are done with: looked for in a read transaction, since some looks go through a table, and deleted by key.

Whether a row is still done with is asked again when it is deleted. A grant is deleted only while its card is locked:
whoever lets a card offer something has locked it, so that none can take up a grant that is on its way out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Uuid, and_, cast
from sqlalchemy import delete as delete_from
from sqlmodel import SQLModel, col, func, select

from core.model.job_states import JobState
from core.model.nodes import SAVED_ANSWER
from core.store.database import ReadTx, WriteTx
from core.store.tables import (
    CardGrant,
    CardMessage,
    IdempotencyKey,
    Inbox,
    Job,
    NodeVersion,
    Spooled,
    ThreadEvent,
    Trace,
    UsedJti,
)

_COUNTED = "refresh:answer"
"""Jobs that are enqueued again and again: the next is told apart by how many there were."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Which rows of a tenant are done with since before a Ts. `key` tells them apart."""

    table: type[SQLModel]
    key: Any
    done_with: Callable[[str, int], ColumnElement[bool]]


def _events(_: str, before: int) -> ColumnElement[bool]:
    return and_(col(Inbox.state) == "done", col(Inbox.not_before) < before)


def _jobs(_: str, before: int) -> ColumnElement[bool]:
    return and_(col(Job.state) == JobState.DONE, col(Job.not_before) < before, col(Job.kind) != _COUNTED)


def _grants(tenant_id: str, before: int) -> ColumnElement[bool]:
    """Those that no card offers now, and no tap that is yet to be worked on was made under."""
    offered = select(CardMessage.fingerprint).where(CardMessage.tenant_id == tenant_id)
    tapped = select(col(Inbox.body)["fingerprint"].as_string()).where(
        Inbox.tenant_id == tenant_id, Inbox.kind == "tap", Inbox.state != "done"
    )
    key = col(CardGrant.fingerprint)
    return and_(col(CardGrant.created_at) < before, key.not_in(offered), key.not_in(tapped))


def _traces(tenant_id: str, before: int) -> ColumnElement[bool]:
    """Those that no saved answer was made from."""
    written = col(NodeVersion.props)["traceId"].as_string()
    saved = select(cast(func.replace(written, "-", ""), Uuid())).where(
        NodeVersion.tenant_id == tenant_id, NodeVersion.label == SAVED_ANSWER, written.is_not(None)
    )
    return and_(col(Trace.created_at) < before, col(Trace.trace_id).not_in(saved))


_RULES: Mapping[str, Rule] = {
    "used_jti": Rule(UsedJti, col(UsedJti.jti), lambda _, before: col(UsedJti.exp_at) < before),
    "inbox": Rule(Inbox, col(Inbox.event_id), _events),
    "job": Rule(Job, col(Job.job_id), _jobs),
    "card_grant": Rule(CardGrant, col(CardGrant.fingerprint), _grants),
    "idempotency_key": Rule(
        IdempotencyKey, col(IdempotencyKey.name), lambda _, before: col(IdempotencyKey.created_at) < before
    ),
    "trace": Rule(Trace, col(Trace.trace_id), _traces),
    "thread_event": Rule(ThreadEvent, col(ThreadEvent.ref), lambda _, before: col(ThreadEvent.created_at) < before),
    "spooled": Rule(Spooled, col(Spooled.ref), lambda _, before: col(Spooled.created_at) < before),
}


def find(tx: ReadTx, name: str, before: int, limit: int) -> list[Any]:
    """The keys of some rows that are done with."""
    rule = _RULES[name]
    rows = select(rule.key).where(_of(rule, tx), rule.done_with(tx.tenant_id, before))
    return list(tx.session.exec(rows.limit(limit)).all())


def delete(tx: WriteTx, name: str, keys: Sequence[Any], before: int) -> int:
    """Delete those of these rows that are done with; how many. A copy in the spool goes with what it is of."""
    rule = _RULES[name]
    free = _of_cards_in_hand(tx, keys) if rule.table is CardGrant else keys
    rows = delete_from(rule.table).where(_of(rule, tx), rule.key.in_(free), rule.done_with(tx.tenant_id, before))
    deleted = tx.session.connection().execute(rows).rowcount
    if rule.table is ThreadEvent:
        # Only now: whoever was copying held the event, and has committed the copy.
        copies = delete_from(Spooled).where(col(Spooled.tenant_id) == tx.tenant_id, col(Spooled.ref).in_(keys))
        tx.session.connection().execute(copies)
    return deleted


def _of(rule: Rule, tx: ReadTx) -> ColumnElement[bool]:
    return col(getattr(rule.table, "tenant_id")) == tx.tenant_id  # noqa: B009  # each table has it, SQLModel does not


def _of_cards_in_hand(tx: WriteTx, keys: Sequence[str]) -> list[str]:
    """Those of these grants whose cards nobody else has locked; they are locked from now on."""
    grants = select(CardGrant).where(CardGrant.tenant_id == tx.tenant_id, col(CardGrant.fingerprint).in_(keys))
    card_of = {grant.fingerprint: UUID(grant.body["delivery_key"]) for grant in tx.session.exec(grants)}
    cards = select(CardMessage.message_id).where(
        CardMessage.tenant_id == tx.tenant_id, col(CardMessage.message_id).in_(card_of.values())
    )
    held = set(tx.session.exec(cards.with_for_update(skip_locked=True)))
    return [key for key, card in card_of.items() if card in held]
