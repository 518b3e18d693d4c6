"""Whatever csv writes is read back, each row from exactly its own place."""

import csv
import io
from collections.abc import Iterable
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from core.ingest.reading import read
from core.ingest.splitting import fits
from core.ingest.tables import Row, _cell, delimiter_of, rows
from core.text.rows import cells

DELIMITERS = st.sampled_from(",;\t|")
_CELL = st.one_of(
    st.text('ab1 é漢"\n,;\t|*_`<&\\', max_size=8),
    st.text(st.characters(exclude_characters="\r\0", exclude_categories=("Cs",)), max_size=4),
)
_ROWS = st.lists(st.lists(_CELL, min_size=1, max_size=4), max_size=6)
_QUOTING = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
_ODD = st.text('ab,;|\t"\n 1', max_size=40)


def written(table: list[list[str]], delimiter: str, quoting: int = csv.QUOTE_MINIMAL) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(table)
    return out.getvalue()


def shown(row: Iterable[str]) -> list[str]:
    """Spaces before a cell set it apart, or stand before its quote."""
    return [cell.lstrip(" ") for cell in row]


def assert_covered(text: str, spans: list[tuple[int, int]]) -> None:
    """In order, apart, and with nothing but white space between."""
    last = 0
    for start, end in spans:
        assert not text[last:start].strip()
        assert start < end
        last = end
    assert not text[last:].strip()


@given(_ROWS, DELIMITERS, _QUOTING, st.sampled_from(["\n", "\r\n"]), st.booleans())
@example([['"']], ",", csv.QUOTE_MINIMAL, "\n", False)
@example([["a", "\n\n"], [""]], ";", csv.QUOTE_MINIMAL, "\n", True)
def test_what_csv_writes_is_read_back_with_each_row_in_its_place(
    table: list[list[str]], delimiter: str, quoting: int, ending: str, bom: bool
) -> None:
    text = written(table, delimiter, quoting)
    found = list(rows(text, delimiter))
    assert [shown(row.cells) for row in found] == [shown(row) for row in table]
    assert [text[row.start : row.end] for row in found] == [written([row], delimiter, quoting) for row in table]
    data = ("\ufeff" * bom + text.replace("\n", ending)).encode()
    name = "text/tab-separated-values" if delimiter == "\t" else "text/csv"
    assert read(data, media_type=name, uri="a").text == text


@given(_ROWS, st.booleans())
def test_blocks_are_the_rows_in_bytes_of_the_canonical_text(table: list[list[str]], bom: bool) -> None:
    text = written(table, "\t")
    document = read(("\ufeff" * bom + text).encode(), media_type="text/tab-separated-values", uri="a")
    raw = text.encode()
    assert [block.text for block in document.blocks] == [
        line for row in table if (line := written([row], "\t").strip())
    ]
    assert all(raw[block.start : block.end].decode() == block.text for block in document.blocks)
    assert_covered(text, [(len(raw[: b.start].decode()), len(raw[: b.end].decode())) for b in document.blocks])


@given(st.lists(_CELL.filter(lambda cell: "|" not in cell), min_size=2, max_size=4))
def test_what_a_row_says_is_its_cells(row: list[str]) -> None:
    document = read(written([row], "\t").encode(), media_type="text/tab-separated-values", uri="a")
    words = [" ".join(cell.split()) for cell in row]
    rule = set("".join(words)) <= set("-=:*_ ")  # of a row of dashes nothing is read
    assert rule or [cells(block.markup) for block in document.blocks] == [words]


@given(_ODD, DELIMITERS)
@example('a,"b\n"c', ",")
@example('"a"b"\n",', ",")
def test_any_text_is_cut_into_rows_that_leave_out_nothing(text: str, delimiter: str) -> None:
    found = list(rows(text, delimiter))
    assert_covered(text, [(row.start, row.end) for row in found])
    letters = "".join(cell for row in found for cell in row.cells)
    assert [char for char in letters if char.isalnum()] == [char for char in text if char.isalnum()]


@given(_ODD, DELIMITERS)
def test_the_cells_of_a_row_are_found_where_they_stand(text: str, delimiter: str) -> None:
    for row in rows(text, delimiter):
        for place, cell in zip(places(text, row, delimiter), row.cells, strict=True):
            assert [char for char in place if char.isalnum()] == [char for char in cell if char.isalnum()]


def places(text: str, row: Row, delimiter: str) -> list[str]:
    ends = [found.end() for found in _cell(delimiter, row).finditer(text, row.start, row.end)]
    return [text[a:b] for a, b in pairwise([row.start, *ends[: len(row.cells) - 1], row.end])]


@given(
    st.lists(st.lists(st.text("ab1 é", min_size=1, max_size=5), min_size=3, max_size=3), min_size=2, max_size=6),
    DELIMITERS,
    _QUOTING,
)
def test_the_delimiter_of_a_table_of_words_is_found(table: list[list[str]], delimiter: str, quoting: int) -> None:
    assert delimiter_of(written(table, delimiter, quoting)) == delimiter


@given(
    st.lists(st.tuples(_CELL, st.integers(1, 900)).map(lambda each: each[0] * each[1]), min_size=1, max_size=4),
    DELIMITERS,
)
def test_a_row_of_any_length_is_covered_by_pieces_within_the_limit(row: list[str], delimiter: str) -> None:
    name = "text/tab-separated-values" if delimiter == "\t" else "text/csv"
    document = read(written([["k", "v"], row], delimiter).encode(), media_type=name, uri="a")
    raw = document.text.encode()
    assert_covered(document.text, [(len(raw[: b.start].decode()), len(raw[: b.end].decode())) for b in document.blocks])
    assert all(fits(block.text) for block in document.blocks)
