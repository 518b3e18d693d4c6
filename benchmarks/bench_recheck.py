"""A sweep and the checks it causes after one edit on which the same answers rest, among few saved answers and many."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from statistics import median
from typing import Any
from uuid import UUID

from sqlmodel import SQLModel, col, select

from benchmarks.support import Bench, Line, cpu, opened, progress
from core.clock import SECOND
from core.jobs.kinds import Audience, JobKind
from core.memory import DEFAULT_TENANT
from core.model.spans import SpanRef
from core.store.tables import Job, NodeVersion, Watch, WatchScope

GOALS = {"recheck, 10,000 saved answers": 2.0}
SIZES = (100, 10_000)
DEPENDING, ROUNDS = 50, 7
EDITED, OTHER = "edited.md", "other.md"


def run() -> list[Line]:
    with ExitStack() as stack:
        benches = [stack.enter_context(opened()) for _ in SIZES]
        for bench, size in zip(benches, SIZES, strict=True):
            _set_up(bench, size)
        few, many = _medians(benches)
    note = f"{many * 1e3:.0f} ms, against {few * 1e3:.0f} ms among {SIZES[0]}; {DEPENDING} checks each"
    return [(f"recheck, {SIZES[1]:,} saved answers", many / few, note)]


def _set_up(bench: Bench, size: int) -> None:
    progress(f"recheck: {size:,} saved answers")
    bench.put(EDITED, _text(0))
    for number in range(DEPENDING):
        _save(bench, EDITED, number)
    bench.put(OTHER, _text(0))
    copied = _save(bench, OTHER, 0)
    bench.memory.sweep()
    _work_off(bench)
    _copy(bench, copied, size - DEPENDING - 1)


def _text(revision: int) -> bytes:
    lines = [f"Meals of group {number} cost at most {revision + 40} EUR a day." for number in range(DEPENDING)]
    return ("# Travel\n\n" + "\n\n".join(lines) + "\n").encode()


def _save(bench: Bench, uri: str, number: int) -> UUID:
    """Quote the sentence on one group, and keep it."""
    view = next(view for view in bench.memory.documents.standing("default") if view.uri == uri)
    start = _text(0).index(f"Meals of group {number} ".encode())
    span = SpanRef(view.source_id, view.version_tx, start, _text(0).index(b"\n", start))
    quoted = bench.memory.quote(f"How much do meals of group {number} cost?", span, bench.person)
    bench.clock.advance(SECOND)
    return bench.memory.save_answer(quoted.trace_id, bench.person)


def _copy(bench: Bench, answer_id: UUID, times: int) -> None:
    """Let an answer, with its watches and its jobs, stand many times over, each resting on a source of its own."""
    source_id = next(view.source_id for view in bench.memory.documents.standing("default") if view.uri == OTHER)
    with bench.database.write(DEFAULT_TENANT) as tx:
        watches = [watch for watch in tx.session.exec(select(Watch)) if _names(watch, answer_id, source_id)]
        ids = [answer_id, source_id, *(watch.watch_id for watch in watches)]
        stored: dict[type[SQLModel], Any] = {table: select(table) for table in (Watch, WatchScope, Job)}
        stored[NodeVersion] = select(NodeVersion).where(col(NodeVersion.node_id) == answer_id)
        for table, rows in stored.items():
            own = [row.model_dump() for row in tx.session.exec(rows) if _names(row, *ids)]
            tx.insert(table, (_copied(row, ids, number) for number in range(times) for row in own))


def _names(row: SQLModel, *ids: UUID) -> bool:
    text = str(row.model_dump())
    return any(str(one) in text for one in ids)


def _copied(row: dict[str, Any], ids: Sequence[UUID], number: int) -> dict[str, Any]:
    """A row in which these ids are others, and its own keys too."""
    other = {one: _another(one, number) for one in ids}
    copied = {name: _swapped(value, other) for name, value in row.items()}
    if "job_id" in row:
        copied["job_id"] = _another(row["job_id"], number)
    if "dedup_key" in row:
        copied["dedup_key"] = f"{row['dedup_key']}{number}"
    return copied


def _another(one: UUID, number: int) -> UUID:
    return UUID(int=(one.int + number + 1) % 2**128)


def _swapped(value: Any, other: dict[UUID, UUID]) -> Any:
    if isinstance(value, dict):
        return {name: _swapped(inner, other) for name, inner in value.items()}
    if isinstance(value, list):
        return [_swapped(inner, other) for inner in value]
    if isinstance(value, str):
        return next((str(new) for old, new in other.items() if value == str(old)), value)
    return other.get(value, value) if isinstance(value, UUID) else value


def _medians(benches: Sequence[Bench]) -> Iterator[float]:
    """Seconds of a sweep and its checks, of each memory, measured in turns."""
    times: list[list[float]] = [[] for _ in benches]
    for number in range(ROUNDS):
        for bench, taken in zip(benches, times, strict=True):
            bench.clock.advance(SECOND)
            bench.put(EDITED, _text(number + 1))
            taken.append(cpu(partial(_sweep_and_check, bench)))
    return (median(taken) for taken in times)


def _sweep_and_check(bench: Bench) -> None:
    bench.memory.sweep()
    checked = _work_off(bench)
    assert checked == DEPENDING, f"{checked} answers were checked, and {DEPENDING} rest on what was edited"


def _work_off(bench: Bench) -> int:
    """Do every check that is due; how many."""
    done = 0
    while due := bench.memory.jobs.lease(Audience.INTERNAL, [JobKind.CHECK_ANSWER], "bench", 20):
        for job in due:
            bench.memory.check_answer(UUID(job.payload["answer_id"]))
            bench.memory.jobs.complete(job)
        done += len(due)
    return done
