"""What one engine may ask of another. `core.memory` hands each the real one."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol
from uuid import UUID

from core.model.nodes import EdgeWrite, Node, NodeWrite
from core.model.spans import SpanRef


class Graph(Protocol):
    """Transactions are core.store's; they pass through here unopened."""

    def current(self, tx: Any, ids: Collection[UUID], now: int) -> Mapping[UUID, Node]: ...
    def write(self, tx: Any, writes: Sequence[NodeWrite], valid: tuple[int, int]) -> None: ...
    def link(self, tx: Any, writes: Sequence[EdgeWrite], valid: tuple[int, int]) -> None: ...


class Slices(Protocol):
    def slices(self, tx: Any, spans: Collection[SpanRef]) -> Mapping[SpanRef, str]: ...
