"""What an answer of the Bot Connector in Teams, or the lack of one, means for what was to be done.

Four ends. Teams says no: that is definite, and what it says of a person lasts (the table). What was to be written to
is gone. Teams asks for quiet: definite, with a time. Nobody knows: no answer came, or one that tells of a fault of
Teams' own, after which the message may stand.

Every 403 is about the one conversation, also BotDisabledByAdmin: Teams asks that nothing be posted "until interaction
with bot is explicitly initiated by a user in the conversation", and then that person is let in again.

Sources: the status codes at learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/conversation-messages
and, of MessageWritesBlocked and of Retry-After, .../send-proactive-messages and .../bots/how-to/rate-limit.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from bot.channels.answers import SHUT, quiet
from bot.channels.base import Gone, NotSent, Unknown
from bot.channels.teams.port import Refused
from core.model.work import Extent

_LONGEST_CODE = 80
NOWHERE = "the answer has no code"
NO_SUCH_MESSAGE = "ActivityNotFoundInConversation"

LASTING: Mapping[str, Extent] = {
    "BotNotRegistered": Extent.WORKSPACE,
    "MessageSizeTooBig": Extent.CARD,
}
"""Codes that last whatever their status; of the others, those with a status of `_LASTING`."""
_LASTING: Mapping[int, Extent] = {
    HTTPStatus.FORBIDDEN: Extent.PERSON,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: Extent.CARD,
}
_AGAIN = {HTTPStatus.UNAUTHORIZED, HTTPStatus.PRECONDITION_FAILED, HTTPStatus.TOO_MANY_REQUESTS}
"""Said of the moment, and not of the card."""
_UNCLEAR = {HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.ACCEPTED, HTTPStatus.REQUEST_TIMEOUT}
_NOBODY = {HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND}
"""How Teams says that there is no such user in the tenant, or none whom the bot may open a chat with."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A call that did not succeed. Nothing in it opens doors, so it may be logged and kept.

    `error`: Teams' code, or else what happened. `status`: of HTTP; None when no answer came. `opened`: False when
    nothing can have reached Teams. `readable`: the answer is as Teams writes it, and not as something in between.
    `fresh`: it refuses a token that was got after one was refused. `lasting`: known before anything was asked.
    """

    error: str
    status: int | None = None
    opened: bool = True
    readable: bool = True
    retry_after: str | None = None
    fresh: bool = False
    lasting: Extent | None = None


DONE = Trouble("none", HTTPStatus.OK)
ELSEWHERE = Trouble("the address kept for them is at no service of Teams'", opened=False, lasting=Extent.PERSON)


def no_token(refused: Refused) -> Trouble:
    """What it means that the bot has no token of its own."""
    lasting = Extent.WORKSPACE if refused.status == HTTPStatus.UNAUTHORIZED else None
    return Trouble(refused.reason, opened=False, lasting=lasting)


def failed(error: Exception) -> Trouble:
    """What an exception tells that came instead of an answer."""
    if isinstance(error, SHUT):
        return Trouble(f"Teams cannot be reached: {type(error).__name__}", opened=False)
    return Trouble(type(error).__name__)


def answered(status: int, retry_after: str | None, body: bytes) -> Trouble:
    """What an answer tells that is none of success."""
    code = _code(body)
    error = code or f"HTTP {status}, and {NOWHERE}"
    return Trouble(error, status, readable=bool(code) or not body.strip(), retry_after=retry_after)


def meaning(of: Trouble, now: int) -> NotSent | Unknown | Gone:
    """What it means for the message that was to be written. `now`: Ts."""
    if not of.opened:
        return NotSent(of.error, lasting=of.lasting)
    if of.status is None or of.status >= HTTPStatus.INTERNAL_SERVER_ERROR or of.status in _UNCLEAR:
        return Unknown(of.error)
    if of.status == HTTPStatus.TOO_MANY_REQUESTS:
        return NotSent(of.error, retry_after=quiet(of.retry_after, now))
    if of.status == HTTPStatus.NOT_FOUND and of.readable:
        return Gone(of.error)
    if of.fresh:
        return NotSent(of.error, lasting=Extent.WORKSPACE)
    lasting = LASTING.get(of.error, _LASTING.get(of.status) if of.readable else None)
    return NotSent(of.error, lasting=lasting, read=lasting is None and of.status not in _AGAIN)


def without_effect(of: Trouble, now: int) -> NotSent:
    """The same of a call that opens a conversation: however it ended, nothing was posted."""
    if of.status in _NOBODY and of.readable:
        return NotSent(of.error, lasting=Extent.PERSON)
    outcome = meaning(of, now)
    return outcome if isinstance(outcome, NotSent) else NotSent(outcome.reason)


def _code(body: bytes) -> str:
    """The code in an answer's body; "" where there is none. Some codes stand in JSON within the message."""
    error = _object(_object(body).get("error")) or _object(body)
    inner = _object(error.get("message")).get("subCode")
    code = inner if isinstance(inner, str) else error.get("code")
    return code[:_LONGEST_CODE] if isinstance(code, str) and code.isprintable() else ""


def _object(value: object) -> dict[str, Any]:
    """An object of JSON, also of its text; empty for anything else."""
    if isinstance(value, str | bytes):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}
