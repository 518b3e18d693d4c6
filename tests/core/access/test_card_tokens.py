"""Every bad token is refused with its own code, and nothing but Refused ever comes out."""

import base64
import hashlib
import hmac
import json
from dataclasses import replace
from uuid import UUID

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from bot.tokens import ISSUER, mint
from core.access.card_tokens import AUDIENCE, CardWrite, CardWriteClaims, check_request, verify
from core.clock import SECOND
from core.errors import Refused
from core.ids import nonce
from core.model.grants import CardAction, Grant, PermittedAction, fingerprint

KEY, STRANGER = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
KEYS = {"k1": KEY.public_key()}
SECS = 1_800_000_000
NOW = SECS * SECOND
GRANT = Grant("acme", UUID(int=7), (PermittedAction("watch_create", "t-1"),), "g-1", "d-1")
WRITE = CardWrite(
    tenant="acme",
    person_id=UUID(int=7),
    action_kind="watch_create",
    target_id="t-1",
    scope_fingerprint=fingerprint(GRANT),
    generation_id="g-1",
)
PAYLOAD = {
    "tenant": "acme",
    "person_id": str(UUID(int=7)),
    "action_kind": "watch_create",
    "target_id": "t-1",
    "scope_fingerprint": fingerprint(GRANT),
    "generation_id": "g-1",
    "aud": AUDIENCE,
    "iss": ISSUER,
    "iat": SECS,
    "jti": "j-1",
    "exp": SECS + 120,
}
HEADER = {"typ": "JWT", "alg": "EdDSA", "kid": "k1"}


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def encode(part):
    return b64(part if isinstance(part, bytes) else json.dumps(part).encode())


def signed(payload, header=HEADER, key=KEY):
    body = f"{encode(header)}.{encode(payload)}"
    return f"{body}.{b64(key.sign(body.encode()))}"


def with_hmac(secret):
    body = f"{encode(HEADER | {'alg': 'HS256'})}.{encode(PAYLOAD)}"
    return f"{body}.{b64(hmac.new(secret, body.encode(), hashlib.sha256).digest())}"


def without(claim):
    return {name: value for name, value in PAYLOAD.items() if name != claim}


def refusal(token, now=NOW, keys=KEYS):
    with pytest.raises(Refused) as caught:
        verify(token, keys, now)
    return caught.value.code


PEM = KEY.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
GOOD = signed(PAYLOAD)
HEAD, BODY, SIGNATURE = GOOD.split(".")
TAMPERED = f"{HEAD}.{encode(PAYLOAD | {'target_id': 't-2'})}.{SIGNATURE}"


def test_a_minted_token_comes_back_as_the_write_it_was_made_for():
    token = mint(KEY, "k1", WRITE, NOW + 999_999, "j-1")
    expected = CardWriteClaims(
        **{name: getattr(WRITE, name) for name in CardWrite.__dataclass_fields__},
        aud=AUDIENCE,
        iss=ISSUER,
        iat=SECS,
        jti="j-1",
        exp=SECS + 120,
    )
    assert verify(token, KEYS, NOW) == expected


def test_an_argument_travels_with_the_token():
    token = mint(KEY, "k1", replace(WRITE, arg="1h"), NOW, "j-1")
    assert verify(token, KEYS, NOW).arg == "1h"


def test_any_of_the_known_keys_may_have_signed():
    keys = KEYS | {"k0": STRANGER.public_key()}
    assert verify(mint(STRANGER, "k0", WRITE, NOW, "j"), keys, NOW).jti == "j"


