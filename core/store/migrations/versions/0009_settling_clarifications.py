"""who was asked of a clarification and what settled it, and an index on those that are open

Revision: 0009
"""

from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
    with op.batch_alter_table("clarification", schema=None) as batch_op:
        batch_op.add_column(sa.Column("asked", json, nullable=False, server_default="[]"))
        batch_op.add_column(sa.Column("settled_by", sa.String(), nullable=True))
        batch_op.create_index("ix_clarification_open", ["tenant_id", "tx_end", "state"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("clarification", schema=None) as batch_op:
        batch_op.drop_index("ix_clarification_open")
        batch_op.drop_column("settled_by")
        batch_op.drop_column("asked")
