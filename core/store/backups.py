"""A copy of a whole database in one SQLite file, whichever database it is of, and bringing one back into either.

A copy is one snapshot, taken while others write. Of SQLite it is VACUUM INTO: one read transaction, for which no writer
waits, which none makes begin anew, and which leaves deleted pages behind. Of PostgreSQL it is every row, read in one
REPEATABLE READ transaction and written into a fresh SQLite file of the same tables. It is sealed with a manifest: the
revision of its tables, and of each table how many rows there are and their digest. What is brought back is a draft,
checked against its manifest and brought up to date before anything of the database that it replaces is touched.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import blake3
from alembic.runtime.migration import MigrationContext
from sqlalchemy import JSON, Table, Text, and_, bindparam, cast, insert, inspect, select, text
from sqlalchemy.engine import URL, Connection
from sqlmodel import SQLModel

from core.clock import Clock
from core.errors import InvalidRequest, StoreUnavailable
from core.model.backups import ErasedSince, Manifest, Replaced, TableDigest
from core.model.tables_state import TablesState
from core.store import audit, standing
from core.store.database import Database
from core.store.drafts import move
from core.store.faults import refusal, translated
from core.store.migrate import tables_state, upgrade
from core.store.tables import Erasure, Source

_SEAL = "backup_manifest"
_ROWS = 1000
"""Rows in hand at once while they are copied."""
_OF_THE_DISK = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}
"""What SQLite says where the fault is not the file's."""
_OTHERS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND (backend_type = 'client backend' OR backend_type IS NULL AND usesysid IS NOT NULL)"
)
"""Of what kind a session of another role is, not every role may see; that it is not the server's own, each may."""


def file_database(file: Path, clock: Clock) -> Database:
    return Database(URL.create("sqlite", database=str(file)), clock)


# ── taking one ──


def take(database: Database, draft: Path) -> Manifest:
    """Copy a database into an empty file, checked and sealed. Raises StoreUnavailable."""
    made_at, revision = database.clock.now(), _revision(database)
    with translated(database.url):
        copy = _vacuum_into if database.is_sqlite else _pour_into
        copy(database, draft)
    return _seal(draft, made_at, revision)


def _revision(database: Database) -> str:
    state, revision = tables_state(database)
    if state is TablesState.ABSENT:
        raise StoreUnavailable("the database was never set up: there is nothing to back up")
    if state is not TablesState.CURRENT and not database.is_sqlite:
        raise StoreUnavailable(
            f"the tables are of revision {revision} and not this program's: back up with the version that made them,"
            " or bring them up to date with `clarify-bot init`"
        )
    return revision


def _vacuum_into(database: Database, draft: Path) -> None:
    with database.engine.execution_options(begin="").connect() as connection:
        connection.exec_driver_sql("VACUUM INTO ?", (str(draft),))


def _pour_into(database: Database, draft: Path) -> None:
    with closing(file_database(draft, database.clock)) as target:
        upgrade(target)
        snapshot = database.engine.execution_options(isolation_level="REPEATABLE READ")
        with snapshot.connect() as source, target.engine.execution_options(begin="IMMEDIATE").begin() as into:
            _pour(source, into)


def _pour(source: Connection, target: Connection) -> None:
    """Every row of every table. JSON goes as text, so that a missing value and a JSON null stay apart."""
    for table in SQLModel.metadata.sorted_tables:
        rows = source.execution_options(stream_results=True).execute(select(*map(_plain, table.columns)))
        statement = _insert(table, target)
        for some in rows.mappings().partitions(_ROWS):
            target.execute(statement, [dict(row) for row in some])


def _plain(column: Any) -> Any:
    return cast(column, Text).label(column.name) if isinstance(column.type, JSON) else column


def _insert(table: Table, target: Connection) -> Any:
    """SQLite keeps JSON as the text it is."""
    values = {column.name: bindparam(column.name, type_=column.type) for column in table.columns}
    for column in table.columns:
        if isinstance(column.type, JSON):
            words = bindparam(column.name, type_=Text())
            values[column.name] = words if target.dialect.name == "sqlite" else cast(words, column.type)  # type: ignore[assignment]  # an expression as well
    return insert(table).values(values)


