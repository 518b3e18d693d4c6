"""How chat users are written to, where a platform wants more than their id."""

from collections.abc import Mapping
from typing import Any

from sqlmodel import col, select

from core.model.work import Place
from core.store.database import ReadTx, WriteTx
from core.store.jobs import insert_once
from core.store.tables import ChatAddress


def get(tx: ReadTx, place: Place) -> Mapping[str, Any] | None:
    row = tx.session.get(ChatAddress, tuple(_key(tx, place).values()))
    return row.detail if row else None


def newest(tx: ReadTx, platform: str, workspace: str) -> Mapping[str, Any] | None:
    rows = select(ChatAddress.detail).where(
        ChatAddress.tenant_id == tx.tenant_id, ChatAddress.platform == platform, ChatAddress.workspace == workspace
    )
    return tx.session.exec(rows.order_by(col(ChatAddress.seen_at).desc()).limit(1)).first()


def keep(tx: WriteTx, place: Place, detail: Mapping[str, Any]) -> None:
    row = ChatAddress(**_key(tx, place), detail=dict(detail), seen_at=tx.now)
    if not insert_once(tx, ChatAddress, row.model_dump()):
        tx.session.merge(row)


def forget(tx: WriteTx, place: Place) -> None:
    row = tx.session.get(ChatAddress, tuple(_key(tx, place).values()), with_for_update=True)
    if row is not None:
        tx.session.delete(row)


def _key(tx: ReadTx, place: Place) -> dict[str, str]:
    """The primary key, in its order; an address is of a user, and of no thread of theirs."""
    names = {"platform": place.platform, "workspace": place.workspace, "user_id": place.user_id}
    return {"tenant_id": tx.tenant_id} | names
