"""What was said in threads: written once per event, in order, and read by the person it belongs to."""

from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

from sqlmodel import col, func, select

from core.model.threads import USER, Before, Said, Turn, event_ref, thread_of
from core.model.work import Place
from core.store import people, spool
from core.store.database import ReadTx, WriteTx
from core.store.tables import ThreadEvent


def record(tx: WriteTx, person_id: UUID, place: Place, turn: Turn) -> None:
    """Write down what an event led to, once, at the end of its thread; nothing of somebody who is gone.

    The tenant's writers must be kept out: places in the order are counted.
    """
    person = people.get(tx, person_id)
    if person is None or not person.active or of_event(tx, turn.event_id):
        return
    thread_id = thread_of(tx.tenant_id, place)
    at = _next_seq(tx, thread_id)
    theirs = {"thread_id": thread_id, "person_id": person_id, "event_id": turn.event_id}
    parts = enumerate(turn.said)
    rows = (_row(tx, event_ref(tx.tenant_id, turn.event_id, n), said) | theirs | {"seq": at + n} for n, said in parts)
    tx.insert(ThreadEvent, rows)


def of_event(tx: ReadTx, event_id: str) -> list[ThreadEvent]:
    """Everything that an event led to, in order."""
    rows = select(ThreadEvent).where(ThreadEvent.tenant_id == tx.tenant_id, ThreadEvent.event_id == event_id)
    return list(tx.session.exec(rows.order_by(col(ThreadEvent.seq))))


def any_revoked(tx: ReadTx, refs: Collection[UUID]) -> bool:
    """Whether any of these events was withdrawn."""
    rows = select(ThreadEvent.ref).where(
        ThreadEvent.tenant_id == tx.tenant_id, col(ThreadEvent.ref).in_(refs), col(ThreadEvent.revoked).is_(True)
    )
    return tx.session.exec(rows.limit(1)).first() is not None


def revoke(tx: WriteTx, found: Iterable[ThreadEvent]) -> None:
    """Take the words out, here and in the spool."""
    for row in found:
        row.revoked, row.content = True, b""
        tx.session.add(row)
        copy = spool.get(tx, row.ref)
        if copy is not None:
            tx.session.delete(copy)


def revoke_ahead(tx: WriteTx, person_id: UUID, place: Place, event_id: str) -> None:
    """Let an event that is still worked on lead to nothing in its thread: its place is taken, by no words."""
    record(tx, person_id, place, Turn(event_id, [Said(USER, "")]))
    tx.session.flush()
    revoke(tx, of_event(tx, event_id))


def _next_seq(tx: ReadTx, thread_id: UUID) -> int:
    last = select(func.max(ThreadEvent.seq)).where(
        ThreadEvent.tenant_id == tx.tenant_id, ThreadEvent.thread_id == thread_id
    )
    return (tx.session.exec(last).one() or 0) + 1


def _row(tx: WriteTx, ref: UUID, said: Said) -> dict[str, Any]:
    content = said.text.encode("utf-8", "replace")
    return {
        "tenant_id": tx.tenant_id,
        "ref": ref,
        "role": said.role,
        "kind": said.kind,
        "retention": said.retention,
        "content": content,
        "size": len(content),
        "source_ids": list(map(str, said.source_ids)),
        "calls": list(said.calls),
        "answers": said.answers,
        "revoked": False,
        "compacted": None,
        "created_at": tx.now,
    }


def events(tx: ReadTx, thread_id: UUID, person_id: UUID) -> list[ThreadEvent]:
    """What stands in a person's thread, oldest first: all that was not compacted."""
    rows = _of(tx, thread_id, person_id).where(col(ThreadEvent.compacted).is_(None))
    return list(tx.session.exec(rows.order_by(col(ThreadEvent.seq))))


def compacted(tx: ReadTx, thread_id: UUID, person_id: UUID) -> list[ThreadEvent]:
    """What a compaction put aside of a person's thread, oldest first; the rows hold no words."""
    rows = _of(tx, thread_id, person_id).where(col(ThreadEvent.compacted).is_not(None))
    return list(tx.session.exec(rows.order_by(col(ThreadEvent.seq))))


def questions(tx: ReadTx, thread_id: UUID, person_id: UUID, before: str, limit: int) -> list[Before]:
    """What a person last asked in a thread before an event, newest first; nothing that was revoked."""
    first = select(func.min(ThreadEvent.seq)).where(
        ThreadEvent.tenant_id == tx.tenant_id, ThreadEvent.thread_id == thread_id, ThreadEvent.event_id == before
    )
    at = tx.session.exec(first).one()
    asked = _of(tx, thread_id, person_id).where(
        ThreadEvent.role == USER,
        ThreadEvent.kind == "message",
        col(ThreadEvent.revoked).is_(False),
        *([] if at is None else [col(ThreadEvent.seq) < at]),
    )
    rows = tx.session.exec(asked.order_by(col(ThreadEvent.seq).desc()).limit(limit))
    return [Before(row.ref, row.content.decode("utf-8", "replace")) for row in rows if row.content]


def threads(tx: ReadTx, person_id: UUID, limit: int) -> list[UUID]:
    """A person's threads, the newest first."""
    newest = func.max(ThreadEvent.created_at).desc()
    rows = select(ThreadEvent.thread_id).where(
        ThreadEvent.tenant_id == tx.tenant_id, ThreadEvent.person_id == person_id
    )
    return list(tx.session.exec(rows.group_by(col(ThreadEvent.thread_id)).order_by(newest).limit(limit)))


def _of(tx: ReadTx, thread_id: UUID, person_id: UUID) -> Any:
    return select(ThreadEvent).where(
        ThreadEvent.tenant_id == tx.tenant_id,
        ThreadEvent.thread_id == thread_id,
        ThreadEvent.person_id == person_id,
    )
