"""watches on queries: what each found when it was last looked at

Revision: 0013
"""

from alembic import op
import sqlalchemy as sa

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("watch", sa.Column("result_fingerprint", sa.String(), nullable=True))


def downgrade() -> None:
    watch = sa.table("watch", sa.column("scope_type", sa.String()), sa.column("enabled", sa.Boolean()))
    op.execute(watch.update().where(watch.c.scope_type == "query").values(enabled=False))
    op.drop_column("watch", "result_fingerprint")
