"""What Slack tells the bot, over real HTTP: kept first and then acknowledged, and nothing else has any effect."""

import json

import pytest
from structlog.testing import capture_logs

from bot.actions import INACTIVE
from bot.channels.base import Profile
from bot.channels.slack.events import ELSEWHERE, Events
from bot.channels.slack.manifest import EVENTS
from bot.channels.slack.whisper import Whisper
from bot.ingress import Tap
from bot.memory_gateway import MemoryGateway
from cards.gallery import gallery
from cards.slack import to_slack, to_slack_home
from core.errors import StoreUnavailable
from core.model.grants import CardAction
from core.model.work import Place
from tests.fakes.slack_blocks import elements
from tests.fakes.slack_inbound import Inbound, SlackRequest
from tests.support.slack import Recording, let_in, served
from tests.support.slack_cards import ADA, TEAM

pytestmark = pytest.mark.usefixtures("user")
CARDS = dict(gallery())
HERE = Place("slack", TEAM, ADA)


@pytest.fixture
def ingress():
    return Recording()


@pytest.fixture
async def bot(slack, acme, memory, ingress, web):
    let_in(memory, acme)
    gateway = MemoryGateway(memory)
    async with served(slack, gateway, ingress, web) as running:
        yield running
    gateway.stop()


@pytest.fixture
def card(acme):
    """A card of Ada's with buttons."""
    blocks = next(blocks for blocks in map(drawn, CARDS.values()) if "watch_mute" in json.dumps(blocks))
    return acme.store(ADA, "x", bot_id=acme.bot_id, blocks=blocks)


@pytest.fixture
def home(acme):
    """What stands in Ada's home view."""
    acme.homes[ADA] = to_slack_home(CARDS["Home"]) | {"id": "V1"}
    return acme.homes[ADA]["blocks"]


def drawn(card):
    return to_slack(card)["blocks"]


def first(blocks, kind):
    """The first control of a kind."""
    return next(element for _, element in elements(blocks) if element["action_id"].startswith(kind))


def tap_of(element, message_ref):
    carried = json.loads(element["value"])
    return Tap(carried["nonce"], CardAction(carried["kind"], carried["target"], carried.get("arg")), message_ref)


def but(request, **changed):
    """The same request with other words in its event, or with None without them."""
    event = {key: value for key, value in (request.payload["event"] | changed).items() if value is not None}
    return SlackRequest("event", request.payload | {"event": event})


def test_every_event_that_the_manifest_asks_for_is_heard_and_no_other(web):
    assert set(Events(Recording(), Whisper(web)).events) == {event.partition(".")[0] for event in EVENTS}


# ── messages ──


async def test_a_message_is_a_question_in_a_thread_of_its_own(bot, acme, inbound, ingress):
    request = inbound.message(ADA, "what is a &lt; b?")
    assert (await bot.hear(request)).status == 200
    place = Place("slack", TEAM, ADA, acme.messages(ADA)[-1].ts)
    assert ingress.kept == [("said", place, request.payload["event_id"], "what is a < b?")]


async def test_a_message_in_a_thread_stays_in_it(bot, acme, inbound, ingress):
    root = acme.store(ADA, "first")
    await bot.hear(inbound.message(ADA, "second", thread_ts=root.ts))
    assert [kept[1].thread for kept in ingress.kept] == [root.ts]


async def test_what_bots_say_what_is_edited_and_what_is_deleted_has_no_effect(bot, acme, inbound, ingress):
    message = acme.store(ADA, "x")
    own = acme.store(ADA, "an answer", bot_id=acme.bot_id)
    requests = [
        inbound.by_another_bot(ADA, "beep"),
        inbound.told(own),
        but(inbound.message(ADA, "from the bot's own user"), user=acme.bot_user),
        inbound.edited(message, "y"),
        inbound.deleted(message),
    ]
    assert [(await bot.hear(request)).status for request in requests] == [200] * 5
    assert ingress.kept == []


@pytest.mark.parametrize(
    "changed",
    [
        {"channel_type": "channel", "channel": "C1"},
        {"channel_type": "group", "channel": "G1"},
        {"channel_type": "mpim", "channel": "G1"},
        {"channel_type": "channel"},
        {"channel": "C1"},
        {"type": "app_mention", "channel": "C1", "channel_type": None},
        {"text": ""},
        {"text": "", "files": [{"id": "F1"}], "subtype": "file_share"},
        {"text": None, "files": [{"id": "F1"}]},
    ],
)
async def test_what_is_said_elsewhere_or_says_nothing_has_no_effect(bot, acme, inbound, ingress, changed):
    assert (await bot.hear(but(inbound.message(ADA, "x"), **changed))).status == 200
    assert (ingress.kept, acme.cards(ADA), acme.responses, acme.received) == ([], [], [], [])


