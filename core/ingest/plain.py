"""Plain text: paragraphs set apart by blank lines. Only LF ends a line; vertical tabs and their kin are characters."""

import re
from collections.abc import Iterator

from core.ingest.parts import Found, Part, assemble
from core.model.documents import Document
from core.model.spans import Kind

_LINE = re.compile(r"[^\n]*\n?")


def read_plain(text: str, *, media_type: str, file_name: str) -> Document:
    return _read(text, Kind.PARAGRAPH, media_type, file_name)


def read_other(text: str, *, media_type: str, file_name: str) -> Document:
    """Text in a format without a reader of its own."""
    return _read(text, Kind.BODY, media_type, file_name)


def _read(text: str, kind: Kind, media_type: str, file_name: str) -> Document:
    found = Found([Part(kind, start, end) for start, end in paragraphs(text)])
    return assemble(text, found, media_type=media_type, file_name=file_name)


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Character ranges of the runs of lines that are not blank."""
    start: int | None = None
    for line in _LINE.finditer(text):
        if not line[0].strip():
            if start is not None:
                yield start, line.start()
            start = None
        elif start is None:
            start = line.start()
