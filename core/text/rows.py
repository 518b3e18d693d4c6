"""A table row in words: its first cell names it, the others say what they are."""

from core.text.fold import plain

_CELLS = " | "


def spoken(row: str, header: str) -> str:
    """`| Zürich | 210 |` under `City | Limit` → `Zürich — Limit: 210`; the plain row where the two do not fit."""
    words = plain(row)
    cells, titles = words.split(_CELLS), plain(header).split(_CELLS)
    if len(cells) < 2 or len(cells) != len(titles):
        return words
    said = [f"{title}: {cell}" if title else cell for title, cell in zip(titles[1:], cells[1:], strict=True) if cell]
    return f"{cells[0]} — {' · '.join(said)}" if cells[0] else " · ".join(said)
