"""When a thread has grown beyond what a model could hold of it: what is kept, and what is put aside for good. Pure.

The window is that of a prompt without evidence, which is the same for every question: a question with much evidence
once must not shorten the conversation for all that come after.
"""

from collections.abc import Sequence

from core.contextplan import ContextPlanError, TokenEstimator, Window, compact
from core.conversation.payloads import Told
from core.model.threads import REASONING, Room


def to_drop(told: Sequence[Told], room: Room, estimator: TokenEstimator) -> tuple[str, list[Told]]:
    """The compaction's key, and what it drops; nothing below the trigger, and where it can keep what it must not.

    A plan then leaves out what has no room, as it always does.
    """
    weighed = [one for one in told if not one.withheld and one.kind != REASONING]
    messages = [one.message for one in weighed]
    try:
        result = compact(messages, Window(room.whole, room.whole - room.widest), estimator)
    except ContextPlanError:
        return "", []
    kept = set(map(id, result.kept))
    return result.key, [one for one, message in zip(weighed, messages, strict=True) if id(message) not in kept]
