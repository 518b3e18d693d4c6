"""What bodies are made of: the strictness of what is asked, the JSON names of both, and the words that they share."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel

from core.clock import FOREVER, to_datetime

LAST_TS = 253_402_300_799_999_999
"""The last microsecond of the year 9999, which every reader of dates knows."""


def _whole(given: Any) -> Any:
    """In JSON Schema 3.0 is an integer; in an address digits are one, and nothing else that Python reads as one."""
    if isinstance(given, str) and not re.fullmatch("-?[0-9]+", given):
        raise ValueError("must be a whole number, in digits")
    return int(given) if isinstance(given, float) and given.is_integer() else given


Whole = Annotated[int, BeforeValidator(_whole)]
Ts = Annotated[Whole, Field(ge=0, le=LAST_TS, description="Microseconds since the Unix epoch, UTC.")]
_CLEAN = r"^[^\u0000-\u0008\u000e-\u001f\u007f]*$"
_SAID = r"^[^\u0000-\u0008\u000e-\u001f\u007f]*[^\s\u0000-\u001f\u007f][^\u0000-\u0008\u000e-\u001f\u007f]*$"
NAME = r"^[^\s\u0000-\u001f\u007f]+( [^\s\u0000-\u001f\u007f]+)*$"
CURSOR = "^[A-Za-z0-9_-]+$"
PATTERNS: Mapping[str, str] = {
    _CLEAN: "must hold no control characters",
    _SAID: "must say something, without control characters",
    NAME: "must be words with single spaces between, without control characters",
    CURSOR: "must be a nextCursor, as it was given",
}
"""What each pattern means, to people."""


def name(most: int) -> Any:
    """What a name must be: words with single spaces between."""
    return StringConstraints(min_length=1, max_length=most, pattern=NAME)


Reader = Annotated[str, name(64), Field(description="The name of a role, `person:` and an id, or `everyone`.")]


def said(most: int) -> Any:
    """What a text must be: not blank, of at most so many characters, none of them a control character."""
    return StringConstraints(min_length=1, max_length=most, pattern=_SAID)


def clean(most: int) -> Any:
    """The same, and it may be blank."""
    return StringConstraints(max_length=most, pattern=_CLEAN)


class UnknownFieldError(ValueError):
    """A field that there is not."""

    def __init__(self, name: str, there: Sequence[str]) -> None:
        super().__init__(f"there is no such field; there are: {', '.join(there) or 'none'}")
        self.name = name


class Asked(BaseModel):
    """What a caller sends."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, alias_generator=to_camel, allow_inf_nan=False, validate_by_name=False
    )

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: Any) -> Any:
        """Refuse a field that there is not, naming those that there are."""
        allowed = [field.alias or name for name, field in cls.model_fields.items()]
        for name in given if isinstance(given, dict) else ():
            if name not in allowed:
                raise UnknownFieldError(name, allowed)
        return given


class Told(BaseModel):
    """What a caller is sent."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, alias_generator=to_camel, validate_by_name=True, validate_by_alias=True
    )


class FieldError(Told):
    """A place in the request, as a JSON pointer (RFC 6901), and what would be right there."""

    pointer: str
    detail: str


class ProblemDetails(Told):
    """An error (RFC 9457). `code` is stable; the words are for people."""

    type: str
    title: str
    status: int
    code: str
    detail: str | None = None
    errors: list[FieldError] | None = None


class Span(Told):
    """Bytes [start, end) of the canonical text of one version of a document."""

    source_id: UUID
    source_version_tx: int
    start: int
    end: int


class Interval(Told):
    """Since when, and until when unless it still holds; UTC (RFC 3339)."""

    start: datetime
    end: datetime | None = None


def interval(start: int, end: int) -> Interval:
    """As Ts say it; one that is open has no end."""
    since = to_datetime(start)
    return Interval(start=since) if end == FOREVER else Interval(start=since, end=to_datetime(end))


class TsInterval(Told):
    """The same, as Ts."""

    start: int
    end: int | None = None


def ts_interval(start: int, end: int) -> TsInterval:
    return TsInterval(start=start) if end == FOREVER else TsInterval(start=start, end=end)
