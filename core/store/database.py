"""Opening a database, and the two kinds of transaction.

The tx clock: `tx = max(now, last tx of the tenant + 1)`, taken inside the write transaction under a lock of the tenant
that is held until commit (SQLite: BEGIN IMMEDIATE; PostgreSQL: the tenant's row FOR NO KEY UPDATE). So within a tenant
commit order equals tx order, and a sweep that has read up to T can never miss a row ≤ T that commits later. An erasure
locks the row FOR UPDATE, which also waits for whoever composes words to be written down, who has it FOR KEY SHARE.
A transaction that writes no feed row takes no tx and, on PostgreSQL, no lock.
A read transaction is one snapshot (SQLite: deferred; PostgreSQL: repeatable read).
"""

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cached_property
from itertools import count, islice
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Uuid,
    any_,
    bindparam,
    collate,
    create_engine,
    event,
    func,
    literal,
    make_url,
    text,
)
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError
from sqlmodel import Session, SQLModel, col, select

from core.clock import Clock
from core.errors import InvalidConfig, NotFound, StoreUnavailable
from core.model.bell import Bell
from core.store import bulk, lanes
from core.store.bells import Bells, ListeningBell, tell
from core.store.faults import Retry, opening, translated
from core.store.tables import Feed, Tenant

ANY_TENANT = ""
"""For what finds its tenant only by looking: leasing jobs, and events by their nonce."""
BUSY_TIMEOUT_MS = 30_000
"""Far over the longest write transaction: a writer waits its turn and never sees 'database is locked'."""
REWRITE_WAIT_MS = 1_000
"""How long writing the store anew waits for a reader: everybody else waits behind it, and it is tried again later."""

