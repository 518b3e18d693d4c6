"""A table row in the words of its header."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.rows import cells, header, spoken


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("| a | b |", ["a", "b"]),
        ("a | b", ["a", "b"]),
        ("| *a* | [b](c\\|d) |", ["a", "b"]),
        ("| a |  | |", ["a", "", ""]),
        ("| | a |", ["", "a"]),
        ("| a \\| b | c |", ["a | b", "c"]),
        ("| a \\|", ["a"]),
        ("a", ["a"]),
        ("", [""]),
        ("|", []),
    ],
)
def test_cells_stand_between_pipes_that_are_not_escaped(row: str, expected: list[str]) -> None:
    assert cells(row) == expected


@pytest.mark.parametrize(
    ("row", "header", "words"),
    [
        ("| Zürich | 210 |", "City | Limit per night (EUR)", "Zürich — Limit per night (EUR): 210"),
        ("| Zürich | 210 | |", "City | Limit | Note", "Zürich — Limit: 210"),
        ("| Zürich | | |", "City | Limit | Note", "Zürich"),
        ("| Zürich | 210", "City | Limit | Note", "Zürich — Limit: 210"),
        ("| | 5 | 6 |", "| | Mon | Tue |", "Mon: 5 · Tue: 6"),
        ("| a | 5 |", "| x | |", "a — 5"),
        ("| a | b | c |", "x | y", "a | b | c"),
        ("| a | b |", "", "a | b"),
        ("| a |", "x", "a"),
        ("| | |", "x | y", ""),
    ],
)
def test_the_first_cell_names_a_row_and_titles_say_what_the_others_are(row: str, header: str, words: str) -> None:
    assert spoken(row, header) == words


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("| City | Limit |", "City | Limit"),
        ("City | *Limit*", "City | Limit"),
        ("| | Mon |", "|  | Mon |"),
        ("| Mon | |", "| Mon |  |"),
        ("| a \\| b | c |", "a / b | c"),
        ("| | |", ""),
        ("", ""),
    ],
)
def test_a_header_keeps_the_place_of_each_title(row: str, expected: str) -> None:
    assert header(row) == expected


@given(st.lists(st.text("ab1é", max_size=5), min_size=2, max_size=6))
def test_a_header_has_the_titles_of_its_row(titles: list[str]) -> None:
    row = f"| {' | '.join(titles)} |"
    assert cells(header(row)) == (titles if any(titles) else [""])


def test_a_page_long_header_is_bounded_and_still_counts_its_columns() -> None:
    wide = header("| " + " | ".join(f"title {i}" for i in range(5000)) + " |")
    assert len(wide) < 1500
    row = "| name | " + " | ".join(map(str, range(1, 95))) + " |"
    assert spoken(row, wide).startswith("name — title 1: 1 · title 2: 2")
    assert spoken(row, wide).endswith(" · 94")
