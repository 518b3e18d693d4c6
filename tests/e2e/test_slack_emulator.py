"""Slack by an emulator of its Web API that we did not write: what we send is read back, and the main job is done there.

The emulator knows no events and no taps: these are ours, made around what was read back and signed as Slack signs.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import aiohttp
import pytest
from aiohttp import web as http
from pydantic import SecretStr
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from bot.actions import Signer
from bot.app import Bot
from bot.channels.base import Absent, Found, NotSent, Profile, SendOutcome, Sent, Unknown
from bot.channels.settings import SlackSettings
from bot.channels.slack.address import EVENTS_PATH
from bot.channels.slack.channel import SlackChannel
from bot.channels.slack.runner import SlackRunner
from bot.channels.slack.web import SlackWeb
from bot.config import Settings
from cards.model import with_outcome
from cards.slack import to_slack
from core.clock import SECOND, ManualClock
from core.memory import Memory
from core.model.work import HOME, Extent
from core.outcomes.engine import LOOK_AFTER
from tests.fakes.slack_blocks import elements
from tests.fakes.slack_emulator import ADA_EMAIL, ADA_TOKEN, BOT, POOR_TOKEN, TEAM, TOKEN, Shim, emulator, in_front_of
from tests.support.memories import KEY, KEY_ID, page, put
from tests.support.node import needs_node
from tests.support.slack_cards import CARD, CARDS, channel_over, outgoing

Json = dict[str, Any]
SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
pytestmark = needs_node


@pytest.fixture(scope="module")
def emptied() -> Iterator[Callable[[], str]]:
    with emulator() as empty:
        yield empty


@pytest.fixture
async def slack(emptied: Callable[[], str]) -> AsyncIterator[Shim]:
    """Slack with the workspace Acme, its bot and Ada, and nothing said."""
    async with in_front_of(emptied()) as shim:
        yield shim


@pytest.fixture
async def web(slack: Shim) -> AsyncIterator[SlackWeb]:
    opened = SlackWeb(TOKEN, slack.url)
    yield opened
    await opened.close()


@pytest.fixture
def channel(web: SlackWeb) -> SlackChannel:
    return channel_over(web)


@dataclass(frozen=True)
class Desk:
    """Ada at her Slack: what she sees of her conversation with the bot."""

    client: AsyncWebClient
    user_id: str
    conversation: str

    async def messages(self, thread: str | None = None) -> list[Json]:
        """What stands there, in order; in a thread, after the message that began it."""
        if thread:
            replies = await self.client.conversations_replies(channel=self.conversation, ts=thread)
            return list(replies["messages"][1:])
        history = await self.client.conversations_history(channel=self.conversation, limit=200)
        return list(reversed(history["messages"]))


@pytest.fixture
async def ada(slack: Shim) -> Desk:
    client = AsyncWebClient(ADA_TOKEN, slack.url, retry_handlers=[])
    me = await client.auth_test()
    opened = await client.conversations_open(users=BOT)
    slack.calls.clear()
    return Desk(client, me["user_id"], opened["channel"]["id"])


def calls(slack: Shim, method: str) -> int:
    return [called for called, _ in slack.calls].count(method)


# ── the channel ──


async def test_every_card_is_read_back_as_it_was_sent(channel: SlackChannel, ada: Desk) -> None:
    sent = [await channel.send(outgoing(name, card, user_id=ada.user_id)) for name, card in CARDS.items()]
    stand = await ada.messages()
    assert [Sent(f"{ada.conversation}/{message['ts']}") for message in stand] == sent
    for message, (name, card) in zip(stand, CARDS.items(), strict=True):
        assert {"blocks": message["blocks"], "text": message["text"]} == to_slack(card)
        key = outgoing(name).delivery_key
        assert message["metadata"] == {"event_type": "clarify_delivery", "event_payload": {"key": key}}


async def test_a_card_is_found_by_its_key_and_another_is_not_there(channel: SlackChannel, ada: Desk) -> None:
    sent = await channel.send(outgoing(user_id=ada.user_id))
    assert isinstance(sent, Sent)
    assert await channel.find_sent(outgoing(user_id=ada.user_id)) == Found(sent.message_ref)
    assert await channel.find_sent(outgoing("second", user_id=ada.user_id)) == Absent()


@pytest.mark.parametrize(
    ("fault", "outcome", "stands"),
    [
        ("ratelimited:7", NotSent("ratelimited", retry_after=7 * SECOND), False),
        ("500", Unknown("unreadable answer, HTTP 500"), False),
        ("500-stored", Unknown("unreadable answer, HTTP 500"), True),
        ("cut", Unknown("ServerDisconnectedError"), False),
        ("cut-stored", Unknown("ServerDisconnectedError"), True),
    ],
)
async def test_a_post_that_goes_wrong_is_made_once_and_looked_for(
    slack: Shim, channel: SlackChannel, ada: Desk, fault: str, outcome: SendOutcome, stands: bool
) -> None:
    slack.faults.script("chat.postMessage", fault)
    assert await channel.send(outgoing(user_id=ada.user_id)) == outcome
    assert calls(slack, "chat.postMessage") == 1
    assert len(await ada.messages()) == stands
    assert isinstance(await channel.find_sent(outgoing(user_id=ada.user_id)), Found if stands else Absent)


async def test_no_answer_in_time_leaves_it_in_doubt(slack: Shim, ada: Desk) -> None:
    slack.faults.script("chat.postMessage", "silence-stored")
    hasty = SlackWeb(TOKEN, slack.url, timeout_secs=0.5)
    assert await channel_over(hasty).send(outgoing(user_id=ada.user_id)) == Unknown("TimeoutError")
    await hasty.close()
    assert len(await ada.messages()) == 1


async def test_an_update_replaces_the_card_and_keeps_its_key(slack: Shim, channel: SlackChannel, ada: Desk) -> None:
    """Told again, since Slack drops the metadata of a message that is replaced without any; the emulator keeps it."""
    sent = await channel.send(outgoing(user_id=ada.user_id))
    assert isinstance(sent, Sent)
    muted = with_outcome(CARD, "Muted for a day.", remove_kinds=frozenset({"watch_mute"}))
    assert await channel.update(outgoing(card=muted, user_id=ada.user_id, message_ref=sent.message_ref)) == sent
    told = dict(slack.calls)["chat.update"]
    (message,) = await ada.messages()
    assert message["blocks"] == to_slack(muted)["blocks"]
    assert told["metadata"] == message["metadata"]
    assert message["metadata"]["event_payload"] == {"key": outgoing().delivery_key}


async def test_a_card_that_is_gone_cannot_be_replaced(channel: SlackChannel, ada: Desk) -> None:
    gone = outgoing(user_id=ada.user_id, message_ref=f"{ada.conversation}/1.000001")
    assert await channel.update(gone) == NotSent("message_not_found", lasting=Extent.CARD)


async def test_a_token_without_the_scope_shuts_the_workspace_out(slack: Shim, ada: Desk) -> None:
    poor = SlackWeb(POOR_TOKEN, slack.url)
    outcome = await channel_over(poor).send(outgoing(user_id=ada.user_id))
    await poor.close()
    assert isinstance(outcome, NotSent)
    assert outcome.lasting is Extent.WORKSPACE
    assert "im:write" in outcome.reason


async def test_the_home_tab_is_published(slack: Shim, channel: SlackChannel, ada: Desk) -> None:
    assert await channel.send(outgoing(user_id=ada.user_id, kind=HOME)) == Sent(HOME)
    assert calls(slack, "views.publish") == 1


async def test_a_profile_has_the_address(web: SlackWeb, ada: Desk) -> None:
    channel = channel_over(web, TEAM)
    assert await channel.profile(TEAM, ada.user_id) == Profile("ada", ADA_EMAIL, None, None, active=True)
    assert await channel.profile(TEAM, "U0") is None


# ── the main job ──


@dataclass(frozen=True)
class Office:
    """The whole bot in Acme, and Ada, who talks to it."""

    bot: Bot
    address: str
    ada: Desk
    clock: ManualClock

    async def ask(self, text: str) -> Json:
        """Ada writes; the answer that then stands below."""
        said = await self.ada.client.chat_postMessage(channel=self.ada.conversation, text=text)
        event = {"type": "message", "channel_type": "im", "channel": self.ada.conversation, "user": self.ada.user_id}
        event |= {"text": text, "ts": said["ts"], "event_ts": said["ts"]}
        body = {"type": "event_callback", "team_id": TEAM, "api_app_id": "A1", "event_id": f"Ev{said['ts']}"}
        assert await self._deliver(json.dumps(body | {"event": event}), "application/json") == 200
        await self.bot.worker.settle()
        return (await self.ada.messages(said["ts"]))[-1]

    async def tap(self, message: Json, label: str) -> None:
        """Ada taps a button of a message that she sees."""
        ((block_id, button),) = [found for found in elements(message["blocks"]) if _label(found[1]) == label]
        action = {key: button[key] for key in ("type", "action_id", "value", "text")} | {"block_id": block_id}
        place = {"channel_id": self.ada.conversation, "message_ts": message["ts"]}
        body = {"type": "block_actions", "team": {"id": TEAM}, "user": {"id": self.ada.user_id, "team_id": TEAM}}
        body |= {"api_app_id": "A1", "trigger_id": f"{message['ts']}.{block_id}", "actions": [action]}
        body |= {"container": {"type": "message"} | place, "channel": {"id": self.ada.conversation}, "message": message}
        form = urlencode({"payload": json.dumps(body)})
        assert await self._deliver(form, "application/x-www-form-urlencoded") == 200
        await self.bot.worker.settle()

    async def _deliver(self, body: str, content_type: str) -> int:
        stamp = str(self.clock.now() // SECOND)
        signature = SignatureVerifier(SECRET).generate_signature(timestamp=stamp, body=body)
        assert signature is not None
        headers = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": signature, "Content-Type": content_type}
        async with aiohttp.ClientSession() as session, session.post(self.address, data=body, headers=headers) as reply:
            return reply.status


def _label(element: Json) -> str:
    return str(element["text"]["text"])


def labels(message: Json) -> list[str]:
    return [_label(element) for _, element in elements(message["blocks"])]


def shown(message: Json) -> str:
    """Every word of a message's blocks."""
    return json.dumps(message["blocks"], ensure_ascii=False)


