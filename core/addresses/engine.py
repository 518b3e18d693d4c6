"""How chat users are written to, where a platform wants more than their id: what it said of them last."""

from collections.abc import Mapping
from typing import Any

from core.model.work import Place
from core.store import addresses
from core.store.database import Database


class AddressesEngine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, tenant_id: str, place: Place, detail: Mapping[str, Any]) -> None:
        """Write to a chat user like this from now on. `detail`: JSON, in the platform's own terms."""
        with self._database.write(tenant_id) as tx:
            addresses.keep(tx, place, detail)

    def find(self, tenant_id: str, place: Place) -> Mapping[str, Any] | None:
        """None where nobody has said how, or they are gone."""
        with self._database.read(tenant_id) as tx:
            return addresses.get(tx, place)

    def newest(self, tenant_id: str, platform: str, workspace: str) -> Mapping[str, Any] | None:
        """The address in a workspace that was heard of last, whoever's it is."""
        with self._database.read(tenant_id) as tx:
            return addresses.newest(tx, platform, workspace)
