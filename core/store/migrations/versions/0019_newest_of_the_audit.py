"""indexes: the newest of the audit, and the jobs that are not done

Revision: 0019
"""

from alembic import op
import sqlalchemy as sa

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

OPEN = sa.text("state <> 'done'")


def upgrade() -> None:
    op.create_index("ix_audit_newest", "audit", ["tenant_id", "at"])
    op.create_index("ix_job_open", "job", ["kind", "state"], sqlite_where=OPEN, postgresql_where=OPEN)


def downgrade() -> None:
    op.drop_index("ix_job_open", "job")
    op.drop_index("ix_audit_newest", "audit")
