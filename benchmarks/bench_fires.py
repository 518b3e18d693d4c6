"""A hundred thousand changes of watched nodes, swept in windows: fires a second, and whether memory grows with them."""

import time
from pathlib import Path
from uuid import UUID

from benchmarks.bench_sweep import watch_each
from benchmarks.support import Bench, Line, opened, progress
from core.clock import FOREVER, SECOND
from core.memory import DEFAULT_TENANT
from core.model.nodes import NodeWrite
from core.model.principals import EVERYONE

GOALS = {"memory": 1.1}
QUICK = {"changes": 20_000}
A_WRITE = 1000


def run(changes: int = 100_000) -> list[Line]:
    with opened() as bench:
        progress(f"fires: {changes:,} changes, {changes:,} watches")
        ids = [UUID(int=number + 1) for number in range(changes)]
        _write(bench, ids, 1)
        bench.memory.sweep()
        watch_each(bench, list(map(str, ids)))
        _write(bench, ids, 2)
        start, fires, held = time.process_time(), 0, []
        while True:
            swept = bench.memory.sweep()
            fires += swept.fires
            held.append(_resident())
            progress(f"fires: {fires:,}")
            if not swept.backlog:
                break
        taken = time.process_time() - start
    assert fires == changes, f"{fires:,} fires of {changes:,} changes"
    windows = f"{len(held)} windows, from {held[1] >> 20} to {max(held) >> 20} MB held by the process"
    return [
        ("µs of the processor a fire", taken / fires * 1e6, f"{fires / taken:,.0f} fires a second"),
        ("memory, the most after the second window to that", max(held[1:]) / held[1], windows),
    ]


def _write(bench: Bench, ids: list[UUID], version: int) -> None:
    for start in range(0, len(ids), A_WRITE):
        batch = [
            NodeWrite(one, "metric", key=str(version), props={"value": version}, readers=(EVERYONE,))
            for one in ids[start : start + A_WRITE]
        ]
        with bench.database.write(DEFAULT_TENANT) as tx:
            bench.memory._engines.graph.write(tx, batch, (bench.clock.now(), FOREVER))  # noqa: SLF001  # a record at a time would take longer than what is measured
        bench.clock.advance(SECOND)


def _resident() -> int:
    """Bytes that the process holds by now."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) << 10
