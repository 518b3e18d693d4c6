"""Whether a table begins with a header, where nothing but its words can say so.

The first row that fills more than one cell is one (the first row at all in a table of one column) unless it reads like
a row of data: a cell of it is a value, or a year above other years, or stands again in its own column further down; or
no row follows. Lines above it are titles. Titles of columns are words; a year is one where figures stand beneath.
"""

import re
from collections.abc import Iterable, Sequence

from core.text.vocabulary import CURRENCIES

Cells = Sequence[str]

_LONGEST = 60
"""Characters of a value; whatever is longer is words."""
_CURRENCY = f"(?i:{'|'.join(map(re.escape, sorted(CURRENCIES)))})"
_VALUE = re.compile(
    rf"(?:{_CURRENCY} ?)?[-+−(]?[.]?\d[\d .,:/'’TZ%+–-]*\)?(?: ?(?:[a-zµ°]{{1,3}}|[kMGT]B|{_CURRENCY}))?"
    r"|\S+@\S+\.\S+|[a-z]+://\S+|(?i:true|false|null|n/a)"
)
_YEAR = re.compile(r"(?:19|20)\d\d")


def header_of(rows: Sequence[Cells]) -> int | None:
    """The index of the header row, if there is one."""
    place = next((i for i, row in enumerate(rows) if sum(map(bool, map(str.strip, row))) > 1), 0)
    if len(rows) <= place + 1 or not any(cell.strip() for cell in rows[place]):
        return None
    return None if _is_data(rows[place], rows[place + 1 :]) else place


def _is_data(first: Cells, below: Iterable[Cells]) -> bool:
    titles = [cell.strip() for cell in first]
    return any(map(_is_value, titles)) or any(_repeats(titles, row) for row in below if row != first)


def _is_value(cell: str) -> bool:
    return len(cell) <= _LONGEST and _VALUE.fullmatch(cell) is not None and not _YEAR.fullmatch(cell)


def _repeats(titles: Cells, row: Cells) -> bool:
    """Whether a row holds, in the same column, one of the titles again, or a year beneath a year."""
    pairs = ((title, cell.strip()) for title, cell in zip(titles, row, strict=False) if title)
    return any(title == cell or (_YEAR.fullmatch(title) and _YEAR.fullmatch(cell)) for title, cell in pairs)
