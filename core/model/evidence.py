"""Evidence as it is read back: where it stands, whether it still does, and what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from core.model.spans import SpanRef


class Standing(StrEnum):
    """What became of a cited span by today."""

    CURRENT = "current"
    """The same words stand in the winning version, in the same context."""
    SUPERSEDED = "superseded"
    """The words are gone, or stand in another context."""
    TOMBSTONED = "tombstoned"
    """The source is gone, erased, or no longer the reader's to read."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """`span` is where the words stand today, if anywhere; `clearable` when only a harmless context changed."""

    standing: Standing
    span: SpanRef | None = None
    clearable: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """Words with their place, as a card or an answer shows them."""

    span: SpanRef
    text: str
    path: tuple[str, ...]
    source_name: str
    source_uri: str


@dataclass(frozen=True, slots=True)
class SectionChange:
    """One passage of a section, before and after; empty where there was none."""

    path: tuple[str, ...]
    before: str
    after: str


Order = tuple[str, str, int, str, UUID]
"""Lines of one document together, as they stand in it; their ids decide only where a reader could not tell either."""


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """A change as one person may see it. `valid_from` and `learned` are Ts. `place`: where in its document it is."""

    ref_id: UUID
    source_name: str
    source_uri: str
    changes: Sequence[SectionChange]
    valid_from: int
    learned: int
    place: int = 0

    @property
    def order(self) -> Order:
        """Among what was learnt at once."""
        return self.source_name, self.source_uri, self.place, "", self.ref_id


@dataclass(frozen=True, slots=True)
class BriefLine:
    """One change of a week. `watch_target`: the node to watch, where the reader does not watch it yet."""

    change: ChangeLine
    change_tx: int
    watch_target: UUID | None = None
    material: bool = False

    @property
    def ref_id(self) -> UUID:
        return self.change.ref_id

    @property
    def source_uri(self) -> str:
        return self.change.source_uri

    @property
    def order(self) -> Order:
        return self.change.order
