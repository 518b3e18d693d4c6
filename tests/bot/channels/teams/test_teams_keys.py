"""Keys are asked for once, believed for as long as they should be, and nobody waits who need not."""

import asyncio
import json

import pytest
from structlog.testing import capture_logs

from bot.channels.teams.keys import (
    BELIEVED,
    BETWEEN_FAILURES,
    BETWEEN_MISSES,
    FRESH,
    MOST_BYTES,
    OpenIdKeys,
    read_keys,
)
from bot.channels.teams.port import Refused
from tests.fakes.teams_openid import KID, fake_openid, jwk, rsa_key

ONCE = {"metadata": 1, "keys": 1}
TWICE = {"metadata": 2, "keys": 2}
DEAF = ["500", "moved", "garbage", "[]", "{}", "endless", "cut"]


@pytest.fixture
def openid():
    with fake_openid() as running:
        yield running


@pytest.fixture
async def keys(openid, clock):
    made = OpenIdKeys(clock, openid.url, loopback=True, timeout_secs=60)  # a busy machine is no outage
    yield made
    await made.close()


async def unknown(keys, kid=KID):
    """It cannot be told just now whether there is such a key."""
    with pytest.raises(Refused) as caught:
        await keys.find(kid)
    return caught.value.status == 503


async def fetched(keys):
    """Once a fetch that nobody waits for has come to its end."""
    await asyncio.wait([keys._fetching])


async def test_a_key_is_found_with_the_channels_it_may_sign_for(keys):
    found = await keys.find(KID)
    assert found.endorsements == {"msteams", "webchat"}
    assert found.public.public_numbers() == rsa_key(KID).public_key().public_numbers()


async def test_a_thousand_at_once_make_one_fetch(keys, openid):
    found = await asyncio.gather(*(keys.find(KID) for _ in range(1_000)))
    assert None not in found
    assert openid.asked == ONCE


async def test_keys_at_hand_are_used_for_a_day_without_asking(keys, openid, clock):
    await keys.find(KID)
    clock.advance(FRESH - 1)
    openid.go_down()
    assert await keys.find(KID)
    openid.come_back()
    assert openid.asked == ONCE


async def test_after_a_day_newer_ones_are_fetched_and_nobody_waits(keys, openid, clock):
    await keys.find(KID)
    clock.advance(FRESH)
    openid.drop_key(KID)
    openid.add_key("key-of-tomorrow")
    openid.trouble["metadata"] = "hang"
    assert await keys.find(KID)
    await asyncio.to_thread(openid.reached)
    assert await keys.find(KID)
    openid.release()
    await fetched(keys)
    assert await keys.find("key-of-tomorrow")
    assert await keys.find(KID) is None
    assert openid.asked == TWICE


async def test_a_new_key_is_picked_up_when_somebody_signs_with_it(keys, openid, clock):
    await keys.find(KID)
    openid.add_key("key-of-tomorrow")
    clock.advance(BETWEEN_MISSES)
    assert await keys.find("key-of-tomorrow")
    assert openid.asked == TWICE


async def test_keys_of_nobody_s_have_them_fetched_every_five_minutes_at_most(keys, openid, clock):
    await keys.find(KID)
    clock.advance(BETWEEN_MISSES - 1)
    assert [await keys.find(f"made-up-{number}") for number in range(20)] == [None] * 20
    assert openid.asked == ONCE
    clock.advance(1)
    assert [await keys.find(f"made-up-{number}") for number in range(20)] == [None] * 20
    assert openid.asked == TWICE


async def test_a_key_that_was_withdrawn_is_gone_with_the_next_fetch(keys, openid, clock):
    await keys.find(KID)
    openid.drop_key(KID)
    openid.add_key("key-of-tomorrow")
    clock.advance(BETWEEN_MISSES)
    await keys.find("key-of-tomorrow")
    assert await keys.find(KID) is None


async def test_channels_that_were_taken_from_a_key_are_gone_with_the_next_fetch(keys, openid, clock):
    await keys.find(KID)
    openid.key_list = [jwk(KID, KID, endorsements=("webchat",)), jwk("key-of-tomorrow", KID)]
    clock.advance(BETWEEN_MISSES)
    await keys.find("key-of-tomorrow")
    assert (await keys.find(KID)).endorsements == {"webchat"}


async def test_old_keys_are_believed_for_another_day_while_there_are_no_newer_ones(keys, openid, clock):
    await keys.find(KID)
    openid.go_down()
    clock.advance(BELIEVED - 1)
    assert await keys.find(KID)
    clock.advance(1)
    assert await unknown(keys)
    openid.come_back()
    clock.advance(BETWEEN_FAILURES)
    assert await keys.find(KID)


async def test_a_key_that_is_missing_while_the_metadata_is_down_may_be_a_new_one(keys, openid, clock):
    await keys.find(KID)
    clock.advance(BETWEEN_MISSES)
    openid.trouble["keys"] = "500"
    assert await unknown(keys, "key-of-tomorrow")
    assert await keys.find(KID)


async def test_a_fetch_that_failed_is_not_made_again_at_once(keys, openid, clock):
    openid.trouble["metadata"] = "500"
    assert [await unknown(keys) for _ in range(20)] == [True] * 20
    assert openid.asked == {"metadata": 1}
    openid.trouble.clear()
    clock.advance(BETWEEN_FAILURES - 1)
    assert await unknown(keys)
    clock.advance(1)
    assert await keys.find(KID)


