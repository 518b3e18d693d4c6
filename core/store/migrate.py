"""Bringing a database to today's tables."""

from importlib.resources import files

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from core.errors import StoreUnavailable
from core.model.tables_state import TablesState
from core.store.database import Database
from core.store.faults import translated


def upgrade(database: Database) -> None:
    """Run every migration not yet seen, in one transaction. Raises StoreUnavailable for a newer database."""
    config = _config()
    newest = ScriptDirectory.from_config(config).get_current_head()
    with translated(database.url):
        with database.engine.connect() as connection:
            if MigrationContext.configure(connection).get_current_revision() == newest:
                return
        with database.engine.execution_options(begin="IMMEDIATE").begin() as connection:
            standing = MigrationContext.configure(connection).get_current_revision()
            if standing is not None and standing not in {
                s.revision for s in ScriptDirectory.from_config(config).walk_revisions()
            }:
                raise StoreUnavailable(
                    f"the database was made by a newer clarify-bot (revision {standing}): update this program"
                )
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


def tables_state(database: Database) -> tuple[TablesState, str]:
    """The state and the revision that stands, without a change. Raises StoreUnavailable."""
    script = ScriptDirectory.from_config(_config())
    with translated(database.url), database.engine.connect() as connection:
        standing = MigrationContext.configure(connection).get_current_revision()
    if standing is None:
        return TablesState.ABSENT, ""
    if standing == script.get_current_head():
        return TablesState.CURRENT, standing
    known = {s.revision for s in script.walk_revisions()}
    return (TablesState.OLDER if standing in known else TablesState.NEWER), standing


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(files("core.store").joinpath("migrations")))
    return config
