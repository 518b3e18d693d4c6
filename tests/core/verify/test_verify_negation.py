import pytest
from hypothesis import given

from core.verify import negation
from core.verify.negation import clauses
from tests.strategies.claims import SENTENCES, TEXTS


def negation_differs(claim, span):
    return negation.negation_differs(clauses(claim), clauses(span))


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
    assert negation.denies(clauses(text)) is found


@given(TEXTS)
def test_a_text_never_differs_from_itself(text):
    assert not negation_differs(text, text)


@given(SENTENCES, SENTENCES)
def test_a_clause_that_says_the_same_settles_it(claim, more):
    assert not negation_differs(claim, f"{more}. {claim}")


DENIED_APART = [
    ("Phones are provided.", "Laptops are provided, but phones are not."),
    ("Smoking is allowed.", "Smoking is forbidden."),
    ("Overtime is paid out.", "Overtime is not paid out but compensated by time off."),
    ("The fee is not refundable.", "The deposit and the fee are refundable."),
    ("Meals are covered.", "Travel is covered, but not meals."),
    ("The policy covers contractors.", "The policy covers employees but not contractors."),
    ("Volunteers are paid.", "Interns are paid, volunteers are not."),
    ("HR approves leave.", "Managers, rather than HR, approve leave."),
    ("Rome closes.", "All offices close except Rome."),
    ("The heating is on in summer.", "In summer the heating is off."),
    ("Part-timers get the bonus.", "All staff get the bonus, with the exception of part-timers."),
    ("Deposits are refunded.", "Fees are refunded; deposits are not refunded."),
    ("The budget went up by 5%.", "The budget decreased by 5%."),
    ("The museum is open on Mondays.", "The museum is open daily except on Mondays."),
    ("Wine may be expensed.", "Meals may be expensed, but never wine."),
    ("The sauna is heated.", "The pool is heated, the sauna is not."),
    ("The form is signed online.", "The form must be signed on paper, not online."),
    ("The shop is open on Sunday.", "The shop is open daily except Sunday."),
    ("Basic includes support.", "All plans include support except Basic."),
    ("Students get a badge.", "Students get a card, but never a badge."),
    ("The app works offline.", "The app works online, but not offline."),
    ("Freelancers must do the training.", "Freelancers are exempt from the training."),
    ("Vouchers do not expire.", "Vouchers are personal; they expire after two years."),
    ("Attendance dropped by 10.", "Attendance rose by 10."),
    ("The alarm is on at night.", "The alarm is off at night."),
    ("No fee of any kind is charged.", "A fee of EUR 2.0 is charged."),
    ("Subcontractors may enter.", "All may enter, except subcontractors."),
    ("Expenses for alcohol are paid.", "Expenses are paid, excluding alcohol."),
    ("No late fee is charged per day.", "The late fee is EUR 0.50 per day."),
    ("No fee is due.", "A fee of 2.0 % is due."),
    ("Interns get a phone.", "Interns get a laptop, but no phone."),
    ("A standing desk is available for home.", "A standing desk is available in the office, not for home."),
    ("Unused days do not expire.", "Unused days can be carried over; they expire on 31 March."),
    ("The discount applies to resellers.", "The discount applies to all customers except resellers."),
    ("Contractors have the probation period.", "Contractors are exempt from the probation period."),
    ("The fee is up 5%.", "The fee is down 5%."),
    ("The price rose by 5%.", "The price fell by 5%."),
    ("Sales went up by 10.", "Sales went down by 10."),
    ("The price includes VAT.", "The price excludes VAT."),
    ("The price is EUR 50 including VAT.", "The price is EUR 50 excluding VAT."),
    ("The light is switched on.", "The light is switched off."),
    ("The heating is on at 20 degrees.", "The heating is off at 20 degrees."),
    ("Guests may use the gym.", "Guests may use the pool, though never the gym."),
    ("Dogs are allowed in the office.", "Pets are allowed in the office apart from dogs."),
    ("Freight is free of tax.", "Freight costs tax."),
    ("There is no deposit.", "The deposit is EUR 1.0 per bottle."),
    ("No tip is added.", "A tip of 0.5 % is added."),
    ("Trainees receive a car.", "Trainees receive a laptop, but no car."),
    ("Remote work is possible on Mondays.", "Remote work is possible, but not on Mondays."),
    ("Phones are insured.", "Laptops are insured, phones are not."),
    ("Gift cards get the discount.", "The discount applies to all orders except gift cards."),
    ("The discount applies to gift cards.", "All orders get a discount apart from gift cards."),
    ("Volunteers pay the fee.", "Volunteers are exempt from the fee."),
    ("Seasonal workers get the bonus.", "Seasonal workers are excluded from the bonus."),
    ("Points never expire.", "Points are collected with each order; they expire after a year."),
    ("Prices went down in May.", "Prices went up in May."),
    ("Costs rose by 3%.", "Costs fell by 3%."),
    ("Revenue grew by 5 million.", "Revenue shrank by 5 million."),
    ("Turn the switch on at 8:00.", "Turn the switch off at 8:00."),
    ("The light is turned on at 8:00.", "The light is turned off at 8:00."),
    ("The rent is EUR 900 including heating.", "The rent is EUR 900 excluding heating."),
    ("The rent is EUR 900 with heating.", "The rent is EUR 900 without heating."),
    ("The salary is EUR 900 gross.", "The salary is EUR 900 net."),
    ("Sales increased by 5%.", "Sales fell by 5%."),
    ("Parking is free for guests.", "Parking is free for staff, not for guests."),
]
TOLD_ALIKE = [
    ("Laptops are provided.", "Laptops are provided, but phones are not."),
    ("Staff can park for free.", "Staff can park free of charge."),
    ("Overtime is not paid.", "Overtime is not paid out but compensated by time off."),
    ("Meals are not covered.", "Travel is covered, but not meals."),
    ("Travel is covered.", "Travel is covered, but not meals."),
    ("You need no receipt below EUR 10.", "No receipt is needed below EUR 10."),
    ("A receipt is needed from EUR 10.", "No receipt is needed below EUR 10, from EUR 10 a receipt is needed."),
    ("Remote work needs approval.", "Remote work needs approval, without exception."),
    ("You can work remotely up to 3 days.", "You can work remotely up to 3 days, not more."),
    ("The laptop must not leave the building.", "Laptops must never leave the building."),
    ("Visitors must sign in.", "Visitors must sign in and may not enter alone."),
    ("If you do not use the days, they expire.", "Days that you do not use expire."),
    ("Rent is due on the first.", "Rent is due on the first, not on the fifth."),
    ("The cap is not raised.", "The cap is not increased."),
    ("The heating is off in summer.", "In summer the heating is off."),
    ("The policy covers employees, not contractors.", "The policy covers employees but not contractors."),
    ("Contractors are not covered by the policy.", "The policy covers employees but not contractors."),
    ("Interns are paid.", "Interns are paid, volunteers are not."),
    ("Managers approve leave.", "Managers, rather than HR, approve leave."),
    ("Leave is approved by managers instead of HR.", "Managers approve leave, not HR."),
    ("All offices but Rome close.", "All offices close except Rome."),
    ("Carry-over is possible until March.", "Carry-over is possible until March, not later."),
    ("Coffee is free of charge.", "Coffee is free."),
    ("Nobody except the CFO signs.", "Only the CFO signs."),
    ("The shop is open daily except Sunday.", "The shop is open daily, but not on Sunday."),
    ("The pool is heated, the sauna is not.", "The pool is heated, the sauna is not."),
    ("The share went down.", "The share decreased."),
    ("All plans include support except Basic.", "Every plan but Basic includes support."),
    ("Do not open the window.", "Do not open the window at night."),
    ("The fee is waived for members.", "Members do not pay the fee."),
    ("The form is signed on paper.", "The form must be signed on paper, not online."),
    ("The late fee is EUR 0.50 per day.", "A late fee of 0.50 is charged."),
    ("The ratio of 2.0 is used.", "The ratio is 2.0."),
    ("Interns get a laptop.", "Interns get a laptop, but no phone."),
    ("A standing desk is available for the office.", "A standing desk is available for the office, not for home."),
    ("The discount applies to all customers.", "The discount applies to all customers except resellers."),
    ("Managers may approve.", "No one except managers may approve."),
    ("The price rose by 5%.", "The price went up by 5%."),
    ("The number fell.", "The number decreased."),
    ("Approval is not needed.", "No approval is needed."),
    ("The rate is up to 5%.", "The rate is at most 5%."),
    ("Interns do not get a phone.", "Interns get a laptop, but no phone."),
    ("Resellers are not exempt from the fee.", "Resellers pay the fee."),
    ("Unused days expire on 31 March.", "Unused days can be carried over; they expire on 31 March."),
    ("The alarm is switched off.", "The alarm is turned off."),
    ("The plan has 0.5 GB.", "The plan has 1 GB."),
    ("Version 2.0 is supported.", "We support 2.0."),
    ("Prices fell by 3%.", "Prices dropped by 3%."),
    ("Prices went up.", "Prices increased."),
    (
        "The discount applies to all orders except gift cards.",
        "The discount applies to all orders, but not to gift cards.",
    ),
    ("Gift cards are excluded from the discount.", "The discount does not apply to gift cards."),
    ("Shipping is free of charge.", "There is no charge for shipping."),
    ("Sign up by 5 May.", "You can sign up by 5 May."),
    ("Employees are free to choose.", "Employees may choose."),
    ("Trainees receive a laptop but no car.", "Trainees receive a laptop, but no car."),
    ("Remote work is possible, except on Mondays.", "Remote work is possible, but not on Mondays."),
    ("Laptops are insured.", "Laptops are insured, phones are not."),
    ("Members may cancel without a fee.", "Members may cancel without paying a fee."),
    ("Only managers can approve, nobody else.", "Only managers can approve."),
]


@pytest.mark.parametrize(("claim", "span"), DENIED_APART)
def test_what_a_smaller_clause_an_exception_or_an_opposite_denies_differs(claim, span):
    assert negation_differs(claim, span)


@pytest.mark.parametrize(("claim", "span"), TOLD_ALIKE)
def test_what_a_smaller_clause_or_an_exception_leaves_alone_does_not_differ(claim, span):
    assert not negation_differs(claim, span)
