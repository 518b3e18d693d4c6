"""A table of a page, written as a Markdown table: one row a line, under one header row.

The header is the rows of `thead`, or the first rows whose words are all in `th`, or all bold; several are told in one,
column by column. A cell that spans rows is said again in each of them where it is short, for they are cited one by one.
Spans are taken to a bound, so that a few bytes cannot ask for a huge table. A table of one cell, or whose cells hold
headings, tables, or code under no header, arranges a page and is no table: what stands in its cells is read as if there
were none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from core.ingest.html_blocks import Frame, PageBlock, Shape

_MOST_COLUMNS, _MOST_ROWS = 24, 65534
"""That one cell spans."""
_REPEATED_COLUMNS, _REPEATED_CHARACTERS = 8, 100
"""What is said again in the rows that a cell spans."""
_MOST_HEADS = 4
"""Rows that are told in one header."""
_EVEN = 64
"""Rows are filled up to the width of the table where that is at most this."""


@dataclass(slots=True)
class Cell:
    """`titles`: is a `th`. `plain`: holds words that are not bold."""

    titles: bool
    columns: int
    rows: int
    plain: bool = False
    blocks: list[PageBlock] = field(default_factory=list)

    def words(self) -> str:
        return " ".join((block.inline or block.text).replace("\n", " ") for block in self.blocks).replace("|", r"\|")


@dataclass(slots=True)
class Row:
    in_head: bool
    cells: list[Cell] = field(default_factory=list)

    @property
    def titles(self) -> bool:
        return self.in_head or {cell.titles for cell in self.cells if cell.blocks} == {True}

    @property
    def bold(self) -> bool:
        return not any(cell.plain for cell in self.cells)

    @property
    def filled(self) -> int:
        return sum(bool(cell.blocks) for cell in self.cells)


@dataclass(slots=True)
class Table:
    """Takes rows and cells as they come. `arranges`: it says itself that it is no table of data."""

    arranges: bool
    in_head: bool = False
    rows: list[Row] = field(default_factory=list)

    def open_row(self) -> None:
        self.rows.append(Row(self.in_head))

    def open_cell(self, tag: str, attributes: Mapping[str, str]) -> Cell:
        columns = _span(attributes.get("colspan", ""), _MOST_COLUMNS, zero=1)
        rows = _span(attributes.get("rowspan", ""), _MOST_ROWS, zero=_MOST_ROWS)
        if not self.rows:
            self.open_row()
        self.rows[-1].cells.append(Cell(tag == "th", columns, rows))
        return self.rows[-1].cells[-1]

    def blocks(self, frames: tuple[Frame, ...]) -> list[PageBlock]:
        said = [row for row in self.rows if any(cell.blocks for cell in row.cells)]
        cells = [cell for row in said for cell in row.cells]
        held = [block for cell in cells for block in cell.blocks]
        sayable = {Shape.WORDS, Shape.CODE} if _heads(said) else {Shape.WORDS}
        if self.arranges or len(cells) < 2 or not sayable.issuperset(block.shape for block in held):
            return held
        return [PageBlock(Shape.TABLE, _written(said), frames)]


def _span(value: str, most: int, *, zero: int) -> int:
    """A `colspan` or `rowspan`; `zero` is what 0 means."""
    digits = value.strip()[:6]
    number = int(digits) if digits.isascii() and digits.isdigit() else 1
    return min(number or zero, most)


def _heads(rows: Sequence[Row]) -> int:
    """How many rows are the header. In bold that is the first which fills cells side by side, and titles above it."""
    titles = len(list(takewhile(lambda row: row.titles, rows)))
    bold = takewhile(lambda row: row.bold, rows)
    return titles or next((count for count, row in enumerate(bold, 1) if row.filled > 1), 0)


def _written(rows: Sequence[Row]) -> str:
    heads = _heads(rows)
    heads = min(heads, _MOST_HEADS) if heads < len(rows) else 1
    grid = list(_grid(rows, heads))
    width = max(map(len, grid))
    head = _told_together(grid[:heads], width)
    return "\n".join([_line(head), _line(["---"] * width), *(_line(_filled(row, width)) for row in grid[heads:])])


def _told_together(heads: Sequence[Sequence[str]], width: int) -> list[str]:
    columns = ([row[i] for row in heads if i < len(row) and row[i]] for i in range(width))
    return [" ".join(dict.fromkeys(titles)) for titles in columns]


def _filled(row: list[str], width: int) -> list[str]:
    return row + [""] * (width - len(row)) if width <= _EVEN else row


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _grid(rows: Iterable[Row], heads: int) -> Iterator[list[str]]:
    waiting: dict[int, tuple[int, str]] = {}
    for place, row in enumerate(rows):
        line: list[str] = []
        for cell in row.cells:
            _carry(line, waiting)
            _place(cell, line, waiting, in_each=cell.titles or place < heads)
        while waiting and len(line) <= max(waiting):
            if len(line) not in waiting:
                line.append("")
            _carry(line, waiting)
        yield line


def _place(cell: Cell, line: list[str], waiting: dict[int, tuple[int, str]], *, in_each: bool) -> None:
    words = cell.words()
    for column in range(cell.columns):
        said = words if in_each or not column else ""
        if cell.rows > 1 and len(line) < _REPEATED_COLUMNS:
            waiting[len(line)] = (cell.rows - 1, said if len(said) <= _REPEATED_CHARACTERS else "")
        line.append(said)


def _carry(line: list[str], waiting: dict[int, tuple[int, str]]) -> None:
    """Say what spans into this row from above."""
    while (column := len(line)) in waiting:
        left, words = waiting.pop(column)
        if left > 1:
            waiting[column] = (left - 1, words)
        line.append(words)
