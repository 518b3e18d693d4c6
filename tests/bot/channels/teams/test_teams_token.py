"""One token, got by one request, kept until five minutes before its end, and dropped when the Connector refuses it."""

import asyncio
from http import HTTPStatus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.teams.port import Refused
from bot.channels.teams.token import RENEWED_BEFORE, Token, _read
from core.clock import MINUTE, SECOND
from tests.fakes.teams_connector import SECRET, TOKEN_SECS
from tests.fakes.teams_openid import APP_ID, TENANT_ID
from tests.support.memories import NOW


@pytest.fixture
def token(teams) -> Token:
    return Token(APP_ID, SECRET, TENANT_ID, teams.clock, teams.login_url, timeout_secs=2)


def asked(teams) -> int:
    return len(teams.made("token"))


async def refusal(token) -> Refused:
    with pytest.raises(Refused) as refused:
        await token.get()
    return refused.value


async def test_it_is_asked_for_in_the_tenant_as_the_app_for_the_connector(token, teams) -> None:
    got = await token.get()
    assert (got, token.held) == (next(iter(teams.tokens)), got)
    [call] = teams.calls
    assert call.path == f"/login/{TENANT_ID}/oauth2/v2.0/token"
    assert call.body["scope"] == "https://api.botframework.com/.default"
    assert (call.body["client_id"], call.body["client_secret"]) == (APP_ID, SECRET)


async def test_many_who_want_it_at_once_make_one_request(token, teams) -> None:
    assert len({*await asyncio.gather(*(token.get() for _ in range(20)))}) == asked(teams) == 1


async def test_one_who_gives_up_waiting_takes_it_from_nobody(token, teams) -> None:
    waiting = [asyncio.create_task(token.get()) for _ in range(2)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    assert await waiting[1] in teams.tokens


async def test_it_is_renewed_five_minutes_before_its_end(token, teams, clock) -> None:
    first = await token.get()
    clock.advance(TOKEN_SECS * SECOND - RENEWED_BEFORE - 1)
    assert (await token.get(), asked(teams)) == (first, 1)
    clock.advance(1)
    assert await token.get() != first


async def test_while_it_holds_a_silent_entra_takes_it_from_nobody(token, teams, clock) -> None:
    first = await token.get()
    clock.advance(TOKEN_SECS * SECOND - MINUTE)
    teams.script("token", "503:html", "AADSTS7000222", "cut")
    assert [await token.get() for _ in range(3)] == [first] * 3
    clock.advance(MINUTE)
    assert token.held is None
    teams.script("token", "500")
    assert (await refusal(token)).status == HTTPStatus.SERVICE_UNAVAILABLE
    assert await token.get() != first


@pytest.mark.parametrize(
    "fault", ["500", "502:html", "429:7", "garbage", "empty", "half", "307", "AADSTS90033", "403:html"]
)
async def test_a_fault_on_the_way_is_not_taken_for_wrong_credentials(token, teams, fault) -> None:
    teams.script("token", fault)
    refused = await refusal(token)
    assert refused.status == HTTPStatus.SERVICE_UNAVAILABLE
    assert await token.get() in teams.tokens


async def test_silence_and_a_closed_port_are_told(teams, clock, unused_tcp_port) -> None:
    teams.script("token", "silence")
    impatient = Token(APP_ID, SECRET, TENANT_ID, clock, teams.login_url, timeout_secs=0.2)
    assert (await refusal(impatient)).reason == "Entra cannot be reached: TimeoutError"
    nowhere = Token(APP_ID, SECRET, TENANT_ID, clock, f"http://127.0.0.1:{unused_tcp_port}/")
    assert (await refusal(nowhere)).reason == "Entra cannot be reached: ClientConnectorError"


async def test_wrong_credentials_are_told_by_entras_codes_and_nothing_else_of_its_words(teams, clock) -> None:
    wrong = Token(APP_ID, "not-the-secret", TENANT_ID, clock, teams.login_url)
    refused = await refusal(wrong)
    assert refused.status == HTTPStatus.UNAUTHORIZED
    assert refused.reason == "Entra gives no token: invalid_client (AADSTS7000215)"


async def test_no_secret_is_in_what_is_raised_or_logged_or_shown(token, teams, caplog) -> None:
    teams.script("token", "AADSTS7000215", "garbage", "500", "half", "cut")
    shown = [str((await refusal(token)).__dict__) for _ in range(5)] + [repr(token), caplog.text]
    assert not [one for one in shown if SECRET in one]
    got = await token.get()
    assert got not in repr(token)


async def test_a_redirect_takes_the_secret_nowhere(token, teams) -> None:
    teams.script("token", "307")
    await refusal(token)
    assert teams.made("elsewhere") == []


async def test_a_refused_token_is_dropped_once_and_the_next_is_in_question_until_it_is_accepted(token, teams) -> None:
    first = await token.get()
    assert [token.refused(first), token.refused(first), token.held] == [False, False, None]
    second = await token.get()
    assert token.refused(first) is False, "that of somebody who was slower"
    assert token.held == second
    assert token.refused(second) is True
    third = await token.get()
    token.accepted()
    assert token.refused(third) is False
    assert asked(teams) == 3


async def test_closing_gives_up_a_request_that_is_under_way(token, teams) -> None:
    teams.script("token", "silence")
    waiting = asyncio.create_task(token.get())
    await asyncio.sleep(0)
    await token.close()
    await asyncio.gather(waiting, return_exceptions=True)
    assert waiting.done()
    await token.close()


@given(st.integers(200, 599), st.binary(max_size=60))
def test_whatever_comes_instead_of_an_answer_is_no_token(status, body) -> None:
    with pytest.raises(Refused):
        _read(status, body, NOW)


@pytest.mark.parametrize(
    "body",
    [
        b'{"access_token": "a b", "expires_in": 9}',
        b'{"access_token": "a\\r\\nX: y", "expires_in": 9}',
        b'{"access_token": "", "expires_in": 9}',
        b'{"access_token": "a", "expires_in": 0}',
        b'{"access_token": "a", "expires_in": "9"}',
        b'{"access_token": "a", "expires_in": true}',
        b'{"access_token": "a"}',
        b'{"access_token": ["a"], "expires_in": 9}',
    ],
)
def test_a_token_that_no_header_could_hold_or_that_never_ends_is_none(body) -> None:
    with pytest.raises(Refused, match="no token that can be used"):
        _read(200, body, NOW)
