"""One sweep over the same change and the same matches, among a hundred watches, ten and a hundred thousand."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from statistics import median
from typing import Any
from uuid import UUID

from sqlmodel import col

from benchmarks.support import Bench, Line, cpu, document, opened, progress
from core.clock import DAY
from core.memory import DEFAULT_TENANT
from core.model.nodes import SECTION
from core.model.watching import EventKind, ScopeType, TargetKind
from core.store.tables import NodeVersion, Watch, WatchScope
from core.store.versions import NODES

GOALS = {"sweep,": 1.3}
QUICK = {"sizes": (100, 10_000)}
SIZES = (100, 10_000, 100_000)
SECTIONS, MATCHED, ROUNDS = 50, 50, 15


def run(sizes: Sequence[int] = SIZES) -> list[Line]:
    with ExitStack() as stack:
        benches = [stack.enter_context(opened()) for _ in sizes]
        for bench, size in zip(benches, sizes, strict=True):
            _set_up(bench, size)
        few, *many = _medians(benches)
    note = f"{{:.1f}} ms, against {few * 1e3:.1f} ms among {sizes[0]}; {MATCHED} fires each"
    return [
        (f"sweep, {size:,} watches", taken / few, note.format(taken * 1e3))
        for size, taken in zip(sizes[1:], many, strict=True)
    ]


def _set_up(bench: Bench, size: int) -> None:
    progress(f"sweep: {size:,} watches")
    bench.put("handbook.md", document(SECTIONS))
    with bench.database.read(DEFAULT_TENANT) as tx:
        sections = NODES.select(tx, col(NodeVersion.label) == SECTION)
    refs = [str(node.node_id) for node in sections[:MATCHED]]
    refs += [str(UUID(int=number)) for number in range(size - len(refs))]
    watch_each(bench, refs)
    bench.memory.sweep()


def watch_each(bench: Bench, refs: Sequence[str]) -> None:
    """A watch on each of these nodes, by a thousand people."""
    watches = [_watch(number, ref, bench.clock.now()) for number, ref in enumerate(refs)]
    scopes = [
        {"tenant_id": DEFAULT_TENANT, "scope_type": ScopeType.ENTITY, "scope_ref": ref, "watch_id": watch["watch_id"]}
        for ref, watch in zip(refs, watches, strict=True)
    ]
    with bench.database.write(DEFAULT_TENANT) as tx:
        tx.insert(Watch, watches)
        tx.insert(WatchScope, scopes)


def _watch(number: int, ref: str, now: int) -> dict[str, Any]:
    person_id = UUID(int=number % 1000 + 1)
    return {
        "tenant_id": DEFAULT_TENANT,
        "watch_id": UUID(int=number + 1),
        "owner_id": person_id,
        "name": f"Section {number}",
        "scope_type": ScopeType.ENTITY,
        "scope_refs": [ref],
        "events": [EventKind.FACT_CHANGED],
        "target": {"kind": TargetKind.PERSON, "person_id": str(person_id)},
        "cadence": "immediate",
        "debounce_secs": 0,
        "dedup_key": str(number),
        "enabled": True,
        "suspended": None,
        "muted_until": 0,
        "created_tx": 0,
        "created_at": now,
        "last_fired_at": 0,
    }


def _medians(benches: Sequence[Bench]) -> Iterator[float]:
    """Seconds a sweep, of each memory, measured in turns. Every round changes every section once more."""
    times: list[list[float]] = [[] for _ in benches]
    for number in range(ROUNDS):
        for bench, taken in zip(benches, times, strict=True):
            bench.clock.advance(DAY)
            bench.put("handbook.md", _revision(number))
            taken.append(cpu(bench.memory.sweep))
    return (median(taken) for taken in times)


def _revision(number: int) -> bytes:
    return document(SECTIONS).replace(b" at most ", f" at most {number + 2}, never ".encode())
