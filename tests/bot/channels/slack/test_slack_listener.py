"""The door over real HTTP: what is not Slack's gets no further, and nothing that comes ends in HTTP 500 or in a log."""

import io
import json
import logging

import aiohttp
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bot.channels.slack.guard import MOST_BYTES
from core.clock import SECOND
from tests.fakes.slack_inbound import FORM, JSON, SlackRequest, sign
from tests.support.slack_cards import ADA

pytestmark = pytest.mark.usefixtures("user")
PRIVATE = "my private question"


@pytest.fixture
def verbose(caplog):
    """Everything is logged from before the bot is made, for Bolt reads the level then."""
    caplog.set_level(logging.DEBUG)


@pytest.fixture
def question(inbound):
    return inbound.message(ADA, PRIVATE)


async def post(url, body, headers):
    """Exactly these headers, also one twice."""
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=headers) as answer:
        return answer.status, await answer.text()


def proof(slack, body, **more):
    return list(sign(slack, body, **more).items())


async def test_what_slack_signed_is_heard(bot, question, ingress):
    reply = await bot.hear(question)
    assert (reply.status, reply.text) == (200, "")
    assert [kept[0] for kept in ingress.kept] == ["said"]


async def test_slack_verifies_the_address(bot, inbound):
    reply = await bot.hear(inbound.url_verification("abc"))
    assert (reply.status, json.loads(reply.text)) == (200, {"challenge": "abc"})