def _seal(draft: Path, made_at: int, revision: str) -> Manifest:
    with _disk_faults(draft), closing(sqlite3.connect(draft)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
        if faults := _faults(connection):
            raise StoreUnavailable(f"the copy is damaged, so the database may be: {faults}")
        manifest = Manifest(made_at, revision, _digests(connection))
        connection.execute(f"CREATE TABLE {_SEAL} (body TEXT NOT NULL)")
        connection.execute(f"INSERT INTO {_SEAL} VALUES (?)", (json.dumps(asdict(manifest)),))
        connection.commit()
    return manifest


@contextmanager
def _disk_faults(draft: Path) -> Iterator[None]:
    """Raises StoreUnavailable for what the disk does not let SQLite do; what is wrong with a file passes through."""
    try:
        yield
    except sqlite3.Error as error:
        if error.sqlite_errorcode & 0xFF not in _OF_THE_DISK:
            raise
        raise StoreUnavailable(f"a copy in the folder {draft.absolute().parent} {refusal(error)}") from error


def _faults(connection: sqlite3.Connection) -> str:
    """What SQLite finds wrong in a file; nothing where it is sound."""
    found = [row[0] for row in connection.execute("PRAGMA integrity_check(3)")]
    return "" if found == ["ok"] else "; ".join(found)


def _digests(connection: sqlite3.Connection) -> dict[str, TableDigest]:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    return {name: _digest(connection, name) for (name,) in names if name != _SEAL}


def _digest(connection: sqlite3.Connection, table: str) -> TableDigest:
    hasher, count = blake3.blake3(), 0
    for row in connection.execute(f'SELECT * FROM "{table}" ORDER BY rowid'):
        hasher.update(repr(row).encode())
        count += 1
    return TableDigest(count, hasher.hexdigest())


def is_one(file: Path) -> bool:
    """Whether a file is a backup, whole or not."""
    if not file.is_file():
        return False
    where = f"{file.absolute().as_uri()}?mode=ro"
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(where, uri=True)) as connection:
        return _is_sealed(connection)
    return False


def _is_sealed(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (_SEAL,)).fetchone() is not None


# ── bringing one back ──


def open_draft(draft: Path, named: Path, clock: Clock) -> Manifest:
    """Check the copy of a backup called `named` and bring its tables up to date. Raises InvalidRequest."""
    manifest = _examined(draft, named)
    with closing(file_database(draft, clock)) as database:
        if tables_state(database)[0] is TablesState.NEWER:
            raise InvalidRequest(
                f"{named} was made by a newer clarify-bot (revision {manifest.revision}): update this program first"
            )
        upgrade(database)
    return manifest


def _examined(draft: Path, named: Path) -> Manifest:
    """The manifest, after which nothing is left of it in the draft."""
    try:
        with _disk_faults(draft), closing(sqlite3.connect(draft)) as connection:
            manifest = _manifest(connection, named)
            if faults := _faults(connection):
                raise InvalidRequest(f"{named} is damaged and was not restored: {faults}")
            if _digests(connection) != manifest.tables:
                raise InvalidRequest(f"{named} was changed since it was made and was not restored: take another backup")
            connection.execute(f"DROP TABLE {_SEAL}")
            connection.commit()
    except sqlite3.DatabaseError as error:
        raise InvalidRequest(f"{named} is damaged, or no backup of clarify-bot: {error}") from error
    return manifest


def _manifest(connection: sqlite3.Connection, named: Path) -> Manifest:
    if not _is_sealed(connection):
        raise InvalidRequest(f"{named} is no backup of clarify-bot: name a file that `clarify-bot backup` made")
    try:
        said = json.loads(connection.execute(f"SELECT body FROM {_SEAL}").fetchone()[0])
        tables = {name: TableDigest(**digest) for name, digest in said.pop("tables").items()}
        return Manifest(tables=tables, **said)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise InvalidRequest(f"{named} is damaged: its manifest cannot be read") from error


