"""Whether a request is Slack's, decided over its raw bytes before anything in it is parsed.

Slack signs `v0:<time>:<body>` with a secret that only it and this bot know. Whatever is not exactly as Slack writes it
is refused here, for what reads it next takes the shape for granted: a time that is no number would end in HTTP 500.
https://docs.slack.dev/authentication/verifying-requests-from-slack
"""

import hashlib
import hmac
import re
from dataclasses import dataclass
from http import HTTPStatus

from bot.channels.inbound import MOST_BYTES, Headers, only

MOST_SKEW_SECS = 300

TIME, SIGNATURE = "x-slack-request-timestamp", "x-slack-signature"
_SHAPES = {TIME: re.compile(r"[0-9]{1,12}"), SIGNATURE: re.compile(r"v0=[0-9a-f]{64}")}


@dataclass(frozen=True, slots=True)
class Refusal:
    """`reason` holds nothing of the request. `skew_secs`: how far its time is behind ours, where it tells one."""

    status: HTTPStatus
    reason: str
    skew_secs: int | None = None


def refused(headers: Headers, body: bytes, secret: str, now_secs: int) -> Refusal | None:
    """Why this is no request of Slack's; None when it is one."""
    if len(body) > MOST_BYTES:
        return Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body has more than {MOST_BYTES} bytes")
    if not secret.strip():
        return _unproven("there is no signing secret to compare with")
    given = list(headers)
    stamp, signature = (only(given, name, shape) for name, shape in _SHAPES.items())
    if stamp is None or signature is None:
        return _unproven(f"not exactly one well-formed {TIME if stamp is None else SIGNATURE}")
    skew = now_secs - int(stamp)
    if abs(skew) > MOST_SKEW_SECS:
        return _unproven(f"its time is more than {MOST_SKEW_SECS} s from ours", skew)
    if not hmac.compare_digest(signed(stamp, body, secret), signature):
        return _unproven("the signature is another", skew)
    return None


def signed(stamp: str, body: bytes, secret: str) -> str:
    """The signature that Slack gives a body at a time, in seconds."""
    return "v0=" + hmac.new(secret.encode(), b"v0:%b:%b" % (stamp.encode(), body), hashlib.sha256).hexdigest()


def is_ssl_check(headers: Headers, body: bytes) -> bool:
    """Whether it is the unsigned form with which Slack looks at the certificate, and which wants a 200 and no more."""
    return b"ssl_check=1" in body.split(b"&") and all(name.lower() != SIGNATURE for name, _ in headers)


def _unproven(reason: str, skew_secs: int | None = None) -> Refusal:
    return Refusal(HTTPStatus.UNAUTHORIZED, reason, skew_secs)
