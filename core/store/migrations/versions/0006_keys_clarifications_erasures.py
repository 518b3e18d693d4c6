"""API keys, clarifications, and what was erased

Revision: 0006
"""

from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
    op.create_table(
        "api_key",
        sa.Column("tenant_id", sa.String(), nullable=False),
        sa.Column("key_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(), nullable=False),
        sa.Column("roles", json, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "key_id"),
        sa.UniqueConstraint("key_hash"),
    )
    op.create_table(
        "clarification",
        sa.Column("tenant_id", sa.String(), nullable=False),
        sa.Column("clarification_id", sa.Uuid(), nullable=False),
        sa.Column("tx_start", sa.BigInteger(), nullable=False),
        sa.Column("tx_end", sa.BigInteger(), nullable=False),
        sa.Column("node_id", sa.Uuid(), nullable=False),
        sa.Column("prop", sa.String(), nullable=True),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("options", json, nullable=False),
        sa.Column("audience", json, nullable=False),
        sa.Column("quorum", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("votes", json, nullable=False),
        sa.Column("bound", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "clarification_id", "tx_start"),
    )
    with op.batch_alter_table("clarification", schema=None) as batch_op:
        batch_op.create_index("ix_clarification_node", ["tenant_id", "node_id", "tx_end"], unique=False)
    op.create_table(
        "erasure",
        sa.Column("tenant_id", sa.String(), nullable=False),
        sa.Column("erasure_id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("tx", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("subject_type", sa.String(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("report", json, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "erasure_id"),
    )
    with op.batch_alter_table("source", schema=None) as batch_op:
        batch_op.add_column(sa.Column("erased_tx", sa.BigInteger(), nullable=False, server_default="0"))
        batch_op.create_index("ix_source_erased", ["tenant_id", "erased_tx"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("source", schema=None) as batch_op:
        batch_op.drop_index("ix_source_erased")
        batch_op.drop_column("erased_tx")
    op.drop_table("erasure")
    with op.batch_alter_table("clarification", schema=None) as batch_op:
        batch_op.drop_index("ix_clarification_node")
    op.drop_table("clarification")
    op.drop_table("api_key")
