"""Run migrations on the connection handed in, or on the url of the `alembic` command line (-x url=…)."""

from typing import Any, Literal

from alembic import context
from sqlalchemy import JSON, create_engine
from sqlmodel import SQLModel
from sqlmodel.sql.sqltypes import AutoString

import core.store.tables  # noqa: F401  # fills SQLModel.metadata


def render_item(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Spell SQLModel's own column kinds as SQLAlchemy's."""
    if kind == "type" and isinstance(item, AutoString):
        return "sa.String()"
    if kind == "type" and isinstance(item, JSON):
        return 'sa.JSON().with_variant(postgresql.JSONB(), "postgresql")'
    return False


def run(connection: Any) -> None:
    context.configure(
        connection=connection, target_metadata=SQLModel.metadata, render_item=render_item, render_as_batch=True
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    engine = create_engine(context.get_x_argument(as_dictionary=True)["url"])
    with engine.connect() as opened:
        run(opened)
        opened.commit()
    engine.dispose()
