import pytest
from hypothesis import given

from core.verify.gate import negation_differs, numeric_gate
from tests.strategies.claims import SENTENCES, TEXTS


@pytest.mark.parametrize(
    ("claim", "span"),
    [
        ("The cap is EUR 5,000,000.", "The liability cap is 5 million EUR."),
        ("It starts on 2026-01-05.", "It starts on 5 January 2026."),
        ("There are five units.", "There are 5 units."),
        ("Version v1.30 is out.", "v1.30 is out now"),
        ("It takes 5 days.", "Between 3 and 5 days, in 2020."),
        ("No number here.", "Only this one has 7."),
    ],
)
def test_equal_values_pass_however_they_are_written(claim, span):
    assert not numeric_gate(claim, span).capped


@pytest.mark.parametrize(
    ("claim", "span", "missing"),
    [
        ("It takes 5 days.", "It takes 10 days.", ("5",)),
        ("It takes 5 days.", "It takes days.", ("5",)),
        ("It starts on 5 January 2026.", "It starts on 6 January 2026.", ("2026-01-05",)),
        ("Version v1.30 is out.", "v1.3 is out", ("v1.30",)),
        ("The cap is 20%.", "The cap is 20.", ("20%",)),
        ("2 of 9 in 2019", "2 of 8 in 2020", ("9", "2019")),
    ],
)
def test_a_value_without_its_equal_is_named(claim, span, missing):
    assert numeric_gate(claim, span).missing == missing


@given(TEXTS)
def test_a_text_never_differs_from_itself(text):
    assert not numeric_gate(text, text).capped
    assert not negation_differs(text, text)


@given(SENTENCES, SENTENCES)
def test_what_else_a_span_says_takes_nothing_from_it(claim, more):
    assert not numeric_gate(claim, f"{claim}; the {more}").capped


@pytest.mark.parametrize(
    ("claim", "span"),
    [
        ("Cadet Kelly was released.", "Cadet Kelly was never released."),
        ("The office is open on Fridays.", "The office isn't open on Fridays."),
        ("Contractors can use the portal.", "Contractors cannot use the portal."),
        ("Fax is accepted.", "Fax is no longer accepted."),
        ("Approval is needed.", "No approval is needed."),
        ("Sign it with approval.", "Sign it without approval."),
    ],
)
def test_what_one_denies_and_the_other_affirms_differs_in_both_directions(claim, span):
    assert negation_differs(claim, span)
    assert negation_differs(span, claim)


@pytest.mark.parametrize(
    ("claim", "span"),
    [
        ("The office is not open.", "The office is never open."),
        ("The office is open.", "The office is open, and there is no fee."),
        ("The annual limit is 5.", "The sum cannot be higher than the annual limit of 5."),
        ("The office is open.", "Parking is open. Parking is not open at night."),
        ("", "not"),
    ],
)
def test_a_negation_of_something_else_differs_from_nothing(claim, span):
    assert not negation_differs(claim, span)


@given(TEXTS, TEXTS)
def test_the_guard_is_symmetric(one, other):
    assert negation_differs(one, other) is negation_differs(other, one)
