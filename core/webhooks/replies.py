"""What an answer to a webhook means: that it arrived, that nobody wants it any more, or that it is sent again. Pure."""

from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import StrEnum

from core.clock import DAY, MINUTE, SECOND, from_datetime

PATIENCE = 5 * DAY
"""A webhook that has taken nothing for so long, and loses a message, is switched off."""
REST = MINUTE
"""How long nothing is sent where no answer came: the next message would wait in vain as well."""
LONGEST_WAIT = DAY
"""No answer may ask for more."""
_GONE = 410
_SECONDS_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Reply:
    """`status`: None where no answer came. `reason`: a code. `retry_after`: microseconds that the receiver asks for."""

    reason: str
    status: int | None = None
    retry_after: int | None = None


class Ending(StrEnum):
    DELIVERED = "delivered"
    GONE = "gone"
    FAILED = "failed"


def answered(status: int, retry_after: str | None, now: int) -> Reply:
    """An answer came. `retry_after`: the header; what it says that cannot be read says nothing."""
    return Reply(f"http_{status}", status, _wait(retry_after, now) if retry_after else None)


def ending(reply: Reply) -> Ending:
    """A redirect is a failure: who follows one goes where nobody has registered."""
    if reply.status == _GONE:
        return Ending.GONE
    return Ending.DELIVERED if reply.status is not None and 200 <= reply.status < 300 else Ending.FAILED


def rest(reply: Reply) -> int:
    """For how many microseconds nothing is sent to a webhook that failed so."""
    return REST if reply.status is None else reply.retry_after or 0


def is_hopeless(failing_since: int, now: int) -> bool:
    """Whether a webhook that has just lost a message, after its last attempt, is to be switched off."""
    return now - failing_since >= PATIENCE


def _wait(header: str, now: int) -> int | None:
    text = header.strip()
    if text.isascii() and text.isdigit():
        return min(int(text[:_SECONDS_DIGITS]) * SECOND, LONGEST_WAIT)
    try:
        until = from_datetime(parsedate_to_datetime(text))
    except (ValueError, OverflowError):
        return None
    return min(max(until - now, 0), LONGEST_WAIT)
