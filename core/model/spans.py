"""Coordinates of evidence."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class Kind(StrEnum):
    """What a span is in its document (page: data model, row `span`)."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    CELL = "cell"
    CODE = "code"
    BODY = "body"


@dataclass(frozen=True, slots=True, order=True)
class SpanRef:
    """Bytes [start, end) of the canonical UTF-8 text of one source version; always on character boundaries."""

    source_id: UUID
    source_version_tx: int
    start: int
    end: int
