"""Ranges, versions and the ends of a time."""

import pytest

from core.verify.gate import numeric_gate
from core.verify.wording import Wording


def capped(claim, span):
    return numeric_gate(Wording(claim), Wording(span)).capped


SAME = [
    ("Lunch is from 12 to 1 pm.", "Lunch is from 12:00 pm to 1:00 pm."),
    ("We meet from 2 to 4 pm.", "We meet from 14:00 to 16:00."),
    ("Lunch is 11-1 pm.", "Lunch is from 11:00 to 13:00."),
    ("Open 9-5 pm.", "Open 9 am to 5 pm."),
    ("Kids are 3 to 6.", "Kids are 3 to 6 years old."),
    ("Kids are 3 to 6 years old.", "Kids are 3 to 6."),
    ("Windows 11 is used.", "We use Windows 11."),
    ("iOS 17.4 is needed.", "iOS 17.4 is needed."),
    ("Chapter 3 tells how.", "See chapter 3."),
    ("The rule has been in force since 2020.", "The rule has been in force since 1 May 2020."),
    ("Room 3.10 is booked.", "Room 3.10 is booked."),
    ("The mean is 3.10.", "The mean is 3.1."),
    (
        "The office is closed between Christmas and 2 January.",
        "The office is closed from 24 December 2026 to 2 January 2027.",
    ),
    ("Guests aged 12 get in.", "Guests aged 10 to 15 get in."),
    ("Python 3.12 or newer works.", "Python 3.12 or newer works."),
    ("Section 4.2 applies.", "See section 4.2 for that."),
    ("It takes between 3 and 5 days.", "It takes 3-5 days."),
    ("The office is closed on 25 December 2026.", "Closed from 24 December 2026 to 1 January 2027."),
    ("A child aged 5 pays half.", "Children aged 3 to 6 pay half."),
    ("The desk is staffed at 10:00.", "The desk is staffed from 9:00 to 17:00."),
    ("Python 3.10 is needed.", "We use Python 3.10."),
    ("It costs EUR 3.10.", "It costs EUR 3.1."),
    ("It is 2.50 metres long.", "It is 2.5 metres long."),
    ("It is valid until 5 May 2026.", "It is valid through 5 May 2026."),
    ("The stock is between 10 and 20.", "The stock is between 10 and 20."),
    ("Permits are needed from 5 to 25 people.", "Permits are needed for 5 to 25 people."),
    ("Node 18.20 is used.", "Node 18.20 is supported."),
    ("The rating is 4.50.", "The rating is 4.5."),
    ("The pass is valid from 1 May 2026.", "The pass is valid since 1 May 2026."),
    ("The ticket is valid for 3 hours.", "The ticket is valid for 180 minutes."),
    ("The window is 09:00-17:00.", "Open from 9:00 to 17:00."),
    ("The order ships in 3 days.", "Orders ship within 2 to 5 days."),
]
OTHER = [
    ("We meet from 2 to 4 pm.", "We meet from 14:00 to 17:00."),
    ("We meet from 2 to 4 pm.", "We meet from 2 to 4 am."),
    ("Java 17.1 runs.", "Java 17.10 runs."),
    ("See clause 7.10.", "See clause 7.1."),
    ("The offer holds until Friday.", "The offer holds from Friday."),
    ("Room 3.10 is booked.", "Room 3.1 is booked."),
    ("Guests aged 16 get in.", "Guests aged 10 to 15 get in."),
    ("Sessions last between 10 and 20 minutes.", "Sessions last between 10 and 30 minutes."),
    ("Between May 2020 and June 2021 it was shut.", "Between May 2020 and July 2021 it was shut."),
    ("He has worked here since 2018.", "He worked here until 2018."),
    (
        "We are open Monday to Thursday between 9:00 and 17:00.",
        "We are open Monday to Thursday between 9:00 and 16:00.",
    ),
    ("Between 5 and 25 people come.", "From 10 to 20 people come."),
    ("Closed on 2 January 2027.", "Closed from 24 December 2026 to 1 January 2027."),
    ("A child aged 7 pays half.", "Children aged 3 to 6 pay half."),
    ("The desk is staffed at 18:00.", "The desk is staffed from 9:00 to 17:00."),
    ("Python 3.1 is needed.", "Python 3.10 is needed."),
    ("PostgreSQL runs in version 15.40.", "PostgreSQL runs in version 15.4."),
    ("See section 3.10.", "See section 3.1."),
    ("See § 3.10.", "See § 3.1."),
    ("It is valid from 5 May 2026.", "It is valid until 5 May 2026."),
    ("She works here since 2019.", "She works here until 2019."),
    ("Ages between 4 and 12.", "Ages between 4 and 14."),
    ("The office is open between 8:00 and 12:00.", "The office is open between 8:00 and 13:00."),
    ("Chapter 2.10 tells how.", "Chapter 2.1 tells how."),
    ("Use release 4.20.", "Use release 4.2."),
    ("Kubernetes 1.30 is used.", "Kubernetes 1.3 is used."),
    ("The pass is valid until 1 May 2026.", "The pass is valid from 1 May 2026."),
    ("Discounts end by 5 pm.", "Discounts start from 5 pm."),
]


@pytest.mark.parametrize(("claim", "span"), SAME)
def test_what_is_meant_by_both_passes_comparing(claim, span):
    assert not capped(claim, span)


@pytest.mark.parametrize(("claim", "span"), OTHER)
def test_a_number_of_another_range_version_or_end_is_held_against_the_claim(claim, span):
    assert capped(claim, span)
