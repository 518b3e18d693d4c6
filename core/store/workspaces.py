"""Workspaces of chat platforms: which tenant each belongs to, and whether it may be sent anything now."""

from sqlalchemy import ColumnElement, and_, exists, or_
from sqlmodel import col, select

from core.store.database import ReadTx, WriteTx
from core.store.tables import CardMessage, Workspace

ACTIVE, PAUSED = "active", "paused"


def find(tx: ReadTx, platform: str, workspace: str) -> Workspace | None:
    """Looks over all tenants: an event finds its tenant by it."""
    return tx.session.exec(
        select(Workspace).where(Workspace.platform == platform, Workspace.workspace == workspace)
    ).one_or_none()


def locked(tx: WriteTx, platform: str, workspace: str) -> Workspace | None:
    """A workspace of this tenant, to be changed."""
    return tx.session.get(Workspace, (tx.tenant_id, platform, workspace), with_for_update=True)


def of_tenant(tx: ReadTx) -> list[Workspace]:
    rows = select(Workspace).where(Workspace.tenant_id == tx.tenant_id)
    return list(tx.session.exec(rows.order_by(col(Workspace.platform), col(Workspace.workspace))).all())


def is_shut(tx: ReadTx, platform: str, workspace: str, now: int) -> bool:
    """Whether a workspace is paused, or wants to hear nothing for a while."""
    row = find(tx, platform, workspace)
    return row is not None and (row.state != ACTIVE or row.held_until > now)


def is_paused(tx: ReadTx, platform: str, workspace: str) -> bool:
    """Whether a workspace is to be sent nothing until it lets the bot in again."""
    row = find(tx, platform, workspace)
    return row is not None and row.state != ACTIVE


def may_be_sent(now: int) -> ColumnElement[bool]:
    """Of a card: its workspace is neither paused nor wants to hear nothing for a while."""
    shut = or_(col(Workspace.state) != ACTIVE, col(Workspace.held_until) > now)
    place = and_(
        col(Workspace.platform) == CardMessage.platform, col(Workspace.workspace) == CardMessage.workspace, shut
    )
    return ~exists().where(place)
