"""Links open once, cookies say one person, and nothing that was not signed here says anything."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.inbox.backend import PersonKey
from bot.channels.inbox.session import COOKIE_LIFE, LINK_LIFE, Sessions, read, sign
from core.clock import ManualClock

SECRET = bytes(range(32))
PEOPLE = st.builds(PersonKey, st.text(st.characters(codec="utf-8"), min_size=1), st.uuids())
TIMES = st.integers(0, 2**53)


@given(PEOPLE, TIMES, TIMES)
def test_a_cookie_names_its_person_until_it_expires_and_nobody_from_then_on(
    person: PersonKey, expires: int, now: int
) -> None:
    assert read(SECRET, sign(SECRET, person, expires), now) == (person if now < expires else None)


@given(PEOPLE, st.binary(min_size=32, max_size=64).filter(lambda secret: secret != SECRET))
def test_a_cookie_signed_with_another_secret_names_nobody(person: PersonKey, secret: bytes) -> None:
    assert read(SECRET, sign(secret, person, 2**53), 0) is None


@given(PEOPLE, st.data())
def test_a_cookie_with_any_character_changed_names_nobody(person: PersonKey, data: st.DataObject) -> None:
    cookie = sign(SECRET, person, 2**53)
    at = data.draw(st.integers(0, len(cookie) - 1))
    other = data.draw(st.characters().filter(lambda character: character != cookie[at]))
    assert read(SECRET, cookie[:at] + other + cookie[at + 1 :], 0) is None


@given(st.text())
def test_whatever_text_arrives_as_a_cookie_names_nobody_and_raises_nothing(cookie: str) -> None:
    assert read(SECRET, cookie, 0) is None


def test_cookies_of_a_kept_secret_outlive_a_restart_and_links_do_not() -> None:
    """A link is spent or void after a restart: it could otherwise be used twice."""
    clock = ManualClock(0)
    person = PersonKey("acme", UUID(int=1))
    before, after = Sessions(SECRET, clock), Sessions(SECRET, clock)
    cookie = before.redeem(before.issue(person))
    assert after.person(cookie) == person
    assert after.redeem(before.issue(person)) is None


def test_a_link_opens_once() -> None:
    sessions = Sessions(SECRET, ManualClock(0))
    token = sessions.issue(PersonKey("acme", UUID(int=1)))
    assert sessions.redeem(token) is not None
    assert sessions.redeem(token) is None


def test_links_of_two_people_are_independent() -> None:
    sessions = Sessions(SECRET, ManualClock(0))
    people = [PersonKey("acme", UUID(int=1)), PersonKey("other", UUID(int=1))]
    tokens = [sessions.issue(person) for person in people]
    assert [sessions.person(sessions.redeem(token)) for token in tokens] == people


@pytest.mark.parametrize(("age", "opens"), [(LINK_LIFE - 1, True), (LINK_LIFE, False)])
def test_a_link_expires_on_the_microsecond(age: int, opens: bool) -> None:
    clock = ManualClock(7)
    sessions = Sessions(SECRET, clock)
    token = sessions.issue(PersonKey("acme", UUID(int=1)))
    clock.advance(age)
    assert (sessions.redeem(token) is not None) is opens


def test_a_session_ends_after_its_life() -> None:
    clock = ManualClock(7)
    sessions = Sessions(SECRET, clock)
    cookie = sessions.redeem(sessions.issue(PersonKey("acme", UUID(int=1))))
    clock.advance(COOKIE_LIFE)
    assert sessions.person(cookie) is None


def test_expired_links_are_forgotten_when_another_is_issued() -> None:
    clock = ManualClock(0)
    sessions = Sessions(SECRET, clock)
    for _ in range(3):
        sessions.issue(PersonKey("acme", UUID(int=1)))
        clock.advance(LINK_LIFE)
    assert len(sessions._links) == 1


def test_a_short_secret_is_refused_and_no_secret_shows_in_a_log() -> None:
    with pytest.raises(ValueError, match=r"has 31 bytes; give it 32"):
        Sessions(bytes(31), ManualClock(0))
    assert "secret" not in repr(Sessions(SECRET, ManualClock(0)))
