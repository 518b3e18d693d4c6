"""Taking documents in: the cost of a section as documents grow, of a small edit, and how long other writers wait."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from unittest.mock import patch

import numpy as np
from sqlmodel import SQLModel, func, select

from benchmarks.support import Bench, Line, cpu, data_folder, document, opened, progress
from core.embed.hashing import HashingEmbedder
from core.embed.protocol import Embedder, Vectors
from core.memory import DEFAULT_TENANT
from core.store.database import Database, WriteTx

GOALS = {
    "ingest, section of 10,000": 1.5,
    "ingest, section of 1,000": 1.5,
    "ingest, longest write at 200": 0.1,
    "ingest, longest write": 2.0,
    "ingest, rows of one edit": 20,
}
QUICK = {"sizes": (100, 1_000)}
SIZES = (100, 1_000, 10_000)
ROUNDS = {100: 9, 1_000: 3}
REAL_DOCUMENTS = 60
MODEL_SECS = 2


class ConstantEmbedder:
    """Costs nothing: what is left is the engine's own."""

    model = "constant"
    dim = 256

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.full((len(texts), self.dim), 1 / 16, dtype=np.float32)


class SlowEmbedder(ConstantEmbedder):
    def embed(self, texts: Sequence[str]) -> Vectors:
        time.sleep(MODEL_SECS)
        return super().embed(texts)


def run(sizes: Sequence[int] = SIZES) -> list[Line]:
    made_up = [line for embedder in (ConstantEmbedder(), HashingEmbedder()) for line in _growth(embedder, sizes)]
    folder = data_folder()
    return [*made_up, _slow_model(), *(() if folder is None else [_real(folder)])]


def _growth(embedder: Embedder, sizes: Sequence[int]) -> Iterator[Line]:
    base = 0.0
    for size in sizes:
        progress(f"ingest: {size:,} sections, {embedder.model}")
        with opened(embedder) as bench, _write_times() as writes:
            _ingest(bench, SIZES[0], -1, None)  # so that no size pays for what is done once
            writes.clear()
            rounds = range(ROUNDS.get(size, 1))
            first, longest = median(_ingest(bench, size, seed, None) for seed in rounds), max(writes)
            before = _rows(bench)
            again = median(_ingest(bench, size, seed, size // 2) for seed in rounds)
            written = (_rows(bench) - before) / len(rounds)
        base = base or first / size
        speed = len(document(size)) / first / 1e6
        note = f"× that of {sizes[0]}; {first / size * 1e6:.0f} µs a section, {speed:.2f} MB/s, {embedder.model}"
        yield f"ingest, section of {size:,}", first / size / base, note
        yield f"ingest, one of {size:,} sections edited", again / first, f"× the first ingest; {again:.3f} s"
        yield f"ingest, longest write at {size:,}", longest, f"s, in which others wait; {writes[-1]:.3f} s for the edit"
        yield f"ingest, rows of one edit of {size:,} sections", written, "beside the spans of the new version"


def _rows(bench: Bench) -> int:
    """Rows in all tables but the ledger of spans, which holds every block of every version."""
    tables = [table for table in SQLModel.metadata.sorted_tables if table.name != "span"]
    with bench.database.read(DEFAULT_TENANT) as tx:
        counts = (tx.session.execute(select(func.count()).select_from(table)).scalar_one() for table in tables)
        return sum(map(int, counts))


def _slow_model() -> Line:
    """By the clock, from before the transaction until after it."""
    progress(f"ingest: 200 sections, a model of {MODEL_SECS} s")
    with opened(SlowEmbedder()) as bench, _write_times(time.perf_counter) as writes:
        bench.put("slow.md", document(200))
    return "ingest, longest write at 200, slow model", max(writes), f"s by the clock, with a model of {MODEL_SECS} s"


def _ingest(bench: Bench, size: int, seed: int, edited: int | None) -> float:
    data = document(size, seed=seed, edited=edited)
    return cpu(partial(bench.put, f"{seed}.md", data))


@contextmanager
def _write_times(clock: Callable[[], float] = time.process_time) -> Iterator[list[float]]:
    """Seconds of every write transaction, of processor time unless another clock is named."""
    times: list[float] = []
    write = Database.write

    @contextmanager
    def timed(self: Database, tenant_id: str) -> Iterator[WriteTx]:
        start = clock()
        with write(self, tenant_id) as tx:
            yield tx
        times.append(clock() - start)

    with patch.object(Database, "write", timed):
        yield times


def _real(folder: Path) -> Line:
    """Documents as people write them: of a real handbook, each as it first was."""
    with (folder / "handbook" / "versions.jsonl").open() as file:
        versions = [version for version in map(json.loads, file) if version["version"] == 1]
    texts = {version["path"]: version["text"].encode() for version in versions[:REAL_DOCUMENTS]}
    progress(f"ingest: {len(texts)} real documents")
    with opened(ConstantEmbedder()) as bench:
        taken = sum(cpu(partial(bench.put, uri, text)) for uri, text in texts.items())
    size = sum(map(len, texts.values()))
    return "ingest, real documents", size / taken / 1e6, f"MB/s; {len(texts)} documents, {size / 1e3:.0f} kB"
