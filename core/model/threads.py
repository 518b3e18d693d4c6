"""A conversation in a thread, as engines and the bot hand it to each other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from core.ids import derived
from core.model.work import Place

STANDARD = "standard"
"""The retention of what may be left out of a window without a trace."""
REASONING = "reasoning"
"""The kind of what a model thought, which is never told to one again."""
USER, ASSISTANT, TOOL = "user", "assistant", "tool"


@dataclass(frozen=True, slots=True)
class Said:
    """Words of one event. `calls`: ids of tool calls made here; `answers`: the one that a tool's words answer.

    `source_ids`: the sources whose words it may hold.
    """

    role: str
    text: str
    kind: str = "message"
    retention: str = STANDARD
    source_ids: Sequence[UUID] = ()
    calls: Sequence[str] = ()
    answers: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one inbound event led to, in order: a question, and what answers it."""

    event_id: str
    said: Sequence[Said]


@dataclass(frozen=True, slots=True)
class Asked:
    """Where a question is asked: its thread, and the event that brought it; "" for one that is no event of it."""

    thread_id: UUID
    event_id: str = ""


@dataclass(frozen=True, slots=True)
class Before:
    """A question that was asked before, and the event it was."""

    ref: UUID
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """What a model is shown of a conversation: words, and whose."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Room:
    """What a prompt leaves to a conversation, in tokens.

    `whole`: what the model holds. `spare`: what is left with these lines in the prompt, below 0 where they are too
    much. `widest`: what would be left without any evidence.
    """

    whole: int
    widest: int
    spare: Callable[[Sequence[Line]], int]


@dataclass(frozen=True, slots=True)
class History:
    """What goes into a prompt, oldest first, and the sources whose words it may hold."""

    lines: Sequence[Line] = ()
    source_ids: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class Explained:
    """An event of a thread. `tokens`: what goes in of it, as estimated. `reason`: why not all does; "" for all."""

    ref: UUID
    role: str
    kind: str
    text: str
    size: int
    tokens: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ThreadView:
    """`budget`: the tokens that a prompt for this question leaves to the thread; `factor`: what the model taught."""

    thread_id: UUID
    model: str
    budget: int
    used: int
    factor: float
    events: Sequence[Explained]

    def to_json(self) -> Mapping[str, Any]:
        return {
            "thread_id": str(self.thread_id),
            "model": self.model,
            "budget": self.budget,
            "used": self.used,
            "factor": round(self.factor, 6),
            "events": [asdict(event) for event in self.events],
        }


def thread_of(tenant_id: str, place: Place) -> UUID:
    """The thread of a place: one chat user's, whoever they are bound to."""
    return derived("thread", tenant_id, place.platform, place.workspace, place.user_id, place.thread or "")


def event_ref(tenant_id: str, event_id: str, number: int) -> UUID:
    """The id of what an inbound event led to, in order from 0."""
    return derived("thread event", tenant_id, event_id, number)
