"""Whether the first row of a table names its columns."""

import pytest

from core.ingest.headers import header_of


def table(*lines: str) -> list[list[str]]:
    return [line.split(",") for line in lines]


@pytest.mark.parametrize(
    "rows",
    [
        table("City,Limit", "Bern,5"),
        table("City,Limit 2024 (EUR),Q1,2FA", "Bern,5,6,yes"),
        table("Region,2023,2024", "North,5,100"),
        table(",Mon,Tue", "Anna,5,6"),
        table("No,Name", "1,Anna"),
        table("City", "Bern", "Basel"),
        table("Name,Team", "Anna,Sales", "Bob,Support"),
        table("City,Limit", "Bern,5", "City,Limit", "Basel,6"),
        table("City,Limit", "Bern,5", "Basel"),
    ],
)
def test_words_above_rows_are_a_header(rows: list[list[str]]) -> None:
    assert header_of(rows) == 0


@pytest.mark.parametrize(
    "value",
    [
        *("5", "-5", "1.500", "$5", "EUR 210", "210 EUR", "12 %", "12%", ".5", "(5)", "24h", "5 kg", "16 GB"),
        *("2024-01-05", "05.01.2024", "1/5/24", "10:30", "2024-01-05T10:30:00Z", "+41 44 123 45 67", "5–7"),
        *("a@b.example", "https://a.example/x", "true", "False", "NULL", "n/a"),
    ],
)
def test_a_row_that_holds_a_value_is_data(value: str) -> None:
    assert header_of([["Anna", value], ["Bob", "x"]]) is None


@pytest.mark.parametrize(
    "title",
    ["2FA", "Q1", "1st quarter", "Limit 2024", "ISO 3166", "5 days or more", "2024", "No", "24/7 support", "1" * 61],
)
def test_a_title_may_hold_digits(title: str) -> None:
    assert header_of([["Name", title], ["Bob", "x"]]) == 0


@pytest.mark.parametrize(
    "rows",
    [
        [],
        table("City,Limit"),
        table(",", "Bern,5"),
        table("Anna,Berlin", "Bob,Paris", "Eve,Berlin"),
        table("Anna,1990", "Bob,1985"),
        table("Notes of May", "City,Limit"),
    ],
)
def test_a_row_like_those_below_or_with_none_below_is_no_header(rows: list[list[str]]) -> None:
    assert header_of(rows) is None


def test_lines_of_one_cell_above_a_header_are_titles() -> None:
    assert header_of(table("Limits", "as of May,", "City,Limit", "Bern,5")) == 2


def test_work_does_not_grow_with_the_square_of_a_ragged_table() -> None:
    """Only cells that are there are looked at: a wide first row over many short ones."""
    looked_at = []

    class Cell(str):
        __slots__ = ()

        def strip(self, *_: object) -> str:
            looked_at.append(1)
            return str(self)

    wide, short = [Cell(f"title {i}") for i in range(2000)], [[Cell("x")] for _ in range(2000)]
    assert header_of([wide, *short]) == 0
    assert len(looked_at) < 5 * 4000