@pytest.mark.parametrize(
    ("token", "code"),
    [
        pytest.param(TAMPERED, "bad_signature", id="changed payload"),
        pytest.param(signed(PAYLOAD, key=STRANGER), "bad_signature", id="another key"),
        pytest.param(f"{HEAD}.{BODY}.{b64(bytes(64))}", "bad_signature", id="zero signature"),
        pytest.param(f"{HEAD}.{BODY}.", "bad_signature", id="no signature"),
        pytest.param(signed(PAYLOAD, HEADER | {"kid": "k9"}), "bad_signature", id="unknown kid"),
        pytest.param(signed(PAYLOAD, HEADER | {"alg": "none"}), "bad_signature", id="alg none, signed"),
        pytest.param(signed(PAYLOAD, HEADER | {"alg": "ES256"}), "bad_signature", id="alg of another kind"),
        pytest.param(signed(PAYLOAD, HEADER | {"alg": ["EdDSA"]}), "bad_signature", id="alg as list"),
        pytest.param(signed(PAYLOAD, HEADER | {"alg": "eddsa"}), "bad_signature", id="alg in another case"),
        pytest.param(f"{encode(HEADER | {'alg': 'none'})}.{BODY}.", "bad_signature", id="alg none, unsigned"),
        pytest.param(with_hmac(PEM), "bad_signature", id="HS256 with the PEM"),
        pytest.param(with_hmac(KEY.public_key().public_bytes_raw()), "bad_signature", id="HS256 with the raw key"),
        pytest.param(signed(PAYLOAD, {"alg": "EdDSA"}), "malformed", id="no kid"),
        pytest.param(signed(PAYLOAD, HEADER | {"kid": 1}), "malformed", id="kid as number"),
        pytest.param(signed(PAYLOAD, HEADER | {"crit": ["exp"]}), "malformed", id="critical extension"),
        pytest.param(signed(PAYLOAD, HEADER | {"b64": False, "crit": ["b64"]}), "malformed", id="detached payload"),
        pytest.param(signed(PAYLOAD, b"[]"), "malformed", id="header not an object"),
        pytest.param(signed(PAYLOAD, b"\xff"), "malformed", id="header not JSON"),
        pytest.param(signed(PAYLOAD, b"[" * 1500), "malformed", id="header nested too deep"),
        pytest.param(signed(b"[" * 1500), "malformed", id="payload nested too deep"),
        pytest.param(signed(b"\xff\xfe"), "malformed", id="payload not UTF-8"),
        pytest.param(signed(b"[1]"), "malformed", id="payload not an object"),
        pytest.param(signed(b"{"), "malformed", id="payload not JSON"),
        pytest.param(f"{GOOD}==", "malformed", id="padding after the signature"),
        pytest.param(f"{GOOD}\n", "malformed", id="newline after the signature"),
        pytest.param(f"{HEAD}=.{BODY}.{SIGNATURE}", "malformed", id="padding after the header"),
        pytest.param(f"{GOOD}.{SIGNATURE}", "malformed", id="four parts"),
        pytest.param(f"{HEAD}.{BODY}", "malformed", id="two parts"),
        pytest.param(f"Bearer {GOOD}", "malformed", id="with a scheme"),
        pytest.param(GOOD.replace(".", "．"), "malformed", id="full-width dots"),
        pytest.param(signed(PAYLOAD | {"target_id": "t" * 4096}), "malformed", id="over 4096 characters"),
        pytest.param("", "malformed", id="empty"),
        pytest.param("..", "malformed", id="only dots"),
        pytest.param(None, "malformed", id="None"),
        pytest.param(GOOD.encode(), "malformed", id="bytes"),
    ],
)
def test_a_token_that_is_not_whole_and_signed_is_refused(token, code):
    assert refusal(token) == code


