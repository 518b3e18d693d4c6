"""Writers, sweepers, readers and followers at once on one database, in several processes, and what must hold after.

Each process opens the memory for itself, as `clarify-bot run` would. A follower reads the feed as a sweep does: up to
the newest tx it sees, then on from there; what commits late below that would be missed for ever. Nothing here waits for
anything but the model of one writer.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle, groupby
from multiprocessing import get_context
from typing import Any
from uuid import UUID

from sqlalchemy import event
from sqlmodel import col, select

from benchmarks.support import document
from core.clock import SystemClock
from core.embed.hashing import HashingEmbedder
from core.embed.protocol import Vectors
from core.memory import DEFAULT_TENANT, Memory
from core.model.node_ids import document_id
from core.model.nodes import DOCUMENT
from core.model.principals import EVERYONE, Principal
from core.model.watching import ScopeType
from core.store import sources
from core.store.database import Database
from core.store.tables import Feed, WatchFire
from tests.support.memories import add_person, open_memory, rows, source_id, watch_request

SETTINGS: dict[str, Any] = {
    "watch": {"debounce_floor_secs": 0, "max_events_per_fire": 1000, "fire_keep_per_watch": 100_000}
}
FeedKey = tuple[int, int, UUID]
_PAUSE = 0.02
"""Seconds between two looks of whoever looks all the time: a hundred times as often as the bot does."""


@dataclass(frozen=True)
class Load:
    """`sizes`: of each writer's documents, in sections, in turn. `model_secs`: how long the first writer's model takes.

    Writers stop after so many versions, or so many seconds, whichever comes first.
    """

    sizes: Sequence[Sequence[int]]
    model_secs: float
    seconds: float
    versions: int = 10**9
    processes: int = 2


@dataclass(frozen=True)
class Written:
    """An ingest that was acknowledged; `change`: the section that says something else than in the first version."""

    uri: str
    turn: int
    size: int
    change: int | None
    version_tx: int

    @property
    def source_id(self) -> UUID:
        found: UUID = source_id(self.uri)
        return found

    @property
    def data(self) -> bytes:
        return document(self.size, seed=self.turn, edited=self.change)


@dataclass
class Report:
    """`longest`: seconds of processor and of wall time in which a write kept others waiting, by what was written."""

    written: list[Written] = field(default_factory=list)
    followed: list[list[FeedKey]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    longest: dict[str, tuple[float, float]] = field(default_factory=dict)
    reads: int = 0
    sweeps: int = 0

    def add(self, other: "Report") -> None:
        self.written += other.written
        self.followed += other.followed
        self.faults += other.faults
        self.reads += other.reads
        self.sweeps += other.sweeps
        for what, times in other.longest.items():
            self.note(what, times)

    def note(self, what: str, times: tuple[float, float]) -> None:
        self.longest[what] = max(times, self.longest.get(what, (0.0, 0.0)), key=lambda each: each[1])


class SlowEmbedder(HashingEmbedder):
    """A model that takes its time for the thread that is told so."""

    def __init__(self) -> None:
        self.mine = threading.local()

    def embed(self, texts: Sequence[str]) -> Vectors:
        time.sleep(getattr(self.mine, "secs", 0.0))
        return super().embed(texts)


def run(url: str, load: Load) -> tuple[Report, list[str]]:
    """Put a database under load; what was done, and what did not hold."""
    with closing(open_memory(url, SystemClock(), **SETTINGS)) as memory:
        memory.people.ensure_tenant(DEFAULT_TENANT, "Default")
        ada = add_person(memory, "Ada")
        memory.sweep()
        memory.watch(watch_request(ada, ScopeType.LABEL, DOCUMENT), ada)
        report = _at_work(url, load, ada)
        while memory.sweep().backlog:
            pass
        return report, [*report.faults, *_broken(memory, report)]


def _at_work(url: str, load: Load, ada: Principal) -> Report:
    report = Report()
    shares = [range(number, len(load.sizes), load.processes) for number in range(load.processes)]
    with ProcessPoolExecutor(load.processes, mp_context=get_context("spawn")) as pool:
        for done in pool.map(partial(_process, url, load, ada), shares):
            report.add(done)
    return report


# ── in each process ──


class _Worker:
    def __init__(self, memory: Memory, embedder: SlowEmbedder, load: Load, ada: Principal) -> None:
        self.memory, self.embedder, self.load, self.ada = memory, embedder, load, ada
        self.report = Report()
        self.until = time.monotonic() + load.seconds
        self.over = threading.Event()

    def write(self, number: int) -> None:
        """New documents, each then changed once."""
        self.embedder.mine.secs = self.load.model_secs if number == 0 else 0.0
        for turn, size in zip(range(self.load.versions), cycle(self.load.sizes[number]), strict=False):
            if time.monotonic() >= self.until:
                return
            for change, what in ((None, "taken in"), (size // 2, "one changed")):
                written = Written(f"{number}/{turn}.md", turn, size, change, 0)
                with held(self.memory._database, self.report, f"{size:,} sections, {what}"):
                    done = self.memory.ingest(written.uri, written.data, readers=[EVERYONE])
                self.report.written.append(replace(written, version_tx=done.version_tx))

    def sweep(self) -> None:
        with held(self.memory._database, self.report, "a sweep"):
            self.memory.sweep()
        self.report.sweeps += 1

    def read(self) -> None:
        self.memory.query(DOCUMENT, [], self.ada, limit=10)
        self.report.reads += 1

    def follow(self, followed: list[FeedKey]) -> None:
        with self.memory._database.read(DEFAULT_TENANT) as tx:
            after = followed[-1][0] if followed else 0
            rows = select(Feed.tx, Feed.seq, Feed.ref_id).where(Feed.tenant_id == tx.tenant_id, Feed.tx > after)
            followed += [
                (row[0], row[1], row[2]) for row in tx.session.exec(rows.order_by(col(Feed.tx), col(Feed.seq)))
            ]

    def again(self, act: Callable[[], object]) -> None:
        while not self.over.wait(_PAUSE):
            act()

    def guarded(self, act: Callable[[], object]) -> None:
        try:
            act()
        except Exception as error:  # noqa: BLE001  # whatever is raised under load is a fault to report
            self.report.faults.append(f"{type(error).__name__}: {error}")


def _process(url: str, load: Load, ada: Principal, numbers: Sequence[int]) -> Report:
    embedder = SlowEmbedder()
    with closing(open_memory(url, SystemClock(), embedder=embedder, **SETTINGS)) as memory:
        worker = _Worker(memory, embedder, load, ada)
        worker.report.followed.append([])
        others = (worker.sweep, worker.read, partial(worker.follow, worker.report.followed[0]))
        with ThreadPoolExecutor(len(numbers) + len(others)) as pool:
            for other in others:
                pool.submit(worker.guarded, partial(worker.again, other))
            writers = [pool.submit(worker.guarded, partial(worker.write, number)) for number in numbers]
            for writer in writers:
                writer.result()
            worker.over.set()
        return worker.report


_held = threading.local()


@contextmanager
def held(database: Database, report: Report, what: str) -> Iterator[None]:
    """Note how long each write of this thread keeps others waiting: from the lock that it was given to its commit."""
    _listen(database)
    _held.note = partial(report.note, what)
    yield
    _held.note = None


def _listen(database: Database) -> None:
    engine = database.engine
    if not event.contains(engine, "begin", _began):
        event.listen(engine, "begin", _began)
        event.listen(engine, "after_cursor_execute", _executed)
        event.listen(engine.pool, "reset", _ended)


def _began(connection: Any) -> None:
    if connection.get_execution_options().get("begin") == "IMMEDIATE":
        _take()


def _executed(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
    if statement.startswith("SELECT") and " UPDATE" in statement and getattr(_held, "since", None) is None:
        _take()


def _take() -> None:
    _held.since = (time.thread_time(), time.perf_counter())


def _ended(*_: Any) -> None:
    since, note = getattr(_held, "since", None), getattr(_held, "note", None)
    _held.since = None
    if since is not None and note is not None:
        note((time.thread_time() - since[0], time.perf_counter() - since[1]))


# ── what must hold after ──


def _broken(memory: Memory, report: Report) -> list[str]:
    feed = sorted(rows(memory, Feed), key=lambda row: (row.tx, row.seq))
    keys = [(row.tx, row.seq, row.ref_id) for row in feed]
    versions = [(row.ref_id, row.tx) for row in feed if row.change == "new_version"]
    acknowledged = [(one.source_id, one.version_tx) for one in report.written]
    missed = [seen for seen in report.followed if seen != keys[: len(seen)]]
    events = [
        (event["changed_ref_id"], event["change_tx"]) for fire in rows(memory, WatchFire) for event in fire.events
    ]
    newest = {document_id(source): tx for source, tx in sorted(acknowledged, key=lambda one: one[1])}
    unheard = {(str(node_id), tx) for node_id, tx in newest.items()} - set(events)
    holds = {
        f"{len(missed)} followers of the feed missed or doubled a row": not missed,
        "the rows of a transaction are not numbered from 0 on": all(map(_numbered, _by_tx(keys))),
        "the versions in the feed are not those acknowledged": sorted(versions) == sorted(acknowledged),
        f"{len(unheard)} changes were never heard": not unheard,
        f"{len(events) - len(set(events))} changes were heard twice": len(events) == len(set(events)),
    }
    return [what for what, well in holds.items() if not well] + _lost(memory, report)


def _by_tx(keys: Sequence[FeedKey]) -> list[list[int]]:
    return [[seq for _, seq, _ in group] for _, group in groupby(keys, key=lambda key: key[0])]


def _numbered(seqs: Sequence[int]) -> bool:
    return list(seqs) == list(range(len(seqs)))


def _lost(memory: Memory, report: Report) -> list[str]:
    """Acknowledged documents whose text is not there, or not the one that stands."""
    standing = {view.uri: view.version_tx for view in memory.documents.standing("default")}
    newest = {one.uri: one.version_tx for one in sorted(report.written, key=lambda one: one.version_tx)}
    lost = [f"{uri} does not stand as it was acknowledged" for uri, tx in newest.items() if standing.get(uri) != tx]
    with memory._database.read(DEFAULT_TENANT) as tx:
        for one in report.written:
            key = (one.source_id, one.version_tx)
            if (text := sources.texts(tx, [key]).get(key)) is None or text.text.encode() != one.data:
                lost.append(f"{one.uri}: its text of {one.version_tx} is not there")
    return lost
