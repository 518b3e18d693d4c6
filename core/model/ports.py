"""What one engine may ask of another. `core.engines` hands each the real one.

A `tx` is a transaction of core.store; it passes through here unopened.
"""

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from core.model.answers import Answer, Cited
from core.model.clarifying import ClarificationState, OpenQuestion, Voted
from core.model.documents import Document
from core.model.evidence import Passage, Resolution
from core.model.nodes import EdgeWrite, Node, NodeWrite
from core.model.notices import Notice, QuestionLine
from core.model.principals import Principal
from core.model.spans import SpanRef
from core.model.threads import Asked, Before, History, Line, Room, ThreadView
from core.model.verdicts import Verdict
from core.model.watching import Cadence, Event, EventKind, WatchRequest, WatchView

Piece = tuple[tuple[str, ...], str]
"""A passage: its heading path and its words."""


class Graph(Protocol):
    def current(self, tx: Any, ids: Collection[UUID], now: int) -> Mapping[UUID, Node]: ...
    def labelled(self, tx: Any, label: str, now: int) -> list[Node]: ...
    def find(
        self, view: Any, label: str | None, where: Sequence[Mapping[str, Any]]
    ) -> list[tuple[Node, float | None]]: ...
    def standing(self, tx: Any, node_id: UUID, valid: tuple[int, int]) -> list[Node]: ...
    def put(self, tx: Any, record: Any) -> None: ...
    def write(
        self, tx: Any, writes: Sequence[NodeWrite], valid: tuple[int, int], *, known: Container[UUID] | None = None
    ) -> None: ...
    def link(
        self, tx: Any, writes: Sequence[EdgeWrite], valid: tuple[int, int], *, known: Container[UUID] | None = None
    ) -> None: ...


class Finding(Protocol):
    """Finding as the graph does it, in two steps where that is wanted."""

    def find(
        self, view: Any, label: str | None, where: Sequence[Mapping[str, Any]]
    ) -> list[tuple[Node, float | None]]: ...
    def matched(self, view: Any, asked: Any) -> Mapping[UUID, float]: ...


class Results(Protocol):
    def first(self, tx: Any, text: str, principal: Principal, now: int) -> str: ...
    def heard(
        self, tx: Any, changed: Sequence[Any], since: tuple[int, int], until: tuple[int, int]
    ) -> dict[UUID, tuple[Any, list[Event]]]: ...


class Watches(Protocol):
    def create(self, tx: Any, request: WatchRequest, principal: Principal) -> WatchView: ...
    def stop(self, tx: Any, request: WatchRequest, principal: Principal) -> None: ...
    def mute(self, tx: Any, watch_id: UUID, principal: Principal, until: int | None) -> WatchView: ...
    def pace(self, tx: Any, watch_id: UUID, principal: Principal, cadence: Cadence) -> WatchView: ...
    def stop_all(self, tx: Any, principal: Principal) -> int: ...


class Fires(Protocol):
    def emit(self, tx: Any, kind: EventKind, answer_id: UUID) -> int: ...


class Answers(Protocol):
    def save(self, tx: Any, trace_id: UUID, principal: Principal) -> tuple[UUID, bool]: ...
    def ask_refresh(self, tx: Any, answer_id: UUID, principal: Principal, delivery_key: str) -> UUID: ...


class Answering(Protocol):
    def generate(self, question: str, principal: Principal) -> Answer: ...


class Conversations(Protocol):
    """A principal's own threads."""

    def questions(self, principal: Principal, asked: Asked, limit: int) -> list[Before]: ...
    def history(self, principal: Principal, asked: Asked, model: str, room: Room) -> History: ...
    def explain(self, principal: Principal, asked: Asked, model: str, room: Room) -> ThreadView: ...
    def learn(self, tenant_id: str, model: str, told: Sequence[Line], tokens: int) -> None: ...


class Erasable(Protocol):
    def without_source(self, tx: Any, source_id: UUID) -> int: ...
    def without_person(self, tx: Any, person_id: UUID) -> int: ...