def test_a_signature_written_another_way_is_refused():
    """The last character of a signature has four unused bits: fifteen other spellings decode to the same bytes."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    last = alphabet.index(GOOD[-1])
    assert {refusal(GOOD[:-1] + alphabet[last ^ bits]) for bits in range(1, 16)} <= {"malformed", "bad_signature"}


@pytest.mark.parametrize("claim", sorted(PAYLOAD))
def test_every_claim_is_required(claim):
    assert refusal(signed(without(claim))) == "malformed"


def test_an_unknown_claim_is_refused():
    assert refusal(signed(PAYLOAD | {"nbf": SECS + 60})) == "malformed"


@pytest.mark.parametrize("claim", [*sorted(PAYLOAD), "arg"])
@pytest.mark.parametrize("value", [None, True, 1.5, [AUDIENCE], {"a": 1}, 10**30, "text"], ids=repr)
def test_every_claim_has_exactly_one_type(claim, value):
    wanted = int if claim in {"iat", "exp"} else str
    if type(value) is not wanted or claim == "person_id":
        assert refusal(signed(PAYLOAD | {claim: value})) == "malformed"


@pytest.mark.parametrize("person", ["", "7", "{00000000-0000-0000-0000-000000000007}", UUID(int=10).hex, "A" * 36])
def test_a_person_is_a_uuid_in_its_one_usual_form(person):
    assert refusal(signed(PAYLOAD | {"person_id": person})) == "malformed"


@pytest.mark.parametrize("aud", ["", "core", AUDIENCE.upper(), f"{AUDIENCE} ", f"{AUDIENCE},other"])
def test_the_audience_is_exactly_ours(aud):
    assert refusal(signed(PAYLOAD | {"aud": aud})) == "wrong_audience"


@pytest.mark.parametrize(
    ("iat", "exp", "code"),
    [
        (SECS, SECS + 121, "malformed"),
        (SECS, SECS, "malformed"),
        (SECS, SECS - 1, "malformed"),
        (SECS + 6, SECS + 60, "malformed"),
        (10**30, 10**30 + 60, "malformed"),
        (-(10**30), 60 - 10**30, "expired"),
        (SECS - 60, SECS - 5, "expired"),
    ],
)
def test_times_that_cannot_be_are_refused(iat, exp, code):
    assert refusal(signed(PAYLOAD | {"iat": iat, "exp": exp})) == code


def test_five_seconds_of_clock_difference_are_forgiven_and_not_one_microsecond_more():
    last = (SECS + 125) * SECOND - 1
    first = (SECS - 5) * SECOND
    assert verify(GOOD, KEYS, last) == verify(GOOD, KEYS, first)
    assert refusal(GOOD, last + 1) == "expired"
    assert refusal(GOOD, first - 1) == "malformed"


def test_nothing_is_believed_before_the_signature_holds():
    forged = signed(PAYLOAD | {"aud": "other", "exp": 0}, key=STRANGER)
    assert refusal(forged) == "bad_signature"


@given(st.text(max_size=200) | st.from_regex(r"[\w-]+\.[\w-]+\.[\w-]*", fullmatch=True))
def test_garbage_is_refused_and_never_anything_else(text):
    assert refusal(text) in {"malformed", "bad_signature"}


@given(st.binary(max_size=300), st.binary(max_size=600))
def test_signed_garbage_is_refused_too(header, payload):
    assert refusal(signed(payload, header)) in {"malformed", "bad_signature"}
    assert refusal(signed(payload)) == "malformed"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)


@given(st.sampled_from([*sorted(PAYLOAD), "arg"]), JSON)
def test_one_claim_of_any_value_is_taken_as_it_is_or_refused(claim, value):
    try:
        claims = verify(signed(PAYLOAD | {claim: value}), KEYS, NOW)
    except Refused:
        return
    found = getattr(claims, claim)
    assert (str(found) if claim == "person_id" else found) == value


def claims(**changes):
    return verify(mint(KEY, "k1", replace(WRITE, **changes), NOW, nonce()), KEYS, NOW)


ACTION = CardAction("watch_create", "t-1")


def test_the_tap_that_the_card_offered_passes():
    check_request(claims(), ACTION, GRANT)


@pytest.mark.parametrize(
    ("changes", "action", "code"),
    [
        ({"scope_fingerprint": "b3:0"}, ACTION, "fingerprint_mismatch"),
        ({"scope_fingerprint": fingerprint(replace(GRANT, delivery_key="d-2"))}, ACTION, "fingerprint_mismatch"),
        ({"generation_id": "g-2"}, ACTION, "fingerprint_mismatch"),
        ({"action_kind": "watch_mute"}, ACTION, "action_mismatch"),
        ({}, CardAction("watch_mute", "t-1"), "action_mismatch"),
        ({}, CardAction("watch_create", "t-1", "1h"), "action_mismatch"),
        ({"arg": "1h"}, ACTION, "action_mismatch"),
        ({"target_id": "t-2"}, ACTION, "target_mismatch"),
        ({}, CardAction("watch_create", "t-2"), "target_mismatch"),
        ({"target_id": "t-2"}, CardAction("watch_create", "t-2"), "not_granted"),
        ({"action_kind": "erase"}, CardAction("erase", "t-1"), "not_granted"),
        ({"arg": "1h"}, CardAction("watch_create", "t-1", "1h"), "not_granted"),
        ({"person_id": UUID(int=8)}, ACTION, "not_authorised"),
        ({"tenant": "other"}, ACTION, "not_authorised"),
    ],
)
def test_a_tap_that_the_card_did_not_offer_is_refused_by_name(changes, action, code):
    with pytest.raises(Refused) as caught:
        check_request(claims(**changes), action, GRANT)
    assert caught.value.code == code


def test_an_altered_grant_no_longer_fits_the_token():
    """Whoever widens the stored grant breaks its fingerprint."""
    wider = replace(GRANT, actions=(*GRANT.actions, PermittedAction("watch_create", "t-2")))
    with pytest.raises(Refused) as caught:
        check_request(claims(target_id="t-2"), CardAction("watch_create", "t-2"), wider)
    assert caught.value.code == "fingerprint_mismatch"
