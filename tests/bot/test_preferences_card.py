"""The page as a card: where a platform has no place for it, and for whoever writes “preferences”."""

from dataclasses import replace

import pytest

from bot.actions import INACTIVE
from bot.ingress import Reach, Tap
from cards.actions import Button
from cards.codec import to_json
from cards.notices import notice
from core.clock import SECOND
from core.model.grants import CardAction
from core.model.preferences import settable
from core.model.work import Offer, Place
from core.store.tables import CardMessage
from tests.fakes.scripted_channel import ScriptedChannel
from tests.support.bots import choices
from tests.support.memories import rows
from tests.support.posting import connect, member
from tests.support.talks import Talk


@pytest.fixture
def channel():
    return ScriptedChannel()


@pytest.fixture(autouse=True)
def workspaces(memory):
    connect(memory, "A")


@pytest.fixture
def ada(memory):
    return member(memory, "Ada", zone="Europe/Berlin")


@pytest.fixture
def adas(parts, channel, ada):
    return Talk(parts, channel, "Ada")


def choice(talk, target):
    return next(one for one in choices(talk.cards()[-1]) if one.target == target)


async def choose(talk, target, value):
    control = choice(talk, target)
    refusal = await talk.parts.ingress.tapped(
        talk.place, Tap(control.nonce, CardAction(control.kind, control.target, value), "m0")
    )
    await talk.parts.worker.settle()
    return refusal


async def test_a_choice_on_the_card_is_made_and_the_card_shows_it(memory, adas, ada):
    await adas.ask("preferences")
    assert await choose(adas, "quiet_from", "22") is None
    assert memory.people.preferences("default", ada.person_id).quiet_from == 22
    assert choice(adas, "quiet_from").chosen == "22"
    assert "Set, from now on." in adas.texts()[-1]
    assert len(adas.cards()) == 1


async def test_one_choice_after_another_is_made_on_the_same_card(memory, adas, ada):
    await adas.ask("preferences")
    for value in ("22", "23", "22"):
        assert await choose(adas, "quiet_from", value) is None
        assert choice(adas, "quiet_from").chosen == value
    assert await choose(adas, "brief_day", "off") is None
    assert memory.people.preferences("default", ada.person_id).brief_day is None
    assert "no more weekly briefs" in adas.texts()[-1]


async def test_a_button_that_chooses_leaves_the_words_of_the_brief_it_stands_on(memory, adas, ada, parts):
    def brief(nonce):
        stop = Button("preference_set", "brief_day", nonce, "Stop weekly brief", arg="off")
        return to_json(replace(notice("Your week", "Meals: 40 EUR → 55 EUR"), actions=(stop,)))

    offer = Offer((settable("brief_day"),))
    where = "default", ada.person_id, adas.place, "period:1", "notice"
    await parts.courier.send("default", memory.messages.post(*where, brief, offer))
    await adas.press(adas.button("preference_set"))
    [text] = adas.texts()
    assert "Meals: 40 EUR → 55 EUR" in text
    assert "no more weekly briefs" in text
    assert "Your preferences" not in text


async def test_a_choice_is_shown_on_its_card_where_the_platform_does_not_name_the_message(adas):
    await adas.ask("preferences")
    control = choice(adas, "quiet_from")
    tap = Tap(control.nonce, CardAction(control.kind, control.target, "22"))
    assert await adas.parts.ingress.tapped(adas.place, tap) is None
    await adas.parts.worker.settle()
    assert choice(adas, "quiet_from").chosen == "22"
    assert len(adas.cards()) == 1


async def test_a_control_of_the_card_as_it_was_before_is_active_no_more(adas):
    await adas.ask("preferences")
    old = choice(adas, "quiet_from")
    await choose(adas, "quiet_until", "7")
    tap = Tap(old.nonce, CardAction(old.kind, old.target, "22"), "m0")
    assert await adas.parts.ingress.tapped(adas.place, tap) == INACTIVE


async def test_where_cards_come_is_asked_of_whoever_has_several_places(memory, adas, ada):
    await adas.ask("preferences")
    assert all(one.target != "platform" for one in choices(adas.cards()[-1]))
    memory.people.bind("default", ada.person_id, Place("slack", "T1", "U1"))
    await adas.ask("preferences")
    assert [option.arg for option in choice(adas, "platform").options] == ["any", "fake", "slack"]


async def test_a_place_that_is_not_theirs_cannot_be_chosen(memory, adas, ada):
    memory.people.bind("default", ada.person_id, Place("slack", "T1", "U1"))
    await adas.ask("preferences")
    await choose(adas, "platform", "teams")
    assert memory.people.preferences("default", ada.person_id).platform is None


