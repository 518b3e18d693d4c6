"""The SDK's transport, over real HTTP: nothing twice, no token for strangers, no request in a turn."""

import asyncio
import json
from dataclasses import replace
from http import HTTPStatus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.base import NotSent, Sent, Unknown, Unreachable
from bot.channels.teams.address import Address
from bot.channels.teams.port import Claims, Refused
from bot.channels.teams.transport import BotFrameworkTransport
from cards.notices import notice
from cards.teams import to_teams_message
from core.clock import ManualClock
from core.model.work import Extent
from tests.fakes.teams_openid import APP_ID, SERVICE_URL, TENANT_ID, USER_ID, message
from tests.fakes.teams_world import BOT
from tests.support.loopback import make_certificate, served
from tests.support.teams_out import CARD, transport_to, verifier

MESSAGE = to_teams_message(CARD)
ACTIVITY = message()


@pytest.fixture
def address(teams, user) -> Address:
    return Address(teams.service_url, teams.world.chat(user), user.teams_id, BOT)


# ── once ──

FAULTS = ["500:ServiceError", "502:html", "503", "429:7", "412:PreconditionFailed", "404:html", "401", "cut", "half"]
FAULTS += ["garbage", "empty", "307", "cut-stored", "500:ServiceError-stored"]


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_post_reaches_teams_once_however_it_ends(transport, teams, address, fault) -> None:
    teams.script("send", fault)
    await transport.send(address, MESSAGE)
    assert len(teams.made("send")) == 1
    teams.script("open", fault)
    await transport.open_dm(TENANT_ID, address)
    assert len(teams.made("open")) == 1


async def test_over_a_connection_that_was_used_before_as_well(transport, teams, address) -> None:
    await transport.send(address, MESSAGE)
    teams.script("send", "cut-stored")
    assert await transport.send(address, MESSAGE) == Unknown("ServerDisconnectedError")
    assert len(teams.made("send")) == len(teams.world.messages[address.conversation]) == 2


async def test_no_answer_in_time_leaves_a_message_in_doubt(teams, address) -> None:
    impatient = transport_to(teams, timeout_secs=0.3)
    teams.script("send", "silence-stored")
    assert await impatient.send(address, MESSAGE) == Unknown("TimeoutError")
    teams.script("open", "silence")
    assert await impatient.open_dm(TENANT_ID, address) == NotSent("TimeoutError")
    await impatient.close()


async def test_a_service_that_cannot_be_reached_got_nothing(transport, address, unused_tcp_port) -> None:
    nowhere = replace(address, service_url=f"http://127.0.0.1:{unused_tcp_port}/")
    assert await transport.send(nowhere, MESSAGE) == NotSent("Teams cannot be reached: ClientConnectorError")
    assert await transport.update(nowhere, "1", MESSAGE) == NotSent("Teams cannot be reached: ClientConnectorError")


async def test_a_name_that_nobody_knows_got_nothing(transport, address, monkeypatch) -> None:
    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", _nobody)
    outcome = await transport.send(replace(address, service_url=SERVICE_URL), MESSAGE)
    assert outcome == NotSent("Teams cannot be reached: ClientConnectorDNSError")


async def test_a_service_whose_certificate_nobody_trusts_got_nothing(transport, teams, address, tmp_path) -> None:
    async with served({"/{all:.*}": lambda _: pytest.fail("it was asked")}, make_certificate(tmp_path)) as url:
        outcome = await transport.send(replace(address, service_url=f"{url}/"), MESSAGE)
    assert outcome == NotSent("Teams cannot be reached: ClientConnectorCertificateError")


async def _nobody(*_: object, **__: object) -> None:
    raise OSError("no such name")


@pytest.mark.parametrize("letter", ["a", "é", "会", "🙂", "\\", '"'])
async def test_row_33_a_card_that_was_fitted_is_not_too_big_in_whichever_script(
    transport, teams, user, address, letter
) -> None:
    full = to_teams_message(notice("Full", letter * 30_000))
    assert isinstance(await transport.send(address, full), Sent)
    [standing] = teams.world.messages[user.conversation]
    assert standing.card == full["attachments"][0]["content"]
    assert teams.made("send")[0].size <= 22_000


async def test_strange_ids_stay_in_their_place_in_the_address(transport, teams, address) -> None:
    for conversation in ("a:1/../../elsewhere", "a:1?x=1#y", "a b", "19:é@thread.v2"):
        await transport.send(replace(address, conversation=conversation), MESSAGE)
    assert [call.operation for call in teams.calls[1:]] == ["send"] * 4


# ── whom the token is for ──

ELSEWHERE = (
    "https://evil.example/",
    "http://smba.trafficmanager.net/emea/",
    "https://smba.trafficmanager.net.evil.example/",
    "https://smba.trafficmanager.net:8443/",
    "ftp://127.0.0.1/",
    "",
    "127.0.0.1",
    "https://smba.trafficmanager.net/{conversationId.__class__}/",
)


@pytest.mark.parametrize("url", ELSEWHERE)
async def test_row_37_a_forged_service_sees_no_token_nor_is_one_made_for_it(transport, teams, address, url) -> None:
    await _is_turned_away(transport, replace(address, service_url=url))
    assert teams.calls == []


@pytest.mark.parametrize("user_info", ["smba.trafficmanager.net@", "smba.trafficmanager.net:443@"])
async def test_row_37_neither_does_one_behind_a_name_of_microsofts(transport, teams, address, user_info) -> None:
    await _is_turned_away(transport, replace(address, service_url=teams.service_url.replace("//", f"//{user_info}")))
    assert teams.calls == []


