"""What an amount is for each of is compared where both name it."""

import pytest

from core.verify.gate import numeric_gate
from core.verify.rates import is_rate, rates, recurring_ahead
from core.verify.wording import Wording


def capped(claim, span):
    return numeric_gate(Wording(claim), Wording(span)).capped


SAME = [
    ("Training budget is EUR 1,000 per person per year.", "EUR 1,000 per person each year for training."),
    ("The price is 500 € per year.", "The price is €500 annually."),
    ("10 000 km per year are included.", "10,000 km a year are included."),
    ("The quota is 2 GB per user.", "User quota: 2 GB"),
    ("You may take 5 days of special leave per year.", "Special leave: 5 days a year."),
    ("The first 3 months are free.", "The first three months are free of charge."),
    ("The board meets 4 times a year.", "The board meets four times per year."),
    ("Rooms for 8 people cost EUR 40 per hour.", "Rooms for up to 8 people cost EUR 40 an hour."),
    ("The stipend is £1,200 monthly.", "The stipend is GBP 1,200 per month."),
    ("A subscription costs €9.99 a month.", "Subscriptions cost 9,99 € per month."),
    ("A quarter is 3 months.", "Three months make a quarter."),
    ("The cost is 5 EUR/km.", "The cost is 5 EUR per km."),
    ("We hold 2 workshops every quarter.", "We hold 2 workshops per quarter."),
    ("Each employee has a budget of EUR 500 a year.", "Every employee has EUR 500 per year as a budget."),
    ("Pay is weekly, EUR 600.", "Weekly pay is EUR 600."),
    ("The weekly limit is 40 hours.", "Up to 40 hours a week."),
    ("Vacation is 30 days.", "Vacation: 30 days (per year)"),
    ("We pay 30 cents per kilometre.", "Mileage: 30 cents/km"),
    ("The late fee is EUR 0.50 per day.", "The late fee is EUR 0.50 per day."),
    ("We have 3 meetings per week.", "There are 3 meetings a week."),
    ("The limit is 100 requests a minute.", "The limit is 100 requests per minute."),
    ("The allowance is EUR 0.30 for a private car per kilometre.", "EUR 0.30 per kilometre are paid for private cars."),
    ("The fee is EUR 450 monthly.", "The fee is EUR 450 per month."),
    ("The monthly fee is EUR 450.", "EUR 450 a month is the fee."),
    ("Leave is 20 days annually.", "Leave is 20 days per year."),
    ("Backups run 4 times a day.", "Backups run 4 times daily."),
    ("Backups run twice a week.", "Backups run two times per week."),
    ("The grant is EUR 1,000 a year.", "The annual grant is EUR 1,000."),
    ("Interest is 3% per annum.", "Interest is 3% per year."),
    ("The plan costs $10 per user per month.", "The plan costs $10 per month for each user."),
    ("Staff get 30 days.", "Staff get 30 days per year."),
]
OTHER = [
    ("The first aid course is every 2 years.", "The first aid course is every 2 months."),
    ("The price is 500 € per quarter.", "The price is €500 annually."),
    ("The stipend is £1,200 weekly.", "The stipend is GBP 1,200 per month."),
    ("Overtime pays 125% of the daily wage.", "Overtime: 125% of the hourly wage"),
    ("The board meets 4 times a month.", "The board meets four times per year."),
    ("Kids are 3 to 6 months.", "Kids are 3 to 6 years old."),
    ("Each employee has a budget of EUR 500 a month.", "Every employee has EUR 500 per year as a budget."),
    ("The weekly limit is EUR 40.", "The limit is EUR 40 per day."),
    ("We hold 2 workshops every quarter.", "We hold 2 workshops per month."),
    ("Half-time is 20 hours a month.", "Half-time is 20 hours a week."),
    ("She is 18 months old.", "She is 18 years old."),
    ("It takes 3 weeks.", "There are 3 meetings per week, for months."),
    ("The rent is EUR 450 per month.", "The rent is EUR 450 per week."),
    ("Leave is 20 days per month.", "Leave is 20 days per year."),
    ("You get EUR 0.30 per mile.", "You get EUR 0.30 per kilometre."),
    ("The bonus is 12% of the monthly salary.", "The bonus is 12% of the annual salary."),
    ("We meet once a month.", "We meet once a year."),
    ("The fee is EUR 450 daily.", "The monthly fee is EUR 450."),
    ("Backups run 4 times an hour.", "Backups run 4 times a day."),
    ("The limit is 100 requests per second.", "The limit is 100 requests a minute."),
    ("The grant is EUR 1,000 a month.", "The annual grant is EUR 1,000."),
    ("Interest is 3% monthly.", "Interest is 3% per annum."),
    ("Fuel is EUR 1.50 per gallon.", "Fuel is EUR 1.50 per litre."),
]


@pytest.mark.parametrize(("claim", "span"), SAME)
def test_what_is_meant_by_both_passes_rates(claim, span):
    assert not capped(claim, span)


@pytest.mark.parametrize(("claim", "span"), OTHER)
def test_a_number_at_another_rate_is_held_against_the_claim(claim, span):
    assert capped(claim, span)


@pytest.mark.parametrize(
    ("ahead", "behind", "found"),
    [
        ("", " per month", {"month"}),
        ("", " a day", {"day"}),
        ("", "/km", {"kilometre"}),
        ("", " of the annual salary", {"year"}),
        ("", " per person per night", {"night"}),
        ("", " in march, 5 a day", set()),
        ("", " people", set()),
        ("hotel - limit per night: ", " eur", {"night"}),
        ("per night we pay: ", " eur per week", {"week"}),
    ],
)
def test_a_rate_is_read_behind_a_number_up_to_the_next_or_in_its_title(ahead, behind, found):
    assert rates(ahead, behind) == found


def test_a_recurring_fee_says_the_rate_ahead():
    assert recurring_ahead("the monthly fee is ") == {"month"}
    assert recurring_ahead("the fee is ") == set()


def test_the_article_of_a_rate_counts_nothing():
    assert is_rate("100 requests ", "a minute is the limit")
    assert not is_rate("it takes ", "a minute")
    assert not is_rate("100 requests and ", "a meeting")
