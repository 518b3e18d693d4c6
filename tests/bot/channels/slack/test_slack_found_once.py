"""A card in doubt is found, or known to be absent, or nothing is claimed; whatever goes wrong, it is out once."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.http_retry.builtin_async_handlers import AsyncConnectionErrorRetryHandler, async_default_handlers
from slack_sdk.http_retry.builtin_interval_calculators import FixedValueRetryIntervalCalculator
from slack_sdk.web.async_client import AsyncWebClient

from bot.channels.base import Absent, CannotTell, Found, NotSent, Sent, Unknown
from bot.channels.slack.web import SlackWeb
from core.clock import DAY, SystemClock
from core.model.notices import Outgoing
from core.model.work import Extent
from tests.fakes.slack import FakeSlack, fake_slack
from tests.fakes.slack_faults import NAMES
from tests.support.slack_cards import ADA, channel_over, outgoing

pytestmark = pytest.mark.usefixtures("user")

# ── looking for a card in doubt ──


async def test_killed_after_the_post_it_is_found_and_not_posted_again(slack, acme) -> None:
    """Another process, which knows nothing but the card, finds it."""
    acme.script("chat.postMessage", "silence-stored")
    first, second = (SlackWeb(acme.token, slack.url) for _ in range(2))
    sending = asyncio.create_task(channel_over(first).send(outgoing()))
    while not acme.cards(ADA):  # noqa: ASYNC110  # it arrives in another thread
        await asyncio.sleep(0)
    sending.cancel()
    await asyncio.wait([sending])
    assert await channel_over(second).find_sent(outgoing()) == Found(acme.cards(ADA)[0].ref)
    for web in (first, second):
        await web.close()


async def test_it_is_found_among_everything_said_since(channel, acme) -> None:
    for number in range(250):
        acme.store(ADA, str(number))
    sent = await channel.send(outgoing())
    for number in range(450):
        acme.store(ADA, str(number))
    await channel.send(outgoing("another"))
    assert await channel.find_sent(outgoing()) == Found(sent.message_ref)
    assert len(acme.calls("conversations.history")) == 3


async def test_it_is_absent_only_when_everything_was_read(channel, acme) -> None:
    for number in range(450):
        acme.store(ADA, str(number))
    card = outgoing()
    assert await channel.find_sent(card) == Absent()
    calls = acme.calls("conversations.history")
    assert [call.args["include_all_metadata"] for call in calls] == ["1"] * 3
    acme.script("conversations.history", "ok", "ratelimited:7")
    assert await channel.find_sent(card) == CannotTell("ratelimited")


@pytest.mark.parametrize("ahead", [-400 * DAY, 400 * DAY])
@pytest.mark.parametrize("threaded", [False, True])
async def test_whatever_the_clock_said_when_the_card_was_made_it_is_found(channel, acme, clock, ahead, threaded):
    """Also when the clock has been put right since."""
    thread = acme.store(ADA, "How long?").ts if threaded else None
    card = outgoing(thread=thread, created_at=clock.now() + ahead)
    sent = await channel.send(card)
    assert await channel.find_sent(card) == Found(sent.message_ref)


async def test_what_stands_in_a_thread_is_looked_for_there(channel, acme) -> None:
    question = acme.store(ADA, "How long?")
    card = outgoing(thread=question.ts)
    assert await channel.find_sent(card) == Absent()
    sent = await channel.send(card)
    for number in range(250):
        acme.store(ADA, str(number), thread_ts=question.ts)
    assert await channel.find_sent(card) == Found(sent.message_ref)


async def test_a_thread_that_is_gone_holds_nothing_and_takes_nothing(channel, acme) -> None:
    card = outgoing(thread="1.000001")
    assert await channel.find_sent(card) == Absent()
    assert await channel.send(card) == NotSent("thread_not_found", lasting=Extent.CARD)


@pytest.mark.parametrize("fault", ["ratelimited:7", "500", "cut", "garbage", "internal_error", "missing_scope"])
async def test_a_history_that_cannot_be_read_tells_nothing(channel, acme, fault) -> None:
    acme.script("conversations.history", fault, fault)  # a cut reading is repeated once by the HTTP library
    assert isinstance(await channel.find_sent(outgoing()), CannotTell)


async def test_a_stale_id_is_opened_once_more_to_look(channel, acme) -> None:
    sent = await channel.send(outgoing())
    acme.stale(ADA)
    found = await channel.find_sent(outgoing())
    assert isinstance(found, Found)
    assert found.message_ref.partition("/")[2] == sent.message_ref.partition("/")[2]
    acme.script("conversations.history", "channel_not_found", "channel_not_found")
    assert await channel.find_sent(outgoing()) == CannotTell("channel_not_found")


async def test_a_conversation_that_does_not_open_tells_nothing(channel, acme) -> None:
    acme.script("conversations.open", "fatal_error")
    assert await channel.find_sent(outgoing()) == CannotTell("fatal_error")


@pytest.mark.parametrize(
    ("page", "pages"),
    [({"has_more": True}, 1), ({"has_more": True, "response_metadata": {"next_cursor": "again"}}, 50)],
)
async def test_a_history_that_breaks_off_or_never_ends_tells_nothing(channel, acme, page, pages) -> None:
    acme.script("conversations.history", *[json.dumps({"ok": True, "messages": []} | page)] * 60)
    assert isinstance(await channel.find_sent(outgoing()), CannotTell)
    assert len(acme.calls("conversations.history")) == pages


@pytest.mark.parametrize("messages", [None, 5, "none", {}, [None], ["x"], [{}], [{"ts": 5}]])
async def test_a_page_that_cannot_be_read_tells_nothing(channel, acme, messages) -> None:
    acme.script("conversations.history", json.dumps({"ok": True, "messages": messages}))
    assert await channel.find_sent(outgoing()) == CannotTell("unreadable answer")


async def test_another_s_key_is_not_ours(channel, acme) -> None:
    key = outgoing().delivery_key
    for metadata in ({"event_type": "other", "event_payload": {"key": key}}, {"event_type": "clarify_delivery"}, key):
        acme.store(ADA, "x", metadata=metadata)
    assert await channel.find_sent(outgoing()) == Absent()


# ── once, whatever happens ──


async def until_known(channel, card: Outgoing, tries: int) -> str:
    """Send, look, send again: as the delivery engine does, without its pauses."""
    outcome = await channel.send(card)
    for _ in range(tries):
        match outcome:
            case Sent(message_ref):
                return message_ref
            case NotSent(lasting=None):
                outcome = await channel.send(card)
            case Unknown():
                outcome = await looked(channel, card)
    raise AssertionError(f"after {tries} tries: {outcome}")


async def looked(channel, card: Outgoing) -> Sent | NotSent | Unknown:
    match await channel.find_sent(card):
        case Found(message_ref):
            return Sent(message_ref)
        case Absent():
            return NotSent("not there")
        case CannotTell(reason):
            return Unknown(reason)


@pytest.fixture(scope="module")
def lasting_slack() -> Iterator[FakeSlack]:
    with fake_slack(SystemClock()) as slack:
        yield slack
        assert slack.violations == []


_teams = count(2)
faults = st.lists(st.sampled_from((*NAMES, "ok", "channel_not_found", "silence", "silence-stored")), max_size=5)
scripts = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("chat.postMessage", "conversations.open", "conversations.history"), faults)
)


@settings(max_examples=40)
@given(scripts, st.booleans())
def test_whatever_goes_wrong_there_is_one_message_in_the_end(
    lasting_slack: FakeSlack, script: Mapping[str, Sequence[str]], threaded: bool
) -> None:
    asyncio.run(_once(lasting_slack, script, threaded=threaded))


async def _once(slack: FakeSlack, script: Mapping[str, Sequence[str]], *, threaded: bool) -> None:
    acme = slack.add_workspace(f"T{next(_teams)}")
    acme.add_user(ADA)
    thread = acme.store(ADA, "How long?").ts if threaded else None
    for method, faults in script.items():
        acme.script(method.replace("history", "replies") if threaded else method, *faults)
    web = SlackWeb(acme.token, slack.url, timeout_secs=0.3)
    card = outgoing(thread=thread, created_at=slack.clock.now())
    ref = await until_known(channel_over(web), card, tries=40)
    await web.close()
    assert [message.ref for message in acme.cards(ADA)] == [ref]


async def test_the_client_s_own_retry_would_post_twice_and_ours_does_not(slack, acme, channel) -> None:
    """Cut after the write, Slack has the message: whoever repeats the call posts it again."""
    by_default = next(one for one in async_default_handlers() if isinstance(one, AsyncConnectionErrorRetryHandler))
    retrying = type(by_default)(interval_calculator=FixedValueRetryIntervalCalculator(fixed_internal=0))
    acme.script("chat.postMessage", "cut-stored")
    client = AsyncWebClient(acme.token, slack.url, retry_handlers=[retrying])
    await client.chat_postMessage(channel=acme.channel(ADA), text="twice")
    assert [message.text for message in acme.cards(ADA)] == ["twice", "twice"]
    acme.script("chat.postMessage", "cut-stored")
    assert isinstance(await channel.send(outgoing()), Unknown)
    assert len(acme.cards(ADA)) == 3
