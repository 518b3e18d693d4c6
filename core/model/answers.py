"""An answer, what it claims, and what it rests on."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from core.model.clarifying import OpenQuestion
from core.model.evidence import Passage
from core.model.spans import SpanRef
from core.model.verdicts import Gate, Support, Verdict

EXTRACTIVE = "extractive"
"""What stands for a model where an answer was chosen, not written."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that an answer cost. `estimated`: the model's server did not say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer with the exact words it rests on; none: it is without a source.

    `quoted`: it is those words, and there is nothing to judge. `verdict` None besides: nobody could judge it.
    `questions`: what is open about the words it rests on.
    """

    text: str
    citations: tuple[Passage, ...]
    quoted: bool
    verdict: Verdict | None = None
    questions: tuple[OpenQuestion, ...] = ()

    @property
    def is_borne(self) -> bool:
        """Whether its source says it, word for word, wholly or in part."""
        return self.quoted or (self.verdict is not None and self.verdict.verdict is not Support.UNSUPPORTED)

    @property
    def severity(self) -> Literal["material"] | None:
        """Material where a number, a date or a negation is not as its source has it."""
        signals = self.verdict.signals if self.verdict else None
        differs = signals is not None and Gate.CAPPED in {signals.numeric_gate, signals.negation}
        return "material" if differs else None


@dataclass(frozen=True, slots=True)
class Cited:
    """A section an answer rests on: what [Watch this] would watch."""

    node_id: UUID
    title: str


@dataclass(frozen=True, slots=True)
class Answer:
    """`known` False: nothing is close enough, and `nearest` are the passages that come closest.

    `grounded` False: there was no evidence, and a model answered all the same, as it was allowed to. `read`: the
    sources that a model was shown, whose words may be anywhere in what it wrote.
    """

    trace_id: UUID
    question: str
    text: str
    claims: tuple[Claim, ...]
    sections: tuple[Cited, ...]
    nearest: tuple[Passage, ...]
    plan_hash: str
    best_cosine: float
    model: str = EXTRACTIVE
    usage: Usage = Usage()
    grounded: bool = True
    read: frozenset[UUID] = frozenset()
    nearness: float = 0.0
    """What `answers.min_cosine` is held against (core.generate.nearness)."""

    @property
    def known(self) -> bool:
        return bool(self.claims)


@dataclass(frozen=True, slots=True)
class Refreshed:
    """`answer_id`: what stands now. `answer`: the new answer; None where the old stayed or was refreshed `already`."""

    answer_id: UUID
    answer: Answer | None
    already: bool


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """A saved claim as last checked: `after` is what stands in its place now, empty where nothing does.

    `citations`: where the words stand that it was made from, of those that may be read today.
    """

    text: str
    state: str
    severity: str | None
    after: str
    caveat: str | None
    citations: tuple[SpanRef, ...]


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What a saved answer rests on: it is checked again when one of these moves."""

    sources: tuple[UUID, ...]
    clarifications: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class SavedAnswer:
    """A saved answer as its owner may see it today.

    `withheld`: it rests on more than is told, which they may not read, or which is not there any more.
    """

    answer_id: UUID
    question: str
    text: str
    status: str
    severity: str | None
    claims: tuple[ClaimCheck, ...]
    dependencies: Dependencies
    withheld: bool
    trace_id: UUID
    plan_hash: str
    saved_at: int
    checked_at: int
    supersedes: UUID | None
    superseded_by: UUID | None
    version_tx: int


@dataclass(frozen=True, slots=True)
class AnswerMove:
    """One version of a saved answer: since when (Ts), and which claims, by their place, were judged otherwise."""

    at: int
    version_tx: int
    status: str
    severity: str | None
    changed_claims: tuple[int, ...]


def readable_claims(props: Mapping[str, Any], readable: Collection[UUID]) -> list[Mapping[str, Any]]:
    """The claims of a saved answer; what replaced their words is withheld where its source may no longer be read."""
    claims: Sequence[Mapping[str, Any]] = props["claims"]
    return [
        claim if all(UUID(citation[0]) in readable for citation in claim["citations"]) else {**claim, "after": ""}
        for claim in claims
    ]


def saved_from_props(
    answer_id: UUID,
    props: Mapping[str, Any],
    version_tx: int,
    readable: Collection[UUID],
    questions: Collection[UUID],
) -> SavedAnswer:
    """A saved answer for a reader of these sources, to whom these clarifications are there."""
    before, by = props.get("supersedes"), props.get("supersededBy")
    whole = Dependencies(*(tuple(map(UUID, props["dependencies"][name])) for name in ("sources", "clarifications")))
    told = Dependencies(
        tuple(one for one in whole.sources if one in readable),
        tuple(one for one in whole.clarifications if one in questions),
    )
    return SavedAnswer(
        answer_id,
        props["question"],
        props["answerText"],
        props["status"],
        props["severity"],
        tuple(
            ClaimCheck(
                c["text"], c["state"], c.get("severity"), c.get("after", ""), c.get("caveat"), _citations(c, readable)
            )
            for c in readable_claims(props, readable)
        ),
        told,
        told != whole,
        UUID(props["traceId"]),
        props["planHash"],
        props["savedAt"],
        props["checkedAt"],
        UUID(before) if before else None,
        UUID(by) if by else None,
        version_tx,
    )


def _citations(claim: Mapping[str, Any], readable: Collection[UUID]) -> tuple[SpanRef, ...]:
    spans = (SpanRef(UUID(source), tx, start, end) for source, tx, start, end in claim["citations"])
    return tuple(span for span in spans if span.source_id in readable)