# ── the app's page, people, the app itself ──


async def test_only_the_home_tab_is_shown(bot, inbound, ingress):
    request = inbound.home_opened(ADA)
    await bot.hear(request)
    await bot.hear(inbound.home_opened(ADA, tab="messages"))
    assert ingress.kept == [("home", HERE, request.payload["event_id"])]


async def test_what_slack_says_of_a_user_is_passed_on(bot, acme, inbound, ingress):
    await bot.hear(inbound.user_change(ADA))
    acme.deactivate(ADA)
    await bot.hear(inbound.user_change(ADA))
    there = Profile("Ada", "ada@acme.example", "Europe/Berlin", "en-GB", active=True)
    assert ingress.kept[0] == ("profile", HERE, there)
    assert ingress.kept[1][2].active is False


async def test_a_removed_app_or_a_revoked_bot_is_shut_out(bot, inbound, ingress):
    for request in (inbound.uninstalled(), inbound.tokens_revoked()):
        await bot.hear(request)
    assert ingress.kept == [
        ("shut_out", "slack", TEAM, "app_uninstalled"),
        ("shut_out", "slack", TEAM, "tokens_revoked"),
    ]


async def test_somebody_s_own_revoked_token_is_not_the_bot_s(bot, inbound, ingress):
    await bot.hear(but(inbound.tokens_revoked(), tokens={"oauth": ["U7"], "bot": []}))
    assert ingress.kept == []


# ── commands ──


@pytest.mark.parametrize(
    ("typed", "words"),
    [("watching", "watching"), ("", "help"), ("what is the payload limit?", "what is the payload limit?")],
)
async def test_a_command_is_said_and_answered_in_no_thread(bot, inbound, ingress, typed, words):
    request = inbound.command(ADA, typed)
    await bot.hear(request)
    assert ingress.kept == [("said", HERE, request.payload["trigger_id"], words)]


async def test_the_command_may_have_another_name(bot, inbound, ingress):
    """A workspace can have only one /memory, so an admin may have to rename ours."""
    await bot.hear(inbound.command(ADA, "saved", name="/clarify"))
    assert ingress.kept[0][-1] == "saved"


@pytest.mark.parametrize("elsewhere", ["C1", "G1", "DOTHER"])
async def test_typed_elsewhere_it_is_said_where_the_answer_will_be_to_that_person_alone(
    bot, inbound, ingress, elsewhere
):
    await bot.hear(inbound.home_opened(ADA, tab="messages"))
    reply = await bot.hear(inbound.command(ADA, "saved", channel=elsewhere))
    assert json.loads(reply.text) == {"response_type": "ephemeral", "text": ELSEWHERE}
    assert len(ingress.kept) == 1


@pytest.mark.parametrize("met_by", ["home", "message"])
async def test_typed_in_the_conversation_with_the_app_nothing_is_said_there(bot, inbound, met_by):
    await bot.hear(inbound.message(ADA, "x") if met_by == "message" else inbound.home_opened(ADA, tab="messages"))
    reply = await bot.hear(inbound.command(ADA, "saved"))
    assert (reply.status, reply.text) == (200, "")


async def test_of_very_many_conversations_those_met_last_are_remembered(bot, acme, inbound, monkeypatch):
    monkeypatch.setattr("bot.channels.slack.events._MOST_CONVERSATIONS", 2)
    users = ["U2", "U3", "U4"]
    for user in users:
        acme.add_user(user)
    for user in ["U2", "U3", "U2", "U4"]:
        await bot.hear(inbound.home_opened(user, tab="messages"))
    replies = [(await bot.hear(inbound.command(user, "saved"))).text for user in users]
    assert [reply == "" for reply in replies] == [True, False, True]


# ── taps ──


async def test_a_tap_on_a_message_names_it(bot, acme, inbound, ingress, card):
    element = first(card.blocks, "watch_mute")
    assert (await bot.hear(inbound.tap(ADA, card, element["action_id"]))).status == 200
    assert ingress.kept == [("tapped", HERE, tap_of(element, card.ref))]
    assert acme.responses == []


