"""whose event it is, and indexes of what is open, so that what is settled costs nothing

Revision: 0005
"""

from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.add_column(sa.Column("speaker", sa.String(), nullable=False, server_default=""))
        batch_op.create_index("ix_inbox_speaker", ["speaker", "state"], unique=False)
    place = sa.column("place", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"))
    platform, workspace, user_id = (place[name].as_string() for name in ("platform", "workspace", "user_id"))
    inbox = sa.table("inbox", sa.column("speaker"))
    op.execute(sa.update(inbox).values(speaker=platform + ":" + workspace + ":" + user_id))

    with op.batch_alter_table("card_message", schema=None) as batch_op:
        batch_op.drop_index("ix_card_message_update")
        batch_op.create_index("ix_card_message_update", ["state", "update_at"], unique=False)
        batch_op.create_index("ix_card_message_person", ["tenant_id", "person_id", "state", "message_id"], unique=False)

    with op.batch_alter_table("notify_delivery", schema=None) as batch_op:
        batch_op.create_index(
            "ix_notify_delivery_waiting", ["tenant_id", "person_id", "state", "not_before"], unique=False
        )
        batch_op.create_index("ix_notify_delivery_message", ["tenant_id", "message_id", "fire_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("notify_delivery", schema=None) as batch_op:
        batch_op.drop_index("ix_notify_delivery_message")
        batch_op.drop_index("ix_notify_delivery_waiting")

    with op.batch_alter_table("card_message", schema=None) as batch_op:
        batch_op.drop_index("ix_card_message_person")
        batch_op.drop_index("ix_card_message_update")
        batch_op.create_index("ix_card_message_update", ["update_at"], unique=False)

    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.drop_index("ix_inbox_speaker")
        batch_op.drop_column("speaker")
