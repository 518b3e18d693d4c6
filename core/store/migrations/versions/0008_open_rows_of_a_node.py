"""where a node's open rows are, and an index of the closed rows alone

Revision: 0008
"""

from alembic import op
import sqlalchemy as sa

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

CLOSED = sa.text("tx_end < 4611686018427387904")


def upgrade() -> None:
    op.drop_index("ix_node_version_closed", "node_version")
    op.create_index(
        "ix_node_version_closed",
        "node_version",
        ["tenant_id", "tx_end"],
        sqlite_where=CLOSED,
        postgresql_where=CLOSED,
    )
    op.create_index("ix_node_version_open", "node_version", ["tenant_id", "node_id", "tx_end", "valid_end"])


def downgrade() -> None:
    op.drop_index("ix_node_version_open", "node_version")
    op.drop_index("ix_node_version_closed", "node_version")
    op.create_index("ix_node_version_closed", "node_version", ["tenant_id", "tx_end"])
