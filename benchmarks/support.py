"""What the benchmarks share: a memory of their own, made-up documents, and clocks.

Times are of the processor, so that what else the machine does weighs little.
"""

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.clock import SECOND, ManualClock
from core.config import MemoryConfig
from core.embed.hashing import HashingEmbedder
from core.embed.protocol import Embedder
from core.memory import DEFAULT_TENANT, Memory
from core.model.principals import EVERYONE, Principal
from core.model.work import Place
from core.store.database import Database

Line = tuple[str, float, str]
"""What was measured, the figure, and what it is made of."""

KEY = Ed25519PrivateKey.generate()
KEY_ID = "k"
_START = 1_800_000_000 * SECOND
_WORDS_A_SECTION = 40
_SYLLABLES = ("ba", "de", "fi", "go", "lu", "ma", "ne", "pi", "ro", "su", "ta", "ve", "wi", "zo", "ka", "ler")
_VOCABULARY = [a + b + c for a in _SYLLABLES for b in _SYLLABLES for c in _SYLLABLES]


@dataclass(frozen=True)
class Bench:
    """`database` opens the same file as `memory`, for what a benchmark sets up or reads behind its back."""

    memory: Memory
    database: Database
    clock: ManualClock
    person: Principal

    def put(self, uri: str, data: bytes) -> None:
        """Ingest, and let a second pass."""
        self.memory.ingest(uri, data, readers=[EVERYONE])
        self.clock.advance(SECOND)


@contextmanager
def opened(embedder: Embedder | None = None, config: MemoryConfig | None = None) -> Iterator[Bench]:
    """An empty memory on a temporary SQLite file, with one tenant and one person."""
    with TemporaryDirectory() as folder:
        url, clock = f"sqlite:///{folder}/memory.db", ManualClock(_START)
        with Memory(
            url, embedder=embedder or HashingEmbedder(), config=config, clock=clock, keys={KEY_ID: KEY.public_key()}
        ) as memory:
            memory.people.ensure_tenant(DEFAULT_TENANT, "Benchmarks")
            person_id = memory.people.put(DEFAULT_TENANT, "Ada")
            memory.people.bind(DEFAULT_TENANT, person_id, Place("local", "local", "ada"))
            database = Database(url, clock)
            yield Bench(memory, database, clock, memory.people.principal(DEFAULT_TENANT, person_id))
            database.close()


def document(sections: int, *, seed: int = 0, edited: int | None = None) -> bytes:
    """Markdown with a heading and a paragraph a section; `edited` is the section that says something else."""
    dice = random.Random(seed)
    parts = [f"# Handbook {seed}"]
    for number in range(sections):
        words = [dice.choice(_VOCABULARY) for _ in range(_WORDS_A_SECTION)]
        limit = dice.randrange(1000) + (1000 if number == edited else 0)
        first, second = " ".join(words[:20]).capitalize(), " ".join(words[20:]).capitalize()
        parts.append(f"## {words[0].capitalize()} {number}\n\n{first} at most {limit} EUR. {second}.")
    return "\n\n".join(parts).encode()


def question(seed: int) -> str:
    dice = random.Random(seed)
    return f"How many {' '.join(dice.choice(_VOCABULARY) for _ in range(4))} at most?"


def claims(count: int) -> list[str]:
    """Of each of the first sections of `document(1_000)` some words, and another limit than it names."""
    sections = document(1_000).decode().split("\n\n")[2::2]
    return [f"{' '.join(words.split()[:8])} at most {seed} EUR." for seed, words in enumerate(sections[:count])]


def cpu(call: Callable[[], object]) -> float:
    """Seconds of processor time that a call takes."""
    start = time.process_time()
    call()
    return time.process_time() - start


def progress(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def data_folder() -> Path | None:
    """The folder of real input; None, and a word about it, where there is none."""
    named = Path(os.environ.get("CLARIFY_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if named.is_dir():
        return named
    progress(f"skipped what needs real documents: no folder {named}; name one in CLARIFY_DATA")
    return None
