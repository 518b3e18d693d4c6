"""What Teams tells the bot: kept durably, and acknowledged by what each listener returns, after which it does nothing.

Nothing here writes to Teams but by the answer to a tap, which is seen by whoever tapped alone. What no listener knows
is acknowledged without effect, and so is what happens where others read along, but for a word to whom it came from.
"""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

import structlog

from bot.actions import INACTIVE
from bot.channels.teams import activities
from bot.channels.teams.activities import Heard
from bot.channels.teams.port import Answered, Refused
from bot.ingress import Ingress, Reach, Tap
from cards.codec import from_json
from cards.teams import to_teams
from cards.teams_controls import Unchosen

log = structlog.get_logger()

Json = dict[str, Any]
Listener = Callable[[Json, Heard], Awaitable[Answered | None]]

PATIENCE_SECS = 5.0
"""How long a tap is seen through before it is answered: Teams gives up after about ten seconds, and a refresh, or what
waits behind others, comes on the card later anyway."""
ELSEWHERE = "I answer in our own chat, where nobody else reads along."
UNCHOSEN = "Choose one first, and then tap “Set”."
_CARD, _MESSAGE, _ERROR = (
    f"application/vnd.microsoft.{kind}" for kind in ("card.adaptive", "activity.message", "error")
)


class Events:
    """The listeners. Each takes the activity, and who did it where."""

    def __init__(self, ingress: Ingress, patience_secs: float = PATIENCE_SECS) -> None:
        self._ingress = ingress
        self._patience = patience_secs
        self._listeners: Mapping[str, Listener] = {
            "message": self._message,
            "messageUpdate": self._withdrawn,
            "messageDelete": self._withdrawn,
            "installationUpdate": self._membership,
            "conversationUpdate": self._membership,
            "invoke": self._invoke,
        }

    async def turn(self, activity: Json) -> Answered | None:
        """Deal with a verified activity; what an invoke is answered with, whatever happened.

        Of the others, what could not be kept raises, since Teams sends it again.
        """
        is_invoke = activity.get("type") == "invoke"
        try:
            return await self._turn(activity, is_invoke=is_invoke)
        except Exception as error:
            if not is_invoke:
                raise
            log.error("teams.not_kept", error=type(error).__name__)
            return _error(HTTPStatus.SERVICE_UNAVAILABLE, "That could not be done just now. Tap again in a moment.")

    async def _turn(self, activity: Json, *, is_invoke: bool) -> Answered | None:
        listener = self._listeners.get(str(activity.get("type")))
        heard = activities.heard(activity) if listener else None
        if listener is None or heard is None:
            if listener:
                log.warning("teams.unreadable", kind=activities.kind(activity))
            return _error(HTTPStatus.BAD_REQUEST, "This cannot be read.") if is_invoke else None
        if not await self._ingress.serves(heard.place):
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "the organisation is not connected yet")
        if heard.address is None:
            return await self._among_others(activity, heard)
        return await listener(activity, heard)

    async def _among_others(self, activity: Json, heard: Heard) -> Answered | None:
        """Said or tapped in a group or a channel: nothing is answered there."""
        if activity["type"] == "message":
            await self._ingress.elsewhere(heard.place, heard.event_id)
        return _message(ELSEWHERE) if activity["type"] == "invoke" else None

    async def _message(self, activity: Json, heard: Heard) -> None:
        words = activities.words(activity)
        if words is None:
            log.warning("teams.unreadable", kind="message")
            return
        await self._ingress.said(heard.place, heard.event_id, words, _reach(heard))

    async def _withdrawn(self, activity: Json, heard: Heard) -> None:
        gone = activities.withdrawn(activity, heard)
        if gone is not None:
            await self._ingress.withdrawn(heard.place, gone.event_id, heard.event_id, gone.text)

    async def _membership(self, activity: Json, heard: Heard) -> None:
        comes = activities.comes(activity)
        if comes is False:
            await self._ingress.left(heard.place, f"{heard.event_id}:left", "app_removed")
        elif comes:
            await self._ingress.arrived(heard.place, heard.event_id, _reach(heard))

    async def _invoke(self, activity: Json, heard: Heard) -> Answered:
        if activity.get("name") != "adaptiveCard/action":
            return _error(HTTPStatus.NOT_IMPLEMENTED, "This bot does nothing of that kind.")
        match activities.tap(activity, heard):
            case Unchosen():
                return _message(UNCHOSEN)
            case Tap() as tap:
                return await self._tapped(heard, tap)
        return _message(INACTIVE)

    async def _tapped(self, heard: Heard, tap: Tap) -> Answered:
        """The card as it stands once the tap was seen through; a refusal to whoever tapped, and nobody else."""
        came = await self._ingress.seen_through(heard.place, tap, self._patience, _reach(heard))
        if isinstance(came, str):
            return _message(came)
        return Answered(HTTPStatus.OK, _CARD, to_teams(from_json(dict(came))))


def _reach(heard: Heard) -> Reach | None:
    return Reach(heard.address.to_row(), heard.address.zone, heard.address.locale) if heard.address else None


def _message(words: str) -> Answered:
    return Answered(HTTPStatus.OK, _MESSAGE, words)


def _error(status: HTTPStatus, words: str) -> Answered:
    return Answered(status, _ERROR, {"code": status.name.title().replace("_", ""), "message": words})
