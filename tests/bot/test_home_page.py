"""The bot's own page: as it is to be now, one for each person, and nothing of anybody else's."""

import asyncio

import pytest

from bot.actions import INACTIVE
from bot.channels.base import NotSent, Profile, Unreachable
from bot.ingress import Tap
from cards.actions import Choice
from cards.home import HOME_ROWS
from cards.model import Item, Rows
from core.clock import HOUR, MINUTE, SECOND
from core.model.grants import CardAction
from core.model.watching import ScopeType
from core.model.work import HOME, Extent
from core.store.tables import CardMessage, Inbox, Watch
from tests.fakes.scripted_channel import ScriptedChannel
from tests.support.bots import buttons
from tests.support.memories import change_row, document, page, put, rows, section, watch_request
from tests.support.posting import connect, member, place
from tests.support.talks import Talk

ASKED = "What may a meal cost at most?"


@pytest.fixture
def channel():
    return ScriptedChannel()


@pytest.fixture
def ada(memory):
    return member(memory, "Ada", zone="Europe/Berlin")


@pytest.fixture(autouse=True)
def workspaces(memory):
    connect(memory, "A", "B")


@pytest.fixture
def adas(parts, channel, ada):
    return Talk(parts, channel, "Ada")


@pytest.fixture
def eve(parts, channel):
    """Nobody knows her."""
    return Talk(parts, channel, "Eve")


@pytest.fixture
def watching(memory, revise, ada):
    revise()
    return memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md"), name="travel costs"), ada)


def choice(card, target):
    """A preference's control."""
    rows_of = [row for block in card.blocks if isinstance(block, Rows) for row in block.rows if isinstance(row, Item)]
    found = [one for row in rows_of for one in row.buttons if isinstance(one, Choice) and one.target == target]
    return found[0]


def chosen(talk, target, value):
    """The tap that chooses a value on the page that stands."""
    control = choice(talk.cards()[0], target)
    return Tap(control.nonce, CardAction(control.kind, control.target, value), at_home=True)


async def tap(talk, pressed):
    """Let a tap come in, and the bot work; its refusal, or None."""
    refusal = await talk.parts.ingress.tapped(talk.place, pressed)
    await talk.parts.worker.settle()
    return refusal


async def choose(talk, target, value):
    return await tap(talk, chosen(talk, target, value))


def pages(memory):
    return [row for row in rows(memory, CardMessage) if row.kind.startswith(HOME)]


# ── what stands there ──


async def test_the_page_says_what_one_watches_and_saved_and_prefers(adas, watching, parts):
    await adas.ask(ASKED)
    await adas.press(adas.button("answer_save"))
    card = await adas.open_home()
    text = adas.texts()[-1]
    for words in ("Hello, Ada", "travel costs", ASKED, "Europe/Berlin", "1 document"):
        assert words in text
    assert choice(card, "brief_day").chosen == "monday"


async def test_a_page_opened_again_is_the_same_page_as_things_are_now(memory, adas, ada, watching):
    first = await adas.open_home()
    memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals"), name="meals"), ada)
    await adas.open_home()
    assert (len(adas.cards()), len(pages(memory)), adas.channel.tried()) == (1, 1, 1)
    assert "You watch 2 things" in adas.texts()[0]
    assert choice(first, "mute").nonce != choice(adas.cards()[0], "mute").nonce


async def test_a_page_opened_three_times_at_once_is_one_page_whose_buttons_work(memory, adas, parts):
    await asyncio.gather(*(parts.ingress.opened_home(adas.place, f"e{n}") for n in range(3)))
    await parts.worker.settle()
    assert len(adas.cards()) == len(pages(memory)) == 1
    assert await choose(adas, "brief_day", "friday") is None
    assert choice(adas.cards()[0], "brief_day").chosen == "friday"


async def test_the_same_opening_that_comes_again_is_nothing_new(memory, adas):
    await adas.open_home("e1")
    before = adas.cards()
    await adas.open_home("e1")
    assert (adas.cards(), adas.channel.tried("update")) == (before, 0)
    assert [row.state for row in rows(memory, Inbox)] == ["done"]


async def test_the_buttons_of_a_page_that_was_opened_again_since_are_not_active(memory, adas, watching):
    await adas.open_home()
    old = chosen(adas, "brief_day", "friday")
    stop = adas.button("watch_mute")
    await adas.open_home()
    assert await tap(adas, old) == INACTIVE
    assert await adas.press(stop, None) == INACTIVE
    assert [row.enabled for row in rows(memory, Watch)] == [True]


async def test_each_person_has_a_page_of_their_own(memory, parts, channel, adas, watching):
    member(memory, "Bob")
    bob = Talk(parts, channel, "Bob")
    await adas.open_home()
    await bob.open_home()
    assert "travel costs" in adas.texts()[0]
    assert "travel costs" not in bob.texts()[0]
    assert await bob.press(adas.button("watch_mute"), None) == INACTIVE
    assert [row.enabled for row in rows(memory, Watch)] == [True]


