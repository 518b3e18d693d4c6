"""resting watches: whom is to be told that a watch rests, and who wants to hear no more of somebody else's

Revision: 0012
"""

from alembic import op
import sqlalchemy as sa

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("watch", sa.Column("notice_at", sa.BigInteger(), nullable=True))
    untold = sa.text("notice_at IS NOT NULL")
    op.create_index("ix_watch_notice", "watch", ["notice_at"], sqlite_where=untold, postgresql_where=untold)
    op.create_table(
        "watch_mute",
        sa.Column("tenant_id", sa.String(), nullable=False),
        sa.Column("watch_id", sa.Uuid(), nullable=False),
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("muted_until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "watch_id", "person_id"),
    )


def downgrade() -> None:
    op.drop_table("watch_mute")
    op.drop_index("ix_watch_notice", table_name="watch")
    op.drop_column("watch", "notice_at")
