"""Reading what became of the words that claims rest on, for `core.answers.recheck` to judge."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from core.answers.diff import nearest
from core.answers.recheck import Judged, Reading, evidence_state, in_question, reread, same_matter
from core.answers.saved import Claims, questions_of, spans_of
from core.answers.status import ClaimState, Severity
from core.model.evidence import Resolution, Standing
from core.model.ports import Library, Questions, Read, Reader
from core.model.spans import SpanRef


@dataclass(frozen=True, slots=True)
class Today:
    """One moment and one reader, who asked: a transaction of core.store, the time, the sources they may read."""

    tx: Any
    now: int
    readable: Collection[UUID]
    question: str


class Judging:
    def __init__(self, library: Library, reader: Reader, questions: Questions) -> None:
        self._library = library
        self._reader = reader
        self._questions = questions

    def judge(self, today: Today, claims: Claims) -> list[Judged]:
        """Each claim by the four rules, as things stand for this reader."""
        spans = [span for claim in claims for span in spans_of(claim)]
        resolved = self._library.resolve(today.tx, spans, today.readable, today.now)
        states = self._questions.states(today.tx, {one for claim in claims for one in questions_of(claim)})
        return [
            Judged(ClaimState.INVALIDATED)
            if claim.get("erased")
            else in_question(
                self._by_words(today, claim["text"], {span: resolved[span] for span in spans_of(claim)}),
                [states.get(one) for one in questions_of(claim)],
            )
            for claim in claims
        ]

    def _by_words(self, today: Today, text: str, resolved: Mapping[SpanRef, Resolution]) -> Judged:
        """Rules 1, 2 and 4."""
        state = evidence_state(list(resolved.values()))
        if state is not ClaimState.AFFECTED:
            return Judged(state)
        moved = {span: found for span, found in resolved.items() if found.standing is Standing.SUPERSEDED}
        near = self._near(today, moved)
        if any(found.span is not None and not found.clearable for found in moved.values()):
            return Judged(ClaimState.AFFECTED, Severity.MATERIAL, nearest(text, near))
        return reread(self._read(today, text, list(moved), near), nearest(text, near))

    def _near(self, today: Today, moved: Mapping[SpanRef, Resolution]) -> list[str]:
        """The words themselves where they stand in another context, then what stands now where they stood."""
        places = [found.span for found in moved.values() if found.span is not None]
        units = self._library.units(today.tx, places)
        words = [unit.said for place in places for unit in units.get(place, ())]
        return [*words, *self._library.around(today.tx, list(moved), today.now)]

    def _read(self, today: Today, text: str, moved: Sequence[SpanRef], near: Sequence[str]) -> Reading | None:
        """Rule 4: the sections that held the evidence first; where nothing near is there, all the owner may read."""
        verdict = self._reader.still_says(text, near, today.question)
        if verdict is None:
            return None
        after = nearest(text, near)
        if verdict.says or self._evidence_says(today, text, moved, near):
            return Reading(says=True, numbers_differ=False, nearest="")
        if after or verdict.numbers_differ:
            return Reading(says=False, numbers_differ=verdict.numbers_differ, nearest=after)
        elsewhere = self._elsewhere(today, text, moved)
        return Reading(says=elsewhere is not None and elsewhere.says, numbers_differ=False, nearest="")

    def _evidence_says(self, today: Today, text: str, moved: Sequence[SpanRef], near: Sequence[str]) -> bool:
        """Whether all the words that bore the claim are still said: then they bear it still, however it put them."""
        cited = self._library.units(today.tx, moved)
        words = [unit.said for span in moved for unit in cited.get(span, ())]
        if words in ([], [text]) or not all(cited.get(span) for span in moved):
            return False
        return all(_says(self._reader.still_says(said, near, today.question)) for said in words)

    def _elsewhere(self, today: Today, text: str, moved: Sequence[SpanRef]) -> Read | None:
        """Whether other words of the same matter still say it."""
        known = " ".join([text, *self._matter(today, moved)])
        found = self._reader.candidates(today.tx, text, today.readable, today.now)
        matter = dict(zip(found, self._matter(today, [unit.span for unit in found]), strict=True))
        akin = [unit.said for unit in found if same_matter(matter[unit], known)]
        return self._reader.still_says(text, akin, today.question)

    def _matter(self, today: Today, spans: Sequence[SpanRef]) -> list[str]:
        """What each span is said of: the title of its document, its headings, and what leads it in."""
        passages, units = self._library.passages(today.tx, spans), self._library.units(today.tx, spans)
        titles = {span: found.source_name for span, found in passages.items()}
        return [" ".join([titles.get(span, ""), *(unit.context for unit in units.get(span, ()))]) for span in spans]


def _says(read: Read | None) -> bool:
    return read is not None and read.says
