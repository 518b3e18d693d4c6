from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.verify import addresses as addresses_of
from core.verify import negation, tokens, units
from core.verify import quantities as quantities_of
from core.verify.comparatives import Bound
from core.verify.gate import numeric_gate
from core.verify.negation import negation_differs
from core.verify.quantities import Kind
from core.verify.wording import Wording
from tests.support.calls import calls


def read(text):
    return [(one.kind, one.bound, one.ends) for one in Wording(text).quantities]


def test_a_sentence_is_read_in_its_order():
    text = "More than 25 stations in 15 markets paid $5m or 3.5% between May 2019 and June 2020, at 3 pm, for v1.30."
    assert read(text) == [
        (Kind.NUMBER, Bound.MORE, ((25,),)),
        (Kind.NUMBER, Bound.EXACT, ((15,),)),
        (Kind.NUMBER, Bound.EXACT, ((5_000_000,),)),
        (Kind.SHARE, Bound.EXACT, ((Decimal("3.5"),),)),
        (Kind.DATE, Bound.BETWEEN, ((2019, 5, None), (2020, 6, None))),
        (Kind.TIME, Bound.EXACT, ((15 * 60,),)),
        (Kind.TEXT, Bound.EXACT, ()),
    ]


def test_a_number_counts_the_words_behind_it_up_to_the_next_stop():
    (stations, markets) = Wording("It owns 25 television stations in 15 markets.").quantities
    assert (stations.nouns, markets.nouns) == ({"televis", "station"}, {"market"})


def test_the_first_of_two_numbers_counts_what_the_second_does():
    (days,) = Wording("It takes 3-5 days.").quantities
    assert (days.bound, days.measure, days.nouns) == (Bound.RANGE, "second", {"day"})
    assert days.ends == ((3 * 86400,), (5 * 86400,))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1500 people", Kind.DATE),
        ("1,500 people", Kind.NUMBER),
        ("over 1500 people", Kind.NUMBER),
        ("1500 hours", Kind.NUMBER),
        ("before 1500", Kind.DATE),
        ("999 people", Kind.NUMBER),
    ],
)
def test_four_digits_may_be_a_year_unless_something_says_that_they_count(text, kind):
    assert Wording(text).quantities[0].kind is kind


@pytest.mark.parametrize(
    "text", ["You may ask.", "They march on.", "One of us.", "No one came.", "Ask the one in charge."]
)
def test_words_that_only_look_like_quantities_are_none(text):
    assert Wording(text).quantities == ()


@pytest.mark.parametrize(
    ("text", "series"),
    [
        ("COVID-19 came", "covid-"),
        ("Use Form 12.", "form "),
        ("FY20", "fy"),
        ("v1.30", ""),
        ("May 5", ""),
        ("Take 5 days", ""),
    ],
)
def test_a_number_in_a_name_is_one_of_a_series(text, series):
    assert Wording(text).quantities[0].series == series


def test_an_article_is_one_and_a_length_of_time_where_it_is_meant():
    assert [one.nouns for one in Wording("A week in an office.").articles] == [{"week"}, {"offic"}]
    assert Wording("A week in an office.").durations == ()
    assert [one.bound for one in Wording("Within a week, in over an hour.").durations] == [Bound.EXACT, Bound.MORE]


HOSTILE = [
    *("1,", "1", "a1-", "not ", "5 million ", "more than 5 ", "between 1 and ", "1-", "monday to ", "a@", "#a", "n't "),
    *("first second third ", "may ", "Ab 1 ", "a ", "within a ", "one ", "1 out of ", "1/", "((", "\u0660,", "漢1 "),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_twice_the_text_is_twice_the_work(piece):
    def read(text):
        numeric_gate(Wording(text), Wording("x"))
        negation_differs(Wording(text).clauses, Wording("x").clauses)

    once, twice = (calls(read, piece * (length // len(piece))) for length in (2_000, 4_000))
    assert twice <= 2.2 * once + 200


READ_THROUGH = [
    *(
        addresses_of._ADDRESS,
        addresses_of._WRITTEN,
        negation._CUT,
        units._ZONE,
        quantities_of._ARTICLE,
        quantities_of._NAMED,
    ),
    *(tokens._CALENDAR, tokens._WRITTEN, *(pattern for pattern, _ in tokens._REWRITTEN)),
]


@pytest.mark.parametrize("piece", ["1,", "1", "1.", "a", "a-", "a'", "1-", "a1", " ", "Ab "])
def test_no_pattern_tries_a_run_of_characters_again_from_each_of_them(piece):
    """That would be ten thousand million steps here."""
    text = piece * (100_000 // len(piece))
    assert [len(pattern.findall(text)) for pattern in READ_THROUGH]


@given(st.text())
def test_any_text_has_quantities_or_none(text):
    read = Wording(text)
    assert all(one.text for one in (*read.quantities, *read.articles, *read.durations))
