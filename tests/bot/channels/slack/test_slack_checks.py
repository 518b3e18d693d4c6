"""What `doctor` finds out about Slack from Slack's own answers."""

import pytest
from aiohttp import ClientTimeout, web

from bot.channels.settings import SlackSettings
from bot.channels.slack.checks import examine
from bot.channels.slack.manifest import SCOPES
from bot.channels.slack.remedies import REMEDIES
from core.clock import SECOND, ManualClock, SystemClock
from tests.support.loopback import served
from tests.support.slack_cards import ADA

pytestmark = pytest.mark.usefixtures("user")
SECRET = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def looked(slack, acme, session):
    """What is found, by name."""

    async def call(send_to="", clock=None, **settings):
        defaults = {"mode": "socket", "api_url": slack.url, "bot_token": acme.token, "app_token": slack.app_token}
        found = await examine(SlackSettings(**defaults | settings), session, clock or SystemClock(), send_to)
        assert all(finding.fix for finding in found if not finding.ok), "what is not right has a remedy"
        assert len({finding.name for finding in found}) == len(found)
        return {finding.name: finding for finding in found}

    return call


# ── the tokens ──


async def test_when_all_is_well_nothing_is_wrong_and_nothing_was_posted(looked, acme, slack):
    found = await looked()
    assert {name: finding.ok for name, finding in found.items()} == {
        "slack.bot_token": True,
        "slack.scopes": True,
        "slack.clock": True,
        "slack.app_token": True,
        "slack.messages_tab": None,
        "slack.manifest": True,
    }
    assert "the bot clarify (UT1BOT) in Acme (T1)" in found["slack.bot_token"].words
    assert "--send-to" in found["slack.messages_tab"].fix
    assert [call.method for call in acme.received] == ["auth.test"]
    assert slack.violations == []


@pytest.mark.parametrize("code", ["account_inactive", "token_revoked", "invalid_auth", "token_expired", "ratelimited"])
async def test_a_token_that_is_refused_is_explained_in_slacks_word_and_ours(looked, acme, code):
    acme.refusal = code
    found = await looked()
    assert found["slack.bot_token"].ok is False
    assert f"{REMEDIES[code].means} ({code})" in found["slack.bot_token"].words
    assert found["slack.bot_token"].fix == REMEDIES[code].fix
    assert found["slack.scopes"].ok is None


async def test_a_word_that_nobody_knows_is_passed_on(looked, acme):
    acme.refusal = "brand_new_error"
    finding = (await looked())["slack.bot_token"]
    assert "brand_new_error" in finding.words
    assert "auth.test" in finding.fix


async def test_a_token_of_another_app_is_not_accepted(looked):
    found = await looked(bot_token="xoxb-another", app_token="xapp-another")
    assert "invalid_auth" in found["slack.bot_token"].words
    assert "invalid_auth" in found["slack.app_token"].words
    assert (found["slack.bot_token"].ok, found["slack.app_token"].ok) == (False, False)


@pytest.mark.parametrize(
    ("fault", "words"),
    [("500", "HTTP 500"), ("garbage", "HTTP 200"), ("cut", "the connection is cut"), ("ratelimited", "asks for quiet")],
)
async def test_an_answer_that_is_none_is_said_to_be_none(looked, acme, fault, words):
    acme.script("auth.test", fault)
    found = await looked()
    assert words in found["slack.bot_token"].words
    assert (found["slack.bot_token"].ok, found["slack.scopes"].ok) == (False, None)


async def test_silence_ends(looked, acme, session):
    acme.script("auth.test", "silence")
    session._timeout = ClientTimeout(total=0.2)
    assert "nobody answers in time" in (await looked())["slack.bot_token"].words


async def test_a_slack_that_cannot_be_reached_is_not_green(looked, unused_tcp_port):
    found = await looked(api_url=f"http://127.0.0.1:{unused_tcp_port}/api/")
    assert "Slack cannot be asked: no connection is accepted" in found["slack.bot_token"].words
    assert "slack.api_url" in found["slack.bot_token"].fix
    assert not any(finding.ok for name, finding in found.items() if name != "slack.manifest")


@pytest.mark.parametrize("body", [[], "ok", None, {}, {"ok": 1}, {"ok": True}, {"ok": True, "channel": "D1"}])
async def test_what_is_not_slack_is_not_green(looked, body):
    async with served({"/{method}": lambda _: web.json_response(body)}) as address:
        found = await looked(ADA, api_url=f"{address}/")
    assert found["slack.bot_token"].ok is False
    assert found["slack.messages_tab"].ok is False


# ── scopes ──


