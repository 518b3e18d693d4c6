"""What an endpoint is: a line of the table, what its handler is given, and what it hands back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeVar
from uuid import UUID

from bot.http.v1.shapes import Asked, Told
from core.memory import Memory
from core.model.principals import Principal

B = TypeVar("B")
Q = TypeVar("Q")


class Nothing(Asked):
    """No parameters."""


class Pace(StrEnum):
    """How long core may take."""

    BRIEF = "brief"
    """A look or a small write: milliseconds."""
    LONG = "long"
    """It asks a model, or takes a document in."""


@dataclass(frozen=True, slots=True)
class Document:
    """A body that is no JSON: a document, as it was sent."""

    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Call(Generic[B, Q]):
    """One request, read and checked. `at`: what the path names, an id or an uri."""

    memory: Memory
    principal: Principal
    body: B
    query: Q
    at: str

    @property
    def id(self) -> UUID:
        """The id that the path names."""
        return UUID(self.at)


@dataclass(frozen=True, slots=True)
class Reply:
    """`location`: of what was made, below `/v1`."""

    body: Told | None
    status: int = 200
    location: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is sent back."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Route:
    """One endpoint. Its handler's docstring says what it does. `problems`: what it may say no with besides.

    `personal`: only a key that stands for a person has this. `creates`: it minds an `Idempotency-Key`.
    `query_at`: where in its body a query stands.
    """

    method: str
    path: str
    handler: Callable[[Call[Any, Any]], Reply]
    answers: type[Told] | None
    body: type[Asked] | type[Document] | None = None
    query: type[Asked] = Nothing
    statuses: tuple[int, ...] = (200,)
    problems: tuple[str, ...] = ()
    pace: Pace = Pace.BRIEF
    personal: bool = False
    creates: bool = False
    query_at: tuple[int | str, ...] = ()
