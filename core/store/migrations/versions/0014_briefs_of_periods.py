"""briefs of an hour, a day or a week; those that stand are weekly

Revision: 0014
"""

from collections.abc import Callable
from typing import Any

from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

KEY = "brief_pkey"
NAMED = {"pk": "%(table_name)s_pkey"}
JOB = sa.table(
    "job",
    sa.column("tenant_id", sa.String()),
    sa.column("job_id", sa.Uuid()),
    sa.column("kind", sa.String()),
    sa.column("state", sa.String()),
    sa.column("payload", sa.JSON().with_variant(postgresql.JSONB(), "postgresql")),
)


def upgrade() -> None:
    with op.batch_alter_table("brief", schema=None, naming_convention=NAMED) as batch_op:
        batch_op.add_column(sa.Column("period", sa.String(), nullable=False, server_default="weekly"))
        batch_op.alter_column("week", existing_type=sa.String(), new_column_name="slot")
        batch_op.drop_constraint(KEY, type_="primary")
        batch_op.create_primary_key(KEY, ["tenant_id", "person_id", "period"])
    with op.batch_alter_table("notify_delivery", schema=None) as batch_op:
        batch_op.add_column(sa.Column("cadence", sa.String(), nullable=False, server_default="immediate"))
    _rewrite_jobs(lambda old: {"person_id": old["person_id"], "period": "weekly", "slot": old["week"]})


def downgrade() -> None:
    _rewrite_jobs(_weekly)
    with op.batch_alter_table("notify_delivery", schema=None) as batch_op:
        batch_op.drop_column("cadence")
    op.execute("DELETE FROM brief WHERE period IN ('hourly', 'daily')")
    with op.batch_alter_table("brief", schema=None, naming_convention=NAMED) as batch_op:
        batch_op.drop_constraint(KEY, type_="primary")
        batch_op.create_primary_key(KEY, ["tenant_id", "person_id"])
        batch_op.drop_column("period")
        batch_op.alter_column("slot", existing_type=sa.String(), new_column_name="week")


def _weekly(job: dict[str, Any]) -> dict[str, Any] | None:
    return {"person_id": job["person_id"], "week": job["slot"]} if job["period"] == "weekly" else None


def _rewrite_jobs(change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> None:
    """Let the jobs of briefs that are not done say it in the words of this revision; those it has no words for go."""
    connection = op.get_bind()
    briefs = sa.select(JOB).where(JOB.c.kind == "notify:brief", JOB.c.state != "done")
    for job in connection.execute(briefs).all():
        this = sa.and_(JOB.c.tenant_id == job.tenant_id, JOB.c.job_id == job.job_id)
        said = change(job.payload)
        connection.execute(sa.update(JOB).where(this).values(payload=said) if said else sa.delete(JOB).where(this))