@pytest.fixture
def memory(reopen: Callable[..., Memory]) -> Memory:
    return reopen(watch={"settle_secs": 0})


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
async def office(slack: Shim, ada: Desk, memory: Memory, clock: ManualClock) -> AsyncIterator[Office]:
    """The bot as the process wires it, let into Acme; Ada is known there by her address alone."""
    memory.people.put("default", "Ada", email=ADA_EMAIL)
    opens = {"bot_token": SecretStr(TOKEN), "signing_secret": SecretStr(SECRET)}
    settings = Settings(slack=SlackSettings(mode="http", trusted=True, api_url=slack.url, **opens))
    bot = Bot(settings, memory, lambda: Signer(KEY_ID, KEY))
    runner = SlackRunner(settings, bot.parts.ingress, bot.gateway)
    bot.channels["slack"] = runner.channel
    await runner._connection.look()
    app = http.Application()
    app.add_routes(runner.routes())
    served = http.AppRunner(app, access_log=None)
    await served.setup()
    await http.TCPSite(served, "127.0.0.1", 0).start()
    await runner.start()
    yield Office(bot, f"http://127.0.0.1:{served.addresses[0][1]}{EVENTS_PATH}", ada, clock)
    await runner.stop()
    await served.cleanup()
    bot.gateway.stop()


