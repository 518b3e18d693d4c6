"""Signatures that whoever follows the Standard Webhooks convention can verify, and nobody else can make."""

import json
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from core.clock import MINUTE, SECOND, SystemClock
from core.ids import random_id, random_key
from core.webhooks.signing import fingerprint, headers, secret_of, shown
from core.webhooks.views import FIRED, body_of, fired

KEY = bytes(range(32))
HOOK = UUID("2f1d0e9c-0000-4000-8000-000000000001")
KEYS = st.binary(min_size=32, max_size=32)
WORDS = st.dictionaries(st.text(st.characters(codec="utf-8")), st.integers(-(2**53), 2**53))


def verified(secret, body, sent):
    return Webhook(shown(secret)).verify(body, sent)


def refused(secret, body, sent):
    with pytest.raises(WebhookVerificationError) as caught:
        verified(secret, body, sent)
    return str(caught.value)


@given(KEYS, st.uuids(), st.integers(1, 1000), WORDS)
def test_the_library_of_the_convention_verifies_whatever_is_signed(key, webhook_id, turn, data):
    secret, now = secret_of(key, webhook_id, turn), SystemClock().now()
    body = body_of(FIRED, now, data)
    assert verified(secret, body, headers(str(webhook_id), now, body, [secret])) == json.loads(body)


def test_a_published_signature_is_made_again():
    """From the convention's own documents."""
    from base64 import b64decode

    secret = b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    sent = headers("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330 * SECOND, b'{"test": 2432232314}', [secret])
    assert sent["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert sent["webhook-timestamp"] == "1614265330"


@pytest.mark.parametrize("part", ["webhook-id", "webhook-timestamp", "body", "secret"])
def test_whoever_changes_any_part_is_found_out(part):
    secret, now, body = secret_of(KEY, HOOK, 1), SystemClock().now(), b'{"a":1}'
    sent = headers("m1", now, body, [secret])
    assert verified(secret, body, sent) == {"a": 1}
    if part == "webhook-id":
        sent |= {"webhook-id": "m2"}
    elif part == "webhook-timestamp":
        sent |= {"webhook-timestamp": str(now // SECOND + 1)}
    elif part == "body":
        body = b'{"a":2}'
    else:
        secret = secret_of(KEY, HOOK, 2)
    assert refused(secret, body, sent) == "No matching signature found"


@pytest.mark.parametrize(("skew", "words"), [(-6 * MINUTE, "too old"), (6 * MINUTE, "too new")])
def test_a_receiver_whose_clock_differs_by_more_than_five_minutes_refuses(skew, words):
    secret = secret_of(KEY, HOOK, 1)
    assert words in refused(secret, b"{}", headers("m1", SystemClock().now() + skew, b"{}", [secret]))


def test_a_clock_that_differs_by_less_is_borne():
    secret = secret_of(KEY, HOOK, 1)
    for skew in (-4 * MINUTE, 4 * MINUTE):
        assert verified(secret, b"{}", headers("m1", SystemClock().now() + skew, b"{}", [secret])) == {}


def test_with_two_secrets_a_receiver_of_either_is_content_and_of_a_third_is_not():
    old, new, other = (secret_of(KEY, HOOK, turn) for turn in (1, 2, 3))
    sent = headers("m1", SystemClock().now(), b"{}", [new, old])
    assert len(sent["webhook-signature"].split(" ")) == 2
    assert verified(old, b"{}", sent) == verified(new, b"{}", sent) == {}
    assert "No matching" in refused(other, b"{}", sent)


@given(KEYS, KEYS, st.uuids(), st.uuids(), st.integers(1, 50), st.integers(1, 50))
def test_secrets_differ_by_key_webhook_and_turn_and_so_do_their_fingerprints(key, key2, one, two, turn, turn2):
    same = (key, one, turn) == (key2, two, turn2)
    a, b = secret_of(key, one, turn), secret_of(key2, two, turn2)
    assert (a == b) is same
    assert (fingerprint(a) == fingerprint(b)) is same
    assert len(a) == 32
    assert fingerprint(a) != a


def test_a_body_is_one_canonical_json_of_ids_kinds_and_numbers():
    event = {"kind": "fact_changed", "changed_ref_type": "node", "changed_ref_id": str(HOOK), "change_tx": 5}
    body = body_of(FIRED, 1_790_000_000 * SECOND, fired(HOOK, HOOK, (4, 5), [event], 2))
    assert body == json.dumps(json.loads(body), sort_keys=True, separators=(",", ":")).encode()
    told = json.loads(body)
    assert datetime.fromisoformat(told["timestamp"]) == datetime.fromtimestamp(1_790_000_000, UTC)
    assert told["type"] == "watch.fired"
    assert told["data"] == {
        "fire_id": str(HOOK), "watch_id": str(HOOK), "window": [4, 5], "events": [event], "truncated": 2,
    }  # fmt: skip


def test_random_keys_make_secrets_that_nobody_has_seen():
    assert len({secret_of(random_key(), random_id(), 1) for _ in range(20)}) == 20
