"""threads: what was said in conversations, what was put aside of it, and how a model's tokens compare with estimates

Revision: 0015
"""

from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
    op.create_table(
        "thread_event",
        sa.Column("tenant_id", sa.String(), nullable=False),
        sa.Column("ref", sa.Uuid(), nullable=False),
        sa.Column("thread_id", sa.Uuid(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("retention", sa.String(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("source_ids", json, nullable=False),
        sa.Column("calls", json, nullable=False),
        sa.Column("answers", sa.String(), nullable=False),
        sa.Column("revoked", sa.Boolean(), nullable=False),
        sa.Column("compacted", sa.String(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "ref"),
    )
    op.create_index("ix_thread_event_order", "thread_event", ["tenant_id", "thread_id", "seq"])
    op.create_index("ix_thread_event_person", "thread_event", ["tenant_id", "person_id", "thread_id"])
    op.create_index("ix_thread_event_event", "thread_event", ["tenant_id", "event_id"])
    op.create_index("ix_thread_event_age", "thread_event", ["tenant_id", "created_at"])
    op.create_table(
        "spooled",
        sa.Column("tenant_id", sa.String(), nullable=False),
        sa.Column("ref", sa.Uuid(), nullable=False),
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("source_ids", json, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "ref"),
    )
    op.create_index("ix_spooled_person", "spooled", ["tenant_id", "person_id"])
    op.create_index("ix_spooled_age", "spooled", ["tenant_id", "created_at"])
    op.create_table(
        "token_factor",
        sa.Column("tenant_id", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("factor", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "model"),
    )


def downgrade() -> None:
    op.drop_table("token_factor")
    op.drop_table("spooled")
    op.drop_table("thread_event")
