"""Who a chat user is: never guessed, bound by a verified address where that is trusted, and else greeted once a day."""

import asyncio

import pytest

from bot.channels.base import NotSent, Profile, Unknown, Unreachable
from core.clock import DAY, HOUR, MINUTE, SECOND
from core.model.work import GREETING, stranger
from core.outcomes.engine import LOOK_AFTER
from core.store.tables import CardMessage, Inbox, Person
from tests.fakes.scripted_channel import ScriptedChannel
from tests.support.bots import buttons, parts_over
from tests.support.memories import change_row, rows
from tests.support.posting import PLATFORM, connect, member
from tests.support.talks import Talk, bot_over

ASKED = "What may a meal cost at most?"


def profile(email="grace@example.com", *, zone="Asia/Kolkata", locale="de", active=True):
    return Profile("Grace", email, zone, locale, active)


@pytest.fixture
def channel():
    found = ScriptedChannel()
    found.profiles["U1"] = profile()
    return found


@pytest.fixture
def grace(memory):
    return memory.people.put("default", "Grace", email="Grace@Example.com", zone="Europe/Berlin")


@pytest.fixture(autouse=True)
def workspaces(memory):
    connect(memory, "A", trusted=True)
    connect(memory, "B")


@pytest.fixture
def user(parts, channel):
    """A chat user nobody has bound, in a workspace that is trusted."""
    return Talk(parts, channel, "U1")


@pytest.fixture
def elsewhere(parts, channel):
    """The same user of a workspace that is not trusted."""
    return Talk(parts, channel, "U1", "B")


def bound(memory, talk):
    return memory.people.at("default", talk.place)


def results(memory):
    return [(row.state, row.result) for row in rows(memory, Inbox)]


def greetings(memory):
    return [row for row in rows(memory, CardMessage) if row.kind == GREETING]


# ── by a verified address ──


async def test_a_verified_address_of_a_trusted_workspace_binds_whoever_has_it_and_they_are_answered(
    memory, user, grace, revise
):
    revise()
    [answer] = await user.ask(ASKED)
    assert "40 EUR" in answer
    assert bound(memory, user) == grace


@pytest.mark.parametrize("written", ["grace@example.com", "GRACE@EXAMPLE.COM", "Grace@Example.com"])
async def test_its_case_makes_no_difference(memory, channel, user, grace, written):
    channel.profiles["U1"] = profile(written)
    await user.ask("help")
    assert bound(memory, user) == grace


async def test_where_they_live_is_taken_over(memory, user, grace):
    await user.ask("help")
    person = memory.people.get("default", grace)
    assert (person.zone, person.locale) == ("Asia/Kolkata", "de")


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", None])
async def test_a_zone_that_nobody_knows_is_left_alone(memory, channel, user, grace, zone):
    channel.profiles["U1"] = profile(zone=zone)
    await user.ask("help")
    assert memory.people.get("default", grace).zone == "Europe/Berlin"


def another_grace(memory, channel):
    person_id = memory.people.put("default", "Another Grace", email="another@example.com")
    change_row(memory, Person, ("default", person_id), email="grace@example.com")


def has_left(memory, channel):
    [person] = rows(memory, Person)
    change_row(memory, Person, ("default", person.person_id), active=False)


def has_no_address(memory, channel):
    channel.profiles["U1"] = profile(None)


def is_deactivated(memory, channel):
    channel.profiles["U1"] = profile(active=False)


def has_another_address(memory, channel):
    channel.profiles["U1"] = profile("grace@example.com.evil")


def is_unknown_there(memory, channel):
    del channel.profiles["U1"]


@pytest.mark.parametrize(
    "why", [another_grace, has_left, has_no_address, is_deactivated, has_another_address, is_unknown_there]
)
async def test_nobody_is_guessed_at(memory, channel, user, grace, revise, why):
    revise()
    why(memory, channel)
    [text] = await user.ask(ASKED)
    assert text.startswith("Nice to meet you")
    assert bound(memory, user) is None
    assert results(memory) == [("done", "greeted")]


async def test_a_workspace_that_is_not_trusted_binds_nobody_and_is_not_even_asked(memory, channel, elsewhere, grace):
    [text] = await elsewhere.ask("help")
    assert text.startswith("Nice to meet you")
    assert bound(memory, elsewhere) is None
    assert channel.tried("profile", "B") == 0


async def test_an_address_binds_nobody_of_another_tenant(memory, user, grace):
    memory.people.ensure_tenant("other", "Other")
    memory.workspaces.connect("other", PLATFORM, "O", "Other", {}, trusted=True)
    theirs = Talk(user.parts, user.channel, "U1", "O")
    await theirs.ask("help")
    assert memory.people.at("other", theirs.place) is None


async def test_whoever_is_bound_stays_who_they_are_whatever_their_address(memory, channel, user, grace):
    ada = member(memory, "Ada")
    memory.people.bind("default", ada.person_id, user.place)
    await user.ask("help")
    assert bound(memory, user) == ada.person_id
    assert channel.tried("profile") == 0


async def test_a_person_may_be_two_users(memory, parts, channel, user, grace):
    channel.profiles["U2"] = profile()
    other = Talk(parts, channel, "U2")
    await user.ask("help")
    await other.ask("help")
    assert {bound(memory, user), bound(memory, other)} == {grace}


