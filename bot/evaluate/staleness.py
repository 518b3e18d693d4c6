"""Does a saved answer turn stale when its fact changes, and only then?

For every labelled edit an answer is saved whose one claim is the sentence or table row that holds the old words, then
the next version is taken in and the answer is judged by the engine's own recheck. Documents are independent, so each is
replayed in a database of its own, which is thrown away after it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from bot.evaluate.data import Progress, Row, rows
from bot.sources import VersionRow, versions
from core.clock import SECOND, ManualClock
from core.config import MemoryConfig
from core.embed.protocol import Embedder
from core.errors import InvalidRequest
from core.ingest.reading import read
from core.ingest.units import Unit, units
from core.memory import DEFAULT_TENANT, Memory
from core.model.answers import Answer
from core.model.principals import EVERYONE, Principal
from core.model.spans import Kind, SpanRef
from core.text.fold import fold

_CURRENT = "current"
_LONGEST_QUOTE = 6
"""Sentences that one quotation may run over."""


class Change(Row):
    """What one edit did to one fact; `new` is absent where the fact went."""

    id: str
    question_id: str
    path: str
    from_version: int
    to_version: int
    fact_changed: bool
    edit_kind: str
    old: str
    new: str | None = None


class Asked(Row):
    id: str
    question: str


@dataclass(frozen=True, slots=True)
class Judged:
    """`refreshed`: whether asking again came out right; None where it was not asked.

    Right is an answer with the new words; where the fact went, one without the old words, or none, and then the old
    answer is left as what it is: stale.
    """

    change: Change
    status: str
    refreshed: bool | None = None

    @property
    def stale(self) -> bool:
        return self.status != _CURRENT


@dataclass(slots=True)
class StalenessReport:
    """`unlocated`: edits whose old words stand in no sentence of their version; they are not judged."""

    judged: list[Judged] = field(default_factory=list)
    unlocated: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        changed = [one for one in self.judged if one.change.fact_changed]
        unchanged = [one for one in self.judged if not one.change.fact_changed]
        refreshed = [one for one in changed if one.refreshed is not None]
        replaced = [one.refreshed for one in refreshed if one.change.new is not None]
        gone = [one.refreshed for one in refreshed if one.change.new is None]
        return {
            "changed": len(changed),
            "missed": [one.change.id for one in changed if not one.stale],
            "unchanged": len(unchanged),
            "false_alarms": [one.change.id for one in unchanged if one.stale],
            "by_edit_kind": _by_kind(self.judged),
            "refreshed": len(refreshed),
            "refreshed_right": len([one for one in refreshed if one.refreshed]),
            "replaced": len(replaced),
            "replaced_shows_new": sum(filter(None, replaced)),
            "removed": len(gone),
            "removed_not_said": sum(filter(None, gone)),
            "unlocated": self.unlocated,
        }


def _by_kind(judged: Sequence[Judged]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in judged:
        expected = "changed" if one.change.fact_changed else "unchanged"
        counts[f"{expected}: {one.change.edit_kind}"]["stale" if one.stale else "current"] += 1
    return {kind: dict(count) for kind, count in sorted(counts.items())}


def staleness(folder: Path, embedder: Embedder | None, config: MemoryConfig, on_progress: Progress) -> StalenessReport:
    """Judge every row of changes.jsonl by versions.jsonl and questions.jsonl. Raises InvalidRequest."""
    by_path: dict[str, list[Change]] = defaultdict(list)
    for change in rows(folder / "changes.jsonl", Change):
        by_path[change.path].append(change)
    questions = {asked.id: asked.question for asked in rows(folder / "questions.jsonl", Asked)}
    history: dict[str, list[VersionRow]] = defaultdict(list)
    for version in versions(folder / "versions.jsonl"):
        history[version.path].append(version)
    report = StalenessReport()
    for done, (path, changes) in enumerate(sorted(by_path.items())):
        on_progress(done, len(by_path))
        with TemporaryDirectory() as scratch, _memory(Path(scratch), embedder, config) as memory:
            _Replay(memory, history[path], questions, report, asks=embedder is not None).judge(path, changes)
    on_progress(len(by_path), len(by_path))
    return report


def _memory(scratch: Path, embedder: Embedder | None, config: MemoryConfig) -> Memory:
    memory = Memory(f"sqlite:///{scratch / 'replay.db'}", embedder=embedder, config=config, clock=ManualClock(0))
    memory.people.ensure_tenant(DEFAULT_TENANT, "Evaluation")
    return memory


class _Replay:
    """One document's history, in one memory."""

    def __init__(
        self,
        memory: Memory,
        history: Sequence[VersionRow],
        questions: dict[str, str],
        report: StalenessReport,
        *,
        asks: bool,
    ) -> None:
        assert isinstance(memory.clock, ManualClock)
        self._memory = memory
        self._clock = memory.clock
        self._history = history
        self._questions = questions
        self._report = report
        self._asks = asks
        self._reader = self._someone()

    def _someone(self) -> Principal:
        person = self._memory.people.put(DEFAULT_TENANT, "Reader")
        return self._memory.people.principal(DEFAULT_TENANT, person)

    def judge(self, path: str, changes: Sequence[Change]) -> None:
        """Versions are numbered from 1 in the order of their times."""
        last = len(self._history)
        for change in changes:
            if not 1 <= change.from_version < change.to_version <= last:
                raise InvalidRequest(f"{change.id}: {path} has versions 1 to {last}, not {change.to_version}")
        waiting: dict[int, list[tuple[Change, UUID]]] = defaultdict(list)
        for number, version in enumerate(self._history, 1):
            self._take_in(version)
            for change, answer_id in waiting.pop(number, []):
                self._report.judged.append(self._checked(change, answer_id))
            for change in changes:
                if change.from_version == number and (answer := self._saved(version, change)):
                    waiting[change.to_version].append((change, answer))

    def _take_in(self, version: VersionRow) -> None:
        self._clock.ts = max(version.committed_at, self._clock.ts + SECOND)
        self._memory.ingest(version.path, version.text.encode(), readers=[EVERYONE])
        self._clock.advance(SECOND)

    def _saved(self, version: VersionRow, change: Change) -> UUID | None:
        """The answer that quotes the old words where they stand now; None where no sentence holds them."""
        place = locate(version, change.old)
        if place is None:
            self._report.unlocated.append(change.id)
            return None
        view = next(view for view in self._memory.documents.standing("default") if view.uri == version.path)
        span = SpanRef(view.source_id, view.version_tx, *place)
        quoted = self._memory.quote(self._questions.get(change.question_id, change.old), span, self._reader)
        return self._memory.save_answer(quoted.trace_id, self._reader)

    def _checked(self, change: Change, answer_id: UUID) -> Judged:
        self._memory.check_answer(answer_id)
        status = self._memory.answer(answer_id, self._reader).status
        if not change.fact_changed or not self._asks:
            return Judged(change, status)
        return Judged(
            change, status, refreshed_right(change, status, self._memory.refresh_answer(answer_id, self._reader).answer)
        )


