"""The fake is held to what Slack documents, with Slack's own unmodified client."""

import asyncio
import json

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from cards.gallery import gallery
from cards.slack import to_slack
from core.clock import SECOND
from tests.fakes.slack import fake_slack
from tests.fakes.slack_faults import NAMES
from tests.fakes.slack_inbound import Inbound, deliver

ADA = "U1"


@pytest.fixture
def client(slack, acme, user) -> AsyncWebClient:
    return AsyncWebClient(token=acme.token, base_url=slack.url, timeout=2, retry_handlers=[])


async def opened(client: AsyncWebClient, user: str = ADA) -> str:
    return (await client.conversations_open(users=user))["channel"]["id"]


async def refusal(call) -> str:
    with pytest.raises(SlackApiError) as refused:
        await call
    return refused.value.response["error"]


async def test_a_card_is_kept_with_its_metadata(client, acme) -> None:
    channel = await opened(client)
    metadata = {"event_type": "x", "event_payload": {"key": "k"}}
    for _, card in gallery():
        await client.chat_postMessage(channel=channel, **to_slack(card), metadata=metadata)
    assert len(acme.messages(ADA)) == len(gallery())
    plain = await client.conversations_history(channel=channel)
    assert "metadata" not in plain["messages"][0]
    told = await client.conversations_history(channel=channel, include_all_metadata=True)
    assert told["messages"][0]["metadata"] == metadata
    assert told["messages"][0]["bot_id"] == acme.bot_id
    stamps = [float(message["ts"]) for message in told["messages"]]
    assert stamps == sorted(set(stamps), reverse=True)


async def test_auth_test_tells_the_scopes(client, slack, acme) -> None:
    told = await client.auth_test()
    assert told["team_id"] == "T1"
    assert set(told.headers["x-oauth-scopes"].split(",")) == acme.scopes
    assert await refusal(AsyncWebClient("xoxb-other", slack.url).auth_test()) == "invalid_auth"
    assert await refusal(AsyncWebClient(None, slack.url).auth_test()) == "not_authed"


@pytest.mark.parametrize("channel", ["C1", "G1"])
async def test_a_message_to_anything_but_a_person_is_refused_loudly(client, slack, channel) -> None:
    assert await refusal(client.chat_postMessage(channel=channel, text="x")) == "not_in_channel"
    assert len(slack.violations) == 1
    assert channel in slack.violations.pop()


async def test_a_message_must_have_text_and_ping_nobody(client, slack, acme) -> None:
    channel = await opened(client)
    await client.api_call(
        "chat.postMessage", json={"channel": channel, "blocks": [{"type": "divider", "block_id": "b"}]}
    )
    await client.chat_postMessage(channel=channel, text="<!channel> hello")
    assert ["without text" in slack.violations[0], "pings" in slack.violations[1]] == [True, True]
    slack.violations.clear()


@pytest.mark.parametrize(
    "blocks",
    [
        [{"type": "marquee"}],
        [{"type": "divider"}],
        [{"type": "header", "block_id": "b", "text": {"type": "plain_text", "text": "x" * 151, "emoji": False}}],
        [{"type": "divider", "block_id": f"b{i}"} for i in range(51)],
        [{"type": "divider", "block_id": "b"}] * 2,
        "blocks",
    ],
)
async def test_wrong_blocks_are_refused_and_nothing_is_kept(client, acme, blocks) -> None:
    channel = await opened(client)
    assert await refusal(client.chat_postMessage(channel=channel, text="x", blocks=blocks)) == "invalid_blocks"
    assert acme.messages(ADA) == []


async def test_a_thread_is_in_replies_and_not_in_history(client, acme) -> None:
    channel = await opened(client)
    root = acme.store(ADA, "a question")
    for number in range(3):
        await client.chat_postMessage(channel=channel, text=f"answer {number}", thread_ts=root.ts)
    history = await client.conversations_history(channel=channel)
    assert [message["text"] for message in history["messages"]] == ["a question"]
    replies = await client.conversations_replies(channel=channel, ts=root.ts)
    assert [message["text"] for message in replies["messages"]] == ["a question", *(f"answer {n}" for n in range(3))]


