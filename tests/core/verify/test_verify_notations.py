"""Notations that say the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.verify import negation, notations
from core.verify.gate import numeric_gate
from core.verify.notations import respelled, shares
from core.verify.wording import Wording


def capped(claim, span):
    return numeric_gate(Wording(claim), Wording(span)).capped


SAME = [
    ("Add it by Tue, 5 May.", "Add it by Tuesday, 5 May."),
    ("It's open Sat and Sun.", "It's open on Saturday and Sunday."),
    ("The window opens on Mon 5 May 2026.", "The window opens on Monday 5 May 2026."),
    ("The battery lasts 1½ hours.", "The battery lasts 90 minutes."),
    ("The hotline is open Mon. to Fri.", "The hotline is open Monday to Friday."),
    ("The bus runs on Saturdays and Sundays.", "The bus runs at weekends."),
    ("It starts at 9 am CET.", "It starts at 9:00 Central European Time."),
    ("Every 2 weeks a report is due.", "A report is due every fortnight."),
    ("The library opens at 8:30 from Monday to Friday.", "Opening hours: weekdays from 8:30 to 18:00."),
    ("The file is 5MB.", "The file is 5 MB."),
    ("It closes at 12 PM.", "It closes at noon."),
    ("Add ½ day.", "Add 0.5 day."),
    ("It takes 1½ days.", "It takes 1.5 days."),
    ("The price is 1'500 francs.", "The price is CHF 1,500."),
    ("The price is 1 500 EUR.", "The price is EUR 1,500."),
    ("The price is 1.250,50 €.", "The price is EUR 1,250.50."),
    ("The price is 12,50 €.", "The price is EUR 12.50."),
    ("1 in 5 employees cycles.", "20% of employees cycle."),
    ("One in four agrees.", "25 % agree."),
    ("Notice is a fortnight.", "Notice is 2 weeks."),
    ("The call is at 10:00 Central European Time.", "The call is at 10:00 CET."),
    ("We are open on weekdays.", "We are open Monday to Friday."),
    ("We are open on weekends.", "We are open on Saturday and Sunday."),
    ("We are open Mon-Fri.", "We are open Monday to Friday."),
    ("We are open on Wednesday.", "We are open Mon–Fri."),
    ("We close on Sun.", "We close on Sunday."),
    ("The shop is open Mon to Fri.", "The shop is open on weekdays."),
    ("The desk is staffed on Tue.", "The desk is staffed on Tuesdays."),
    ("Lunch starts at noon.", "Lunch starts at 12:00."),
    ("The fee is EUR 2 000.", "The fee is 2,000 euros."),
    ("The fee is 2.000,00 €.", "The fee is EUR 2,000."),
    ("The deposit is CHF 2'500.", "The deposit is CHF 2500."),
    ("One in ten left.", "10% left."),
    ("Pay every fortnight.", "Pay every two weeks."),
    ("It takes ¾ hour.", "It takes 45 minutes."),
    ("The rate is 2½ %.", "The rate is 2.5%."),
    ("It weighs 5kg.", "It weighs 5,000 grams."),
]
OTHER = [
    ("The meeting is at noon.", "The meeting is at 11:00."),
    ("The bus runs on weekdays.", "The bus runs at weekends."),
    ("The hotline is open Mon. to Sat.", "The hotline is open Mon. to Fri."),
    ("1 in 4 parcels is late.", "1 in 5 parcels is late."),
    ("We are open on weekends.", "We are open on weekdays."),
    ("We are open Mon–Sat.", "We are open Mon–Fri."),
    ("We are open on Sat.", "We are open Mon–Fri."),
    ("It closes at noon.", "It closes at midnight."),
    ("The price is 1.250,50 €.", "The price is EUR 1,250."),
    ("1 in 5 employees cycles.", "25% of employees cycle."),
    ("Notice is a fortnight.", "Notice is 1 week."),
    ("The call is at 10:00 Central European Time.", "The call is at 10:00 Eastern."),
    ("The support is there Mon-Sun.", "The support is there Mon-Fri."),
    ("The support is there on Saturday.", "The support is there on weekdays."),
]


@pytest.mark.parametrize(("claim", "span"), SAME)
def test_what_is_meant_by_both_passes_notations(claim, span):
    assert not capped(claim, span)


@pytest.mark.parametrize(("claim", "span"), OTHER)
def test_a_number_that_another_notation_does_not_say_is_held_against_the_claim(claim, span):
    assert capped(claim, span)


@pytest.mark.parametrize(
    ("folded", "written"),
    [
        ("5 weekdays", "5 weekdays"),
        ("two weekends", "two weekends"),
        ("room - person(s): 3", "room - person(s): 3"),
        ("flat - stay (min): 3", "flat - stay (min): 3"),
        ("road - length (km): 35 miles", "road - length (km): 35 miles"),
        ("the sun sat", "the sun sat"),
        ("1 2\u20443 cups", "1 2\u20443 cups"),
        ("room 1 200", "room 1 200"),
        ("1.250 people", "1.250 people"),
        ("1,250 people", "1,250 people"),
        ("1 in 3 came", "1 in 3 came"),
    ],
)
def test_what_is_ambiguous_or_comes_out_uneven_stays_as_it_is_written(folded, written):
    assert respelled(folded) == written


def test_a_share_that_comes_out_uneven_stays_a_fraction():
    assert shares("1 in 3 came, 1 in 4 left, 1 in 0 stood") == "1/3 came, 25% left, 1 in 0 stood"


NUMBERS = st.decimals(0, 99999, places=2)


@given(NUMBERS)
def test_an_amount_is_the_same_with_points_and_commas_swapped(number):
    english = f"{number:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    assert not capped(f"The fee is EUR {english}.", f"The fee is {german} €.")
    assert not capped(f"The fee is {german} €.", f"The fee is EUR {english}.")


@given(st.integers(1, 9_999_999), st.sampled_from(["km", "weeks", "%", "EUR", "GB", "hours", "°C"]))
def test_a_title_says_the_unit_as_the_cell_would(number, unit):
    in_title, in_cell = f"A — Size ({unit}): {number}", f"A — Size: {number} {unit}"
    assert not capped(in_cell, in_title)
    assert not capped(in_title, in_cell)


@given(st.text())
def test_any_text_is_respelled(text):
    assert isinstance(shares(respelled(text)), str)


READ_THROUGH = [
    *(notations._HEADED, notations._SHORT_DAYS, notations._SPACED, notations._EUROPEAN, notations._WHOLE_EUROPEAN),
    *(notations._FRACTION, notations._ONE_IN, *(pattern for pattern, _ in notations._REWRITTEN)),
    *(pattern for pattern, _ in negation._SPELLED_OUT),
]


@pytest.mark.parametrize(
    "piece",
    ["1", "1 ", "1 111", ".111", "a", " ", " (km)", " in km", "a (km): ", "mon-", "1'111", "1 in ", " is up", "€ 1 "],
)
def test_no_notation_tries_a_run_of_characters_again_from_each_of_them(piece):
    """That would be ten thousand million steps here."""
    text = piece * (100_000 // len(piece))
    assert [len(pattern.findall(text)) for pattern in READ_THROUGH]
