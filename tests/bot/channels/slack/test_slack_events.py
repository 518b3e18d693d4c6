"""What Slack tells the bot, over real HTTP: kept first and then acknowledged, and nothing else has any effect."""

import json

import pytest
from structlog.testing import capture_logs

from bot.actions import INACTIVE
from bot.channels.base import Profile
from bot.channels.slack.events import ELSEWHERE, Events
from bot.channels.slack.manifest import EVENTS
from bot.channels.slack.whisper import Whisper
from bot.memory_gateway import MemoryGateway
from core.errors import StoreUnavailable
from core.model.work import Place
from tests.fakes.slack_inbound import Inbound, SlackRequest
from tests.support.slack import Recording, control, let_in, posted, served
from tests.support.slack_cards import ADA, TEAM

pytestmark = pytest.mark.usefixtures("user")
HERE = Place("slack", TEAM, ADA)


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
    assert ingress.kept == [("said", place, f"{TEAM}:{acme.channel(ADA)}:{place.thread}", "what is a < b?")]


async def test_what_is_shared_without_words_is_heard_without_words(bot, acme, inbound, ingress):
    request = but(inbound.message(ADA, "x"), text="", files=[{"id": "F1"}], subtype="file_share")
    assert (await bot.hear(request)).status == 200
    assert [kept[-1] for kept in ingress.kept] == [""]


async def test_a_message_in_a_thread_stays_in_it(bot, acme, inbound, ingress):
    root = acme.store(ADA, "first")
    await bot.hear(inbound.message(ADA, "second", thread_ts=root.ts))
    assert [kept[1].thread for kept in ingress.kept] == [root.ts]


async def test_what_bots_say_and_what_becomes_of_it_has_no_effect(bot, acme, inbound, ingress):
    own, other = (acme.store(ADA, "an answer", bot_id=acme.bot_id) for _ in range(2))
    requests = [
        inbound.by_another_bot(ADA, "beep"),
        inbound.told(own),
        but(inbound.message(ADA, "from the bot's own user"), user=acme.bot_user),
        inbound.edited(own, "another answer"),
        inbound.deleted(other),
    ]
    assert [(await bot.hear(request)).status for request in requests] == [200] * 5
    assert ingress.kept == []


async def test_a_message_that_is_deleted_or_says_something_else_is_told_of_where_it_was_said(
    bot, acme, inbound, ingress
):
    root = acme.store(ADA, "first")
    reply = acme.store(ADA, "second", thread_ts=root.ts)
    for request in (inbound.edited(reply, "a &lt; b"), inbound.deleted(reply)):
        assert (await bot.hear(request)).status == 200
    place, message = Place("slack", TEAM, ADA, root.ts), f"{TEAM}:{acme.channel(ADA)}:{reply.ts}"
    assert ingress.kept == [("withdrawn", place, message, "a < b"), ("withdrawn", place, message, None)]


async def test_a_message_with_replies_is_deleted_by_a_tombstone(bot, acme, inbound, ingress):
    message = acme.store(ADA, "first")
    stone = {"subtype": "tombstone", "text": "This message was deleted.", "user": "USLACKBOT", "ts": message.ts}
    await bot.hear(but(inbound.edited(message, "x"), message=stone))
    assert [kept[1:] for kept in ingress.kept] == [(
        Place("slack", TEAM, ADA, message.ts), f"{TEAM}:{acme.channel(ADA)}:{message.ts}", None
    )]  # fmt: skip
    await bot.hear(but(inbound.deleted(message), previous_message=stone))
    assert len(ingress.kept) == 1, "the stone itself is nobody's"


async def test_a_link_that_is_unfurled_changes_no_message(bot, acme, inbound, ingress):
    message = acme.store(ADA, "see <https://acme.example>")
    request = inbound.edited(message, message.text)
    request.payload["event"]["message"]["attachments"] = [{"title": "Acme"}]
    assert (await bot.hear(request)).status == 200
    assert ingress.kept == []


@pytest.mark.parametrize(
    "changed",
    [
        {"channel_type": "channel"},
        {"channel": "C1"},
        {"message": None},
        {"message": []},
        {"message": {"user": ADA, "text": "y", "ts": "soon"}},
        {"message": {"user": {}, "text": "y", "ts": "1.2"}},
        {"message": {"user": ADA, "text": "y", "ts": "1.2", "subtype": {}}},
        {"subtype": "message_deleted", "previous_message": None},
        {"subtype": ["message_deleted"]},
    ],
)
async def test_what_cannot_be_read_of_a_change_has_no_effect(bot, acme, inbound, ingress, changed):
    request = but(inbound.edited(acme.store(ADA, "x"), "y"), **changed)
    assert (await bot.hear(request)).status == 200
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


# ── what cannot be kept ──


def every_kind(acme, inbound):
    card = posted(acme)
    return [
        inbound.message(ADA, "my secret"),
        inbound.home_opened(ADA),
        inbound.user_change(ADA),
        inbound.uninstalled(),
        inbound.tokens_revoked(),
        inbound.command(ADA, "my secret"),
        inbound.tap(ADA, card, control(card.blocks, "watch_mute")["action_id"]),
    ]


@pytest.mark.parametrize("error", [StoreUnavailable("locked: my secret"), RuntimeError("my secret")])
async def test_row_3_what_cannot_be_kept_is_not_acknowledged_and_is_kept_when_it_comes_again(
    bot, acme, inbound, ingress, error
):
    for request in every_kind(acme, inbound):
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


async def test_no_listener_calls_slack(bot, acme, inbound):
    for request in every_kind(acme, inbound):
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
