"""How chat users are written to, where a platform wants more than their id: what it said of them last."""

from collections.abc import Mapping
from typing import Any

from sqlmodel import col, select

from core.model.work import Place
from core.store.database import Database
from core.store.jobs import insert_once
from core.store.tables import ChatAddress


class AddressesEngine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, tenant_id: str, place: Place, detail: Mapping[str, Any]) -> None:
        """Write to a chat user like this from now on. `detail`: JSON, in the platform's own terms."""
        with self._database.write(tenant_id) as tx:
            row = ChatAddress(**_key(tenant_id, place), detail=dict(detail), seen_at=tx.now)
            if not insert_once(tx, ChatAddress, row.model_dump()):
                tx.session.merge(row)

    def find(self, tenant_id: str, place: Place) -> Mapping[str, Any] | None:
        """None where nobody has said how, or they are gone."""
        with self._database.read(tenant_id) as tx:
            row = tx.session.get(ChatAddress, tuple(_key(tenant_id, place).values()))
            return row.detail if row else None

    def newest(self, tenant_id: str, platform: str, workspace: str) -> Mapping[str, Any] | None:
        """The address in a workspace that was heard of last, whoever's it is."""
        rows = select(ChatAddress.detail).where(
            ChatAddress.tenant_id == tenant_id, ChatAddress.platform == platform, ChatAddress.workspace == workspace
        )
        with self._database.read(tenant_id) as tx:
            return tx.session.exec(rows.order_by(col(ChatAddress.seen_at).desc()).limit(1)).first()

    def forget(self, tenant_id: str, place: Place) -> None:
        """A chat user has let the bot go."""
        with self._database.write(tenant_id) as tx:
            row = tx.session.get(ChatAddress, tuple(_key(tenant_id, place).values()), with_for_update=True)
            if row is not None:
                tx.session.delete(row)


def _key(tenant_id: str, place: Place) -> dict[str, str]:
    """The primary key, in its order; an address is of a user, and of no thread of theirs."""
    names = {"platform": place.platform, "workspace": place.workspace, "user_id": place.user_id}
    return {"tenant_id": tenant_id} | names
