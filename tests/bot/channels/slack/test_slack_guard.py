"""Only what Slack itself signed within five minutes gets past, and whatever else comes is refused without an error."""

import hashlib
import hmac

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from slack_sdk.signature import SignatureVerifier

from bot.channels.slack.guard import MOST_BYTES, is_ssl_check, refused

SECRET, NOW = "8f742231b10e8888abcd99yyyzzz85a5", 1_790_000_000
BODY = b'{"text": "hello"}'
STAMP, SIGNATURE = "X-Slack-Request-Timestamp", "X-Slack-Signature"


def signed(body=BODY, at=NOW, secret=SECRET):
    """The headers, made by Slack's own code."""
    signature = SignatureVerifier(secret).generate_signature(timestamp=str(at), body=body)
    return [("Host", "bot.example"), (STAMP, str(at)), (SIGNATURE, signature)]


def status(headers, body=BODY, secret=SECRET, now=NOW):
    refusal = refused(headers, body, secret, now)
    return None if refusal is None else refusal.status


def with_stamp(stamp):
    """Signed as if that were a time."""
    signature = SignatureVerifier(SECRET).generate_signature(timestamp=stamp, body=BODY)
    return [(STAMP, stamp), (SIGNATURE, signature)]


def with_signature(*signatures):
    return [(STAMP, str(NOW)), *((SIGNATURE, signature) for signature in signatures)]


BODIES = st.text(max_size=100).map(str.encode)


@given(BODIES, st.integers(-300, 300))
def test_what_slack_signed_passes(body, skew):
    assert refused(signed(body, NOW + skew), body, SECRET, NOW) is None


@given(BODIES.filter(bool), st.data())
def test_a_change_anywhere_in_the_body_is_noticed(body, data):
    changed = bytearray(body)
    changed[data.draw(st.integers(0, len(body) - 1))] ^= data.draw(st.integers(1, 255))
    assert status(signed(body), bytes(changed)) == 401


@given(st.text(max_size=20), st.text(max_size=80), st.binary(max_size=50))
def test_no_header_ends_in_an_error(stamp, signature, body):
    assume(stamp != str(NOW))
    assert status([(STAMP, stamp), (SIGNATURE, signature)], body) == 401


def test_header_names_may_be_written_in_any_case():
    assert status([(name.lower(), value) for name, value in signed()]) is None
    assert status([(name.upper(), value) for name, value in signed()]) is None


@pytest.mark.parametrize("skew", [300, -300])
def test_five_minutes_are_still_in_time(skew):
    assert status(signed(at=NOW - skew)) is None


@pytest.mark.parametrize("skew", [301, -301, NOW])
def test_row_7_a_time_further_away_is_refused_and_the_skew_told(skew):
    refusal = refused(signed(at=NOW - skew), BODY, SECRET, NOW)
    assert (refusal.status, refusal.skew_secs) == (401, skew)


NO_TIMES = (
    "abc",
    "",
    "0",
    "-1",
    "+1790000000",
    "1790000000.0",
    "1_790_000_000",
    "１７９０００００００",
    "९",
    "1e9",
    "NaN",
)
NO_SIGNATURES = ("v0=é", "", "v0=", "v1=" + "0" * 64, "v0=" + "g" * 64, "v0=" + "０" * 64, "\x00")


@pytest.mark.parametrize("stamp", [*NO_TIMES, "9" * 13, "9" * 5_000, f" {NOW}", f"{NOW}\n", "\x00"])
def test_row_7_a_time_that_is_none_is_refused(stamp):
    assert status(with_stamp(stamp)) == 401


@pytest.mark.parametrize("signature", [*NO_SIGNATURES, "v0=" + "0" * 63, "v0=" + "0" * 65])
def test_row_8_a_signature_that_is_none_is_refused(signature):
    assert status(with_signature(signature)) == 401


def test_a_signature_in_upper_case_is_refused():
    (_, right) = signed()[-1]
    assert status(with_signature(right.upper())) == 401
    assert status(with_signature("v0=" + right.removeprefix("v0=").upper())) == 401


def test_a_missing_header_is_refused():
    host, stamp, signature = signed()
    assert [status(headers) for headers in ([], [host], [stamp], [signature])] == [401] * 4


def test_a_doubled_header_is_refused_even_if_both_are_right():
    _, stamp, signature = signed()
    assert status([stamp, signature, signature]) == 401
    assert status([stamp, stamp, signature]) == 401


def test_another_secret_or_another_time_than_the_signed_one_is_refused():
    assert status(signed(secret="another")) == 401
    _, _, signature = signed(at=NOW - 1)
    assert status([(STAMP, str(NOW)), signature]) == 401


@pytest.mark.parametrize("secret", ["", " "])
def test_without_a_secret_nothing_passes(secret):
    """Anybody can sign with an empty one."""
    base = b"v0:%d:%b" % (NOW, BODY)
    signature = "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()
    assert status(with_signature(signature), secret=secret) == 401


def test_a_megabyte_is_the_most():
    assert status(signed(b"x" * MOST_BYTES), b"x" * MOST_BYTES) is None
    assert status(signed(b"x" * (MOST_BYTES + 1)), b"x" * (MOST_BYTES + 1)) == 413


@given(st.binary(max_size=30), st.text(max_size=30))
def test_a_refusal_tells_nothing_of_the_request(body, signature):
    reasons = {refused(headers, body, SECRET, NOW).reason for headers in (with_signature(signature), [(STAMP, "x")])}
    assert reasons <= {
        "not exactly one well-formed x-slack-signature",
        "not exactly one well-formed x-slack-request-timestamp",
    }


def test_the_look_at_the_certificate_is_told_from_a_message_about_it():
    assert is_ssl_check([], b"ssl_check=1&token=x")
    assert is_ssl_check([], b"token=x&ssl_check=1")
    assert not is_ssl_check([], b"ssl_check=10")
    assert not is_ssl_check([], b"ssl_check=0&token=x")
    assert not is_ssl_check([], b"")
    said = b'{"text": "what is a&ssl_check=1&b?"}'
    assert not is_ssl_check(signed(said), said)