async def test_paging_is_complete_and_in_order(client, acme, clock) -> None:
    channel = await opened(client)
    for number in range(25):
        acme.store(ADA, str(number))
    clock.advance(SECOND)
    later = acme.store(ADA, "later")
    pages = [page["messages"] async for page in await client.conversations_history(channel=channel, limit=10)]
    assert [len(page) for page in pages] == [10, 10, 6]
    assert [message["text"] for page in pages for message in page] == [
        "later",
        *(str(number) for number in reversed(range(25))),
    ]
    for inclusive, found in ((False, 0), (True, 1)):
        told = await client.conversations_history(channel=channel, oldest=later.ts, inclusive=inclusive)
        assert len(told["messages"]) == found
    assert await refusal(client.conversations_history(channel=channel, cursor="?")) == "invalid_cursor"


async def test_update_replaces_only_what_the_app_wrote(client, acme) -> None:
    channel = await opened(client)
    ts = (await client.chat_postMessage(channel=channel, text="before"))["ts"]
    await client.chat_update(channel=channel, ts=ts, text="after")
    assert [(m.text, m.updates) for m in acme.cards(ADA)] == [("after", 1)]
    assert await refusal(client.chat_update(channel=channel, ts="1.1", text="x")) == "message_not_found"
    theirs = acme.store(ADA, "mine").ts
    assert await refusal(client.chat_update(channel=channel, ts=theirs, text="x")) == "cant_update_message"


async def test_a_missing_scope_is_named(client, acme) -> None:
    acme.scopes = acme.scopes - {"im:history"}
    channel = await opened(client)
    with pytest.raises(SlackApiError) as refused:
        await client.conversations_history(channel=channel)
    told = refused.value.response
    assert (told["error"], told["needed"]) == ("missing_scope", "im:history")
    assert told["provided"] == "chat:write,commands,im:write,users:read,users:read.email"


async def test_every_switch_refuses_in_slack_s_own_word(client, acme, user) -> None:
    channel = await opened(client)
    acme.messages_tab = False
    assert await refusal(client.chat_postMessage(channel=channel, text="x")) == "messages_tab_disabled"
    user.hears_bots = False
    assert await refusal(client.conversations_open(users=ADA)) == "cannot_dm_bot"
    acme.deactivate(ADA)
    assert await refusal(client.conversations_open(users=ADA)) == "user_disabled"
    assert await refusal(client.chat_postMessage(channel=channel, text="x")) == "user_disabled"
    assert (await client.users_info(user=ADA))["user"]["deleted"] is True
    acme.remove(ADA)
    assert await refusal(client.users_info(user=ADA)) == "user_not_found"
    acme.refusal = "account_inactive"
    assert await refusal(client.auth_test()) == "account_inactive"


async def test_a_stale_id_is_unknown_until_it_is_opened_again(client, acme) -> None:
    before = await opened(client)
    await client.chat_postMessage(channel=before, text="x")
    acme.stale(ADA)
    assert await refusal(client.chat_postMessage(channel=before, text="y")) == "channel_not_found"
    again = await opened(client)
    assert again != before
    assert len((await client.conversations_history(channel=again))["messages"]) == 1


async def test_users_info_tells_the_address_only_with_its_scope(client, acme) -> None:
    told = (await client.users_info(user=ADA, include_locale=True))["user"]
    assert (told["profile"]["email"], told["locale"], told["tz"]) == ("ada@acme.example", "en-GB", "Europe/Berlin")
    acme.scopes = acme.scopes - {"users:read.email"}
    told = (await client.users_info(user=ADA))["user"]
    assert "email" not in told["profile"]
    assert "locale" not in told


