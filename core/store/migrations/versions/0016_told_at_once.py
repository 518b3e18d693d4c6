"""what is told at once is looked for at every tick: not among all that waits for briefs

Revision: 0016
"""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

INDEX = "ix_notify_delivery_due"


def upgrade() -> None:
    op.drop_index(INDEX, table_name="notify_delivery")
    op.create_index(INDEX, "notify_delivery", ["state", "cadence", "not_before"])


def downgrade() -> None:
    op.drop_index(INDEX, table_name="notify_delivery")
    op.create_index(INDEX, "notify_delivery", ["state", "not_before"])