async def test_a_page_opened_in_another_workspace_stands_there(memory, parts, channel, adas, ada):
    await adas.open_home()
    memory.people.bind("default", ada.person_id, place("Ada", "B"))
    there = Talk(parts, channel, "Ada", "B")
    await there.open_home()
    assert "Hello, Ada" in there.texts()[0]
    assert len(pages(memory)) == 1


async def test_a_page_with_more_than_it_shows_permits_what_it_shows_and_counts_the_rest(memory, adas, ada):
    sections = {f"Part {number}": f"Part {number} costs 10 EUR." for number in range(HOME_ROWS + 3)}
    put(memory, "prices.md", page("Prices", sections))
    for name in sections:
        memory.watch(watch_request(ada, ScopeType.ENTITY, section("prices.md", "Prices", name), name=name), ada)
    card = await adas.open_home()
    stops = [button for button in buttons(card) if button.kind == "watch_mute"]
    assert len(stops) == HOME_ROWS
    assert f"You watch {HOME_ROWS + 3} things" in adas.texts()[0]
    assert "3 more" in adas.texts()[0]
    for _ in stops:
        assert await adas.press(adas.button("watch_mute"), None) is None
    assert len([row for row in rows(memory, Watch) if row.enabled]) == 3


# ── what is chosen there ──


@pytest.mark.parametrize(
    ("target", "value", "field", "kept"),
    [
        ("brief_day", "friday", "brief_day", 4),
        ("brief_day", "off", "brief_day", None),
        ("brief_hour", "7", "brief_minute", 7 * 60),
        ("quiet_from", "22", "quiet_from", 22),
        ("quiet_until", "6", "quiet_until", 6),
    ],
)
async def test_a_choice_is_kept_and_shown_on_the_page(memory, adas, ada, target, value, field, kept):
    await adas.open_home()
    assert await choose(adas, target, value) is None
    assert getattr(memory.people.preferences("default", ada.person_id), field) == kept
    assert choice(adas.cards()[0], target).chosen == value
    assert len(adas.cards()) == 1


async def test_a_choice_may_be_made_back_and_forth(memory, adas, ada):
    """The same choice on the page as it is by then is another tap."""
    await adas.open_home()
    for value in ("friday", "monday", "friday"):
        assert await choose(adas, "brief_day", value) is None
        assert choice(adas.cards()[0], "brief_day").chosen == value


async def test_two_choices_made_before_the_page_has_followed_are_both_kept(memory, adas, parts, ada):
    await adas.open_home()
    for pressed in (chosen(adas, "brief_day", "friday"), chosen(adas, "brief_hour", "7")):
        assert await parts.ingress.tapped(adas.place, pressed) is None
    await parts.worker.settle()
    preferences = memory.people.preferences("default", ada.person_id)
    assert (preferences.brief_day, preferences.brief_minute) == (4, 7 * 60)


async def test_everything_is_muted_and_unmuted_there(memory, adas, ada, clock):
    await adas.open_home()
    await choose(adas, "mute", "1h")
    assert memory.people.get("default", ada.person_id).muted_until == clock.now() + HOUR
    assert "Muted until" in adas.texts()[0]
    await choose(adas, "mute", "off")
    assert memory.people.get("default", ada.person_id).muted_until == 0
    assert "Muted until" not in adas.texts()[0]


async def test_a_value_that_the_page_never_offered_is_refused_and_changes_nothing(memory, adas, ada):
    await adas.open_home()
    before = memory.people.preferences("default", ada.person_id)
    await choose(adas, "brief_day", "someday")
    await choose(adas, "brief_day", None)
    await tap(
        adas,
        Tap(choice(adas.cards()[0], "mute").nonce, CardAction("preference_set", "platform", "slack"), at_home=True),
    )
    assert memory.people.preferences("default", ada.person_id) == before


async def test_a_watch_stopped_on_the_page_is_gone_from_it(memory, adas, watching):
    await adas.open_home()
    await adas.press(adas.button("watch_mute"), None)
    assert [row.enabled for row in rows(memory, Watch)] == [False]
    assert "You watch nothing yet" in adas.texts()[0]


async def test_an_answer_refreshed_from_the_page_comes_as_a_message_beside_it(memory, adas, parts, revise, ada):
    revise()
    await adas.ask(ASKED)
    await adas.press(adas.button("answer_save"))
    revise(meals=55)
    await parts.worker.settle()
    await adas.open_home()
    at = next(i for i, card in enumerate(adas.cards()) if "Hello" in str(card.title))
    before = len(adas.cards())
    assert await adas.press(adas.button("answer_refresh", at=at), None) is None
    assert len(adas.cards()) == before + 1
    assert "55 EUR" in adas.texts()[-1]
    assert [answer.text for answer in memory.answers(ada)] == ["A meal may cost 55 EUR at most."]


# ── trouble ──


