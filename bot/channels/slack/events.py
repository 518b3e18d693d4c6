"""What Slack tells the bot: kept durably, and acknowledged by what each listener returns, after which it does nothing.

Nothing here calls Slack. What no listener knows is acknowledged without effect.
"""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

import structlog
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.error import BoltUnhandledRequestError
from slack_bolt.response import BoltResponse

from bot.actions import INACTIVE
from bot.channels.slack import payloads
from bot.channels.slack.address import PLATFORM
from bot.channels.slack.payloads import Heard, Json
from bot.channels.slack.reading import profile_of
from bot.channels.slack.whisper import Whisper
from bot.ingress import Ingress
from core.model.work import Place

log = structlog.get_logger()

ELSEWHERE = "I answer in your direct messages."

_MOST_CONVERSATIONS = 10_000

Listener = Callable[[Json, AsyncBoltContext], Awaitable[BoltResponse]]


class Events:
    """The listeners. Each takes the payload, and the context for the workspace that it comes from."""

    def __init__(self, ingress: Ingress, whisper: Whisper) -> None:
        self._ingress = ingress
        self._whisper = whisper
        self._conversations: dict[str, str] = {}
        self.events: Mapping[str, Listener] = {
            "message": self._message,
            "app_home_opened": self._opened_home,
            "user_change": self._changed_user,
            "app_uninstalled": self._uninstalled,
            "tokens_revoked": self._revoked,
        }

    async def _message(self, body: Json, context: AsyncBoltContext) -> BoltResponse:
        gone = payloads.withdrawn(body)
        if gone is not None:
            place, team = _place(context, gone.heard), context.team_id
            await self._ingress.withdrawn(place, gone.heard.event_id, f"{team}:{gone.message}", gone.text)
            return accepted()
        if payloads.is_for_others(body):
            return accepted()
        heard = payloads.message(body)
        if heard is None:
            return unreadable(body)
        self._meet(heard)
        await self._ingress.said(_place(context, heard), f"{context.team_id}:{heard.event_id}", heard.text)
        return accepted()

    async def _opened_home(self, body: Json, context: AsyncBoltContext) -> BoltResponse:
        heard = payloads.opened_home(body)
        if heard is None:
            return unreadable(body)
        self._meet(heard)
        if payloads.shows_home(body):
            await self._ingress.opened_home(_place(context, heard), heard.event_id)
        return accepted()

    async def _changed_user(self, body: Json, context: AsyncBoltContext) -> BoltResponse:
        changed = payloads.changed_user(body)
        if changed is None:
            return unreadable(body)
        user_id, user = changed
        workspace = str(context.team_id)
        profile = profile_of(user_id, user, workspace)
        await self._ingress.profile_changed(Place(PLATFORM, workspace, user_id), profile)
        return accepted()

    async def _uninstalled(self, _body: Json, context: AsyncBoltContext) -> BoltResponse:
        await self._ingress.shut_out(PLATFORM, str(context.team_id), "app_uninstalled")
        return accepted()

    async def _revoked(self, body: Json, context: AsyncBoltContext) -> BoltResponse:
        revoked = payloads.revokes_bots(body)
        if revoked is None:
            return unreadable(body)
        if revoked:
            await self._ingress.shut_out(PLATFORM, str(context.team_id), "tokens_revoked")
        return accepted()

    async def command(self, body: Json, context: AsyncBoltContext) -> BoltResponse:
        """A slash command. Where the answer will not stand, they are told where it will."""
        heard = payloads.command(body)
        if heard is None:
            return accepted()
        await self._ingress.said(_place(context, heard), heard.event_id, heard.text)
        if self._conversations.get(heard.user_id) == heard.conversation:
            return accepted()
        return BoltResponse(status=HTTPStatus.OK, body={"response_type": "ephemeral", "text": ELSEWHERE})

    async def tapped(self, body: Json, context: AsyncBoltContext) -> BoltResponse:
        """Taps on one card. A refusal is said to that person; on the app's page, the page itself is made anew."""
        heard = payloads.tapping(body)
        if heard is None:
            return accepted()
        place = _place(context, heard)
        ended = [INACTIVE if tap is None else await self._ingress.tapped(place, tap) for tap in payloads.taps(body)]
        refusal = next(filter(None, ended), None)
        if refusal and payloads.at_home(body):
            await self._ingress.opened_home(place, f"renew:{heard.event_id}")
        elif refusal:
            self._whisper.say(body.get("response_url"), refusal)
        return accepted()

    async def anything_else(self, error: Exception, body: Json) -> BoltResponse:
        """What no listener knows, or what Bolt could not read."""
        if not isinstance(error, BoltUnhandledRequestError):
            return unreadable(body, type(error).__name__)
        self._whisper.say(body.get("response_url"), INACTIVE)
        return accepted()

    def _meet(self, heard: Heard) -> None:
        """Remember whose conversation with the app is which: Slack calls those with other people by the same name."""
        self._conversations.pop(heard.user_id, None)
        self._conversations[heard.user_id] = heard.conversation
        if len(self._conversations) > _MOST_CONVERSATIONS:
            del self._conversations[next(iter(self._conversations))]


def accepted() -> BoltResponse:
    return BoltResponse(status=HTTPStatus.OK)


def unreadable(body: Json, error: str = "not of the shape that Slack documents") -> BoltResponse:
    """For what cannot be read, however often it comes: an event is acknowledged, or Slack would repeat it.

    Whoever typed or tapped something sees that it failed. The log tells the kind, and nothing of what it holds.
    """
    log.warning("slack.unreadable", kind=payloads.kind(body), error=error)
    return accepted() if payloads.is_event(body) else BoltResponse(status=HTTPStatus.BAD_REQUEST)


def _place(context: AsyncBoltContext, heard: Heard) -> Place:
    return Place(PLATFORM, str(context.team_id), heard.user_id, heard.thread)
