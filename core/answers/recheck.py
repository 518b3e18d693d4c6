"""The four rules by which a saved claim is judged again. Pure.

1. Evidence tombstoned → invalidated.
2. The cited words no longer stand in the winning version, or stand in another context → affected.
3. A clarification cited as pending has since been decided → affected or conflicted; still open → pending.
4. Affected, and a model is there: the matcher looks at what stands now; only `supported` clears the claim.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.answers.status import ClaimState, Severity
from core.model.evidence import Resolution, Standing

UNAVAILABLE = "verification:unavailable"


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


def evidence_state(resolutions: Sequence[Resolution]) -> ClaimState:
    """Rules 1 and 2: what the worst of a claim's citations says."""
    standings = {resolution.standing for resolution in resolutions}
    if Standing.TOMBSTONED in standings:
        return ClaimState.INVALIDATED
    return ClaimState.AFFECTED if Standing.SUPERSEDED in standings else ClaimState.OK


def reread(reading: Reading | None) -> Judged:
    """Rule 4 on an affected claim; None where there is no model to read with."""
    if reading is None:
        return Judged(ClaimState.AFFECTED, caveat=UNAVAILABLE)
    if reading.says:
        return Judged(ClaimState.OK)
    return Judged(ClaimState.AFFECTED, Severity.MATERIAL if reading.numbers_differ else None, reading.nearest)
