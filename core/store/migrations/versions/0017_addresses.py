"""addresses: where chat users are written to, on platforms that have to be told; also of those whom nobody knows

Revision: 0017
"""

from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "chat_address",
        sa.Column("tenant_id", sa.String(), nullable=False),
        sa.Column("platform", sa.String(), nullable=False),
        sa.Column("workspace", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("detail", JSON, nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "platform", "workspace", "user_id"),
    )
    op.drop_column("chat_identity", "conversation")


def downgrade() -> None:
    op.add_column("chat_identity", sa.Column("conversation", JSON, nullable=False, server_default="{}"))
    op.drop_table("chat_address")
