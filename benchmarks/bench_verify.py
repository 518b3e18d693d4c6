"""`verify` of one claim as the memory grows: what it costs beside the model, and how many texts the model reads."""

from collections.abc import Iterator, Sequence
from functools import partial
from statistics import quantiles

from benchmarks.support import Bench, Line, claims, cpu, document, opened, progress
from core.embed.hashing import HashingEmbedder
from core.embed.protocol import Vectors
from core.verify.request import VerifyRequest

QUICK = {"sizes": (1_000, 10_000)}
SIZES = (10_000, 100_000)
SECTIONS_A_DOCUMENT = 1_000
CLAIMS = 40


class _Counting(HashingEmbedder):
    texts = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += len(texts)
        return super().embed(texts)


def run(sizes: Sequence[int] = SIZES) -> list[Line]:
    embedder = _Counting()
    with opened(embedder) as bench:
        found = [_at(bench, embedder, done, size) for done, size in zip((0, *sizes), sizes, strict=False)]
        return [line for lines in found for line in lines]


def _at(bench: Bench, embedder: _Counting, done: int, size: int) -> Iterator[Line]:
    progress(f"verify: {size:,} spans")
    for number in range(done // SECTIONS_A_DOCUMENT, size // SECTIONS_A_DOCUMENT):
        bench.put(f"{number}.md", document(SECTIONS_A_DOCUMENT, seed=number))
    _verify(bench, "Whatever comes first takes the spans into the index.")
    embedder.texts = 0
    times = [cpu(partial(_verify, bench, claim)) for claim in claims(CLAIMS)]
    cuts = quantiles(times, n=20)
    yield f"verify a claim, {size:,} spans, p50", cuts[9] * 1e3, "ms"
    yield f"verify a claim, {size:,} spans, p95", cuts[18] * 1e3, "ms"
    yield f"texts the model reads a claim, {size:,} spans", embedder.texts / CLAIMS, "the claim itself is one"


def _verify(bench: Bench, claim: str) -> None:
    bench.memory.verify(VerifyRequest([claim]), bench.person)
