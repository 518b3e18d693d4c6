"""Labelled data: JSONL files of one folder, each row checked, each error naming file and line."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from core.errors import InvalidRequest

Progress = Callable[[int, int], None]


class Row(BaseModel):
    """A row may say more than is read."""

    model_config = ConfigDict(extra="ignore", frozen=True)


RowKind = TypeVar("RowKind", bound=Row)


def rows(file: Path, kind: type[RowKind]) -> list[RowKind]:
    """Every row of a file. Raises InvalidRequest: not readable, empty, or a row that is not as `kind` says."""
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise InvalidRequest(f"{file} cannot be read: {error.strerror}; it must be in the folder of --data") from error
    found = [_row(line, kind, f"{file}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise InvalidRequest(f"{file} holds no rows; write one JSON object a line")
    return found


def _row(line: bytes, kind: type[RowKind], place: str) -> RowKind:
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidRequest(f"{place}: {where + ': ' if where else ''}{first['msg']}") from error
