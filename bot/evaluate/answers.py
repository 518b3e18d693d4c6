"""Do the first sentences of an answer hold what was asked?

Every document stands in one memory. A question is asked while its own document stands at the newest version that
holds its answer, so the versions that any question needs are taken in one after another; documents that need none
stand at their newest. A fact is shown where the sentences hold the label's answer as words, or its quotation.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.evaluate.data import Progress, Row, rows
from bot.evaluate.statistics import wilson
from bot.sources import VersionRow, versions
from core.clock import DAY, SECOND, ManualClock
from core.config import MemoryConfig
from core.embed.protocol import Embedder
from core.errors import InsufficientEvidence, InvalidRequest, SemanticUnavailable
from core.memory import DEFAULT_TENANT, Memory
from core.model.answers import Claim
from core.model.principals import EVERYONE, Principal
from core.text.fold import fold

_FIRST = 2
_TELLING = 3
"""An answer of fewer letters, such as a single digit, stands in many sentences; then the quotation must be shown."""


class Fact(Row):
    """The words that answer, as one version has them."""

    quote: str
    answer: str


class LabelledQuestion(Row):
    """`by_version`: the versions that hold the answer, numbered from 1 in the order of their times."""

    id: str
    question: str
    path: str
    by_version: dict[int, Fact]


@dataclass(frozen=True, slots=True)
class Shown:
    """`place`: which sentence of the answer, from 1, completes the fact; None where none does."""

    question_id: str
    known: bool
    place: int | None


@dataclass(frozen=True, slots=True)
class AnswersReport:
    shown: Sequence[Shown]

    def to_json(self) -> dict[str, Any]:
        places = [one.place or 0 for one in self.shown]
        counts = {"first": 1, "first_two": _FIRST, "anywhere": max(places, default=0)}
        return {
            "questions": len(places),
            "refused": [one.question_id for one in self.shown if not one.known],
            "missed": [one.question_id for one in self.shown if not 0 < (one.place or 0) <= _FIRST],
            **{name: self._share(depth) for name, depth in counts.items()},
        }

    def _share(self, depth: int) -> dict[str, float]:
        hits = sum(one.place is not None and one.place <= depth for one in self.shown)
        share = wilson(hits, len(self.shown))
        return {"hits": hits, "share": share.value, "low": share.low, "high": share.high}


Stage = tuple[list[VersionRow], list[tuple[str, str, Fact]]]
"""Versions to take in, and the questions to ask then: (id, question, the fact that answers)."""


def answers(folder: Path, embedder: Embedder | None, config: MemoryConfig, on_progress: Progress) -> AnswersReport:
    """Ask questions.jsonl of versions.jsonl. Raises InvalidRequest, SemanticUnavailable."""
    if embedder is None:
        raise SemanticUnavailable
    history: dict[str, list[VersionRow]] = defaultdict(list)
    for version in versions(folder / "versions.jsonl"):
        history[version.path].append(version)
    stages = _stages(history, rows(folder / "questions.jsonl", LabelledQuestion))
    shown: list[Shown] = []
    with TemporaryDirectory() as scratch, _memory(Path(scratch), embedder, config) as memory:
        reader = memory.people.principal(DEFAULT_TENANT, memory.people.put(DEFAULT_TENANT, "Reader"))
        for done, (taken_in, asked) in enumerate(stages, 1):
            for version in taken_in:
                memory.ingest(version.path, version.text.encode(), readers=[EVERYONE])
            memory.clock.advance(SECOND)  # type: ignore[attr-defined]  # a ManualClock
            shown += [_ask(memory, reader, *question) for question in asked]
            on_progress(done, len(stages))
    return AnswersReport(shown)


def _memory(scratch: Path, embedder: Embedder, config: MemoryConfig) -> Memory:
    memory = Memory(f"sqlite:///{scratch / 'answers.db'}", embedder=embedder, config=config, clock=ManualClock(DAY))
    memory.people.ensure_tenant(DEFAULT_TENANT, "Evaluation")
    return memory


def _stages(history: Mapping[str, Sequence[VersionRow]], questions: Sequence[LabelledQuestion]) -> list[Stage]:
    asked: dict[str, dict[int, list[LabelledQuestion]]] = defaultdict(dict)
    for question in questions:
        newest = max(question.by_version, default=0)
        if not 1 <= newest <= len(history.get(question.path, ())):
            raise InvalidRequest(f"questions.jsonl: {question.id}: by_version must name versions of {question.path!r}")
        asked[question.path].setdefault(newest, []).append(question)
    needed = {path: sorted(asked[path]) or [len(rows)] for path, rows in history.items()}
    stages: list[Stage] = []
    for turn in range(max(map(len, needed.values()))):
        numbers = [(path, numbers[turn]) for path, numbers in needed.items() if turn < len(numbers)]
        due = [(one, number) for path, number in numbers for one in asked[path].get(number, ())]
        facts = [(one.id, one.question, one.by_version[number]) for one, number in due]
        stages.append(([history[path][number - 1] for path, number in numbers], facts))
    return stages


def _ask(memory: Memory, reader: Principal, question_id: str, question: str, fact: Fact) -> Shown:
    try:
        claims = memory.generate(question, reader).claims
    except InsufficientEvidence:
        claims = ()
    place = next((n for n in range(1, len(claims) + 1) if holds(claims[:n], fact)), None)
    return Shown(question_id, bool(claims), place)


def holds(claims: Sequence[Claim], fact: Fact) -> bool:
    """Whether these sentences, as said or as cited, say the fact. A label may cut through markup."""
    said = fold(" ".join(claim.text for claim in claims))
    cited = " ".join(passage.text for claim in claims for passage in claim.citations)
    words = re.compile(r"\s+".join(map(re.escape, fact.quote.split())))
    if fold(fact.quote) in fold(cited) or words.search(cited):
        return True
    answer = fold(fact.answer)
    return len(answer) >= _TELLING and bool(re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", said))
