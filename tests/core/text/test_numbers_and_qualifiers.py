"""The tokens that decide whether two sentences can both hold."""

from collections import Counter
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text.numbers import numbers, polarity, qualifiers, statuses

EQUAL = [
    ("5,000", "5000"),
    ("５，０００", "5000"),
    ("٥٠٠٠", "5000"),
    ("5 million", "5,000,000"),
    ("1.5 million", "1500000"),
    ("$5m", "5,000,000 USD"),
    ("EUR 5 million", "€5,000,000"),
    ("$3,500.00", "3500 usd"),
    ("5 percent", "5%"),
    ("2026-01-05", "5 January 2026"),
    ("Jan 5, 2026", "5th of January 2026"),
    ("January 5", "5 Jan."),
    ("Mar 2026", "March, 2026"),
    ("3 p.m.", "15:00"),
    ("3:30 PM", "15:30"),
    ("12 am", "00:00"),
    ("12 pm", "12:00"),
    ("five", "5"),
    ("twenty", "20"),
    ("twenty-one", "21"),
    ("two hundred and five", "205"),
    ("one hundred thousand", "100,000"),
    ("3.50", "3.5"),
    ("+5", "5"),
    ("1. five", "5"),
]
UNEQUAL = [
    ("5", "-5"),
    ("5%", "5"),
    ("$5", "€5"),
    ("1.5", "15"),
    ("v1.30", "v1.3"),
    ("10:30", "11:30"),
    ("2026-01-05", "2026-05-01"),
    ("January 5, 2026", "January 5, 2025"),
    ("January 5", "January 2026"),
    ("FY20", "FY21"),
    ("5 million", "5 billion"),
    ("1-800-676-3690", "1-800-676-3691"),
    ("10.0.0.1", "10.0.0.2"),
    ("5 5", "5"),
    ("3 am", "3 pm"),
    ("2nd", "3rd"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_one_value_in_two_notations_is_one_token(one: str, other: str) -> None:
    assert numbers(one) == numbers(other)
    assert numbers(one).total() == 1


@pytest.mark.parametrize(("one", "other"), UNEQUAL)
def test_other_values_are_other_tokens(one: str, other: str) -> None:
    assert numbers(one) != numbers(other)


def test_every_number_of_a_sentence_is_found() -> None:
    text = "From Oct 23 to Nov 7, 2025 at 10:30 AM, 18F pays $71 to 3-5 people (10.5%) for v1.30, 期限は15日."
    assert numbers(text) == Counter(
        ["--10-23", "2025-11-07", "10:30", "18f", "usd 71", "3", "5", "10.5%", "v1.30", "15"]
    )


def test_marks_of_lists_and_targets_of_links_are_no_numbers() -> None:
    assert not numbers("1. Go [home](https://a.example/2024)[^3]")


@settings(deadline=None)
@given(st.integers(0, 10**9))
def test_a_whole_number_is_found_by_its_value(number: int) -> None:
    assert numbers(f"about {number:,} units") == numbers(f"about {number} units") == Counter([str(number)])


@settings(deadline=None)
@given(st.dates(date(1000, 1, 1), date(2999, 12, 31)))
def test_a_date_is_found_by_its_value(day: date) -> None:
    iso = day.isoformat()
    assert numbers(f"on {iso}") == numbers(f"on {day:%B %d, %Y}") == numbers(f"on {day:%d %b %Y}") == {iso: 1}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It isn't so and cannot be", {"not": 2}),
        ("Never without a ticket, nor non-refundable", {"never": 1, "without": 1, "nor": 1, "non": 1}),
        ("Note the notice of nothing", {"nothing": 1}),
        ("We do ~~not~~ pay", {"not": 1}),
    ],
)
def test_negations_are_counted(text: str, found: dict[str, int]) -> None:
    assert polarity(text) == found


@pytest.mark.parametrize(
    "word",
    [
        *("until", "since", "former", "formerly", "draft", "except", "deprecated", "obsolete", "archived", "no longer"),
        *("only", "unless", "proposed", "planned", "expired", "effective", "as of", "previously", "temporary", "pilot"),
        *("historical", "superseded", "retired", "cancelled", "suspended", "before", "after", "should", "may"),
    ],
)
def test_a_qualifier_is_found_as_a_word_of_its_own(word: str) -> None:
    assert qualifiers(f"This is {word.upper()}\n2024") == {word: 1}
    assert not qualifiers(f"un{word.replace(' ', '')}ed")


def test_the_longer_phrase_counts() -> None:
    assert qualifiers("as of now, no longer") == {"as of": 1, "now": 1, "no longer": 1}


def test_a_status_says_by_itself_that_a_rule_does_not_hold() -> None:
    assert statuses("A draft, only until May, no longer") == {"draft": 1, "no longer": 1}


@pytest.mark.parametrize(
    "piece", ["漢 ", "_a", "**a*", "-1", "1. ", "1,", "1", "a1", "1a-", "1 ", "1.1.", "three ", "not"]
)
def test_long_texts_end(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    assert numbers(text) is not None
    assert qualifiers(text) is not None
