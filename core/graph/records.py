"""What is said of something without a document: a record, written through the API."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import ConfigDict, JsonValue, TypeAdapter, ValidationError

from core.clock import FOREVER
from core.errors import InvalidRequest
from core.jsonhash import canonical_json, json_hash
from core.model.nodes import DOCUMENT, LABEL, PASSAGE, SAVED_ANSWER, SECTION, Node, NodeWrite
from core.model.spans import SpanRef

LARGEST = 64 * 1024
"""Bytes of JSON; what is longer is a document."""

_KEPT = {DOCUMENT, SECTION, PASSAGE, SAVED_ANSWER}
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
"""As JSON escapes it; PostgreSQL's text cannot hold it."""
_PROPS = TypeAdapter(dict[str, JsonValue], config=ConfigDict(allow_inf_nan=False))


@dataclass(frozen=True, slots=True)
class Record:
    """`props` hold over [valid_start, valid_end), Ts; without a start from now on, without an end for ever.

    `readers`: names of roles, `person:<id>` or `everyone`. `provenance`: the words it rests on, where it rests on any;
    then it is readable with their sources, and where it has readers as well, by those alone. Raises InvalidRequest,
    saying what would be right.
    """

    node_id: UUID
    label: str
    props: Mapping[str, Any]
    readers: Sequence[str] = ()
    valid_start: int | None = None
    valid_end: int | None = None
    confidence: float = 1.0
    observed_at: int | None = None
    provenance: Sequence[SpanRef] = ()

    def __post_init__(self) -> None:
        if not LABEL.fullmatch(self.label) or self.label in _KEPT:
            raise InvalidRequest(
                f"label is {self.label!r}; it must be capitals, digits and _, as in PROJECT, and none of "
                f"{', '.join(sorted(_KEPT))}"
            )
        if not self.readers and not self.provenance:
            raise InvalidRequest("name readers, for example everyone, or the provenance whose readers they are")
        if not 0 <= self.confidence <= 1:
            raise InvalidRequest(f"confidence is {self.confidence!r}; it must be from 0 to 1")
        _check_props(self.props)

    def interval(self, now: int) -> tuple[int, int]:
        return interval(now, self.valid_start, self.valid_end)

    def stands_as(self, row: Node) -> bool:
        """Whether a version says just this already."""
        write = self.to_write()
        said = (write.key, sorted(write.readers or ()), write.confidence, write.observed_at, write.tombstone)
        stands = (row.key, sorted(row.readers or ()), row.confidence, row.observed_at, row.tombstone)
        return said == stands and list(self.provenance) == row.spans()

    @property
    def sources(self) -> frozenset[UUID]:
        return frozenset(span.source_id for span in self.provenance)

    def to_write(self) -> NodeWrite:
        return NodeWrite(
            self.node_id,
            self.label,
            key=json_hash(self.props),
            props=dict(self.props),
            provenance=[(str(s.source_id), s.source_version_tx, s.start, s.end) for s in self.provenance],
            readers=tuple(self.readers),
            confidence=self.confidence,
            observed_at=self.observed_at,
        )


def interval(now: int, valid_start: int | None, valid_end: int | None) -> tuple[int, int]:
    """[start, end) in Ts; without a start from now on, without an end for ever. Raises InvalidRequest."""
    start = now if valid_start is None else valid_start
    end = FOREVER if valid_end is None else valid_end
    if not 0 <= start < end <= FOREVER:
        raise InvalidRequest(f"valid interval [{start}, {end}): it must begin at 0 or later and end after its start")
    return start, end


def _check_props(props: Mapping[str, Any]) -> None:
    try:
        _PROPS.validate_python(dict(props), strict=True)
        size = len(canonical_json(props))
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise InvalidRequest(f"props.{place}: it must be a JSON value, and numbers finite") from error
    except ValueError as error:
        raise InvalidRequest(
            "props: text must be Unicode, without halves of surrogate pairs, and numbers finite"
        ) from error
    if _NUL.search(canonical_json(props)):
        raise InvalidRequest("props: text must not hold the character NUL")
    if size > LARGEST:
        raise InvalidRequest(
            f"props are {size} bytes of JSON; they must be at most {LARGEST}: ingest a document instead"
        )
