"""places of what was written before there were workspaces

Until then there was the local inbox alone: a card's place said nothing of its platform, and an event had none.

Revision: 0004
"""

from collections.abc import Mapping
from typing import Any

from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_LOCAL = "local"
_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_CARDS = sa.table(
    "card_message",
    sa.column("tenant_id"),
    sa.column("message_id", sa.Uuid()),
    sa.column("workspace"),
    sa.column("place", _JSON),
)
_INBOX = sa.table(
    "inbox", sa.column("tenant_id"), sa.column("event_id"), sa.column("person_id", sa.Uuid()), sa.column("place", _JSON)
)


def upgrade() -> None:
    connection = op.get_bind()
    for row in connection.execute(sa.select(_CARDS).where(_CARDS.c.workspace == "")).all():
        this = (_CARDS.c.tenant_id == row.tenant_id, _CARDS.c.message_id == row.message_id)
        place = _place(row.place)
        connection.execute(sa.update(_CARDS).where(*this).values(workspace=place["workspace"], place=place))
    for row in connection.execute(sa.select(_INBOX).where(sa.cast(_INBOX.c.place, sa.Text()) == "{}")).all():
        this = (_INBOX.c.tenant_id == row.tenant_id, _INBOX.c.event_id == row.event_id)
        place = _place({"user_id": str(row.person_id)})
        event_id = f"{_LOCAL}:{_LOCAL}:{row.event_id}"  # it began with the person's id already
        connection.execute(sa.update(_INBOX).where(*this).values(event_id=event_id, place=place))


def _place(old: Mapping[str, Any]) -> dict[str, Any]:
    workspace = old.get("workspace", _LOCAL)
    return {"platform": _LOCAL, "workspace": workspace, "user_id": old["user_id"], "thread": None}


def downgrade() -> None:
    """Nothing: what was there before reads these places too."""
