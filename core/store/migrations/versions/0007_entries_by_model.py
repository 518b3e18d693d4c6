"""recall entries of several models side by side; those that stand are of the tenant's model

Revision: 0007
"""

from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

COLUMNS = ("tenant_id", "node_id", "source_id", "text_hash", "dense", "terms", "added_tx")
OLD = ", ".join(f"e.{name}" for name in COLUMNS)
MODEL = "COALESCE(t.embed_model, '')"
JOINED = "FROM recall_entry_before AS e JOIN tenant AS t ON t.tenant_id = e.tenant_id"


def upgrade() -> None:
    put_aside()
    make("tenant_id", "node_id", "model")
    op.execute(f"INSERT INTO recall_entry ({', '.join(COLUMNS)}, model) SELECT {OLD}, {MODEL} {JOINED}")
    finish("tenant_id", "model", "added_tx")
    op.execute(
        "UPDATE tenant SET embed_model = '', embed_dim = 0 WHERE embed_model IS NULL "
        "AND EXISTS (SELECT 1 FROM recall_entry WHERE recall_entry.tenant_id = tenant.tenant_id)"
    )


def downgrade() -> None:
    put_aside()
    make("tenant_id", "node_id")
    op.execute(f"INSERT INTO recall_entry ({', '.join(COLUMNS)}) SELECT {OLD} {JOINED} WHERE e.model = {MODEL}")
    finish("tenant_id", "added_tx")
    op.execute("UPDATE tenant SET embed_model = NULL, embed_dim = NULL WHERE embed_model = ''")


def put_aside() -> None:
    with op.batch_alter_table("recall_entry", schema=None) as batch_op:
        batch_op.drop_index("ix_recall_entry_source_id")
        batch_op.drop_index("ix_recall_entry_added")
    op.rename_table("recall_entry", "recall_entry_before")


def make(*key: str) -> None:
    """A new table: SQLite cannot give one that stands another key."""
    json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
    op.create_table(
        "recall_entry",
        sa.Column("tenant_id", sa.String(), nullable=False),
        sa.Column("node_id", sa.Uuid(), nullable=False),
        *([sa.Column("model", sa.String(), nullable=False)] if "model" in key else []),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("text_hash", sa.LargeBinary(), nullable=False),
        sa.Column("dense", sa.LargeBinary(), nullable=False),
        sa.Column("terms", json, nullable=False),
        sa.Column("added_tx", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(*key),
    )


def finish(*added: str) -> None:
    op.drop_table("recall_entry_before")
    with op.batch_alter_table("recall_entry", schema=None) as batch_op:
        batch_op.create_index("ix_recall_entry_source_id", ["source_id"], unique=False)
        batch_op.create_index("ix_recall_entry_added", list(added), unique=False)