async def test_a_page_that_cannot_be_shown_now_is_shown_later_as_it_is_then(memory, clock, adas, ada):
    await adas.open_home()
    adas.channel.script("update", NotSent("rate limited", retry_after=30 * SECOND))
    await choose(adas, "brief_day", "friday")
    assert choice(adas.cards()[0], "brief_day").chosen == "monday"
    memory.prefer(ada, "brief_hour", "7")
    clock.advance(MINUTE)
    await adas.parts.worker.settle()
    assert choice(adas.cards()[0], "brief_day").chosen == "friday"
    await adas.open_home()
    assert choice(adas.cards()[0], "brief_hour").chosen == "7"


async def test_after_a_page_that_was_refused_for_good_comes_a_new_one(memory, clock, adas):
    adas.channel.script("send", NotSent("account_inactive", lasting=Extent.PERSON))
    await adas.parts.ingress.opened_home(adas.place, "e1")
    await adas.parts.worker.settle()
    assert adas.cards() == []
    card = await adas.open_home()
    assert "Hello, Ada" in adas.texts()[0]
    assert await choose(adas, "brief_day", "friday") is None
    assert choice(card, "brief_day").chosen == "monday"
    await adas.open_home()
    assert len(adas.cards()) == 1, "and that one stays"


async def test_a_page_opened_before_the_first_was_shown_is_shown_once_and_as_it_is_now(memory, clock, adas, watching):
    adas.channel.script("send", NotSent("rate limited", retry_after=30 * SECOND))
    await adas.parts.ingress.opened_home(adas.place, "e1")
    await adas.parts.worker.settle()
    memory.people.moved("default", adas.place, "Asia/Kolkata", None)
    await adas.parts.ingress.opened_home(adas.place, "e2")
    await adas.parts.worker.settle()
    assert adas.cards() == []
    clock.advance(MINUTE)
    await adas.parts.worker.settle()
    assert len(adas.cards()) == 1
    assert "Asia/Kolkata" in adas.texts()[0]


# ── where they live ──


async def test_where_they_live_now_is_taken_over_when_they_open_it(memory, adas):
    adas.channel.profiles["Ada"] = Profile("Ada", None, "Asia/Kolkata", "de", active=True)
    await adas.open_home()
    assert "Asia/Kolkata" in adas.texts()[0]


@pytest.mark.parametrize("known", [Unreachable("ratelimited"), None])
async def test_where_that_cannot_be_told_the_page_is_shown_all_the_same(adas, known):
    if known:
        adas.channel.profiles["Ada"] = known
    await adas.open_home()
    assert "Europe/Berlin" in adas.texts()[0]


# ── for whom nobody knows ──


async def test_a_strangers_page_says_how_to_be_known_and_shows_nothing_else(eve, adas, watching):
    card = await eve.open_home()
    [text] = eve.texts()
    assert text.startswith("Nice to meet you")
    assert "Eve" in text
    assert not any(word in text for word in ("travel", "Ada", "1 document", "remember"))
    assert buttons(card) == []


async def test_a_strangers_page_opened_often_is_one_page_and_no_message(memory, eve):
    for _ in range(3):
        await eve.open_home()
    assert (len(eve.cards()), eve.channel.tried(), [row.kind for row in rows(memory, CardMessage)]) == (1, 1, [HOME])


async def test_once_they_are_known_the_page_is_theirs_and_the_strangers_never_comes_over_it(
    memory, clock, eve, ada, watching
):
    await eve.open_home()
    eve.channel.script("update", NotSent("rate limited", retry_after=30 * SECOND))
    await eve.open_home()
    memory.people.bind("default", ada.person_id, eve.place)
    await eve.open_home()
    clock.advance(HOUR)
    await eve.parts.worker.settle()
    await eve.parts.worker.settle()
    theirs = [text for text in eve.texts() if "travel costs" in text]
    assert len(theirs) == 1
    last = [place for what, place in eve.channel.calls if what in {"send", "update"}]
    assert len(last) == 3, "of the stranger's page once, the refused one, and their own"


async def test_a_strangers_page_that_waits_is_not_shown_to_whom_they_turned_out_to_be(memory, clock, eve, ada):
    eve.channel.script("send", NotSent("rate limited", retry_after=30 * SECOND))
    await eve.parts.ingress.opened_home(eve.place, "e1")
    await eve.parts.worker.settle()
    memory.people.bind("default", ada.person_id, eve.place)
    clock.advance(HOUR)
    await eve.parts.worker.settle()
    assert eve.cards() == []


async def test_the_page_says_why_a_watch_rests_and_ends_a_mute(memory, adas, ada, watching, clock):
    change_row(memory, Watch, ("default", watching.watch_id), suspended="broken", muted_until=clock.now() + HOUR)
    card = await adas.open_home()
    assert "rests, since its query no longer works" in adas.texts()[-1]
    unmute = next(button for button in buttons(card) if button.arg == "off")
    assert await tap(adas, Tap(unmute.nonce, CardAction(unmute.kind, unmute.target, "off"), at_home=True)) is None
    assert memory.watches(ada)[0].muted_until == 0