def refreshed_right(change: Change, status: str, refreshed: Answer | None) -> bool:
    if refreshed is None:
        return change.new is None and status != _CURRENT
    return _shows(refreshed, change.new) if change.new is not None else not _shows(refreshed, change.old)


def _shows(answer: Answer, words: str) -> bool:
    cited = " ".join(passage.text for claim in answer.claims for passage in claim.citations)
    return fold(words) in fold(cited) or bool(_as_written(words).search(cited.encode()))


def locate(version: VersionRow, words: str) -> tuple[int, int] | None:
    """Byte offsets of the sentences, or the table row, that hold `words`, as written or else folded; headings last."""
    document = read(version.text.encode(), media_type=None, uri=version.path)
    raw, found = document.text.encode(), units(document)
    runs = [run for match in _as_written(words).finditer(raw) if (run := _covering(found, *match.span()))]
    runs = runs or [run for run in _runs(found) if fold(words) in fold(raw[run[0].start : run[-1].end].decode())]
    best = min(runs, key=lambda run: (document.blocks[run[0].block].kind is Kind.HEADING, len(run)), default=None)
    return None if best is None else (best[0].start, best[-1].end)


def _as_written(words: str) -> re.Pattern[bytes]:
    """These very words, however they are wrapped. A label may cut through markup, which folding would then not see."""
    return re.compile(rb"\s+".join(map(re.escape, words.encode().split())))


def _covering(found: Sequence[Unit], start: int, end: int) -> Sequence[Unit]:
    return [unit for unit in found if unit.start < end and start < unit.end]


def _runs(found: Sequence[Unit]) -> Iterator[Sequence[Unit]]:
    return (found[i : i + length] for length in range(1, _LONGEST_QUOTE + 1) for i in range(len(found) - length + 1))