async def test_a_home_view_is_published_over_the_one_before(client, acme) -> None:
    view = {"type": "home", "blocks": [{"type": "divider", "block_id": "b"}]}
    first = (await client.views_publish(user_id=ADA, view=view))["view"]
    second = (await client.views_publish(user_id=ADA, view=view))["view"]
    assert first["id"] == second["id"] == acme.home(ADA)["id"]
    assert await refusal(client.views_publish(user_id=ADA, view=view, hash=first["hash"])) == "hash_conflict"
    assert await refusal(client.views_publish(user_id=ADA, view={"type": "modal"})) == "invalid_arguments"


async def test_faults_come_in_order_and_those_stored_took_effect(slack, acme, client) -> None:
    channel = await opened(client)
    script = ["ratelimited:7", "ratelimited:none", "limited:9", "500", "internal_error-stored", "garbage", "cut-stored"]
    acme.script("chat.postMessage", *script)
    seen = []
    for _ in script:
        try:
            await client.chat_postMessage(channel=channel, text="x")
        except SlackApiError as error:
            status = getattr(error.response, "status_code", None) or error.response.status
            seen.append((status, error.response.headers.get("Retry-After")))
        except aiohttp.ClientError as error:
            seen.append(type(error).__name__)
    assert seen == [
        (429, "7"),
        (429, None),
        (200, "9"),
        (500, None),
        (200, None),
        (200, None),
        "ServerDisconnectedError",
    ]
    assert len(acme.messages(ADA)) == 2
    assert len(acme.calls("chat.postMessage")) == len(script)


async def test_silence_is_never_broken(slack, acme, user) -> None:
    acme.script("auth.test", "silence")
    quick = AsyncWebClient(acme.token, slack.url, timeout=0.1, retry_handlers=[])
    with pytest.raises(TimeoutError):
        await quick.auth_test()


def test_faults_at_random_are_the_same_for_the_same_seed(acme) -> None:
    drawn = []
    for _ in range(2):
        acme.faults.at_random("auth.test", 0.5, NAMES, seed=7)
        drawn.append([acme.faults.next("auth.test") for _ in range(20)])
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) > 3


async def test_a_response_url_serves_five_times(slack, acme, user, inbound) -> None:
    url = inbound.command(ADA, "help").payload["response_url"]
    hook = AsyncWebhookClient(url)
    assert [(await hook.send(text="x")).status_code for _ in range(6)] == [200] * 5 + [404]
    assert len(acme.responses) == 5


async def test_a_response_for_all_to_see_is_a_violation(slack, acme, user, inbound) -> None:
    await AsyncWebhookClient(inbound.command(ADA, "help").payload["response_url"]).send(
        text="x", response_type="in_channel"
    )
    assert len(slack.violations) == 1
    slack.violations.clear()


async def test_two_workspaces_share_nothing(slack, acme, user, client) -> None:
    other = slack.add_workspace("T2")
    other.add_user(ADA)
    await client.chat_postMessage(channel=await opened(client), text="x")
    theirs = AsyncWebClient(other.token, slack.url)
    assert (await theirs.conversations_history(channel=await opened(theirs)))["messages"] == []
    assert await refusal(theirs.chat_postMessage(channel=acme.channel(ADA), text="x")) == "channel_not_found"


async def test_socket_mode_delivers_and_hears_what_is_acknowledged(slack, acme, user, inbound) -> None:
    """With Slack's own client; the same envelope may come again."""
    client = SocketModeClient(slack.app_token, web_client=AsyncWebClient(acme.token, slack.url))
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def acknowledge(client: SocketModeClient, request: SocketModeRequest) -> None:
        await client.send_socket_mode_response(SocketModeResponse(request.envelope_id, {"text": "seen"}))
        heard.put_nowait(request.type)

    client.socket_mode_request_listeners.append(acknowledge)
    await client.connect()
    await asyncio.to_thread(slack.wait_until, lambda now: len(now.sockets) == 1)
    envelope = inbound.envelope(inbound.message(ADA, "hello"))
    for _ in range(2):
        assert slack.push(envelope) == 1
        assert await heard.get() == "events_api"
    assert slack.push(inbound.envelope(inbound.command(ADA, "help"))) == 1
    assert await heard.get() == "slash_commands"
    await asyncio.to_thread(slack.wait_until, lambda now: len(now.acknowledged) == 3)
    await client.close()
    assert [one["envelope_id"] for one in slack.acknowledged[:2]] == [envelope["envelope_id"]] * 2


