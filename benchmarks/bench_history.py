"""What it costs that there is much already: a document among many, and one node's long history."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise
from statistics import median
from uuid import UUID

from benchmarks.support import Bench, Line, cpu, document, opened, progress, question
from core.clock import FOREVER, SECOND
from core.errors import InsufficientEvidence
from core.graph.records import Record
from core.ids import derived
from core.model.nodes import Node
from core.model.principals import EVERYONE
from core.planner.request import PlanRequest
from core.store.versions import NODES

GOALS = {"history, ingest among": 2.0, "history, as of": 2.0, "history, write": 2.0}
QUICK = {"documents": 1_000}
DOCUMENTS = 10_000
FEW = 100
SECTIONS = 3
TIMES = 60
VERSIONS = 10_000


def run(documents: int = DOCUMENTS) -> list[Line]:
    with opened() as bench:
        lines = list(_documents(bench, documents))
    with opened() as bench:
        return lines + list(_versions(bench))


def _documents(bench: Bench, documents: int) -> Iterator[Line]:
    few = _among(bench, FEW)
    many = _among(bench, documents)
    for name, one, other in zip(("ingest among", "ingest among, asked between"), few, many, strict=True):
        note = f"× that among {FEW}; {other * 1e3:.1f} ms"
        yield f"history, {name} {documents:,} documents", other / one, note


def _among(bench: Bench, size: int) -> tuple[float, float]:
    """Seconds of an ingest of a small document, and of one with a question after it, among so many others."""
    progress(f"history: {size:,} documents")
    standing = len(bench.memory.documents.standing("default"))
    for number in range(standing, size):
        _put(bench, number)
    _ask(bench, size)
    alone = median(cpu(partial(_put, bench, size + number)) for number in range(TIMES))
    return alone, alone + _step(bench, size + TIMES)


def _step(bench: Bench, first: int) -> float:
    """What a question takes longer after an ingest: the index takes it in."""
    times: list[float] = []
    for number in range(first, first + TIMES):
        _put(bench, number)
        stepping = cpu(partial(_ask, bench, number))
        times.append(stepping - cpu(partial(_ask, bench, number)))
    return max(0.0, median(times))


def _put(bench: Bench, number: int) -> None:
    bench.put(f"{number}.md", document(SECTIONS, seed=number))


def _ask(bench: Bench, number: int) -> None:
    with suppress(InsufficientEvidence):
        bench.memory.plan(PlanRequest(question=question(number)), bench.person)


def _versions(bench: Bench) -> Iterator[Line]:
    progress(f"history: a node of {VERSIONS:,} versions")
    short, long = (_record(bench, versions) for versions in (1, VERSIONS))
    now, middle = bench.clock.now(), _moment(bench, VERSIONS // 2)
    for name, valid, tx in (("now", None, None), ("then", middle, None), ("as believed then", now, middle)):
        one, other = (_reading(bench, node_id, valid, tx) for node_id in (short, long))
        yield f"history, as of {name}", other / one, f"× that of one version; {other * 1e3:.2f} ms"
    one, other = (median(cpu(partial(_write, bench, node_id)) for _ in range(TIMES)) for node_id in (short, long))
    yield "history, write one more version", other / one, f"× that of one version; {other * 1e3:.2f} ms"


def _moment(bench: Bench, number: int) -> int:
    """When the version of a number began; version 0 long before anything else."""
    return bench.clock.now() - (2 * VERSIONS - number) * SECOND


def _record(bench: Bench, versions: int) -> UUID:
    """A record that has been written so often, each time from then on, behind the memory's back."""
    node_id = derived("history", versions)
    moments = [_moment(bench, number) for number in range(versions)]
    rows = [_row(node_id, (at, FOREVER), (at, at_next)) for at, at_next in pairwise([*moments, FOREVER])]
    rows += [_row(node_id, (at, at_next), (at_next, FOREVER)) for at, at_next in pairwise(moments)]
    with bench.database.write("default") as tx:
        NODES.insert(tx, rows)
        tx.feed("node", node_id, "created", label="RECORD", new_tx=tx.tx)
    return node_id


def _row(node_id: UUID, valid: tuple[int, int], tx: tuple[int, int]) -> Node:
    return Node(node_id, "RECORD", None, "", {"at": valid[0]}, (), (EVERYONE,), 1.0, None, False, *valid, *tx)


def _reading(bench: Bench, node_id: UUID, valid: int | None, tx: int | None) -> float:
    read = partial(bench.memory.get_as_of, node_id, bench.person, valid_time=valid, tx_time=tx)
    return median(cpu(read) for _ in range(TIMES))


def _write(bench: Bench, node_id: UUID) -> None:
    bench.clock.advance(SECOND)
    bench.memory.put_node(Record(node_id, "RECORD", {"at": bench.clock.now()}, readers=(EVERYONE,)))