class People(Protocol):
    def prefer(self, tx: Any, person_id: UUID, name: str, value: str) -> None: ...
    def mute_for(self, tx: Any, person_id: UUID, choice: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Unit:
    """What a citation may be: a sentence or a table row. `said`: in words. `context`: what it stands under."""

    span: SpanRef
    said: str
    context: str


class Library(Protocol):
    def passages(self, tx: Any, spans: Collection[SpanRef]) -> Mapping[SpanRef, Passage]: ...
    def resolve(
        self, tx: Any, spans: Sequence[SpanRef], readable: Collection[UUID], now: int
    ) -> Mapping[SpanRef, Resolution]: ...
    def pieces(self, tx: Any, node: Node | None, *, whole: bool) -> Sequence[Piece]: ...
    def title(self, tx: Any, node: Node) -> str: ...
    def units(self, tx: Any, spans: Collection[SpanRef]) -> Mapping[SpanRef, Sequence[Unit]]: ...
    def sections(self, tx: Any, spans: Collection[SpanRef]) -> Mapping[SpanRef, Cited]: ...
    def references(self, tx: Any, spans: Collection[SpanRef]) -> Mapping[SpanRef, str]: ...
    def slices(self, tx: Any, spans: Collection[SpanRef]) -> Mapping[SpanRef, str]: ...
    def units_of(self, tx: Any, node_ids: Collection[UUID], now: int) -> Sequence[Unit]: ...
    def document(self, tx: Any, source_id: UUID, now: int) -> Document | None: ...
    def around(self, tx: Any, spans: Sequence[SpanRef], now: int) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Read:
    """Whether some sentence still says a claim, and if not, whether a number is what differs."""

    says: bool
    numbers_differ: bool


class Matcher(Protocol):
    def weight(self, asked: Any, claims: Sequence[str]) -> Callable[[str], float]:
        """How much each term of the claims weighs, as a view's principal reads."""

    def judge(self, weight: Callable[[str], float], claims: Sequence[tuple[str, Sequence[str]]]) -> Sequence[Verdict]:
        """The verdict on each claim by the words of its own passages; no transaction is held for it.

        Raises VerifyUnavailable without a model.
        """


class Questions(Protocol):
    def about(self, asked: Any, spans: Sequence[SpanRef]) -> Mapping[SpanRef, Sequence[OpenQuestion]]:
        """What is open about these words, for the principal of a view; a span without a question has no key."""

    def states(self, tx: Any, clarification_ids: Collection[UUID]) -> Mapping[UUID, ClarificationState]: ...


class Asking(Protocol):
    def compose(self, tx: Any, principal: Principal, clarification_id: UUID) -> "Composed": ...
    def states(self, tx: Any, clarification_ids: Collection[UUID]) -> Mapping[UUID, ClarificationState]: ...


Window = tuple[UUID, int, int]
"""A clarification, and two tx: what has come of it between them."""


class News(Protocol):
    def moved(
        self, tx: Any, principal: Principal, windows: Collection[Window], now: int
    ) -> Mapping[Window, QuestionLine | None]: ...
    def words(self, tx: Any, principal: Principal, clarification_id: UUID) -> str: ...


class Voting(Protocol):
    def cast(self, tx: Any, clarification_id: UUID, choice: int | None, principal: Principal) -> Voted: ...


class Clarifying(Protocol):
    """Clarifications as `core.clarifications` moves them on; a row is one of core.store."""

    def begin(
        self,
        tx: Any,
        clarification_id: UUID,
        node_id: UUID,
        prop: str | None,
        words: str,
        options: Sequence[Any],
        audience: Sequence[str],
        quorum: int,
    ) -> None: ...
    def advance(self, tx: Any, row: Any, happening: Any, **changes: Any) -> None: ...


class PlannedSpan(Protocol):
    @property
    def span(self) -> SpanRef: ...
    @property
    def weight(self) -> float: ...


class Found(Protocol):
    @property
    def node_id(self) -> UUID: ...
    @property
    def score(self) -> float: ...
    @property
    def cosine(self) -> float: ...


class Recall(Protocol):
    def embed(self, question: str) -> Any: ...
    def search(
        self, tx: Any, question: str, vector: Any, readable: Collection[UUID], valid_t: int, tx_t: int, k: int
    ) -> Sequence[Found]: ...
    def nearest(
        self,
        tx: Any,
        vector: Any,
        readable: Collection[UUID],
        valid_t: int,
        tx_t: int,
        k: int,
        among: Collection[UUID] | None = None,
    ) -> Sequence[Found]: ...
    def rarity(
        self, tx: Any, terms: Collection[str], readable: Collection[UUID], valid_t: int, tx_t: int
    ) -> Mapping[str, float]: ...
    def match(
        self, tx: Any, text: str, readable: Collection[UUID], valid_t: int, tx_t: int
    ) -> Mapping[UUID, float]: ...


class Reader(Protocol):
    def still_says(self, text: str, sentences: Sequence[str], question: str) -> Read | None: ...
    def candidates(self, tx: Any, text: str, readable: Collection[UUID], now: int) -> Sequence[Unit]: ...


@dataclass(frozen=True, slots=True)
class Composed:
    """A notice with what it lets its reader have seen: (thing, up to which tx), and the sources it quotes."""

    notice: Notice
    shown: tuple[tuple[UUID, int], ...]
    source_ids: tuple[UUID, ...]


class Briefs(Protocol):
    def compose(self, tx: Any, principal: Principal, period: Cadence, carried: Collection[UUID]) -> Composed | None: ...


class Rests(Protocol):
    def gather(self, limit: int) -> int: ...
    def compose(self, tx: Any, owner_id: UUID, watch_ids: Collection[UUID]) -> Composed | None: ...


class Notices(Protocol):
    def brief(
        self, tx: Any, principal: Principal, period: Cadence, heard: Sequence[Any], cursor: int, now: int
    ) -> Composed | None: ...
    def compose(
        self, tx: Any, principal: Principal, kind: str, fires: Sequence[tuple[Any, Any]]
    ) -> Composed | None: ...
