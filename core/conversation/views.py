"""A thread explained to its own person: what of it goes into a prompt, what does not and why. Pure."""

from collections.abc import Sequence

from core.contextplan import Elision, ElisionReason, Message, TokenEstimator, stub_content
from core.conversation.payloads import Told
from core.conversation.planning import Fitted
from core.model.threads import Explained

COMPACTED = "compacted"
"""Why an event is no part of any plan any more; the other reasons are those of core.contextplan."""


def explained(compacted: Sequence[Told], found: Fitted, estimator: TokenEstimator) -> list[Explained]:
    """Each event of a thread, oldest first; what was compacted, or is to be by the next prompt, before the rest."""
    reasons = {elision.ref: elision for elision in found.elisions}
    events = [_explained(one, 0, COMPACTED) for one in (*compacted, *found.compacted)]
    for one in found.told:
        elision = reasons.get(str(one.ref))
        inside = _inside(one.content, elision)
        tokens = 0 if inside is None else estimator.estimate([Message(one.role, inside)])
        events.append(_explained(one, tokens, elision.reason.value if elision else ""))
    return events


def _inside(content: bytes, elision: Elision | None) -> bytes | None:
    if elision is None:
        return content
    return stub_content(content) if elision.reason == ElisionReason.RETENTION_EXPIRED else None


def _explained(told: Told, tokens: int, reason: str) -> Explained:
    text = "" if told.withheld else told.content.decode("utf-8", "replace")
    return Explained(told.ref, told.role, told.kind, text, told.size, tokens, reason)
