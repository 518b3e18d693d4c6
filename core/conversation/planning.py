"""What of a thread goes into a prompt, and what is put aside for good before that. Pure.

The window is what evidence and question left. The estimate by which a plan fills it is only likely, so what comes out
is measured as the prompt will be, and planned anew in a smaller window until that holds too: the newest still first,
and a line for all that was left out, whichever of the two was why.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from core.contextplan import ContextPlanner, Elision, ElisionReason, Message, PlanResult, TokenEstimator, Window
from core.conversation.compaction import to_drop
from core.conversation.payloads import ThreadPayloads, Told, session_of
from core.model.threads import Line, Room

_STEP = 15
"""Sixteenths of what would be enough in proportion: so few steps lead to what fits."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A thread in a window: what goes in of what was `told`, what is left out and why, and what is to be put aside.

    `compacted`: what a compaction, by its `key`, drops before; it is none of what was told.
    """

    told: Sequence[Told]
    lines: tuple[Line, ...]
    shown: tuple[Told, ...]
    elisions: Sequence[Elision]
    left_out: tuple[Told, ...]
    estimated_tokens: int
    key: str = ""
    compacted: Sequence[Told] = ()


def planned(told: Sequence[Told], room: Room, estimator: TokenEstimator) -> Fitted:
    """What is to be told of a thread as it stands, by whoever looks, whether or not they write anything down."""
    key, compacted = to_drop(told, room, estimator)
    gone = {one.ref for one in compacted}
    found = fitted([one for one in told if one.ref not in gone], room, estimator)
    return replace(found, key=key, compacted=compacted)


def fitted(told: Sequence[Told], room: Room, estimator: TokenEstimator) -> Fitted:
    """The newest that fits."""
    session, alone = session_of(told), room.spare(())
    budget = max(1, alone)
    while True:
        payloads, window = ThreadPayloads.of(told), Window(room.whole, room.whole - budget)
        plan = ContextPlanner(payloads, payloads).plan(session, window, estimator)
        lines = tuple(map(_line, plan.messages))
        too_much = -room.spare(lines)
        if too_much <= 0 or not lines:
            return _result(told, plan, lines, payloads)
        budget = max(1, budget * alone // (alone + too_much) * _STEP // 16)


def _result(told: Sequence[Told], plan: PlanResult, lines: tuple[Line, ...], payloads: ThreadPayloads) -> Fitted:
    gone = {UUID(elision.ref) for elision in plan.elisions if elision.reason != ElisionReason.RETENTION_EXPIRED}
    shown = tuple(one for one in told if one.ref not in gone)
    return Fitted(told, lines, shown, plan.elisions, tuple(payloads.left_out), plan.estimated_tokens)


def _line(message: Message) -> Line:
    return Line(message.role, message.content.decode("utf-8", "replace"))
