"""keys: of people, and with an end; which key a trace is of; requests that come twice

Revision: 0018
"""

from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "idempotency_key",
        sa.Column("tenant_id", sa.String(), nullable=False),
        sa.Column("key_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.LargeBinary(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("said", JSON, nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "key_id", "name"),
    )
    op.add_column("api_key", sa.Column("person_id", sa.Uuid(), nullable=True))
    op.add_column("api_key", sa.Column("expires_at", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("trace", sa.Column("key_id", sa.Uuid(), nullable=True))


def downgrade() -> None:
    """A key that stands for a person, or ends, would stand for more without these columns: it is revoked."""
    over = "UPDATE api_key SET revoked_at = created_at WHERE person_id IS NOT NULL OR expires_at > 0"
    op.execute(sa.text(over))
    op.drop_column("trace", "key_id")
    op.drop_column("api_key", "expires_at")
    op.drop_column("api_key", "person_id")
    op.drop_table("idempotency_key")
