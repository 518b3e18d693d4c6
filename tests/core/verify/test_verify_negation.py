import pytest
from hypothesis import given

from core.verify.negation import denies, negation_differs
from tests.strategies.claims import SENTENCES, TEXTS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Cadet Kelly was released.", "Cadet Kelly was never released."),
        ("The office is open on Fridays.", "The office isn't open on Fridays."),
        ("Problems will arise.", "Problems wo n't arise."),
        ("Contractors can use the portal.", "Contractors cannot use the portal."),
        ("Fax is accepted at the office.", "Fax is no longer accepted at the office."),
        ("Guests may enter.", "Guests may not currently enter."),
        ("Approval is needed.", "No approval is needed."),
        ("Sign it with approval.", "Sign it without approval."),
        ("Everybody reads the log.", "Nobody reads the log."),
        ("Refunds were approved by the board.", "The board failed to approve refunds."),
        ("The office is open.", "The office is closed."),
        ("Invoices are paid.", "The invoices are unpaid."),
        ("Overtime is mandatory.", "Overtime is optional."),
        ("The fee is included.", "The fee is excluded."),
        ("The office is closed.", "The office is not closed."),
    ],
)
def test_what_one_denies_and_the_other_affirms_differs_in_both_directions(one, other):
    assert negation_differs(one, other)
    assert negation_differs(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The office is not open.", "The office is never open."),
        ("The office is not open.", "The office is closed."),
        ("The office is open.", "The office is open, and there is no fee."),
        ("Approval is not needed.", "No approval is needed."),
        ("It cannot be done without approval.", "It can be done with approval."),
        ("The annual limit is 5.", "The sum cannot be higher than the annual limit of 5."),
        ("The trip takes at most 5 days.", "The trip takes no more than 5 days."),
        ("There were no deaths.", "There were 0 deaths."),
        ("Staff use the portal.", "Staff not only use the portal but also the app."),
        ("Forms are signed.", "Forms are signed without delay."),
        ("Everybody gets five days.", "Everybody who is not on probation gets five days."),
        ("The office is open on Mondays.", "The office is closed on Sundays and open on Mondays."),
        ("The office is open.", "Parking is open. Parking is not open at night."),
        ("Inform the office.", "The form is with the office."),
        ("", "not"),
    ],
)
def test_a_negation_of_something_else_or_of_a_negation_differs_from_nothing(one, other):
    assert not negation_differs(one, other)
    assert not negation_differs(other, one)


def test_the_clause_that_shares_most_words_decides():
    claim = "The portal is open to contractors."
    assert not negation_differs(claim, "The portal is open to contractors; the archive is not open to contractors.")
    assert negation_differs(claim, "The archive is open to contractors; the portal is not open to contractors.")


def test_a_span_about_something_else_cannot_deny_a_claim():
    assert not negation_differs("The office in Oslo is open to guests on Fridays.", "Parking is not open.")


@pytest.mark.parametrize(
    ("text", "found"), [("No people came.", True), ("It didn't rain.", True), ("It rained.", False)]
)
def test_a_text_denies_something_or_not(text, found):
    assert denies(text) is found


@given(TEXTS)
def test_a_text_never_differs_from_itself(text):
    assert not negation_differs(text, text)


@given(SENTENCES, SENTENCES)
def test_a_clause_that_says_the_same_settles_it(claim, more):
    assert not negation_differs(claim, f"{more}. {claim}")
