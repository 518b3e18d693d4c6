"""Only what the Bot Connector signed for this bot, now, from Teams and in the one tenant, gets past."""

import base64
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.channels.inbound import MOST_BYTES
from bot.channels.teams.keys import OpenIdKeys
from bot.channels.teams.port import Claims, Refused
from bot.channels.teams.strict_json import MOST_DEPTH, read_object
from bot.channels.teams.verifier import Anonymous, Verifier
from core.clock import ManualClock
from tests.fakes.teams_openid import APP_ID, GONE, KID, SERVICE_URL, TENANT_ID, fake_openid, message, teams_request
from tests.support.memories import NOW
from tests.support.teams_requests import BAD, GENUINE, GOOD, genuine, with_every_key


@pytest.fixture(scope="module")
def openid():
    with fake_openid() as running:
        yield with_every_key(running)


@pytest.fixture
def keys(openid, clock):
    return OpenIdKeys(clock, openid.url, loopback=True)


@pytest.fixture
def verifier(keys, clock):
    return Verifier(APP_ID, TENANT_ID, keys, clock)


async def refusal(verifier, request):
    with pytest.raises(Refused) as caught:
        await verifier.verify(request.headers, request.body)
    return caught.value


async def status(verifier, request):
    try:
        await verifier.verify(request.headers, request.body)
    except Refused as refused:
        return refused.status
    return 200


@pytest.mark.parametrize("name", GOOD)
async def test_what_teams_sends_passes_and_proves_whose_it_is(verifier, name):
    request = genuine(name, NOW)
    assert await verifier.verify(request.headers, request.body) == Claims(APP_ID, SERVICE_URL)


@pytest.mark.parametrize("row", BAD, ids=lambda row: row.name)
async def test_one_thing_wrong_is_refused_for_that(verifier, row):
    refused = await refusal(verifier, row.request(NOW))
    assert (refused.status, refused.reason, refused.skew_secs) == (row.status, row.reason, row.skew_secs)


def test_every_row_has_a_name_of_its_own():
    assert len({row.name for row in BAD}) == len(BAD) > 31


async def test_header_names_may_be_written_in_any_case(verifier):
    request = teams_request(NOW)
    for change in (str.lower, str.upper):
        await verifier.verify(((change(name), value) for name, value in request.headers), request.body)


async def test_a_token_of_a_megabyte_is_refused_before_anything_is_decoded(verifier):
    request = teams_request(NOW).with_token("x" * 2**20 + ".x.x")
    assert (await refusal(verifier, request)).status == 401


@pytest.mark.parametrize("wrong", [{"sign": "foreign"}, {"claims": {"exp": 0}}, {"claims": {"aud": GONE}}])
async def test_nothing_of_a_body_is_read_before_its_token_holds(verifier, wrong):
    assert (await refusal(verifier, teams_request(NOW, activity=b"{", **wrong))).status == 401


async def test_a_body_may_be_as_long_as_the_limit(verifier):
    request = teams_request(NOW, activity=GENUINE + b" " * (MOST_BYTES - len(GENUINE)))
    assert await verifier.verify(request.headers, request.body)


async def test_while_the_metadata_is_down_it_cannot_be_told_and_teams_may_try_again(verifier, clock, openid):
    openid.trouble["metadata"] = "500"
    refused = await refusal(verifier, teams_request(NOW))
    openid.trouble.clear()
    clock.advance(10_000_000)
    assert (refused.status, refused.reason) == (503, "the keys cannot be had just now")
    assert await verifier.verify(teams_request(NOW).headers, GENUINE)


async def test_what_is_malformed_is_refused_without_any_key(clock, openid):
    asked = openid.asked.total()
    verifier = Verifier(APP_ID, TENANT_ID, OpenIdKeys(clock, openid.url, loopback=True), clock)
    for row in BAD:
        if row.name.startswith("authorization: two"):
            await refusal(verifier, row.request(NOW))
    assert openid.asked.total() == asked


