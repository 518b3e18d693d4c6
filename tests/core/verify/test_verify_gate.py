"""What a claim's numbers, dates and addresses ask of a span: borne out, or held against it."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.verify import gate
from core.verify.wording import Wording
from tests.strategies.claims import SENTENCES, TEXTS


def numeric_gate(claim, span):
    return gate.numeric_gate(Wording(claim), Wording(span))


BORNE_OUT = [
    # notation
    ("The cap is EUR 5,000,000.", "The liability cap is 5 million EUR."),
    ("The cap is EUR 5m.", "The cap is 5,000,000."),
    ("The cap is 5 million euros.", "The cap is €5,000,000."),
    ("It costs 3 dollars.", "It costs $3."),
    ("There are five units.", "There are 5 units."),
    ("Twenty-five people work here.", "25 people work here."),
    ("She came third.", "She came 3rd."),
    ("The score is 78%.", "The score is 78 out of 100."),
    ("They pay 12.5% interest.", "Interest: 12.50 %"),
    ("It raised $ 16 million in May .", "It raised $16m in May."),
    ("We eat a dozen eggs.", "We eat 12 eggs."),
    ("We meet twice a week.", "We meet 2 times a week."),
    ("Version v1.30 is out.", "v1.30 is out now"),
    ("Call 1-800-555-0100.", "Phone: 1-800-555-0100"),
    # comparatives
    ("More than 4,700 people came.", "4,812 people came."),
    ("More than 4,700 people came.", "Over 4,800 people attended."),
    ("At least five reviewers are needed.", "Six reviewers are needed."),
    ("At least 184 countries have it.", "Over 184 countries have it."),
    ("Fewer than 30 seats are left.", "12 seats are left."),
    ("The fee is under €200.", "The fee is EUR 150."),
    ("Between 3 and 5 people share a room.", "4 people share a room."),
    ("It takes between 3 and 5 days.", "It takes 3-5 days."),
    ("About 1,000 users signed up.", "1,043 users signed up."),
    ("No more than 3 guests are allowed.", "At most three guests are allowed."),
    ("Up to 10 MB can be attached.", "Attachments may not exceed 10 MB."),
    ("Software up to $3,500 is fine.", "Software equal to and under $3,500.00 is fine."),
    ("Teams have 10 or more members.", "Teams have at least 10 members."),
    ("It lasted less than an hour.", "It lasted 45 minutes."),
    ("More than 50 % of staff agreed.", "55 percent of employees agreed."),
    # dates and times
    ("It starts on 2026-01-05.", "It starts on 5 January 2026."),
    ("It was March 5 , 2014 .", "It was 5 March 2014."),
    ("It began in 2015.", "It began on December 8, 2015."),
    ("It began in May 2020.", "It began on May 5, 2020."),
    ("It began in June of 1866.", "It began on June 14, 1866."),
    ("Released in July.", "Released on July 8, 2005."),
    ("It grew in the 1990s.", "It grew in 1994."),
    ("It grew in the 1940 's .", "It grew on October 4, 1941."),
    ("It was founded before 2019.", "Founded in March 2017."),
    ("His birthday is before June.", "Born on 20 March 1963."),
    ("It was founded after 2015.", "It was founded on 2016-02-01."),
    ("The 2019-20 budget was cut.", "The budgets of 2019 and 2020 were cut."),
    ("It starts on 03/04/2026.", "It starts on 3 April 2026."),
    ("It starts on 03/04/2026.", "It starts on March 4, 2026."),
    ("It starts on 4 March 2026.", "It starts on 03/04/2026."),
    ("The meeting is at 3:30 PM.", "The meeting is at 15:30."),
    ("Hours are 3:30 PM to 4:30 PM.", "Hours are 3:30-4:30 PM."),
    ("The meeting is at 3 PM Eastern.", "The meeting is at 3 PM (all times Eastern)."),
    ("We meet on Wednesdays.", "We meet Monday through Friday."),
    # units
    ("Leave is 2 weeks.", "Leave is 14 days."),
    ("The trial lasts a year.", "The trial lasts 12 months."),
    ("The trial lasts one month.", "The trial lasts a month."),
    ("The distance is 5 km.", "The distance is 5,000 metres."),
    ("It takes 5 days.", "Between 3 and 5 days, in 2020."),
    # names, addresses, and what says nothing
    ("COVID-19 cases rose.", "Cases of the coronavirus rose."),
    ("Hitman : Agent 47 came out.", "The film came out."),
    ("One of the best came.", "The best came."),
    ("Zero people came.", "No people came."),
    ("Ask us at help@example.org.", "Ask Help@Example.org for help."),
    ("Join #general.", "Our channel is general."),
    ("No number here.", "Only this one has 7."),
]
HELD_AGAINST = [
    ("It takes 5 days.", "It takes 10 days.", ("5",)),
    ("It takes 5 days.", "It takes days.", ("5",)),
    ("2 of 9 in 2019", "2 of 8 in 2020", ("9", "2019")),
    ("The cap is 20%.", "The cap is 20.", ("20%",)),
    ("The cap is EUR 5m.", "The cap is USD 5m.", ("eur 5000000",)),
    ("Version v1.30 is out.", "v1.3 is out", ("v1.30",)),
    ("10.0.0.1 is the gateway", "10.0.0.2 is the gateway", ("10.0.0.1",)),
    ("More than 4,700 people came.", "4,612 people came.", ("4700",)),
    ("More than 4,700 people came.", "4,700 people came.", ("4700",)),
    ("More than 4,700 people came.", "More than 3,000 people came.", ("4700",)),
    ("More than 4,700 people came.", "Fewer than 9,000 people came.", ("4700",)),
    ("More than 5 people came.", "It cost 8 euros in 2020.", ("5",)),
    ("At least 5 reviewers are needed.", "At least 3 reviewers are needed.", ("5",)),
    ("At least 5 reviewers are needed.", "At least 7 reviewers are needed.", ("5",)),
    ("Up to 10 MB can be attached.", "Up to 25 MB can be attached.", ("10",)),
    ("Meetings with over 50 people count.", "Meetings with over 100 people count.", ("50",)),
    ("Trainings that cost less than $3,500", "Trainings that cost less than $3,000", ("usd 3500",)),
    ("Between 3 and 5 people share a room.", "7 people share a room.", ("3–5",)),
    ("About 1,000 users signed up.", "1,101 users signed up.", ("1000",)),
    ("Fewer than 0 degrees were measured.", "No degrees were measured.", ("0",)),
    ("It takes 3-5 days.", "It takes 3-6 days.", ("3–5",)),
    ("Steps 1-4 are yearly.", "Steps 1-3 are yearly, steps 4-6 are not.", ("1–4",)),
    ("It starts on 5 January 2026.", "It starts on 6 January 2026.", ("2026-01-05",)),
    ("It starts on 5 January 2026.", "It starts in 2026.", ("2026-01-05",)),
    ("It starts on 03/04/2026.", "It starts on 5 April 2026.", ("03/04/2026",)),
    ("It was founded after 2015.", "It was founded in 2015.", ("2015",)),
    ("It was founded before 2019.", "It was founded in May 2019.", ("2019",)),
    ("Released in July.", "Released on August 8, 2005.", ("--07",)),
    ("It grew in the 1990s.", "It grew in 2003.", ("1990s",)),
    ("The meeting is at 3:30 PM.", "The meeting is at 3:30 AM.", ("15:30",)),
    ("The meeting is at 3 PM Eastern.", "The meeting is at 3 PM Pacific.", ("15:00",)),
    ("We meet on Tuesdays.", "We meet on Thursdays.", ("tuesday",)),
    ("We meet on Sundays.", "We meet Monday through Friday.", ("sunday",)),
    ("We meet on Tuesdays.", "We meet Friday through Monday.", ("tuesday",)),
    ("Leave is 2 weeks.", "Leave is 2 days.", ("2",)),
    ("Submit it within a week.", "Submit it within 3 days.", ("1",)),
    ("He waited for over a week.", "He waited 2 days.", ("1",)),
    ("Reply within one day.", "A person will reply within two days.", ("1",)),
    ("The distance is 5 km.", "The distance is 5 miles.", ("5",)),
    ("She came third.", "She came fifth.", ("3rd",)),
    ("Use Form 87.", "Use Form 88.", ("87",)),
    ("It is GS-15 pay.", "It is GS-14 pay.", ("15",)),
    ("FY21 goals", "FY22 goals", ("fy21",)),
    ("Ask us at help@example.org.", "Ask support@example.org for help.", ("help@example.org",)),
    ("Join #general.", "Join #random.", ("general",)),
]


@pytest.mark.parametrize(("claim", "span"), BORNE_OUT)
def test_what_a_span_bears_out_passes(claim, span):
    assert numeric_gate(claim, span).missing == ()


@pytest.mark.parametrize(("claim", "span", "missing"), HELD_AGAINST)
def test_what_a_span_does_not_bear_out_is_named(claim, span, missing):
    assert numeric_gate(claim, span).missing == missing


PIECES = ["more than", "at least", "up to", "between", "and", "about", "before", "a week", "in", "may", "#a", "x@y.z"]
AMOUNTS = ["5", "7", "3-5", "2019", "1990s", "$5", "5%", "5 days", "monday", "3:30 pm", "fy20", "Form 3", "03/04/2026"]
RICH = st.lists(st.sampled_from(PIECES + AMOUNTS), max_size=8).map(" ".join)


@given(TEXTS | RICH)
def test_a_text_never_differs_from_itself(text):
    assert not numeric_gate(text, text).capped


@given(SENTENCES | RICH, SENTENCES | RICH, SENTENCES | RICH)
def test_what_else_a_span_says_takes_nothing_from_it(claim, span, more):
    """All but names with numbers, which only speak against a span that has another of their kind."""
    named = {"monday", "tuesday", "fy20", "3"}
    before, after = (
        set(numeric_gate(claim, text).missing) for text in (f"Read: {span}", f"Read: {span}. Then; {more}")
    )
    assert after - named <= before


@given(st.text() | RICH, st.text() | RICH)
def test_any_two_texts_can_be_held_against_each_other(claim, span):
    assert isinstance(numeric_gate(claim, span).missing, tuple)


HOLDS = {
    "more than": lambda held, stated: held > stated,
    "at least": lambda held, stated: held >= stated,
    "fewer than": lambda held, stated: held < stated,
    "at most": lambda held, stated: held <= stated,
    "about": lambda held, stated: abs(held - stated) * 10 <= stated,
    "": lambda held, stated: held == stated,
}


@given(st.sampled_from(sorted(HOLDS)), st.integers(0, 10**7), st.integers(0, 10**7), st.booleans())
def test_a_comparative_is_as_true_as_its_numbers(words, stated, held, near):
    held = stated + held % 3 - 1 if near and stated else held
    capped = numeric_gate(f"{words} {stated:,} people came", f"{held:,} people came").capped
    assert capped is not HOLDS[words](held, stated)


@given(st.integers(0, 999), st.integers(0, 999), st.integers(0, 999))
def test_between_holds_what_lies_between(low, high, held):
    low, high = sorted((low, high))
    capped = numeric_gate(f"between {low} and {high} people came", f"{held} people came").capped
    assert capped is not (low <= held <= high)


DATES = st.dates(date(1000, 1, 1), date(2999, 12, 31))


@given(DATES, DATES, st.integers(-1, 1) | st.none())
def test_dates_agree_with_the_calendar_in_every_notation(one, other, apart):
    if apart is not None and one.year < 2999:
        other = max(one + timedelta(days=apart), date(1000, 1, 1))
    for notation in ("%B %-d, %Y", "%-d %b %Y", "%Y-%m-%d"):
        span = f"It came on {other.strftime(notation)}."
        assert numeric_gate(f"It came on {one:%Y-%m-%d}.", span).capped is (one != other)
        assert numeric_gate(f"It came before {one:%B} {one.day}, {one.year}.", span).capped is not (other < one)
        assert numeric_gate(f"It came in {one.year}.", span).capped is (one.year != other.year)


@given(st.integers(1, 28), st.integers(1, 12), st.integers(1, 28), st.integers(1, 12))
def test_a_date_that_can_be_read_in_two_ways_is_read_in_both_on_either_side(day, month, other_day, other_month):
    one, other = f"due {day:02}/{month:02}/2026", f"due {other_month:02}/{other_day:02}/2026"
    assert numeric_gate(one, other).capped is numeric_gate(other, one).capped
    assert numeric_gate(one, other).capped is ({day, month} != {other_day, other_month})
