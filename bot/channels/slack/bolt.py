"""Slack's framework around the listeners, without what the guard has done, and without a call to Slack a request.

Bolt takes an acknowledgement back when anything is raised after it, so here a listener's answer is its last word. What
could not be kept is answered 503: then Slack repeats an event, and shows whoever tapped that it failed. No listener
calls Slack, so none is given the token.
"""

import re
from collections.abc import Awaitable, Callable
from http import HTTPStatus

import structlog
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.response import BoltResponse

from bot.channels.slack import payloads
from bot.channels.slack.address import PLATFORM
from bot.channels.slack.events import Events, Listener, accepted, unreadable
from bot.channels.slack.payloads import Json
from bot.channels.slack.web import SILENT
from bot.memory_gateway import MemoryGateway

log = structlog.get_logger()

_ANY = re.compile("")

Next = Callable[[], Awaitable[None]]


def make_app(events: Events, gateway: MemoryGateway, settled: Callable[[], bool]) -> AsyncApp:
    """`settled`: whether it is known which workspace is served. Until then another one may turn out to be it."""
    app = AsyncApp(
        name="clarify-bot",
        logger=SILENT,
        process_before_response=True,
        raise_error_for_unhandled_request=True,
        request_verification_enabled=False,
        before_authorize=_known(gateway, settled),
        authorize=_authorize,
    )
    for kind, listener in events.events.items():
        app.event(kind)(kept_first(listener))
    app.command(_ANY)(kept_first(events.command))
    app.action({"action_id": _ANY})(kept_first(events.tapped))
    app.error(events.anything_else)
    return app


def _known(gateway: MemoryGateway, settled: Callable[[], bool]) -> Callable[..., Awaitable[BoltResponse | None]]:
    async def known(body: Json, context: AsyncBoltContext, next_: Next) -> BoltResponse | None:
        """Let through what comes from a workspace that this memory serves."""
        if body.get("type") != "url_verification":
            workspace = payloads.workspace(context.team_id)
            if workspace is None:
                return unreadable(body, "no id of a workspace")
            try:
                found = await gateway.at_the_door(gateway.memory.workspaces.find, PLATFORM, workspace)
            except Exception as error:  # noqa: BLE001  # it cannot be kept then either
                return _not_kept(error)
            if found is None:
                log.warning("slack.unknown_workspace", workspace=workspace)
                return accepted() if settled() else BoltResponse(status=HTTPStatus.SERVICE_UNAVAILABLE)
            context["bot"] = found.detail
        await next_()
        return None

    return known


async def _authorize(context: AsyncBoltContext) -> AuthorizeResult:
    """What Bolt needs to know the bot's own messages by; its usual way is a call to Slack for each request."""
    bot = context["bot"]
    return AuthorizeResult(
        enterprise_id=context.enterprise_id,
        team_id=context.team_id,
        bot_user_id=bot.get("bot_user_id"),
        bot_id=bot.get("bot_id"),
    )


def kept_first(listener: Listener) -> Listener:
    """The listener, with no acknowledgement for what it could not keep."""

    async def guarded(body: Json, context: AsyncBoltContext) -> BoltResponse:
        try:
            return await listener(body, context)
        except Exception as error:  # noqa: BLE001  # whatever it is, Slack must not take it for heard
            return _not_kept(error)

    return guarded


def _not_kept(error: Exception) -> BoltResponse:
    """Named by its type alone: a database's error quotes what it could not store."""
    log.error("slack.not_kept", error=type(error).__name__)
    return BoltResponse(status=HTTPStatus.SERVICE_UNAVAILABLE)
