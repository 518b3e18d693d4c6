"""The four rules by which a saved claim is judged again. Pure.

1. Evidence tombstoned → invalidated.
2. The cited words no longer stand in the winning version, or stand in another context → affected.
3. A clarification cited as pending has since been decided → affected or conflicted; still open → pending.
4. Affected, and a model is there: the matcher looks at what stands now; only `supported` clears the claim.

The first rule that applies decides. Rule 4 clears what rule 2 found, and then rule 3 is asked: words that say the same
are as much in question as they were. What rule 3 found no wording clears, since the words that were in question stand
as they stood; asking again does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.answers.status import ClaimState, Severity
from core.model.clarifying import ClarificationState
from core.model.evidence import Resolution, Standing
from core.text.terms import terms

UNAVAILABLE = "verification:unavailable"
DECIDED = "clarification:decided"


@dataclass(frozen=True, slots=True)
class Reading:
    """What rule 4 found. `says`: the words standing now bear the claim. `nearest`: what stands in its place."""

    says: bool
    numbers_differ: bool
    nearest: str


@dataclass(frozen=True, slots=True)
class Judged:
    state: ClaimState
    severity: Severity | None = None
    after: str = ""
    caveat: str | None = None


Questions = Sequence[ClarificationState | None]
"""How each clarification that a claim depends on stands; None for one that is gone."""


def evidence_state(resolutions: Sequence[Resolution]) -> ClaimState:
    """Rules 1 and 2: what the worst of a claim's citations says."""
    standings = {resolution.standing for resolution in resolutions}
    if Standing.TOMBSTONED in standings:
        return ClaimState.INVALIDATED
    return ClaimState.AFFECTED if Standing.SUPERSEDED in standings else ClaimState.OK


def reread(reading: Reading | None, nearest: str = "") -> Judged:
    """Rule 4 on an affected claim; None where there is no model to read with."""
    if reading is None:
        return Judged(ClaimState.AFFECTED, after=nearest, caveat=UNAVAILABLE)
    if reading.says:
        return Judged(ClaimState.OK)
    return Judged(ClaimState.AFFECTED, Severity.MATERIAL if reading.numbers_differ else None, reading.nearest)


def same_matter(context: str, known: str) -> bool:
    """Whether words elsewhere stand under nothing that the claim and its evidence do not name.

    Another office's page may say the same of its own opening hours, and an archive what held once.
    """
    return set(terms(context)) <= set(terms(known))


def in_question(judged: Judged, questions: Questions) -> Judged:
    """Rule 3, on a claim that the rules before it leave well."""
    if judged.state is not ClaimState.OK or not questions:
        return judged
    if ClarificationState.CONFLICTED in questions:
        return Judged(ClaimState.CONFLICTED)
    if ClarificationState.PENDING in questions:
        return Judged(ClaimState.PENDING)
    return Judged(ClaimState.AFFECTED, caveat=DECIDED)


def quoted_as(questions: Questions) -> Judged:
    """A claim as it is saved: in question if it was so when it was made, though it has been decided meanwhile.

    The first check finds the decision, so that the owner is told of it.
    """
    if not questions:
        return Judged(ClaimState.OK)
    conflicted = ClarificationState.CONFLICTED in questions
    return Judged(ClaimState.CONFLICTED if conflicted else ClaimState.PENDING)
