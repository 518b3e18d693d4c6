"""indexes that lead with what is asked for: the open rows of a node, the closed rows alone, a source's recall entries

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
    op.drop_index("ix_recall_entry_source_id", "recall_entry")
    op.create_index("ix_recall_entry_source", "recall_entry", ["tenant_id", "source_id", "model"])


def downgrade() -> None:
    op.drop_index("ix_recall_entry_source", "recall_entry")
    op.create_index("ix_recall_entry_source_id", "recall_entry", ["source_id"])
    op.drop_index("ix_node_version_open", "node_version")
    op.drop_index("ix_node_version_closed", "node_version")
    op.create_index("ix_node_version_closed", "node_version", ["tenant_id", "tx_end"])
