"""whose turn it is among tenants with jobs, and indexes that lead to a lane's next job and to leases that ran out

Revision: 0010
"""

from alembic import op
import sqlalchemy as sa

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

LEASED = sa.text("state = 'leased'")
FIRST_OF_EACH = sa.text(
    "INSERT INTO job_lane (tenant_id, kind, due_at, taken) "
    "SELECT tenant_id, kind, min(not_before), 0 FROM job WHERE state = 'ready' GROUP BY tenant_id, kind"
)


def upgrade() -> None:
    op.create_table(
        "job_lane",
        sa.Column("tenant_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("taken", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "kind"),
    )
    op.create_index("ix_job_lane_due", "job_lane", ["kind", "due_at", "taken"])
    op.execute(FIRST_OF_EACH)
    op.drop_index("ix_job_due", "job")
    op.create_index("ix_job_next", "job", ["tenant_id", "kind", "state", "not_before", "job_id"])
    op.create_index("ix_job_leased", "job", ["lease_until"], sqlite_where=LEASED, postgresql_where=LEASED)


def downgrade() -> None:
    op.drop_index("ix_job_leased", "job")
    op.drop_index("ix_job_next", "job")
    op.create_index("ix_job_due", "job", ["state", "audience", "not_before"])
    op.drop_table("job_lane")
