"""CSV and TSV: one part a row, at exactly its place in the text.

Python's csv is the grammar. It pulls its lines one by one, so what it pulled for a row is where that row stands. Which
of tab, semicolon, comma and pipe sets cells apart is read off the first rows: the one that cuts most of them into one
and the same number of cells, above one; between equals in that order, since commas also stand inside numbers and prose.
TSV is always cut at tabs, and what begins with `sep=;`, as spreadsheets write it, at what it says; that line is no row.
Spaces may stand before a quote. One that is never closed would swallow the rest: from its row on, quotes are words.
A row that is too long to be one piece of evidence is cut into its cells, and these at sentence ends.
"""

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from core.ingest.headers import header_of
from core.ingest.leads import shown
from core.ingest.parts import Found, Part, assemble
from core.ingest.splitting import fits, split
from core.model.documents import Document
from core.model.spans import Kind
from core.text.literal import literal
from core.text.rows import header

TSV = "text/tab-separated-values"
_DELIMITERS = "\t;,|"
_SAID = re.compile(r"sep=([^\w\s\"]|\t)\n", re.IGNORECASE)
_SAMPLE = 50
"""Rows that tell the delimiter."""

# A page-long cell is a cell. The limit is the whole process's, and meant for a reader that cannot bound its input.
csv.field_size_limit(min(sys.maxsize, 2**31 - 1))


@dataclass(frozen=True, slots=True)
class Row:
    """Characters [start, end) of the text, the end of the line included. `quoted`: quotes in it may enclose cells."""

    start: int
    end: int
    cells: tuple[str, ...]
    quoted: bool = True


class _Lines:
    """Hands out lines. `at`: where the next begins. `over`: one more was asked for than there are."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at
        self.over = False

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        if self.at >= len(self._text):
            self.over = True
            raise StopIteration
        start, self.at = self.at, self._text.find("\n", self.at) + 1 or len(self._text)
        return self._text[start : self.at]


def read_table(text: str, *, media_type: str, file_name: str) -> Document:
    said = _SAID.match(text)
    delimiter = said[1] if said else "\t" if media_type == TSV else delimiter_of(text)
    found = Found(list(_parts(text, list(rows(text, delimiter, said.end() if said else 0)), delimiter)))
    return assemble(text, found, media_type=media_type, file_name=file_name)


def delimiter_of(text: str) -> str:
    return max(_DELIMITERS, key=lambda delimiter: _agreement(text, delimiter))


def _agreement(text: str, delimiter: str) -> int:
    """How many of the first rows it cuts into the same number of cells."""
    widths = Counter(len(row.cells) for row in islice(rows(text, delimiter), _SAMPLE))
    return max((count for width, count in widths.items() if width > 1), default=0)


def rows(text: str, delimiter: str, start: int = 0) -> Iterator[Row]:
    """The rows from `start` on that are not empty, in order; their ranges leave out nothing but blank lines."""
    lines = _Lines(text, start)
    for cells in csv.reader(lines, delimiter=delimiter, skipinitialspace=True):
        if lines.over:
            yield from _without_quotes(text, start, delimiter)
            return
        if cells:
            yield Row(start, lines.at, tuple(cells))
        start = lines.at


def _without_quotes(text: str, start: int, delimiter: str) -> Iterator[Row]:
    lines = _Lines(text, start)
    for cells in csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE):
        if cells:
            yield Row(start, lines.at, tuple(cells), quoted=False)
        start = lines.at


def _parts(text: str, found: Sequence[Row], delimiter: str) -> Iterator[Part]:
    head = header_of([row.cells for row in found])
    titles = found[head].cells if head is not None else ()
    above = header(_markup(titles))
    for place, row in enumerate(found):
        under = above if head is not None and place > head else ""
        if fits(text[row.start : row.end].strip()):
            yield Part(Kind.CELL, row.start, row.end, header=under, row=_markup(row.cells))
        else:
            yield from _cells(text, row, titles if under else (), delimiter)


def _markup(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_words(cell) for cell in cells)} |" if cells else ""


def _words(cell: str) -> str:
    return literal(" ".join(cell.split())).replace("|", r"\|")


def _cells(text: str, row: Row, titles: Sequence[str], delimiter: str) -> Iterator[Part]:
    """A row cell by cell, each led by the first; what sets them apart goes with the cell before."""
    ends = [found.end() for found in _cell(delimiter, row).finditer(text, row.start, row.end)]
    name = shown(_words(row.cells[0]))
    for i, (start, end) in enumerate(pairwise([row.start, *ends[: len(row.cells) - 1], row.end])):
        title = header(_markup(titles[i : i + 1]))
        for first, last in split(text[start:end], Kind.CELL):
            words = text[start + first : start + last].strip(f" \n{delimiter}")
            said = words.strip('"').replace('""', '"') if row.quoted else words
            yield Part(Kind.CELL, start + first, start + last, (name,) if i else (), title, row=_markup([said]))


def _cell(delimiter: str, row: Row) -> re.Pattern[str]:
    enclosed = r'(?: *+"[^"]*+(?:""[^"]*+)*+"?+)?+' if row.quoted else ""
    edge = re.escape(delimiter)
    return re.compile(rf"{enclosed}[^{edge}\n]*+(?:{edge}|\n|\Z)")