async def test_a_tap_in_the_home_view_names_no_message(bot, inbound, ingress, home):
    element = first(home, "watch_mute")
    await bot.hear(inbound.tap_home(ADA, element["action_id"]))
    assert ingress.kept == [("tapped", HERE, tap_of(element, None))]


async def test_a_choice_carries_what_was_chosen(bot, inbound, ingress, home):
    element = next(control for _, control in elements(home) if "options" in control)
    chosen = element["options"][-1]
    await bot.hear(inbound.tap_home(ADA, element["action_id"], chosen=chosen["value"]))
    assert ingress.kept == [("tapped", HERE, tap_of(chosen, None))]


async def test_each_of_several_actions_counts(bot, inbound, ingress, card):
    request = inbound.tap(ADA, card, first(card.blocks, "watch_mute")["action_id"])
    actions = request.payload["actions"] * 2
    await bot.hear(SlackRequest("interaction", request.payload | {"actions": actions}))
    assert len(ingress.kept) == 2


async def test_a_link_only_opens(bot, acme, inbound, ingress, card):
    request = inbound.tap(ADA, card, first(card.blocks, "watch_mute")["action_id"])
    link = {"type": "button", "action_id": "open_link:3", "url": "https://x.example"}
    reply = await bot.hear(SlackRequest("interaction", request.payload | {"actions": [link]}))
    assert (reply.status, ingress.kept, acme.responses) == (200, [], [])


async def test_a_refusal_is_said_to_that_person_alone_and_the_card_stays(bot, acme, inbound, ingress, card):
    ingress.refusal = "That button is somebody else’s."
    before = card.shown()
    reply = await bot.hear(inbound.tap(ADA, card, first(card.blocks, "watch_mute")["action_id"]))
    said = {"text": ingress.refusal, "response_type": "ephemeral", "replace_original": False}
    assert (reply.status, acme.responses) == (200, [said])
    assert card.shown() == before


async def test_a_refusal_in_the_home_view_makes_the_view_anew(bot, acme, inbound, ingress, home):
    ingress.refusal = INACTIVE
    element = first(home, "watch_mute")
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
    request = inbound.tap(ADA, card, first(card.blocks, "watch_mute")["action_id"])
    reply = await bot.hear(SlackRequest("interaction", request.payload | {"actions": [action]}))
    assert (reply.status, ingress.kept) == (200, [])
    assert [said["text"] for said in acme.responses] == [INACTIVE]


async def test_a_tap_outside_direct_messages_has_no_effect(bot, acme, inbound, ingress, card):
    request = inbound.tap(ADA, card, first(card.blocks, "watch_mute")["action_id"])
    moved = {"container": request.payload["container"] | {"channel_id": "C1"}}
    reply = await bot.hear(SlackRequest("interaction", request.payload | moved))
    assert (reply.status, ingress.kept, len(acme.responses)) == (200, [], 1)


# ── whatever else comes ──


@pytest.mark.parametrize(
    "payload",
    [
        {"type": "view_submission", "view": {"type": "modal", "callback_id": "x"}},
        {"type": "view_closed", "view": {"type": "modal", "callback_id": "x"}},
        {"type": "shortcut", "callback_id": "x"},
        {"type": "message_action", "callback_id": "x"},
        {"type": "interactive_message", "callback_id": "x", "actions": [{}]},
        {"type": "dialog_submission", "callback_id": "x"},
        {"type": "block_suggestion", "action_id": "x"},
        {"type": "block_actions", "actions": []},
        {"type": "what_is_this"},
        {},
    ],
)
async def test_what_nobody_knows_is_acknowledged_and_the_person_told(bot, acme, slack, ingress, payload):
    """Also what Bolt cannot read, which is answered 400 and no worse."""
    more = {"team": {"id": TEAM}, "user": {"id": ADA}, "response_url": acme.new_response_url(slack.base, None)}
    reply = await bot.hear(SlackRequest("interaction", more | payload))
    readable = payload != {"type": "block_actions", "actions": []}
    assert (reply.status, reply.text, ingress.kept) == (200 if readable else 400, "", [])
    assert [said["text"] for said in acme.responses] == [INACTIVE] * readable


@pytest.mark.parametrize("kind", ["team_join", "app_mention", "member_joined_channel", "message.im", "tokens_revoke"])
async def test_an_event_that_nobody_asked_for_is_acknowledged(bot, inbound, ingress, kind):
    assert (await bot.hear(inbound.event({"type": kind, "user": ADA}))).status == 200
    assert ingress.kept == []


