"""Taps, over real HTTP: each is kept with what it stands on; what is nobody’s button is told to whoever tapped it."""

import json

import pytest
from structlog.testing import capture_logs

from bot.actions import INACTIVE
from bot.ingress import Tap
from cards.gallery import gallery
from cards.slack import to_slack_home
from core.model.grants import CardAction
from core.model.work import Place
from tests.fakes.slack_blocks import elements
from tests.fakes.slack_inbound import SlackRequest
from tests.support.slack import control, posted
from tests.support.slack_cards import ADA, TEAM

pytestmark = pytest.mark.usefixtures("user")
HERE = Place("slack", TEAM, ADA)


@pytest.fixture
def card(acme):
    return posted(acme)


@pytest.fixture
def home(acme):
    """What stands in Ada's home view."""
    acme.homes[ADA] = to_slack_home(dict(gallery())["Home"]) | {"id": "V1"}
    return acme.homes[ADA]["blocks"]


def tap_of(element, message_ref):
    carried = json.loads(element["value"])
    return Tap(
        carried["nonce"],
        CardAction(carried["kind"], carried["target"], carried.get("arg")),
        message_ref,
        message_ref is None,
    )


async def test_a_tap_on_a_message_names_it(bot, acme, inbound, ingress, card):
    element = control(card.blocks, "watch_mute")
    assert (await bot.hear(inbound.tap(ADA, card, element["action_id"]))).status == 200
    assert ingress.kept == [("tapped", HERE, tap_of(element, card.ref))]
    assert acme.responses == []


async def test_a_tap_in_the_home_view_names_no_message(bot, inbound, ingress, home):
    element = control(home, "watch_mute")
    await bot.hear(inbound.tap_home(ADA, element["action_id"]))
    assert ingress.kept == [("tapped", HERE, tap_of(element, None))]


async def test_a_choice_carries_what_was_chosen(bot, inbound, ingress, home):
    element = next(control for _, control in elements(home) if "options" in control)
    chosen = element["options"][-1]
    await bot.hear(inbound.tap_home(ADA, element["action_id"], chosen=chosen["value"]))
    assert ingress.kept == [("tapped", HERE, tap_of(chosen, None))]


async def test_each_of_several_actions_counts(bot, inbound, ingress, card):
    request = inbound.tap(ADA, card, control(card.blocks, "watch_mute")["action_id"])
    actions = request.payload["actions"] * 2
    await bot.hear(SlackRequest("interaction", request.payload | {"actions": actions}))
    assert len(ingress.kept) == 2


async def test_a_link_only_opens(bot, acme, inbound, ingress, card):
    request = inbound.tap(ADA, card, control(card.blocks, "watch_mute")["action_id"])
    link = {"type": "button", "action_id": "open_link:3", "url": "https://x.example"}
    reply = await bot.hear(SlackRequest("interaction", request.payload | {"actions": [link]}))
    assert (reply.status, ingress.kept, acme.responses) == (200, [], [])


async def test_a_refusal_is_said_to_that_person_alone_and_the_card_stays(bot, acme, inbound, ingress, card):
    ingress.refusal = "That button is somebody else’s."
    before = card.shown()
    reply = await bot.hear(inbound.tap(ADA, card, control(card.blocks, "watch_mute")["action_id"]))
    said = {"text": ingress.refusal, "response_type": "ephemeral", "replace_original": False}
    assert (reply.status, acme.responses) == (200, [said])
    assert card.shown() == before


async def test_a_refusal_in_the_home_view_makes_the_view_anew(bot, acme, inbound, ingress, home):
    ingress.refusal = INACTIVE
    element = control(home, "watch_mute")
    for _ in range(2):
        await bot.hear(inbound.tap_home(ADA, element["action_id"]))
    assert [kept[:2] for kept in ingress.kept] == [("tapped", HERE), ("home", HERE)] * 2
    assert ingress.kept[1][2] != ingress.kept[3][2]
    assert acme.responses == []


@pytest.mark.parametrize(
    "action",
    [
        {"action_id": "approve:1", "value": "yes"},
        {"action_id": "watch_mute:1", "value": "{}"},
        {"action_id": "watch_mute:1"},
        {"action_id": None, "value": "yes"},
        {},
    ],
)
async def test_a_button_that_no_card_has_is_active_no_more(bot, acme, inbound, ingress, card, action):
    request = inbound.tap(ADA, card, control(card.blocks, "watch_mute")["action_id"])
    reply = await bot.hear(SlackRequest("interaction", request.payload | {"actions": [action]}))
    assert (reply.status, ingress.kept) == (200, [])
    assert [said["text"] for said in acme.responses] == [INACTIVE]


async def test_a_tap_outside_direct_messages_has_no_effect(bot, acme, inbound, ingress, card):
    request = inbound.tap(ADA, card, control(card.blocks, "watch_mute")["action_id"])
    moved = {"container": request.payload["container"] | {"channel_id": "C1"}}
    reply = await bot.hear(SlackRequest("interaction", request.payload | moved))
    assert (reply.status, ingress.kept, len(acme.responses)) == (200, [], 1)


async def test_what_fails_after_the_acknowledgement_does_not_take_it_back(bot, inbound, ingress, card, unused_tcp_port):
    ingress.refusal = INACTIVE
    request = inbound.tap(ADA, card, control(card.blocks, "watch_mute")["action_id"])
    for address in (f"http://127.0.0.1:{unused_tcp_port}/", "no address", "", None, 7):
        with capture_logs() as logs:
            reply = await bot.hear(SlackRequest("interaction", request.payload | {"response_url": address}))
        assert (reply.status, reply.text) == (200, "")
        assert str(unused_tcp_port) not in json.dumps(logs)


async def test_a_used_up_address_is_no_error(bot, acme, inbound, ingress, card):
    ingress.refusal = INACTIVE
    request = inbound.tap(ADA, card, control(card.blocks, "watch_mute")["action_id"])
    assert [(await bot.hear(request)).status for _ in range(6)] == [200] * 6
    assert len(acme.responses) == 5