@pytest.mark.parametrize("skew", [-301, 301, 10**9])
async def test_row_7_a_request_from_another_time_is_refused_and_the_log_tells_the_skew(
    bot, slack, question, ingress, skew
):
    headers = sign(slack, question.body, at=slack.clock.now() // SECOND - skew)
    with capture_logs() as logs:
        reply = await bot.hear(question, headers=headers)
    assert (reply.status, reply.text, ingress.kept) == (401, "refused", [])
    assert [(entry["event"], entry["skew_secs"]) for entry in logs] == [("slack.refused", skew)]


@pytest.mark.parametrize("stamp", ["0", "abc", "", "１２３", "9" * 400, "-1"])
async def test_row_7_a_time_that_is_none_is_refused(bot, question, ingress, stamp):
    reply = await bot.hear(question, headers={"X-Slack-Request-Timestamp": stamp})
    assert (reply.status, reply.text, ingress.kept) == (401, "refused", [])


@pytest.mark.parametrize("signature", ["v0=é", "", "v0=", "V0=" + "0" * 64, "v0=" + "A" * 64, "x" * 4_000])
async def test_row_8_a_signature_that_is_none_is_refused(bot, question, ingress, signature):
    reply = await bot.hear(question, headers={"X-Slack-Signature": signature})
    assert (reply.status, reply.text, ingress.kept) == (401, "refused", [])


@pytest.mark.parametrize("missing", ["X-Slack-Signature", "X-Slack-Request-Timestamp"])
async def test_a_missing_or_doubled_header_is_refused(bot, slack, question, ingress, missing):
    headers = proof(slack, question.body)
    without = [(name, value) for name, value in headers if name != missing]
    doubled = headers + [(name, value) for name, value in headers if name == missing]
    assert [await post(bot.url, question.body, given) for given in (without, doubled)] == [(401, "refused")] * 2
    assert ingress.kept == []


async def test_another_app_s_secret_is_refused(bot, slack, question, ingress):
    reply = await bot.hear(question, headers=sign(slack, question.body, secret="another"))
    assert (reply.status, ingress.kept) == (401, [])


async def test_row_9_a_failed_signature_logs_neither_body_nor_headers_nor_secret(verbose, bot, slack, question, caplog):
    forged = "v0=" + "0" * 64
    with capture_logs() as logs:
        await bot.hear(question, headers={"X-Slack-Signature": forged})
    written = json.dumps(logs, default=str) + caplog.text
    assert len(logs) == 1
    for secret in (PRIVATE, question.payload["event_id"], forged, slack.signing_secret):
        assert secret not in written


async def test_slack_s_own_code_logs_nothing_of_what_is_written(verbose, bot, acme, inbound, caplog):
    """Not even where the whole process logs everything, nor of what the bot itself has written."""
    own = acme.store(ADA, PRIVATE, bot_id=acme.bot_id)
    requests = (inbound.message(ADA, PRIVATE), inbound.command(ADA, PRIVATE), inbound.told(own))
    for request in (*requests, inbound.event({"type": PRIVATE})):
        await bot.hear(request)
    assert PRIVATE not in caplog.text


@pytest.mark.parametrize("size", [MOST_BYTES + 1, 5 * MOST_BYTES])
async def test_a_body_over_a_megabyte_is_refused(bot, slack, size):
    headers = proof(slack, "x" * size)
    assert await post(bot.url, io.BytesIO(b"x" * size), headers) == (413, "refused")


async def test_a_body_without_end_is_not_read_to_its_end(bot, slack):
    sent = []

    async def pieces():
        while len(sent) < 1_000:
            sent.append(None)
            yield b"x" * 65_536

    assert await post(bot.url, pieces(), proof(slack, "x")) == (413, "refused")
    assert len(sent) < 1_000


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_a_body_that_cannot_be_unpacked_is_a_400(bot, encoding):
    assert await post(bot.url, "no archive", {"Content-Encoding": encoding}) == (400, "unreadable")


@pytest.mark.parametrize("body", ["", "{", "[]", "null", "7", "[" * 100_000, '{"a": "\\ud8'])
async def test_signed_json_that_is_no_object_is_a_400(bot, slack, body):
    headers = [*proof(slack, body), ("Content-Type", JSON)]
    assert await post(bot.url, body, headers) == (400, "unreadable")


@pytest.mark.parametrize("body", ["", "a", "payload=", "payload=[]", "payload=" + "[" * 100_000, "text=%FF"])
async def test_a_signed_form_that_cannot_be_read_is_a_400(bot, slack, body):
    headers = [*proof(slack, body), ("Content-Type", FORM)]
    assert await post(bot.url, body, headers) == (400, "unreadable")


@pytest.mark.parametrize(
    "content_type", [f"{JSON}; charset=klingon", f"{JSON}; charset=utf-16", f"{JSON};;", f"{JSON}"]
)
async def test_the_content_type_s_charset_is_not_believed(bot, slack, question, content_type):
    headers = [*proof(slack, question.body), ("Content-Type", content_type)]
    assert (await post(bot.url, question.body, headers))[0] == 200


SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["id", "type", "user"]), inner),
    max_leaves=4,
)
ENVELOPE = (
    "event",
    "team",
    "team_id",
    "user",
    "view",
    "authorizations",
    "actions",
    "response_url",
    "command",
    "channel",
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(
        ["event_callback", "block_actions", "view_submission", "shortcut", "message_action", "ssl_check", ""]
    ),
    st.dictionaries(st.sampled_from(ENVELOPE), SHAPES, max_size=4),
)
async def test_no_signed_shape_ends_in_http_500(bot, ingress, kind, body):
    reply = await bot.hear(SlackRequest("event", {"team_id": "T1"} | body | {"type": kind}))
    assert reply.status in {200, 400}
    assert ingress.kept == []


async def test_the_unsigned_look_at_the_certificate_is_answered_and_touches_nothing(bot, ingress):
    assert await post(bot.url, "ssl_check=1&token=x", {"Content-Type": FORM}) == (200, "")
    assert (await post(bot.url, "ssl_check=0&token=x", {"Content-Type": FORM}))[0] == 401
    assert ingress.kept == []


async def test_a_message_that_only_speaks_of_that_look_is_heard(bot, inbound, ingress):
    await bot.hear(inbound.message(ADA, "what is a&ssl_check=1&b?"))
    assert ingress.kept[0][-1] == "what is a&ssl_check=1&b?"


async def test_no_header_tells_bolt_to_skip_its_listeners(bot, question, ingress):
    headers = {"X-Slack-Bolt-Lazy-Only": "1", "X-Slack-Bolt-Lazy-Function-Name": "x"}
    assert (await bot.hear(question, headers=headers)).status == 200
    assert len(ingress.kept) == 1


async def test_only_post_is_taken(bot):
    async with aiohttp.ClientSession() as session, session.get(bot.url) as answer:
        assert answer.status == 405