async def test_another_workspace_is_acknowledged_without_effect(bot, slack, ingress, acme):
    slack.add_workspace("T2").add_user("U9", "Eve")
    other = Inbound(slack, "T2")
    with capture_logs() as logs:
        replies = [await bot.hear(request) for request in (other.message("U9", "x"), other.command("U9", "saved"))]
    assert [(reply.status, reply.text) for reply in replies] == [(200, "")] * 2
    assert (ingress.kept, slack.workspace("T2").responses) == ([], [])
    assert [entry["event"] for entry in logs] == ["slack.unknown_workspace"] * 2


async def test_what_comes_before_it_is_known_which_workspace_is_served_is_not_lost(
    slack, acme, memory, web, inbound, ingress
):
    gateway, request = MemoryGateway(memory), inbound.message(ADA, "x")
    async with served(slack, gateway, ingress, web, settled=False) as bot:
        assert (await bot.hear(request)).status == 503
        let_in(memory, acme)
        assert (await bot.hear(request, retry=1)).status == 200
    gateway.stop()
    assert len(ingress.kept) == 1


# ── what cannot be kept, and what goes wrong afterwards ──


def every_kind(inbound, card):
    return [
        inbound.message(ADA, "my secret"),
        inbound.home_opened(ADA),
        inbound.user_change(ADA),
        inbound.uninstalled(),
        inbound.tokens_revoked(),
        inbound.command(ADA, "my secret"),
        inbound.tap(ADA, card, first(card.blocks, "watch_mute")["action_id"]),
    ]


@pytest.mark.parametrize("error", [StoreUnavailable("locked: my secret"), RuntimeError("my secret")])
async def test_row_3_what_cannot_be_kept_is_not_acknowledged_and_is_kept_when_it_comes_again(
    bot, inbound, ingress, card, error
):
    for request in every_kind(inbound, card):
        ingress.fails, ingress.kept = [error], []
        with capture_logs() as logs:
            assert (await bot.hear(request)).status == 503
        assert ingress.kept == []
        assert [entry["event"] for entry in logs] == ["slack.not_kept"]
        assert "secret" not in json.dumps(logs)
        assert (await bot.hear(request, retry=1)).status == 200
        assert len(ingress.kept) == 1


async def test_a_database_that_cannot_tell_the_workspace_leaves_it_unacknowledged(bot, inbound, memory, monkeypatch):
    def gone(*_):
        raise StoreUnavailable("gone")

    monkeypatch.setattr(memory.workspaces, "find", gone)
    assert (await bot.hear(inbound.message(ADA, "x"))).status == 503


async def test_what_fails_after_the_acknowledgement_does_not_take_it_back(bot, inbound, ingress, card, unused_tcp_port):
    ingress.refusal = INACTIVE
    request = inbound.tap(ADA, card, first(card.blocks, "watch_mute")["action_id"])
    for address in (f"http://127.0.0.1:{unused_tcp_port}/", "no address", "", None, 7):
        with capture_logs() as logs:
            reply = await bot.hear(SlackRequest("interaction", request.payload | {"response_url": address}))
        assert (reply.status, reply.text) == (200, "")
        assert str(unused_tcp_port) not in json.dumps(logs)


async def test_a_used_up_address_is_no_error(bot, acme, inbound, ingress, card):
    ingress.refusal = INACTIVE
    request = inbound.tap(ADA, card, first(card.blocks, "watch_mute")["action_id"])
    assert [(await bot.hear(request)).status for _ in range(6)] == [200] * 6
    assert len(acme.responses) == 5


async def test_no_listener_calls_slack(bot, acme, inbound, card):
    for request in every_kind(inbound, card):
        await bot.hear(request)
    assert acme.received == []


async def test_no_other_app_s_environment_changes_anything(slack, acme, memory, web, inbound, ingress, monkeypatch):
    for name in ("BOT_TOKEN", "SIGNING_SECRET", "CLIENT_ID", "CLIENT_SECRET", "VERIFICATION_TOKEN"):
        monkeypatch.setenv(f"SLACK_{name}", "another")
    let_in(memory, acme)
    gateway = MemoryGateway(memory)
    async with served(slack, gateway, ingress, web) as bot:
        assert (await bot.hear(inbound.message(ADA, "x"))).status == 200
    gateway.stop()
    assert (len(ingress.kept), acme.received) == (1, [])