_DISCREET: dict[str, Any] = {"hide_parameters": True}
"""An error's text ends in logs and in the job it failed, where no erasure finds the words of a document."""
REACH = {
    "connect_timeout": "5",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
"""Or TCP tells after a quarter of an hour, and who only listens never, that a server has left the network."""
_LOCK_NOT_AVAILABLE = "55P03"
_FEED = ("tx", "seq", "ref_type", "ref_id", "label", "change", "old_tx", "new_tx")
_BATCH = 1000
"""Items a statement: under every driver's limit of bound values."""
T = TypeVar("T")


def batches(items: Iterable[T], size: int = _BATCH) -> Iterator[list[T]]:
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch


_LAST_TX = select(Tenant.last_tx).where(Tenant.tenant_id == bindparam("tenant"))
"""Made once: it is asked so often that making it took as long as all the rest."""


class ReadTx:
    """One snapshot of one tenant."""

    def __init__(self, session: Session, tenant_id: str) -> None:
        self.session = session
        self.tenant_id = tenant_id

    @property
    def last_tx(self) -> int:
        """The newest tx this transaction sees; 0 for a tenant that has none. Raises NotFound for an unknown tenant."""
        last = self.session.exec(_LAST_TX, params={"tenant": self.tenant_id}).one_or_none()
        if last is None:
            raise NotFound(f"there is no tenant named {self.tenant_id!r}")
        return last

    def present(self, now: int) -> int:
        """`now`, but not before anything this transaction sees: the clock that wrote it may be ahead of this one."""
        return max(now, self.last_tx)

    def bytewise(self, column: Any) -> Any:
        """Text in the order of its bytes, as SQLite has it, wherever a PostgreSQL was set up."""
        return collate(column, "C") if self.session.get_bind().dialect.name == "postgresql" else column

    def among(self, column: Any, ids: Collection[UUID]) -> ColumnElement[bool]:
        """Whether a column is one of many ids: one bound value, where `in_` has as many as there are ids.

        Of a single id the databases know that an order over what follows in an index needs no sorting.
        """
        if len(ids) == 1:
            return cast("ColumnElement[bool]", column == next(iter(ids)))
        if self.session.get_bind().dialect.name == "postgresql":
            return cast("ColumnElement[bool]", column == any_(literal(list(ids), ARRAY(Uuid()))))
        listed = func.json_each(json.dumps([row_id.hex for row_id in ids])).table_valued("value")
        return cast("ColumnElement[bool]", column.in_(select(listed.c.value)))

    def rows(self, table: type[SQLModel], columns: bulk.Columns) -> bulk.Rows:
        """Rows as the database takes them: what of an insert may be done before the write transaction."""
        return bulk.rows(self.session.get_bind().dialect, table, columns)

    def insert(self, table: type[SQLModel], rows: Iterable[dict[str, Any]], *, unless_there: bool = False) -> None:
        """Insert many rows; every column must be given. `unless_there`: but for those whose key stands already."""
        for batch in batches(rows):
            ready = self.rows(table, bulk.by_name(batch))
            bulk.insert(self.session.connection(), ready, unless_there=unless_there)

    def insert_ready(self, rows: bulk.Rows, *, unless_there: bool = False, **same: Any) -> None:
        """Insert rows of the tenant. `same`: what is alike in all of them."""
        bulk.insert(self.session.connection(), rows, unless_there=unless_there, tenant_id=self.tenant_id, **same)


class WriteTx(ReadTx):
    """One write transaction of one tenant. What it reports with `feed` commits with it."""

    def __init__(self, session: Session, tenant_id: str, clock: Clock) -> None:
        super().__init__(session, tenant_id)
        self.now = clock.now()
        """One moment for the whole transaction."""
        self._feed: list[tuple[Any, ...]] = []
        self._seq = count()
        self._due: dict[tuple[str, str], int] = {}

    @cached_property
    def tx(self) -> int:
        """The transaction's place in the tenant's order. Taking it takes the tenant's lock."""
        row = self.session.exec(
            select(Tenant)
            .where(Tenant.tenant_id == self.tenant_id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        ).one_or_none()
        if row is None:
            raise NotFound(f"there is no tenant named {self.tenant_id!r}")
        row.last_tx = max(self.now, row.last_tx + 1)
        self.session.add(row)
        self.session.flush()
        return row.last_tx

    def lock(self) -> None:
        """Wait for the tenant's other writers, so that what is read from here on still holds at commit."""
        self._hold({"key_share": True})

    def compose(self) -> None:
        """Wait for an erasure, and let none begin until commit: what is written down here was read beside writers."""
        self._hold({"key_share": True, "read": True})

    def exclude(self) -> None:
        """Wait for the tenant's other writers and for whoever composes, and keep both out until commit."""
        self._hold({})

    def _hold(self, strength: Mapping[str, Any]) -> None:
        row = select(Tenant.tenant_id).where(Tenant.tenant_id == self.tenant_id)
        self.session.exec(row.with_for_update(**strength)).all()

    def feed(
        self,
        ref_type: str,
        ref_id: UUID,
        change: str,
        *,
        label: str = "",
        old_tx: int | None = None,
        new_tx: int | None = None,
    ) -> None:
        self._feed.append((self.tx, next(self._seq), ref_type, ref_id, label, change, old_tx, new_tx))

    def job_due(self, tenant_id: str, kind: str, at: int) -> None:
        """A job was made ready, to be leased at a Ts or later."""
        lane = tenant_id, kind
        at = max(at, self.now)  # however long it has been due, it is behind those who wait already
        self._due[lane] = min(at, self._due.get(lane, at))

    def flush(self) -> None:
        self.session.flush()
        if self._feed:
            self.insert_ready(self.rows(Feed, bulk.columns(_FEED, self._feed)))
            self._feed.clear()

    def end(self) -> bool:
        """Flush, and lower the lanes of jobs, which are locked last; whether one of them is due."""
        self.flush()
        if self._due:
            lanes.lower(self.session.connection(), self._due)
        return self.now in self._due.values()


class Database:
    """One SQLite file or one PostgreSQL database. Safe to share between threads."""

    def __init__(self, url: str | URL, clock: Clock, *, synchronous: str = "NORMAL") -> None:
        self.url = _parse(url)
        self.clock = clock
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._engine = _sqlite(self.url, synchronous) if self.is_sqlite else _postgres(self.url)
        begin: dict[str, Any] = {"begin": "IMMEDIATE"} if self.is_sqlite else {}
        snapshot: dict[str, Any] = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        self._writing = self._engine.execution_options(**begin)
        self._turn: AbstractContextManager[Any] = Lock() if self.is_sqlite else nullcontext()
        self._reading = self._engine.execution_options(**snapshot)
        self._bells = Bells()
        self._inode: int | None = None

    @property
    def engine(self) -> Engine:
        return self._engine

    @contextmanager
    def read(self, tenant_id: str) -> Iterator[ReadTx]:
        with translated(self.url), Session(self._reading, expire_on_commit=False, autoflush=False) as session:
            yield ReadTx(session, tenant_id)

    @contextmanager
    def write(self, tenant_id: str) -> Iterator[WriteTx]:
        """Commit at the end, or roll everything back on any error.

        Writers of one process to one SQLite file queue here: SQLite would let each sleep up to a tenth of a second
        before it looks again whether it is its turn.
        """
        with self._turn, translated(self.url), Session(self._writing, expire_on_commit=False) as session:
            tx = WriteTx(session, tenant_id, self.clock)
            yield tx
            is_due = tx.end()
            if is_due and not self.is_sqlite:
                tell(session.connection())
            session.commit()
        if is_due and self.is_sqlite:
            self._bells.ring()

    def bell(self) -> Bell:
        """Rung when a job is due that was not: on SQLite by this process, on PostgreSQL by any."""
        return self._bells.bell() if self.is_sqlite else ListeningBell(self._engine)

    def check(self) -> None:
        """Raise StoreUnavailable when the database does not answer."""
        if self.is_sqlite:
            self._check_file()
        with translated(self.url), self._engine.connect() as connection:
            connection.execute(text("SELECT 1 FROM tenant LIMIT 1"))

    def _check_file(self) -> None:
        """A file that was deleted or replaced goes on answering whoever has it open, and is lost with the process."""
        file = Path(str(self.url.database))
        with opening(file):
            inode = file.stat().st_ino
        self._inode = self._inode or inode
        if inode != self._inode:
            raise StoreUnavailable(f"the database {file} is another file than was opened: start this process again")

    def rewrite(self) -> bool:
        """Write the store anew, so that its files hold nothing that was deleted; False while somebody is in the way."""
        with self._turn, translated(self.url):
            return _rewrite_file(self._engine) if self.is_sqlite else _rewrite_tables(self._engine)

    def close(self) -> None:
        self._engine.dispose()


def _rewrite_file(engine: Engine) -> bool:
    """VACUUM goes through the write-ahead log, which is then brought into the file and cut off."""
    with engine.execution_options(begin="").connect() as connection:
        try:
            connection.exec_driver_sql("VACUUM")
        except OperationalError as error:
            if "locked" in str(error.orig):
                return False
            raise
        connection.exec_driver_sql(f"PRAGMA busy_timeout={REWRITE_WAIT_MS}")
        try:
            busy, _, _ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
    return not busy


def _rewrite_tables(engine: Engine) -> bool:
    """With ANALYZE, and the statistics too, since they keep common values. Who reads for a second is in the way."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"SET lock_timeout = {REWRITE_WAIT_MS}"))
        try:
            for table in SQLModel.metadata.sorted_tables:
                connection.execute(text(f'VACUUM (FULL, ANALYZE) "{table.name}"'))
            connection.execute(text("VACUUM (FULL) pg_catalog.pg_statistic"))
        except OperationalError as error:
            if getattr(error.orig, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
                return False
            raise
        finally:
            connection.execute(text("RESET lock_timeout"))
    return True


def tenants(database: Database) -> list[str]:
    with translated(database.url), Session(database.engine) as session:
        return list(session.exec(select(Tenant.tenant_id).order_by(col(Tenant.tenant_id))).all())


def _parse(url: str | URL) -> URL:
    try:
        parsed = make_url(url)
        backend = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise InvalidConfig(
            "the database url cannot be read: write sqlite:///FILE or postgresql://HOST/NAME"
        ) from error
    if "password" in parsed.query:
        raise InvalidConfig(
            "the database url has a password among its options, which are shown; write postgresql://USER:PASSWORD@HOST/NAME"
        )
    if backend == "postgresql":
        return parsed.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise InvalidConfig(
            f"database url scheme {parsed.drivername!r} is not supported: use sqlite:/// or postgresql://"
        )
    if parsed.database in {None, "", ":memory:"}:
        raise InvalidConfig("a SQLite database needs a file: write sqlite:///FILE")
    return parsed


def _postgres(url: URL) -> Engine:
    unsaid = {name: value for name, value in REACH.items() if name not in url.query}
    return create_engine(url.update_query_dict(unsaid), pool_pre_ping=True, **_DISCREET)


def _sqlite(url: URL, synchronous: str) -> Engine:
    file = Path(str(url.database))
    with opening(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_MS / 1000}, **_DISCREET)

    @event.listens_for(engine, "do_connect")
    def _make(*_: Any) -> None:
        # SQLite would let others read what it makes; what it keeps beside the file has the file's own mode. One that is
        # there is not even opened: to close it would take away the locks that this process's other connections hold.
        with suppress(OSError):  # which SQLite says better
            os.close(os.open(file, os.O_RDONLY | os.O_CREAT | os.O_EXCL, 0o600))

    @event.listens_for(engine, "connect")
    def _configure(dbapi: Any, _record: Any) -> None:
        dbapi.isolation_level = None  # SQLAlchemy's own BEGIN below, so that writers can say IMMEDIATE
        for pragma in (f"busy_timeout={BUSY_TIMEOUT_MS}", f"synchronous={synchronous}", "foreign_keys=ON"):
            dbapi.execute(f"PRAGMA {pragma}")
        for attempt in Retry():  # on a new file this ignores the busy time-out
            with attempt:
                dbapi.execute("PRAGMA journal_mode=WAL")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if kind := connection.get_execution_options().get("begin", "DEFERRED"):
            connection.exec_driver_sql(f"BEGIN {kind}")

    return engine