async def test_this_machine_is_no_service_unless_in_development(teams, clock, address) -> None:
    real = BotFrameworkTransport(APP_ID, verifier(clock), transport_to(teams)._token, clock)
    await _is_turned_away(real, address)
    assert teams.calls == []


async def _is_turned_away(transport, address) -> None:
    for outcome in (await transport.send(address, MESSAGE), await transport.update(address, "1", MESSAGE)):
        assert outcome.lasting is Extent.PERSON
    assert isinstance(await transport.open_dm(TENANT_ID, address), NotSent)
    with pytest.raises(Unreachable):
        await transport.member(address, TENANT_ID, USER_ID)


async def test_every_request_to_teams_bears_the_one_token_and_that_for_it_bears_none(transport, teams, address) -> None:
    await transport.ready()
    await asyncio.gather(*(transport.send(address, MESSAGE) for _ in range(5)))
    await transport.member(address, TENANT_ID, USER_ID)
    assert [call.bearer for call in teams.made("token")] == [None]
    assert {call.bearer for call in teams.calls[1:]} == set(teams.tokens)
    assert all("botframework-connector" in call.user_agent for call in teams.calls[1:]), teams.calls[1].user_agent


async def test_a_redirect_is_not_followed(transport, teams, address) -> None:
    teams.script("send", "307")
    assert isinstance(await transport.send(address, MESSAGE), NotSent)
    assert teams.made("elsewhere") == []


async def test_in_development_nothing_is_proven_with_a_token(teams, clock, address) -> None:
    teams.anonymous = True
    open_to_all = BotFrameworkTransport(APP_ID, verifier(clock), None, clock, loopback=True)
    await open_to_all.ready()
    assert isinstance(await open_to_all.send(address, MESSAGE), Sent)
    assert [call.bearer for call in teams.calls] == [None]
    await open_to_all.close()


# ── a token that is refused ──


async def test_a_refused_token_is_dropped_and_the_next_message_goes_with_another(transport, teams, address) -> None:
    await transport.send(address, MESSAGE)
    teams.revoke()
    assert await transport.send(address, MESSAGE) == NotSent("Unauthorized")
    assert isinstance(await transport.send(address, MESSAGE), Sent)
    teams.revoke()
    assert await transport.send(address, MESSAGE) == NotSent("Unauthorized"), "it was good for a while"
    assert len(teams.made("token")) == 2


async def test_where_a_fresh_one_is_refused_as_well_the_credentials_are_not_the_bots(transport, teams, address) -> None:
    for lasting in (None, Extent.WORKSPACE):
        await transport.ready()
        teams.revoke()
        assert (await transport.send(address, MESSAGE)).lasting is lasting


async def test_of_many_that_are_refused_together_each_is_tried_again(transport, teams, address) -> None:
    await transport.ready()
    teams.revoke()
    ends = await asyncio.gather(*(transport.send(address, MESSAGE) for _ in range(8)))
    assert ends == [NotSent("Unauthorized")] * 8
    assert {type(end) for end in await asyncio.gather(*(transport.send(address, MESSAGE) for _ in range(8)))} == {Sent}
    assert len(teams.made("token")) == 2


async def test_without_a_token_nothing_is_sent(transport, teams, address) -> None:
    forgetful = transport_to(teams, secret="another")
    assert (await forgetful.send(address, MESSAGE)).lasting is Extent.WORKSPACE
    teams.script("token", "503:html")
    assert await transport.send(address, MESSAGE) == NotSent("Entra gives no token: HTTP 503")
    assert teams.made("send") == []
    await forgetful.close()


# ── turns ──


async def test_a_turn_makes_no_request_and_holds_up_no_other(transport, teams) -> None:
    both = asyncio.Barrier(2)

    async def turn(_) -> None:
        async with asyncio.timeout(5):
            await both.wait()

    raw = json.dumps(ACTIVITY).encode()
    await asyncio.gather(*(transport.take(Claims(APP_ID, SERVICE_URL), raw, turn) for _ in range(2)))
    assert teams.calls == []


async def test_a_turn_of_another_service_is_refused(transport) -> None:
    raw = json.dumps(ACTIVITY | {"serviceUrl": "https://evil.example/"}).encode()
    with pytest.raises(Refused):
        await transport.take(Claims(APP_ID, SERVICE_URL), raw, _no_turn)


def json_values():
    leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
    )


@given(st.dictionaries(st.sampled_from(sorted([*ACTIVITY, "timestamp", "entities", "value"])), json_values()))
def test_an_activity_of_any_shape_is_a_turn_or_400(changed) -> None:
    transport = BotFrameworkTransport(APP_ID, verifier(ManualClock(0)), None, ManualClock(0))
    came = ACTIVITY | changed | {"serviceUrl": SERVICE_URL}
    seen = []

    async def turn(activity) -> None:
        seen.append(activity)

    statuses = []
    try:
        asyncio.run(transport.take(Claims(APP_ID, SERVICE_URL), json.dumps(came).encode(), turn))
    except Refused as refused:
        statuses.append(refused.status)
    assert (statuses, seen) in (([], [came]), ([HTTPStatus.BAD_REQUEST], []))


async def _no_turn(_) -> None:
    pytest.fail("there is nothing to deal with")


async def test_closed_it_leaves_no_connection_behind(teams, address) -> None:
    transport = transport_to(teams)
    await transport.send(address, MESSAGE)
    session = transport._sender._session
    await transport.close()
    assert session.closed
