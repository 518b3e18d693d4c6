"""Every way that Slack has of saying no has one meaning, and only what may have been posted is in doubt."""

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.channels.base import NotSent, Unknown
from bot.channels.slack.outcomes import LASTING, UNCLEAR, Trouble, meaning, trouble, without_effect
from core.clock import HOUR, SECOND
from core.model.work import Extent


def answered(error: str | None, status: int = 200, headers: dict[str, str] | None = None, **more) -> Trouble:
    """What the client raises for such an answer, read."""
    body = {"ok": False, **({"error": error} if error else {}), **more}
    response = AsyncSlackResponse(
        client=None, http_verb="POST", api_url="x", req_args={}, data=body, headers=headers or {}, status_code=status
    )
    return trouble(SlackApiError("refused", response))


@pytest.mark.parametrize(
    ("error", "extent"),
    [
        *((code, Extent.WORKSPACE) for code in ("account_inactive", "token_revoked", "invalid_auth", "not_authed")),
        *((code, Extent.WORKSPACE) for code in ("token_expired", "messages_tab_disabled", "team_access_not_granted")),
        *((code, Extent.WORKSPACE) for code in ("org_login_required", "ekm_access_denied", "app_uninstalled")),
        *((code, Extent.PERSON) for code in ("user_disabled", "user_not_found", "users_not_found", "cannot_dm_bot")),
        *((code, Extent.PERSON) for code in ("user_not_visible", "is_bot")),
        *((code, Extent.CARD) for code in ("invalid_blocks", "msg_too_long", "no_text", "invalid_metadata_format")),
        *((code, Extent.CARD) for code in ("message_not_found", "cant_update_message", "edit_window_closed")),
        *((code, None) for code in ("channel_not_found", "team_added_to_org", "a_code_of_next_year")),
    ],
)
def test_a_code_says_how_far_the_refusal_reaches(error: str, extent: Extent | None) -> None:
    assert meaning(answered(error)) == NotSent(error, lasting=extent, read=extent is None)


def test_a_missing_scope_is_named_with_those_that_are_there() -> None:
    outcome = meaning(answered("missing_scope", needed="im:write", provided="chat:write,commands"))
    assert outcome == NotSent("missing_scope (needs im:write; has chat:write,commands)", lasting=Extent.WORKSPACE)


def test_what_is_wrong_with_the_blocks_is_told_in_short() -> None:
    outcome = meaning(answered("invalid_blocks", response_metadata={"messages": ["x" * 5_000, "more"]}))
    assert outcome == NotSent(f"invalid_blocks ({'x' * 200})", lasting=Extent.CARD)


@pytest.mark.parametrize(
    ("header", "secs"),
    [
        *(("7", 7), ("3600", 3_600), ("1.5", 1.5), ("0", 1)),
        *((None, 30), ("", 30), ("soon", 30), ("-5", 30), ("nan", 30), ("Mon, 30 Nov 2026 00:00:00 GMT", 30)),
        *(("86400", 3_600), ("inf", 3_600), ("9" * 5_000, 3_600)),
    ],
)
@pytest.mark.parametrize(
    ("status", "error"), [(429, "ratelimited"), (200, "ratelimited"), (429, None), (200, "rate_limited")]
)
def test_asked_for_quiet_it_says_for_how_long(header: str | None, secs: float, status: int, error: str | None) -> None:
    outcome = meaning(answered(error, status, {} if header is None else {"Retry-After": header}))
    assert isinstance(outcome, NotSent)
    assert (outcome.retry_after, outcome.lasting) == (int(secs * SECOND), None)


@pytest.mark.parametrize(
    "lost",
    [
        *(answered(code) for code in ("internal_error", "fatal_error", "request_timeout", "service_unavailable")),
        *(answered(None, status) for status in (500, 502, 503, 504, 408, 200)),
        *(answered("service_unavailable", 503), answered("account_inactive", 503)),
        *(trouble(error) for error in (TimeoutError(), aiohttp.ServerDisconnectedError(), ConnectionResetError())),
        *(
            trouble(error)
            for error in (aiohttp.ClientOSError(104, "reset"), aiohttp.ClientPayloadError(), KeyError("x"))
        ),
    ],
)
def test_what_may_have_been_posted_is_in_doubt(lost: Trouble) -> None:
    assert isinstance(meaning(lost), Unknown)


@pytest.mark.parametrize("status", [400, 403, 404, 407, 413])
def test_a_gateway_that_turns_us_away_posted_nothing(status: int) -> None:
    assert meaning(answered(None, status)) == NotSent(f"unreadable answer, HTTP {status}")


@pytest.mark.parametrize(
    "error",
    [
        aiohttp.ClientConnectorError(None, OSError(111, "refused")),
        aiohttp.ClientConnectorDNSError(None, OSError(-2, "unknown name")),
        aiohttp.ConnectionTimeoutError(),
        aiohttp.InvalidURL("slack"),
    ],
)
def test_a_connection_that_never_opened_posted_nothing(error: Exception) -> None:
    outcome = meaning(trouble(error))
    assert outcome == NotSent(f"Slack cannot be reached: {type(error).__name__}")


troubles = st.builds(
    Trouble,
    error=st.one_of(st.sampled_from(sorted({*LASTING, *UNCLEAR, "ratelimited"})), st.text(max_size=20)),
    status=st.one_of(st.none(), st.integers(100, 599)),
    opened=st.booleans(),
    coded=st.booleans(),
    retry_after=st.one_of(st.none(), st.text(max_size=10), st.floats().map(str)),
)


@given(troubles)
def test_whatever_comes_back_has_one_meaning_within_bounds(any_trouble: Trouble) -> None:
    """A wait is a second to an hour; what lasts is a code of Slack's and nothing to wait for."""
    outcome = meaning(any_trouble)
    if isinstance(outcome, NotSent):
        assert outcome.retry_after is None or SECOND <= outcome.retry_after <= HOUR
        assert outcome.lasting is None or (outcome.retry_after is None and any_trouble.error in LASTING)
    else:
        assert any_trouble.opened
    assert isinstance(without_effect(any_trouble), NotSent)


def test_a_code_has_one_extent() -> None:
    assert not set(LASTING) & UNCLEAR