async def test_two_bots_that_hear_their_first_words_bind_one_person(memory, reopen, parts, channel, user, grace):
    with bot_over(reopen(), channel, owner="other") as other:
        for number in range(4):
            await user.say("help", f"e{number}")
        await asyncio.gather(parts.worker.settle(), other.worker.settle())
    assert bound(memory, user) == grace
    assert [view.place for view in memory.people.places("default")] == [user.place]


# ── when the platform does not say ──


async def test_when_it_cannot_be_told_now_who_it_is_the_question_waits_and_is_answered_and_nobody_is_greeted(
    memory, clock, channel, user, grace, revise
):
    revise()
    channel.profiles["U1"] = Unreachable("ratelimited")
    assert await user.ask(ASKED) == []
    assert ([state for state, _ in results(memory)], greetings(memory)) == (["ready"], [])
    channel.profiles["U1"] = profile()
    clock.advance(MINUTE)
    await user.parts.worker.settle()
    [text] = user.texts()
    assert "40 EUR" in text
    assert results(memory) == [("done", "answered")]


async def test_while_one_user_cannot_be_told_the_others_are_answered(memory, channel, user, parts):
    member(memory, "Ada")
    channel.profiles["U1"] = Unreachable("ratelimited")
    await user.say("help")
    assert len(await Talk(parts, channel, "Ada").ask("help")) == 1
    assert user.texts() == []


# ── greeted ──


@pytest.fixture
def eve(parts, channel):
    """Nobody knows her, nor will."""
    return Talk(parts, channel, "Eve", "B")


async def test_a_stranger_is_told_how_to_be_known_and_nothing_of_what_is_remembered(memory, eve, revise):
    revise()
    member(memory, "Ada", "A")
    [text] = await eve.ask(ASKED)
    assert "Eve" in text, "the id that an admin needs"
    assert not any(word in text for word in ("40 EUR", "Travel", "Meals", "Ada", "document"))
    assert buttons(eve.cards()[0]) == []


async def test_a_stranger_is_greeted_once_a_day_however_much_they_write(memory, clock, eve):
    for event, text in enumerate((ASKED, "help", "watching", "saved", "brief now", "status")):
        await eve.ask(text, f"e{event}")
    assert len(eve.texts()) == eve.channel.tried("send", "B") == 1
    assert results(memory) == [("done", "greeted")] * 6
    clock.advance(DAY)
    assert len(await eve.ask("help")) == 2


async def test_nothing_else_is_ever_sent_to_a_stranger(memory, clock, eve, revise):
    await eve.ask("help")
    for meals in (50, 60):
        revise(meals=meals)
        clock.advance(8 * DAY)
        await eve.parts.worker.settle()
    assert len(eve.texts()) == 1
    assert {row.person_id for row in rows(memory, CardMessage)} == {stranger(eve.place)}


async def test_each_stranger_is_greeted_where_they_are(parts, channel, eve):
    mallory = Talk(parts, channel, "Mallory", "B")
    eve_in_a = Talk(parts, channel, "Eve", "A")
    for talk in (eve, mallory, eve_in_a):
        [text] = await talk.ask("help")
        assert talk.user in text


@pytest.mark.parametrize("trouble", [NotSent("rate limited", retry_after=30 * SECOND), Unknown("time-out")])
async def test_a_greeting_that_waits_is_dropped_once_they_are_known_and_they_are_answered(
    memory, clock, eve, grace, revise, trouble
):
    revise()
    eve.channel.script("send", trouble, workspace="B")
    await eve.ask(ASKED)
    memory.people.bind("default", grace, eve.place)
    for _ in range(4):
        clock.advance(LOOK_AFTER)
        await eve.parts.worker.settle()
    [text] = eve.texts()
    assert "40 EUR" in text
    assert [(row.state, row.reason) for row in greetings(memory)] == [("skipped", "bound")]


async def test_a_greeting_met_with_trouble_comes_in_the_end_and_once(memory, clock, eve):
    eve.channel.script("send", Unknown("cut"), workspace="B", taken=True)
    await eve.ask("help")
    for _ in range(4):
        clock.advance(HOUR)
        await eve.parts.worker.settle()
    assert (len(eve.texts()), eve.channel.tried("send", "B")) == (1, 1)
    assert results(memory) == [("done", "greeted")]


async def test_whoever_is_unbound_is_a_stranger_again(memory, eve, grace, revise):
    revise()
    memory.people.bind("default", grace, eve.place)
    assert "40 EUR" in (await eve.ask(ASKED))[-1]
    memory.people.unbind("default", eve.place)
    assert (await eve.ask(ASKED))[-1].startswith("Nice to meet you")


async def test_a_reply_on_its_way_is_dropped_when_the_user_is_another_by_then(memory, clock, eve, grace, revise):
    """An admin had bound the wrong one, and put it right while the answer waited."""
    revise()
    bob = member(memory, "Bob", "A")
    memory.people.bind("default", grace, eve.place)
    eve.channel.script("send", NotSent("rate limited", retry_after=30 * SECOND), workspace="B")
    await eve.ask(ASKED)
    memory.people.bind("default", bob.person_id, eve.place)
    clock.advance(MINUTE)
    await eve.parts.courier.carry()
    await eve.parts.courier.lanes.finish()
    assert eve.texts() == []
    assert [row.reason for row in rows(memory, CardMessage)] == ["not_authorised"]


# ── without the platform at hand ──


async def test_where_the_platform_does_not_run_nobody_is_bound_by_it(memory, channel, grace, user):
    parts = parts_over(memory, {})
    await user.say("help")
    await parts.worker.settle()
    parts.gateway.stop()
    assert bound(memory, user) is None
    assert channel.calls == []
