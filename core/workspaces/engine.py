"""The workspaces a tenant's memory is asked from. An error pauses one; nothing but its own return ends that."""

from collections.abc import Mapping
from typing import Any

from core.errors import InvalidRequest, NotFound
from core.model.principals import BOT
from core.model.work import WorkspaceView
from core.store import audit, workspaces
from core.store.database import ANY_TENANT, Database
from core.store.tables import Workspace


class WorkspacesEngine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def connect(
        self, tenant_id: str, platform: str, workspace: str, name: str, detail: Mapping[str, Any], *, trusted: bool
    ) -> WorkspaceView:
        """The bot was let in: add the workspace, or let a paused one go on. `trusted`: an e-mail match there binds.

        Raises InvalidRequest for a workspace that belongs to another tenant.
        """
        with self._database.write(tenant_id) as tx:
            tx.lock()
            row = workspaces.find(tx, platform, workspace)
            if row is not None and row.tenant_id != tenant_id:
                raise InvalidRequest(f"the {platform} workspace {workspace} belongs to another tenant of this database")
            if row is None:
                row = Workspace(
                    tenant_id=tenant_id, platform=platform, workspace=workspace, name=name, detail={}, connected_at=0
                )
            if row.state != workspaces.ACTIVE or not row.connected_at:
                audit.record(tx, BOT, "workspace_connected", _target(row))
                row.connected_at, row.held_until = tx.now, 0
            if row.trusted != trusted:
                audit.record(tx, BOT, "workspace_trusted" if trusted else "workspace_distrusted", _target(row))
            row.state, row.reason = workspaces.ACTIVE, None
            row.name, row.detail, row.trusted = name, dict(detail), trusted
            tx.session.add(row)
            return _view(row)

    def find(self, platform: str, workspace: str) -> WorkspaceView | None:
        with self._database.read(ANY_TENANT) as tx:
            row = workspaces.find(tx, platform, workspace)
        return _view(row) if row else None

    def all(self, tenant_id: str) -> list[WorkspaceView]:
        with self._database.read(tenant_id) as tx:
            return [_view(row) for row in workspaces.of_tenant(tx)]

    def pause(self, tenant_id: str, platform: str, workspace: str, reason: str) -> bool:
        """Send nothing there until it is connected again; False where that is so already. Raises NotFound."""
        with self._database.write(tenant_id) as tx:
            row = workspaces.locked(tx, platform, workspace)
            if row is None:
                raise NotFound(f"there is no {platform} workspace {workspace}")
            if row.state == workspaces.PAUSED:
                return False
            row.state, row.reason = workspaces.PAUSED, reason
            tx.session.add(row)
            audit.record(tx, BOT, "workspace_paused", _target(row), detail={"reason": reason})
            return True

    def hold(self, tenant_id: str, platform: str, workspace: str, micros: int) -> None:
        """Send nothing there for so long: the platform asked for it."""
        with self._database.write(tenant_id) as tx:
            row = workspaces.locked(tx, platform, workspace)
            if row is not None:
                row.held_until = max(row.held_until, tx.now + micros)
                tx.session.add(row)


def _target(row: Workspace) -> str:
    return f"{row.platform}:{row.workspace}"


def _view(row: Workspace) -> WorkspaceView:
    paused = row.state != workspaces.ACTIVE
    return WorkspaceView(
        row.tenant_id, row.platform, row.workspace, row.name, row.trusted, paused, row.reason, dict(row.detail)
    )
