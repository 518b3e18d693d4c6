"""deliveries by person, in the order in which they were written

Revision: 0003
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("notify_delivery", schema=None) as batch_op:
        batch_op.create_index("ix_notify_delivery_person", ["tenant_id", "person_id", "created_at"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("notify_delivery", schema=None) as batch_op:
        batch_op.drop_index("ix_notify_delivery_person")
