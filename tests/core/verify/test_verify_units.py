"""A unit is read beside its number or in the title of its column, and compared where both name one."""

import pytest

from core.verify.gate import numeric_gate
from core.verify.wording import Wording


def capped(claim, span):
    return numeric_gate(Wording(claim), Wording(span)).capped


SAME = [
    ("The bike shed is 300 m away.", "The bike shed is 300 metres away."),
    ("Keep it under 25 °C.", "Keep it at 20 °C."),
    ("The vest costs $20 each.", "The vest costs $20."),
    ("A reply takes 3 working days.", "Replies take 2 to 4 working days."),
    ("Windows 11 is used.", "We use Windows 11."),
    ("iOS 17.4 is needed.", "iOS 17.4 is needed."),
    ("The meeting is at midnight.", "The meeting is at 0:00."),
    ("The fee is 1.000,50 EUR.", "The fee is €1,000.50."),
    ("There are 1,500 seats.", "There are 1500 seats."),
    ("The trial lasts 12 weeks.", "The trial lasts 84 days."),
    ("Rent rises by 2.5%.", "The rent goes up by 2.5 %."),
    ("He is 30 years old.", "He is 30."),
    ("The interview takes 45 min.", "The interview takes 45 minutes."),
    ("The survey takes 10 minutes.", "The survey takes about 10 minutes."),
    ("Notice period is 4 weeks.", "Basic — Notice period, weeks: 4"),
    ("The allowance is EUR 28.", "Germany — Allowance (EUR per day): 28"),
    ("Memory is 16 GB.", "Laptop — RAM [GB]: 16 · Disk [TB]: 1"),
    ("The budget is USD 3,000.", "Team A — Budget (USD): 3,000"),
    ("The distance to Potsdam is 35 km.", "Potsdam — Distance (km): 35"),
    ("The discount is 15%.", "Gold — Discount (%): 15"),
    ("The notice is 3 weeks.", "Senior — Notice (weeks): 3"),
    ("The disk has 50 GB.", "Small — Disk (GB): 50"),
    ("The limit per night is EUR 210.", "Zürich — Hotel limit per night (EUR): 210"),
    ("The weight is 20 to 30 kg.", "Box — Weight (kg): 20-30"),
    ("The weight is 12 kg.", "Box — Weight in kg: 12"),
    ("Leave is 18 years old.", "Members must be 18."),
    ("She is 18.", "She is 18 years old."),
    ("The price is 500 DKK.", "The price is DKK 500."),
    ("The price is 500 kroner.", "The price is DKK 500."),
    ("It costs 50 zł.", "It costs PLN 50."),
    ("It costs C$ 50.", "It costs CAD 50."),
    ("It takes 2,000 ms.", "It takes 2 s."),
    ("It takes 2,000 ms.", "It takes 2 seconds."),
    ("The limit is 1 GB.", "The limit is 1000 MB."),
    ("The toll is 4 euros.", "A9 — Distance (km): 35 · Toll (EUR): 4"),
    ("The revenue is EUR 5 million.", "2025 — Revenue (EUR million): 5"),
    ("The speed is 80 km/h.", "Road — Speed (km/h): 80"),
    ("Response time is 4 hours.", "Priority 1 — Response time (hours): 4"),
    ("The latency is 200 ms.", "API — Latency (ms): 200"),
    ("The fee is up to USD 40.", "Basic — Fee (USD): up to 40"),
    ("The pool is 25 metres long.", "Pool — Length (m): 25"),
    ("The share is 12.5 percent.", "Fund — Share in %: 12.5"),
    ("Three people sit in a room.", "Room — Person(s): 3"),
    ("Minimum stay is 3 nights.", "Flat — Stay (min): 3"),
    ("The temperature is 20 °C.", "Room — Temperature (°C): 20"),
    ("The trainee gets 24 vacation days.", "Trainee — Vacation (days): 24"),
    ("Applicants must be 21 years old.", "Applicants must be at least 21."),
    ("There is no fee.", "The fee is 0."),
    ("There is no fee.", "The fee is EUR 0."),
    ("It costs USD 2.50.", "It costs $2.5."),
    ("It is 300 kr.", "It is 300 SEK."),
    ("The tank holds 1.5 l.", "The tank holds 1,500 ml."),
    ("It gives 2 MW.", "It gives 2,000 kW."),
    ("Report within 24 hours.", "Report within a day."),
]
OTHER = [
    ("The allowance is EUR 28 per week.", "Germany — Allowance (EUR per day): 28"),
    ("Memory is 16 TB.", "Laptop — RAM [GB]: 16 · Disk [TB]: 1"),
    ("Notice period is 4 months.", "Basic — Notice period, weeks: 4"),
    ("The budget is EUR 3,000.", "Team A — Budget (USD): 3,000"),
    ("The tolerance is 5 mm.", "The tolerance is 5 cm."),
    ("Boil it at 100 degrees Fahrenheit.", "Boil it at 100 degrees Celsius."),
    ("Java 17.1 runs.", "Java 17.10 runs."),
    ("See clause 7.10.", "See clause 7.1."),
    ("The fee is 100 PLN.", "The fee is 100 CZK."),
    ("The fee is SGD 100.", "The fee is S$ 10."),
    ("The fee is 100 Swiss francs.", "The fee is 100 euros."),
    ("The offer holds until Friday.", "The offer holds from Friday."),
    ("The distance to Potsdam is 35 miles.", "Potsdam — Distance (km): 35"),
    ("The discount is EUR 15.", "Gold — Discount (%): 15"),
    ("The notice is 3 months.", "Senior — Notice (weeks): 3"),
    ("The disk has 50 MB.", "Small — Disk (GB): 50"),
    ("The limit per night is CHF 210.", "Zürich — Hotel limit per night (EUR): 210"),
    ("The limit is EUR 210 per week.", "Zürich — Hotel limit per night (EUR): 210"),
    ("The weight is 12 lbs.", "Box — Weight in kg: 12"),
    ("The fee is 500 EUR.", "The fee is 500 DKK."),
    ("It costs 50 US dollars.", "It costs AUD 50."),
    ("The file is 5 KB.", "The file is 5 MB."),
    ("It takes 5 ms.", "It takes 5 s."),
    ("It holds 5 gallons.", "It holds 5 litres."),
    ("It is 25 °F.", "It is 25 °C."),
    ("It holds 5 ml.", "It holds 5 l."),
    ("It gives 5 kW.", "It gives 5 MW."),
    ("It costs 50 cents.", "It costs 50 euros."),
    ("It costs 50 zł.", "It costs 50 EUR."),
    ("It costs 50 kr.", "It costs 50 EUR."),
    ("It costs C$50.", "It costs $50."),
    ("It costs HK$50.", "It costs US$50."),
    ("The speed is 80 mph.", "Road — Speed (km/h): 80"),
    ("The toll is 4 dollars.", "A9 — Distance (km): 35 · Toll (EUR): 4"),
    ("Response time is 4 days.", "Priority 1 — Response time (hours): 4"),
    ("The latency is 200 seconds.", "API — Latency (ms): 200"),
    ("The share is EUR 12.5.", "Fund — Share in %: 12.5"),
    ("The trainee gets 24 vacation weeks.", "Trainee — Vacation (days): 24"),
    ("Room temperature is 20 °F.", "Room — Temperature (°C): 20"),
    ("It costs 20 rupees.", "It costs 20 yen."),
    ("It costs 20 Canadian dollars.", "It costs 20 US dollars."),
    ("It costs 20 pence.", "It costs 20 pounds."),
    ("It is 300 SEK.", "It is 300 NOK."),
    ("The quota is 5 TB.", "The quota is 5 GB."),
    ("The timeout is 30 minutes.", "The timeout is 30 seconds."),
    ("It is 5 inches wide.", "It is 5 cm wide."),
    ("It weighs 5 pounds.", "It weighs 5 kg."),
]


@pytest.mark.parametrize(("claim", "span"), SAME)
def test_what_is_meant_by_both_passes_units(claim, span):
    assert not capped(claim, span)


@pytest.mark.parametrize(("claim", "span"), OTHER)
def test_a_number_in_another_unit_is_held_against_the_claim(claim, span):
    assert capped(claim, span)