def handbook(days: int) -> bytes:
    return page("Returns", {"Refund window": f"Customers can return goods within {days} days of delivery."})


async def test_an_answer_is_saved_by_a_tap_on_the_card_that_was_read_back(office: Office, memory: Memory) -> None:
    put(memory, "returns.md", handbook(14))
    answer = await office.ask("Within how many days can customers return goods?")
    assert "within 14 days" in shown(answer)
    await office.tap(answer, "Save answer")
    saved = (await office.ada.messages(answer["thread_ts"]))[-1]
    assert saved["ts"] == answer["ts"]
    assert "Saved" in shown(saved)
    assert "Save answer" not in labels(saved)


async def test_a_change_arrives_once_whatever_happens_to_the_post_and_is_muted_by_a_tap(
    slack: Shim, office: Office, memory: Memory
) -> None:
    """Ask, watch, revise: the card's post is cut after it took effect, so it is looked for and not sent again."""
    put(memory, "returns.md", handbook(14))
    answer = await office.ask("Within how many days can customers return goods?")
    await office.tap(answer, "Watch this")
    slack.faults.script("chat.postMessage", "cut-stored")
    put(memory, "returns.md", handbook(30))
    await office.bot.worker.settle()
    office.clock.advance(LOOK_AFTER)
    await office.bot.worker.settle()
    change = (await office.ada.messages())[-1]
    assert change["metadata"]["event_type"] == "clarify_delivery"
    assert "14 days → 30 days" in shown(change)

    await office.tap(change, "Mute a day")
    *before, muted = await office.ada.messages()
    assert (muted["ts"], muted["metadata"]) == (change["ts"], change["metadata"])
    assert [message for message in before if "metadata" in message] == []
    assert "Muted for a day." in shown(muted)
    assert "Mute a day" not in labels(muted)
