"""What Teams' answers mean: every no is told apart, what nobody knows is never taken for a no, nor a no for a maybe."""

import json
from datetime import UTC, datetime
from email.utils import format_datetime

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.answers import LONGEST_QUIET_SECS, QUIET_SECS, quiet
from bot.channels.base import Gone, NotSent, Unknown
from bot.channels.teams.outcomes import ELSEWHERE, Trouble, answered, failed, meaning, no_token, without_effect
from bot.channels.teams.port import Refused
from core.clock import SECOND, to_datetime
from core.model.work import Extent
from tests.support.memories import NOW


def said(code: str, message: str = "No.") -> bytes:
    return json.dumps({"error": {"code": code, "message": message}}).encode()


STATUSES = st.integers(300, 599)
BODIES = (
    st.binary(max_size=40)
    | st.text(max_size=20).map(said)
    | st.sampled_from([b"", b"{}", b'{"error": []}', b"[" * 9_999])
)


@given(STATUSES, st.none() | st.text(max_size=20), BODIES)
def test_any_answer_means_something_and_only_a_fault_of_theirs_leaves_doubt(status, retry_after, body) -> None:
    outcome = meaning(answered(status, retry_after, body), NOW)
    assert isinstance(outcome, Unknown) == (status >= 500 or status == 408)
    assert isinstance(without_effect(answered(status, retry_after, body), NOW), NotSent)


@given(STATUSES, BODIES)
def test_a_reason_is_short_and_can_be_written_into_a_log(status, body) -> None:
    reason = meaning(answered(status, None, body), NOW).reason
    assert reason.isprintable()
    assert 0 < len(reason) <= 80


@given(st.sampled_from([400, 403, 404, 409, 412, 413]), st.text(max_size=20))
def test_only_what_lasts_or_was_looked_at_is_ever_given_up(status, code) -> None:
    """A page that something in between wrote says nothing of the person, and is given up in the end."""
    outcome = meaning(answered(status, None, f"<h1>{code}</h1>".encode()), NOW)
    assert isinstance(outcome, NotSent)
    assert outcome.lasting is None
    assert outcome.read == (status != 412)


@pytest.mark.parametrize(
    ("code", "status", "extent"),
    [
        ("ConversationBlockedByUser", 403, Extent.PERSON),
        ("BotNotInConversationRoster", 403, Extent.PERSON),
        ("BotDisabledByAdmin", 403, Extent.PERSON),
        ("ForbiddenOperationException", 403, Extent.PERSON),
        ("InvalidBotApiHost", 403, Extent.PERSON),
        ("MessageSizeTooBig", 413, Extent.CARD),
        ("MessageSizeTooBig", 400, Extent.CARD),
        ("BotNotRegistered", 401, Extent.WORKSPACE),
        ("PreconditionFailed", 412, None),
        ("Unauthorized", 401, None),
        ("TooManyRequests", 429, None),
        ("BadArgument", 400, None),
    ],
)
def test_each_code_reaches_as_far_as_it_says(code, status, extent) -> None:
    outcome = meaning(answered(status, None, said(code)), NOW)
    assert (outcome.reason, outcome.lasting) == (code, extent)


def test_a_code_within_the_message_says_more_than_the_one_outside() -> None:
    inner = json.dumps({"subCode": "MessageWritesBlocked", "details": "Thread write is blocked"})
    for body in (said("Forbidden", inner), json.dumps({"errorCode": 209, "message": inner}).encode()):
        assert meaning(answered(403, None, body), NOW) == NotSent("MessageWritesBlocked", lasting=Extent.PERSON)


def test_without_a_body_a_no_to_a_person_is_still_one() -> None:
    assert meaning(answered(403, None, b" "), NOW).lasting is Extent.PERSON
    assert meaning(answered(403, None, b"<html>"), NOW).lasting is None


def test_what_is_gone_is_no_refusal_of_anybody() -> None:
    assert meaning(answered(404, None, said("ConversationNotFound")), NOW) == Gone("ConversationNotFound")
    assert (
        meaning(answered(404, None, said("ActivityNotFoundInConversation")), NOW).reason
        == "ActivityNotFoundInConversation"
    )
    assert isinstance(meaning(answered(404, None, b"<html>"), NOW), NotSent)


def test_who_cannot_be_found_cannot_be_opened_a_chat_with() -> None:
    for status, code in ((400, "BadSyntax"), (404, "NotFound"), (403, "Forbidden")):
        assert without_effect(answered(status, None, said(code)), NOW) == NotSent(code, lasting=Extent.PERSON)
    assert without_effect(answered(500, None, said("ServiceError")), NOW) == NotSent("ServiceError")


# ── quiet ──


@pytest.mark.parametrize(
    ("header", "secs"),
    [("7", 7), ("0", 1), ("0.5", 1), ("2.5", 2.5), ("999999", LONGEST_QUIET_SECS), (None, QUIET_SECS), ("", QUIET_SECS)]
    + [(odd, QUIET_SECS) for odd in ("soon", "nan", "-5", "-inf", "7 seconds", "32 Foo 2026 99:00:00 GMT")],
)
def test_quiet_is_kept_as_long_as_is_asked_for_within_reason(header, secs) -> None:
    assert meaning(answered(429, header, b""), NOW).retry_after == secs * SECOND


@given(st.integers(-100, 5_000))
def test_a_date_is_as_long_as_it_is_away(secs) -> None:
    date = format_datetime(to_datetime(NOW - NOW % SECOND + secs * SECOND).astimezone(UTC), usegmt=True)
    assert quiet(date, NOW - NOW % SECOND) == min(max(secs, 1), LONGEST_QUIET_SECS) * SECOND


def test_a_date_without_a_zone_is_in_utc() -> None:
    moment = datetime(2026, 11, 30, 12, 0, 30, tzinfo=UTC)
    now = int(moment.timestamp() - 30) * SECOND
    assert quiet("Mon, 30 Nov 2026 12:00:30 -0000", now) == 30 * SECOND


# ── no answer at all ──


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (aiohttp.ConnectionTimeoutError(), NotSent("Teams cannot be reached: ConnectionTimeoutError")),
        (aiohttp.InvalidURL("x"), NotSent("Teams cannot be reached: InvalidUrlClientError")),
        (aiohttp.ServerDisconnectedError(), Unknown("ServerDisconnectedError")),
        (aiohttp.ClientPayloadError(), Unknown("ClientPayloadError")),
        (ConnectionResetError(), Unknown("ConnectionResetError")),
        (TimeoutError(), Unknown("TimeoutError")),
        (ZeroDivisionError(), Unknown("ZeroDivisionError")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_only_a_connection_that_never_opened_is_a_no(error, outcome) -> None:
    assert meaning(failed(error), NOW).__class__ is outcome.__class__


def test_without_a_token_it_depends_on_who_is_to_blame() -> None:
    for status, extent in ((401, Extent.WORKSPACE), (503, None)):
        assert meaning(no_token(Refused(status, "why")), NOW) == NotSent("why", lasting=extent)


def test_a_fresh_token_that_is_refused_ends_it_for_all() -> None:
    assert meaning(Trouble("Unauthorized", 401, fresh=True), NOW) == NotSent("Unauthorized", lasting=Extent.WORKSPACE)
    assert meaning(Trouble("Unauthorized", 401), NOW) == NotSent("Unauthorized")


def test_an_address_that_is_none_of_teams_is_its_persons_alone() -> None:
    assert meaning(ELSEWHERE, NOW).lasting is Extent.PERSON
