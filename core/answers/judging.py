"""Reading what became of the words that claims rest on, for `core.answers.recheck` to judge.

The model that rule 4 reads with may be far away and slow, so that words are read in first (`found`), and judged when
the transaction has ended (`judge`). Where nothing near still says a claim, `akin` seeks it elsewhere in a transaction
of its own, which does wait for the model, for the claim alone: what is nearest to it is found by its vector.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from core.answers.diff import nearest
from core.answers.recheck import Judged, Reading, evidence_state, in_question, reread, same_matter
from core.answers.saved import Claims, questions_of, spans_of
from core.answers.status import ClaimState, Severity
from core.model.clarifying import ClarificationState
from core.model.evidence import Resolution, Standing
from core.model.ports import Library, Questions, Read, Reader
from core.model.spans import SpanRef


@dataclass(frozen=True, slots=True)
class Today:
    """One moment and one reader, who asked: a transaction of core.store, the time, the sources they may read."""

    tx: Any
    now: int
    readable: Collection[UUID]


@dataclass(frozen=True, slots=True)
class Found:
    """What became of a claim: its state by rules 1 and 2, and for rule 4 the words that stand near.

    `cited`: all the words that bore it; none where some are gone. `known`: what they were said of, the claim included.
    """

    text: str
    state: ClaimState
    questions: Sequence[ClarificationState | None] = ()
    clearable: bool = True
    near: Sequence[str] = ()
    cited: Sequence[str] = ()
    known: str = ""


Akin = Callable[[Found], Sequence[str]]
"""Words elsewhere, of the same matter as a claim."""


class Judging:
    def __init__(self, library: Library, reader: Reader, questions: Questions) -> None:
        self._library = library
        self._reader = reader
        self._questions = questions

    def found(self, today: Today, claims: Claims) -> list[Found]:
        """What each claim is to be judged by, as things stand for this reader."""
        spans = [span for claim in claims for span in spans_of(claim)]
        resolved = self._library.resolve(today.tx, spans, today.readable, today.now)
        states = self._questions.states(today.tx, {one for claim in claims for one in questions_of(claim)})
        return [
            Found(claim["text"], ClaimState.INVALIDATED)
            if claim.get("erased")
            else self._found(
                today,
                claim["text"],
                {span: resolved[span] for span in spans_of(claim)},
                [states.get(one) for one in questions_of(claim)],
            )
            for claim in claims
        ]

    def _found(
        self,
        today: Today,
        text: str,
        resolved: Mapping[SpanRef, Resolution],
        questions: Sequence[ClarificationState | None],
    ) -> Found:
        state = evidence_state(list(resolved.values()))
        if state is not ClaimState.AFFECTED:
            return Found(text, state, questions)
        moved = {span: found for span, found in resolved.items() if found.standing is Standing.SUPERSEDED}
        clearable = all(found.span is None or found.clearable for found in moved.values())
        known = " ".join([text, *self._matter(today, list(moved))])
        near, cited = self._near(today, moved), self._cited(today, list(moved))
        return Found(text, state, questions, clearable, near, cited, known)

    def judge(self, found: Sequence[Found], question: str, akin: Akin) -> list[Judged]:
        """Each claim by the four rules; outside of any transaction."""
        return [in_question(self._by_words(one, question, akin), one.questions) for one in found]

    def _by_words(self, one: Found, question: str, akin: Akin) -> Judged:
        """Rules 1, 2 and 4."""
        if one.state is not ClaimState.AFFECTED:
            return Judged(one.state)
        after = nearest(one.text, one.near)
        if not one.clearable:
            return Judged(ClaimState.AFFECTED, Severity.MATERIAL, after)
        return reread(self._read(one, question, after, akin), after)

    def _near(self, today: Today, moved: Mapping[SpanRef, Resolution]) -> list[str]:
        """The words themselves where they stand in another context, then what stands now where they stood."""
        places = [found.span for found in moved.values() if found.span is not None]
        units = self._library.units(today.tx, places)
        words = [unit.said for place in places for unit in units.get(place, ())]
        return [*words, *self._library.around(today.tx, list(moved), today.now)]

    def _cited(self, today: Today, moved: Sequence[SpanRef]) -> list[str]:
        cited = self._library.units(today.tx, moved)
        return [unit.said for span in moved for unit in cited[span]] if all(cited.get(span) for span in moved) else []

    def _read(self, one: Found, question: str, after: str, akin: Akin) -> Reading | None:
        """Rule 4: the sections that held the evidence first; where nothing near is there, all the owner may read."""
        verdict = self._reader.still_says(one.text, one.near, question)
        if verdict is None:
            return None
        if verdict.says or self._evidence_says(one, question):
            return Reading(says=True, numbers_differ=False, nearest="")
        if after or verdict.numbers_differ:
            return Reading(says=False, numbers_differ=verdict.numbers_differ, nearest=after)
        elsewhere = self._reader.still_says(one.text, akin(one), question)
        return Reading(says=_says(elsewhere), numbers_differ=False, nearest="")

    def _evidence_says(self, one: Found, question: str) -> bool:
        """Whether all the words that bore the claim are still said: then they bear it still, however it put them."""
        if list(one.cited) in ([], [one.text]):
            return False
        return all(_says(self._reader.still_says(said, one.near, question)) for said in one.cited)

    def akin(self, today: Today, one: Found) -> list[str]:
        """Words elsewhere that are near to a claim and of the same matter."""
        found = self._reader.candidates(today.tx, one.text, today.readable, today.now)
        matter = self._matter(today, [unit.span for unit in found])
        return [unit.said for unit, about in zip(found, matter, strict=True) if same_matter(about, one.known)]

    def _matter(self, today: Today, spans: Sequence[SpanRef]) -> list[str]:
        """What each span is said of: the title of its document, its headings, and what leads it in."""
        passages, units = self._library.passages(today.tx, spans), self._library.units(today.tx, spans)
        titles = {span: found.source_name for span, found in passages.items()}
        return [" ".join([titles.get(span, ""), *(unit.context for unit in units.get(span, ()))]) for span in spans]


def _says(read: Read | None) -> bool:
    return read is not None and read.says