async def test_missing_scopes_are_named_with_needed_and_provided(looked, acme):
    acme.scopes = frozenset(SCOPES) - {"chat:write", "users:read"}
    finding = (await looked())["slack.scopes"]
    assert finding.ok is False
    assert f"needed: {', '.join(SCOPES)}; provided: commands, im:history, im:write, users:read.email" in finding.words
    assert f"without chat:write the bot cannot {SCOPES['chat:write']}" in finding.words
    assert "add chat:write, users:read: " in finding.fix


async def test_scopes_that_are_not_needed_are_named_and_do_no_harm(looked, acme):
    acme.scopes = frozenset({*SCOPES, "channels:read", "files:read"})
    finding = (await looked())["slack.scopes"]
    assert finding.ok is True
    assert finding.words.endswith("not needed: channels:read, files:read")
    assert "take them out" in finding.fix


# ── the clock ──


@pytest.mark.parametrize(("secs", "ok"), [(-75, False), (-45, True), (0, True), (45, True), (75, False), (400, False)])
async def test_a_clock_that_is_off_is_noticed_before_slack_minds(looked, secs, ok):
    finding = (await looked(clock=ManualClock(SystemClock().now() + secs * SECOND)))["slack.clock"]
    assert finding.ok is ok
    assert ok or ("ahead of" if secs > 0 else "behind") in finding.words


# ── the Messages tab ──


async def test_one_card_is_sent_to_the_one_who_asked(looked, acme, slack):
    finding = (await looked(ADA))["slack.messages_tab"]
    assert (finding.ok, finding.words) == (True, "is on: U1 was sent a card")
    assert [card.text.startswith("Hello") for card in acme.cards(ADA)] == [True]
    assert slack.violations == []


async def test_a_messages_tab_that_is_off_is_found(looked, acme):
    acme.messages_tab = False
    finding = (await looked(ADA))["slack.messages_tab"]
    assert finding.ok is False
    assert "(messages_tab_disabled)" in finding.words
    assert "App Home > Show Tabs" in finding.fix


async def test_without_the_scope_the_card_is_refused_with_needed_and_provided(looked, acme):
    acme.scopes = frozenset(SCOPES) - {"im:write"}
    finding = (await looked(ADA))["slack.messages_tab"]
    assert finding.ok is False
    assert "(missing_scope); needed: im:write; provided: chat:write, commands" in finding.words.replace(",", ", ")


@pytest.mark.parametrize(
    ("user", "code"), [("U9ZZ", "user_not_found"), ("U2GONE", "user_disabled"), ("U3BOT", "cannot_dm_bot")]
)
async def test_somebody_who_cannot_be_written_to_is_named(looked, acme, user, code):
    acme.add_user("U2GONE", deleted=True)
    acme.add_user("U3BOT", is_bot=True)
    finding = (await looked(user))["slack.messages_tab"]
    assert finding.ok is False
    assert f"no conversation with {user} was opened" in finding.words
    assert code in finding.words


async def test_nothing_is_posted_to_what_is_no_direct_message(looked, acme, slack):
    acme.opens_as = "C123"
    finding = (await looked(ADA))["slack.messages_tab"]
    assert (finding.ok, finding.words) == (False, "C123 was opened, no direct message")
    assert acme.calls("chat.postMessage") == []
    assert slack.violations == []


# ── the app-level token ──


async def test_an_app_level_token_without_its_scope_is_told_which(looked):
    refused = {"ok": False, "error": "missing_scope", "needed": "connections:write", "provided": "x"}
    async with served({"/{method}": lambda _: web.json_response(refused)}) as address:
        finding = (await looked(api_url=f"{address}/"))["slack.app_token"]
    assert finding.ok is False
    assert "connections:write" in finding.fix


async def test_in_http_mode_no_app_level_token_is_asked_for(looked):
    assert "slack.app_token" not in await looked(mode="http", signing_secret=SECRET, public_url="https://127.0.0.1:1")


# ── what is not set up ──


async def test_without_slack_nothing_is_asked(looked, acme):
    assert [finding.ok for finding in (await looked(mode="off")).values()] == [True]
    assert acme.received == []


async def test_what_is_lacking_is_said_and_nothing_is_asked(slack, acme, session):
    found = await examine(SlackSettings(mode="http", bot_token=acme.token, api_url=slack.url), session, SystemClock())
    assert [finding.ok for finding in found] == [False, False, None]
    assert found[0].words == "slack.mode is 'http' and needs the signing secret"
    assert found[0].fix.startswith("set CLARIFY_SLACK__SIGNING_SECRET, or name a file")
    assert "needs slack.public_url" in found[1].words
    assert acme.received == []