async def test_old_keys_are_asked_for_again_and_again_but_not_at_once(keys, openid, clock):
    await keys.find(KID)
    openid.trouble["metadata"] = "500"
    clock.advance(FRESH)
    for _ in range(20):
        assert await keys.find(KID)
        await fetched(keys)
    assert openid.asked == {"metadata": 2, "keys": 1}
    openid.trouble.clear()
    clock.advance(BETWEEN_FAILURES)
    await keys.find(KID)
    await fetched(keys)
    assert openid.asked == {"metadata": 3, "keys": 2}


async def test_whoever_gives_up_takes_nothing_from_those_who_wait_too(keys, openid):
    openid.trouble["metadata"] = "hang"
    one, other = (asyncio.create_task(keys.find(KID)) for _ in range(2))
    await asyncio.to_thread(openid.reached)
    one.cancel()
    await asyncio.wait([one])
    openid.release()
    assert await other
    assert openid.asked == ONCE


async def test_a_slow_server_holds_up_only_those_who_need_it(keys, openid, clock):
    """The loop goes round while it hangs, and who has their key goes on."""
    await keys.find(KID)
    clock.advance(BETWEEN_MISSES)
    openid.trouble["keys"] = "hang"
    waiting = asyncio.create_task(keys.find("key-of-tomorrow"))
    await asyncio.to_thread(openid.reached)
    assert [bool(await keys.find(KID)) for _ in range(100)] == [True] * 100
    assert not waiting.done()
    openid.release()
    assert await waiting is None


async def test_a_server_that_never_answers_is_given_up(openid, clock):
    openid.trouble["keys"] = "hang"
    assert await unknown(OpenIdKeys(clock, openid.url, loopback=True, timeout_secs=0.05))


@pytest.mark.parametrize("document", ["metadata", "keys"])
@pytest.mark.parametrize("trouble", DEAF)
async def test_whatever_the_server_answers_keys_are_kept_and_the_log_tells(keys, openid, clock, document, trouble):
    await keys.find(KID)
    openid.trouble[document] = trouble
    clock.advance(BETWEEN_MISSES)
    with capture_logs() as logs:
        assert await unknown(keys, "key-of-tomorrow")
    assert await keys.find(KID)
    assert [(entry["event"], sorted(entry)) for entry in logs] == [
        ("teams.keys_unreachable", ["error", "event", "log_level"])
    ]


@pytest.mark.parametrize(
    "address",
    ["http://login.example/keys", "ftp://127.0.0.1/keys", "file:///etc/passwd", "keys", "", "https://[", 7, ["x"], {}],
)
async def test_keys_are_fetched_under_https_alone(keys, openid, address):
    openid.keys_at = address
    with capture_logs() as logs:
        assert await unknown(keys)
    assert [entry["error"] for entry in logs] == ["ValueError"]
    assert openid.asked == {"metadata": 1}


async def test_without_tls_keys_come_from_this_machine_only_in_development(openid, clock):
    assert await unknown(OpenIdKeys(clock, openid.url))
    assert openid.asked == {"metadata": 1}


async def test_an_answer_may_be_as_large_as_the_real_one(keys, openid):
    openid.key_list += [{"kid": "padding", "x5c": ["x" * (MOST_BYTES - 10_000)]}]
    assert await keys.find(KID)


async def test_closing_gives_up_a_fetch_that_is_under_way(keys, openid):
    openid.trouble["metadata"] = "hang"
    waiting = asyncio.create_task(keys.find(KID))
    await asyncio.to_thread(openid.reached)
    await keys.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting


def listed(*entries):
    return json.dumps({"keys": entries}).encode()


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(7, id="a number"),
        pytest.param({}, id="nothing in it"),
        pytest.param({"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "kid": "other"}, id="an elliptic curve"),
        pytest.param({"kty": "oct", "k": "AA", "kid": "other"}, id="a shared secret"),
        pytest.param({"kty": "RSA", "kid": "other"}, id="no numbers"),
        pytest.param({"kty": "RSA", "n": 7, "e": [], "kid": "other"}, id="numbers of another type"),
        pytest.param({"kty": "RSA", "n": "é", "e": "AQAB", "kid": "other"}, id="no base64"),
        pytest.param({"kty": "RSA", "n": "", "e": "", "kid": "other"}, id="numbers without a digit"),
        pytest.param({"kid": ["other"]}, id="an id that is a list"),
    ],
)
def test_one_bad_entry_takes_no_other_key_with_it(other):
    assert list(read_keys(listed(other, jwk(KID, KID), other))) == [KID]


@pytest.mark.parametrize("kid", [None, 7, ["other"]])
def test_a_key_without_an_id_is_left_out(kid):
    assert list(read_keys(listed(jwk(KID, KID), jwk(kid, "foreign")))) == [KID]


@pytest.mark.parametrize("endorsements", [None, "msteams", {"msteams": 1}, 7, [7, ["msteams"], None]])
def test_endorsements_that_are_no_list_of_names_endorse_nothing(endorsements):
    assert read_keys(listed(jwk(KID, KID) | {"endorsements": endorsements}))[KID].endorsements == frozenset()


def test_a_private_key_among_them_is_read_as_the_public_one():
    found = read_keys(listed(jwk(KID, KID) | {"d": "AQAB", "p": "AQAB"}))[KID]
    assert found.public.public_numbers() == rsa_key(KID).public_key().public_numbers()


@pytest.mark.parametrize("raw", [b"", b"[]", b"{}", b'{"keys": []}', b'{"keys": {}}', b'{"keys": [{}]}', b"\xff"])
def test_a_list_without_any_key_is_no_list(raw):
    with pytest.raises(ValueError):
        read_keys(raw)