# ── arriving, leaving, and calling elsewhere ──


async def arrive(talk, event_id):
    await talk.parts.ingress.arrived(talk.place, event_id)
    await talk.parts.worker.settle()


async def test_whoever_the_bot_comes_to_is_welcomed_once(adas):
    for event_id in ("e1", "e1", "e2"):
        await arrive(adas, event_id)
    [card] = adas.texts()
    assert card.startswith("Hello, Ada")


async def test_whom_nobody_knows_is_told_how_to_be_known(parts, channel):
    eve = Talk(parts, channel, "Eve")
    await arrive(eve, "e1")
    [card] = eve.texts()
    assert "Eve" in card
    assert "I don’t know yet who you are" in card


async def elsewhere(talk, event_id):
    await talk.parts.ingress.elsewhere(talk.place, event_id)
    await talk.parts.worker.settle()


async def test_who_calls_where_others_read_is_told_once_in_their_own_place(memory, adas):
    memory.addresses.keep("default", adas.place, {"at": 1})
    for event_id in ("e1", "e1", "e2"):
        await elsewhere(adas, event_id)
    [card] = adas.texts()
    assert "what others would read, I do not answer" in card


async def test_who_cannot_be_written_to_is_not_told_either(memory, adas, parts, channel):
    await elsewhere(adas, "e1")
    eve = Talk(parts, channel, "Eve")
    memory.addresses.keep("default", eve.place, {"at": 1})
    await elsewhere(eve, "e2")
    assert rows(memory, CardMessage) == []


async def test_who_lets_the_bot_go_is_sent_nothing_until_they_are_back(memory, adas, ada, parts):
    await parts.ingress.said(adas.place, "e0", "help", Reach({"at": 1}, None, None))
    await parts.ingress.left(adas.place, "gone", "app_removed")
    [found] = memory.people.places("default")
    assert (found.state, found.reason) == ("unreachable", "app_removed")
    assert memory.addresses.find("default", adas.place) is None
    await parts.ingress.arrived(adas.place, "e1", Reach({"at": 2}, None, None))
    assert memory.addresses.find("default", adas.place) == {"at": 2}
    assert memory.people.places("default")[0].state == "bound"


async def test_where_somebody_lives_is_taken_over_from_their_own_device(memory, adas, ada, parts):
    await parts.ingress.said(adas.place, "e1", "help", Reach({"at": 1}, "Asia/Kolkata", "en-IN"))
    person = memory.people.get("default", ada.person_id)
    assert (person.zone, person.locale) == ("Asia/Kolkata", "en-IN")
    await parts.ingress.said(adas.place, "e2", "help", Reach({"at": 2}, "Mars/North", None))
    assert memory.people.get("default", ada.person_id).zone == "Asia/Kolkata"


# ── a tap seen through ──


async def test_a_tap_that_is_done_in_time_is_answered_with_the_card_as_it_stands_then(adas, parts):
    await adas.ask("preferences")
    control = choice(adas, "quiet_from")
    tap = Tap(control.nonce, CardAction(control.kind, control.target, "22"), "m0")

    async def work(_secs):
        await parts.worker.settle()

    parts.ingress._sleep = work
    card = await parts.ingress.seen_through(adas.place, tap, 5)
    assert isinstance(card, dict)
    assert "Set, from now on." in str(card)


@pytest.mark.parametrize(("each_takes", "looks"), [(0, 10), (SECOND, 1)])
async def test_a_tap_that_takes_long_is_answered_in_time_with_the_card_as_it_is(adas, parts, clock, each_takes, looks):
    await adas.ask("preferences")
    control = choice(adas, "quiet_from")
    looked = []

    async def wait(secs):
        looked.append(secs)
        clock.advance(round(secs * SECOND) + each_takes)

    parts.ingress._sleep = wait
    tap = Tap(control.nonce, CardAction(control.kind, control.target, "22"), "m0")
    card = await parts.ingress.seen_through(adas.place, tap, 1)
    assert "Set, from now on." not in str(card)
    assert len(looked) == looks
    await parts.worker.settle()
    assert choice(adas, "quiet_from").chosen == "22", "what was kept is done all the same"


async def test_a_tap_of_somebody_else_is_refused_and_shown_nothing(adas, parts, channel, memory):
    member(memory, "Bob")
    await adas.ask("preferences")
    control = choice(adas, "quiet_from")
    tap = Tap(control.nonce, CardAction(control.kind, control.target, "22"), "m0")
    assert await parts.ingress.seen_through(Talk(parts, channel, "Bob").place, tap, 5) == INACTIVE