def card_of(acme):
    """Ada's card that can be muted."""
    card = next(card for _, card in gallery() if any("watch_mute" in json.dumps(b) for b in to_slack(card)["blocks"]))
    return acme.store(ADA, "x", bot_id=acme.bot_id, blocks=to_slack(card)["blocks"])


def requests(acme, inbound):
    said = inbound.message(ADA, "hello")
    return [
        said,
        inbound.edited(acme.messages(ADA)[-1], "hallo"),
        inbound.deleted(acme.messages(ADA)[-1]),
        inbound.by_another_bot(ADA, "beep"),
        inbound.home_opened(ADA),
        inbound.uninstalled(),
        inbound.tokens_revoked(),
        inbound.user_change(ADA),
        inbound.url_verification(),
        inbound.tap(ADA, card_of(acme), "watch_mute:2"),
        inbound.command(ADA, "watching"),
    ]


def listening(token: str, secret: str, api: str, heard: asyncio.Queue[str]) -> AsyncApp:
    """A bot on Slack's own framework that notes what it hears."""
    app = AsyncApp(client=AsyncWebClient(token, api, retry_handlers=[]), signing_secret=secret)

    async def event(event) -> None:
        heard.put_nowait(" ".join(filter(None, (event["type"], event.get("subtype")))))

    async def tapped(ack, action) -> None:
        heard.put_nowait(json.loads(action["value"])["kind"])
        await ack()

    async def commanded(ack, command) -> None:
        heard.put_nowait(command["text"])
        await ack()

    for kind in ("message", "app_home_opened", "app_uninstalled", "tokens_revoked", "user_change"):
        app.event(kind)(event)
    app.action("watch_mute:2")(tapped)
    app.command("/memory")(commanded)
    return app


async def test_slack_s_own_framework_takes_everything_that_is_sent(aiohttp_server_of) -> None:
    """It checks the signature and finds the listener for each kind; its clock is this machine's."""
    with fake_slack() as slack:
        acme = slack.add_workspace("T1")
        acme.add_user(ADA)
        inbound = Inbound(slack, "T1")
        heard: asyncio.Queue[str] = asyncio.Queue()
        bolt = listening(acme.token, slack.signing_secret, slack.url, heard)
        url = await aiohttp_server_of(bolt)
        replies = [await deliver(slack, url, request) for request in requests(acme, inbound)]
        assert [reply.status for reply in replies] == [200] * 11
        assert json.loads(replies[8].text)["challenge"] == inbound.url_verification().payload["challenge"]
        assert sorted([await heard.get() for _ in range(10)]) == sorted(HEARD)
        forged = await deliver(slack, url, inbound.message(ADA, "x"), headers={"X-Slack-Signature": "v0=00"})
        assert forged.status == 401


HEARD = [
    *("message", "message message_changed", "message message_deleted", "message bot_message"),
    *("app_home_opened", "app_uninstalled", "tokens_revoked", "user_change", "watch_mute", "watching"),
]


@pytest.fixture
async def aiohttp_server_of():
    """Serves a framework app as this bot would; the address to post to."""
    runners = []

    async def serve(bolt: AsyncApp) -> str:
        async def handle(request: web.Request) -> web.Response:
            return await to_aiohttp_response(await bolt.async_dispatch(await to_bolt_request(request)))

        app = web.Application()
        app.router.add_post("/slack/events", handle)
        runners.append(web.AppRunner(app, access_log=None))
        await runners[-1].setup()
        await web.TCPSite(runners[-1], "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{runners[-1].addresses[0][1]}/slack/events"

    yield serve
    for runner in runners:
        await runner.cleanup()