async def test_in_development_the_service_may_be_on_this_machine(keys, clock):
    here = "http://127.0.0.1:3978/"
    request = teams_request(NOW, claims={"serviceurl": here}, activity={"serviceUrl": here})
    claims = await Verifier(APP_ID, TENANT_ID, keys, clock, loopback=True).verify(request.headers, request.body)
    assert claims.service_url == here


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(["Authorization", "authorization", "Host"]), st.text(max_size=40))))
async def test_no_header_ends_in_an_error(headers):
    verifier = Verifier(APP_ID, TENANT_ID, None, ManualClock(NOW))  # keys are never asked for
    with pytest.raises(Refused) as caught:
        await verifier.verify(headers, GENUINE)
    assert caught.value.status == 401


SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["id", "tenant", "tenantId"]), inner),
    max_leaves=4,
)
CLAIMED = st.dictionaries(st.sampled_from(["aud", "iss", "exp", "nbf", "iat", "appid", "serviceurl"]), SHAPES)
SAID = st.dictionaries(st.sampled_from(["type", "channelId", "serviceUrl", "channelData", "conversation"]), SHAPES)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.tuples(CLAIMED.filter(bool), st.just({})), st.tuples(st.just({}), SAID)))
async def test_no_signed_shape_ends_in_an_error(openid, changes):
    clock = ManualClock(NOW)
    verifier = Verifier(APP_ID, TENANT_ID, OpenIdKeys(clock, openid.url, loopback=True), clock)
    claims, activity = changes
    request = teams_request(NOW, claims=claims, activity=activity)
    assert await status(verifier, request) in {200, 401}


async def test_without_an_app_nothing_is_proven_and_nothing_asked_for():
    body = json.dumps(message() | {"serviceUrl": "http://localhost:56150/_connector"}).encode()
    assert await Anonymous().verify([], body) == Claims("", "http://localhost:56150/_connector")


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        pytest.param([("Origin", "https://evil.example")], GENUINE, 401, id="a page in a browser"),
        pytest.param([("origin", "null")], GENUINE, 401, id="a page without a name"),
        pytest.param([], b"[]", 400, id="no object"),
        pytest.param([], GENUINE.replace(b"msteams", b"emulator"), 401, id="another channel"),
        pytest.param([], GENUINE.replace(b"smba.", b"evil."), 401, id="a service of nobody's"),
        pytest.param([], b" " * MOST_BYTES + GENUINE, 413, id="too long"),
    ],
)
async def test_without_an_app_a_request_must_still_be_one_of_teams(headers, body, status):
    with pytest.raises(Refused) as caught:
        await Anonymous().verify(headers, body)
    assert caught.value.status == status


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_an_object_is_read_as_it_was_written(written):
    assert read_object(json.dumps(written).encode()) == written


@given(st.binary(max_size=60) | JSON.filter(lambda value: not isinstance(value, dict)).map(json.dumps).map(str.encode))
def test_anything_else_is_a_value_error(raw):
    with pytest.raises(ValueError):
        read_object(raw)


@pytest.mark.parametrize("opening", ['{"a": ', "["])
def test_depth_has_a_limit(opening):
    def nested(depth):
        inner = opening * (depth - 1)
        closing = "}" if opening.startswith("{") else "]"
        return f'{{"a": {inner}0{closing * (depth - 1)}}}'.encode()

    assert read_object(nested(MOST_DEPTH))
    with pytest.raises(ValueError):
        read_object(nested(MOST_DEPTH + 1))


def test_the_token_is_as_the_bot_connector_writes_it():
    header, claims, _ = teams_request(NOW).token.split(".")
    assert json.loads(base64.urlsafe_b64decode(header + "==")) == {
        "typ": "JWT", "alg": "RS256", "kid": KID, "x5t": KID,
    }  # fmt: skip
    assert sorted(json.loads(base64.urlsafe_b64decode(claims + "=="))) == ["aud", "exp", "iss", "nbf", "serviceurl"]
