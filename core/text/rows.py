"""A table row in words: its first cell names it, the others say what they are.

A row is cells between pipes, the outer ones optional; `header` writes them where an empty cell would be lost without.
"""

from collections.abc import Iterator
from itertools import pairwise

from core.text.fold import plain_slice, unstruck
from core.text.markup import visible

_CELLS = " | "
_LONGEST, _MOST = 1000, 100
"""Characters and cells of a header: it goes with every row beneath, and must not make a large table quadratic."""


def cells(row: str) -> list[str]:
    """The plain words of each cell, without what is struck through."""
    seen = unstruck(visible(row))
    edges = [i for i, char in enumerate(seen.text) if char == "|" == row[i] and row[i - 1 : i] != "\\"]
    found = [plain_slice(seen, start + 1, end) for start, end in pairwise([-1, *edges, len(row)])]
    if not edges:
        return found
    opens, closes = not row[: edges[0]].strip(), not row[edges[-1] + 1 :].strip()
    return found[opens : len(found) - closes]


def header(row: str) -> str:
    """A header row as the context of the rows beneath; of a very long one, what fits."""
    titles = list(_fitting(cells(row)[:_MOST]))
    joined = _CELLS.join(titles)
    return f"| {joined} |" if any(titles) and not (titles[0] and titles[-1]) else joined.strip(_CELLS)


def _fitting(titles: list[str]) -> Iterator[str]:
    room = _LONGEST
    for title in titles:
        yield title[:room].replace("|", "/")
        room = max(0, room - len(title) - len(_CELLS))


def spoken(row: str, header: str) -> str:
    """`| Zürich | 210 |` under `City | Limit` → `Zürich — Limit: 210`; the plain row where the two do not fit."""
    said, titles = cells(row), cells(header)
    if len(said) < 2 or len(said) > len(titles):
        return _CELLS.join(filter(None, said))
    parts = [f"{title}: {cell}" if title else cell for title, cell in zip(titles[1:], said[1:], strict=False) if cell]
    return f"{said[0]} — {' · '.join(parts)}" if said[0] and parts else said[0] or " · ".join(parts)