def move_into_place(draft: Path, file: Path, before: Replaced) -> None:
    """Let a draft be the database. Raises StoreUnavailable while anybody has the one that it replaces open."""
    with _disk_faults(draft), closing(sqlite3.connect(draft)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")  # all of it is in the one file
    with _nobody_else(file) as standing_one:
        if standing_one is not None and before.entries is not None:
            _refuse_if_changed(before, standing_one.execute(audit.COUNT).fetchone()[0])
        for rest in (f"{file}-wal", f"{file}-shm"):
            Path(rest).unlink(missing_ok=True)
        move(draft, file)


@contextmanager
def _nobody_else(file: Path) -> Iterator[sqlite3.Connection | None]:
    """Alone with a database file; None where there is none. Raises StoreUnavailable."""
    if not file.exists():
        yield None
        return
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as connection:
        try:
            connection.execute("PRAGMA journal_mode=DELETE")  # which SQLite lets nobody do beside another
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            reason = "is in use: stop the bot first" if "locked" in str(error) else refusal(error)
            raise StoreUnavailable(f"the database {file} {reason}") from error
        yield connection


def _refuse_if_changed(before: Replaced, entries: int) -> None:
    """Whatever is erased or taken away is in the audit, of which nothing is deleted. Raises StoreUnavailable."""
    if entries != before.entries:
        raise StoreUnavailable(
            "the database changed while the restore ran, and is as it was: stop the bot, run it again"
        )


def pour_back(draft: Database, database: Database, before: Replaced) -> None:
    """Let a PostgreSQL database hold the rows of a draft and no others. Raises StoreUnavailable while others use it."""
    upgrade(database)
    with translated(database.url), database.engine.begin() as target, draft.engine.connect() as source:
        if others := target.execute(_OTHERS).scalar_one():
            raise StoreUnavailable(f"{others} other sessions use the database: stop the bots first")
        names = ", ".join(f'"{table.name}"' for table in SQLModel.metadata.sorted_tables)
        target.execute(text(f"LOCK TABLE {names}"))
        if before.entries is not None:
            _refuse_if_changed(before, target.execute(text(audit.COUNT)).scalar_one())
        target.execute(text(f"TRUNCATE {names}"))
        _pour(source, target)


def is_blank(database: Database) -> bool:
    """Whether a database has no tables yet, or no rows in them."""
    with translated(database.url), database.engine.connect() as connection:
        if MigrationContext.configure(connection).get_current_revision() is None:
            return True
        names = inspect(connection).get_table_names()
        tables = [table for table in SQLModel.metadata.sorted_tables if table.name in names]
        return not any(connection.execute(select(text("1")).select_from(table).limit(1)).first() for table in tables)


def replaced(database: Database) -> Replaced:
    """Raises StoreUnavailable for what cannot be read: nobody could tell it from what was never said."""
    try:
        entries = _entries(database)
        return Replaced(erasures(database), standing.limits(database), entries)
    except (StoreUnavailable, ValueError) as error:
        raise StoreUnavailable(
            f"nothing was restored, since what was erased and revoked in the old database cannot be read: {error}."
            " If it is beyond repair, move its files away or name another database, restore there, and then erase and"
            " revoke again what your own records say"
        ) from error


def _entries(database: Database) -> int | None:
    with translated(database.url), database.engine.connect() as connection:
        return connection.execute(text(audit.COUNT)).scalar_one() if inspect(connection).has_table("audit") else None


def erasures(database: Database) -> dict[str, ErasedSince]:
    """What was erased, by the id of the erasure; nothing where tables are too old to say. Raises StoreUnavailable."""
    row, source = Erasure.__table__.columns, Source.__table__.columns  # type: ignore[attr-defined]  # as SQLModel makes them
    found: dict[str, ErasedSince] = {}
    with translated(database.url), database.engine.connect() as connection:
        if inspect(connection).has_table("erasure"):
            of_it = and_(source.tenant_id == row.tenant_id, source.source_id == row.subject_id)
            chosen = select(row.erasure_id, row.tenant_id, row.subject_id, row.reason, source.uri)
            those = chosen.outerjoin(Source.__table__, of_it).order_by(row.at)  # type: ignore[attr-defined]  # as above
            found = {str(erasure_id): ErasedSince(*rest) for erasure_id, *rest in connection.execute(those)}
    return found
