"""What is fitted into a window: messages as a model is given them, and the events of a session they are made from."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolCall:
    id: str
    arguments: bytes | None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """`tool_calls` are an assistant's; `tool_call_id` is the call that a tool's message answers."""

    role: str
    content: bytes
    name: str = ""
    tool_call_id: str = ""
    tool_calls: Sequence[ToolCall] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """What was said, by its place in the payload store: a session holds no words itself."""

    payload_ref: str
    role: str
    kind: str


@dataclass(frozen=True, slots=True)
class Session:
    """Events, oldest first."""

    events: Sequence[Event]


def is_reasoning_event(event: Event) -> bool:
    """A model's own reasoning, which is never shown to a model again."""
    return event.kind == "reasoning"
