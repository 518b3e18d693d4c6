"""What a person chose is kept, is theirs alone, and is set by a tap through the same token as any other write."""

from datetime import UTC, datetime

import pytest

from core.clock import DAY, HOUR, from_datetime
from core.errors import InvalidRequest, Refused
from core.model.grants import CardAction
from core.model.preferences import MUTE, Preferences, settable
from core.model.work import Place
from core.store import people
from core.store.tables import Brief, Person, Preference
from tests.support.cards import card_with, tap
from tests.support.memories import add_person, audited, place_of, rows


def chosen(memory, person):
    return memory.people.preferences(person.tenant_id, person.person_id)


def test_who_has_chosen_nothing_has_what_the_settings_say(reopen):
    memory = reopen(watch={"brief_weekday": "friday", "brief_hour": 16})
    assert chosen(memory, add_person(memory, "Ada")) == Preferences(4, 16 * 60)


def test_a_choice_is_kept_and_may_be_made_anew(memory, ada):
    memory.prefer(ada, "brief_day", "sunday")
    memory.prefer(ada, "quiet_from", "22")
    memory.prefer(ada, "brief_day", "off")
    assert chosen(memory, ada) == Preferences(None, 9 * 60, 22)
    assert len(rows(memory, Preference)) == 2


def test_it_is_nobody_elses(memory, ada, bob):
    memory.people.ensure_tenant("other", "Other")
    namesake = add_person(memory, "Ada", tenant="other")
    memory.prefer(ada, "brief_day", "off")
    assert [chosen(memory, person).brief_day for person in (bob, namesake)] == [0, 0]


@pytest.mark.parametrize(("name", "value"), [("brief_day", "someday"), ("brief_hour", "24"), ("theme", "dark")])
def test_what_is_no_choice_is_refused_with_those_that_are(memory, ada, name, value):
    with pytest.raises(InvalidRequest, match="one of"):
        memory.prefer(ada, name, value)
    assert rows(memory, Preference) == []


def test_choosing_makes_nobody_a_brief_who_has_heard_nothing(memory, ada):
    memory.prefer(ada, "brief_day", "tuesday")
    assert rows(memory, Brief) == []


# ── by a tap ──


def set_by_tap(memory, mint_token, person, name, value):
    card = card_with(memory, person, [settable(name)], subject=f"{name}:{value}")
    action = CardAction("preference_set", name, value)
    return memory.redeem(mint_token(tap(card, "preference_set", name, value)), action)


def test_a_tap_sets_it_and_leaves_its_trace(memory, mint_token, ada):
    assert set_by_tap(memory, mint_token, ada, "brief_day", "off") == {"name": "brief_day", "value": "off"}
    assert chosen(memory, ada).brief_day is None
    assert [(row.action, row.target, row.outcome) for row in audited(memory)] == [
        ("preference_set", "brief_day", "done")
    ]


def test_a_card_that_offers_one_preference_sets_no_other(memory, mint_token, ada):
    card = card_with(memory, ada, [settable("brief_day")])
    with pytest.raises(Refused) as refused:
        memory.redeem(
            mint_token(tap(card, "preference_set", "platform", "slack")),
            CardAction("preference_set", "platform", "slack"),
        )
    assert refused.value.code == "not_granted"
    assert rows(memory, Preference) == []


EVENING = from_datetime(datetime(2026, 12, 4, 20, tzinfo=UTC))


@pytest.mark.parametrize(
    ("choice", "until"),
    [
        ("off", 0),
        ("1h", EVENING + HOUR),
        ("1w", EVENING + 7 * DAY),
        ("tomorrow", from_datetime(datetime(2026, 12, 5, 5, tzinfo=UTC))),
    ],
)
def test_a_tap_mutes_everything_until_tomorrow_at_six_or_for_a_time(memory, mint_token, clock, choice, until):
    clock.ts = EVENING
    ada = add_person_at(memory, "Ada", "Europe/Berlin")
    assert set_by_tap(memory, mint_token, ada, MUTE, choice) == {"name": "mute", "value": choice}
    assert [person.muted_until for person in rows(memory, Person)] == [until]
    assert rows(memory, Preference) == []


def add_person_at(memory, name, zone):
    person_id = memory.people.put("default", name, zone=zone)
    memory.people.bind("default", person_id, place_of(person_id))
    return memory.people.principal("default", person_id)


def test_until_tomorrow_in_the_small_hours_is_this_morning(memory, mint_token, clock):
    clock.ts = EVENING + 5 * HOUR
    ada = add_person_at(memory, "Ada", "Europe/Berlin")
    set_by_tap(memory, mint_token, ada, MUTE, "tomorrow")
    assert rows(memory, Person)[0].muted_until == from_datetime(datetime(2026, 12, 5, 5, tzinfo=UTC))


# ── where cards go ──


def test_cards_go_to_the_platform_of_ones_choice_or_else_where_one_was_seen_last(memory, ada, clock):
    elsewhere = Place("slack", "T1", "U1")
    clock.advance(HOUR)
    memory.people.bind("default", ada.person_id, elsewhere)
    assert platform_of(memory, ada) == "slack"
    memory.prefer(ada, "platform", "local")
    assert platform_of(memory, ada) == "local"
    memory.prefer(ada, "platform", "teams")
    assert platform_of(memory, ada) == "slack"
    memory.prefer(ada, "platform", "any")
    assert platform_of(memory, ada) == "slack"


def platform_of(memory, person):
    with memory._database.read("default") as tx:
        return people.reachable(tx, person.person_id).platform
