"""Whether Slack lets the bot in: asked at the start, and from then on for as long as it does not.

    asked ──▶ connected ──▶ paused: the app was removed, or a send was refused for good ──▶ asked again
      ├──▶ refused: everything in Slack is paused ──▶ asked again after five minutes
      └──▶ no clear answer: nothing changes ──▶ asked again, sooner at first

While the workspace is connected only its row is looked at, since any process on this database may have paused it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus

import structlog

from bot.channels.base import NotSent
from bot.channels.connection import Connection
from bot.channels.slack.address import PLATFORM
from bot.channels.slack.manifest import SCOPES
from bot.channels.slack.outcomes import Trouble, meaning
from bot.channels.slack.reading import scopes_of
from bot.channels.slack.remedies import REMEDIES
from bot.channels.slack.web import CallFailed, Reply, SlackWeb
from bot.memory_gateway import MemoryGateway
from core.clock import SECOND
from core.ids import jitter
from core.model.work import Extent

log = structlog.get_logger()


class SlackConnection(Connection):
    """`trusted`: an e-mail match in this workspace binds."""

    def __init__(
        self,
        web: SlackWeb,
        gateway: MemoryGateway,
        tenant: str,
        *,
        trusted: bool,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        chance: Callable[[], float] = jitter,
    ) -> None:
        super().__init__(PLATFORM, sleep, chance)
        self._web = web
        self._gateway = gateway
        self._workspaces = gateway.memory.workspaces
        self._tenant = tenant
        self._trusted = trusted
        self._connected: str | None = None

    @property
    def workspace(self) -> str | None:
        """Which workspace the token is for; None until Slack has said so."""
        return self._connected

    async def _look(self) -> float:
        if not await self._is_open():
            try:
                await self._let_in(await self._web.ask(self._web.client.auth_test()))
            except CallFailed as failed:
                return await self._not_let_in(failed.trouble)
        return self._settled()

    async def _is_open(self) -> bool:
        if self._connected is None:
            return False
        found = await self._gateway.call(self._workspaces.find, PLATFORM, self._connected)
        return found is not None and not found.paused

    async def _let_in(self, reply: Reply) -> None:
        hello, workspace, scopes = reply.body, reply.body.get("team_id"), scopes_of(reply.headers)
        if not isinstance(workspace, str) or not hello.get("bot_id"):
            raise CallFailed(Trouble("not_allowed_token_type", HTTPStatus.OK, coded=True))
        name, detail = str(hello.get("team") or workspace), {"bot_user_id": hello.get("user_id")}
        detail |= {"bot_id": hello["bot_id"], "url": hello.get("url"), "scopes": scopes}
        connect = self._workspaces.connect
        await self._gateway.call(connect, self._tenant, PLATFORM, workspace, name, detail, trusted=self._trusted)
        self._connected = workspace
        await self._pause("another_workspaces_token", but=workspace)
        log.info("slack.connected", workspace=workspace, name=name)
        if scopes is not None and (missing := sorted(SCOPES.keys() - scopes)):
            fix = REMEDIES["missing_scope"].fix
            log.error("slack.scopes_missing", missing=missing, needed=sorted(SCOPES), provided=scopes, fix=fix)

    async def _not_let_in(self, trouble: Trouble) -> float:
        outcome = meaning(trouble)
        if isinstance(outcome, NotSent) and outcome.lasting is Extent.WORKSPACE:
            await self._shut(trouble)
            return self._settled()
        log.warning("slack.not_connected", reason=outcome.reason)
        quiet = outcome.retry_after if isinstance(outcome, NotSent) else None
        return max(self._later(), (quiet or 0) / SECOND)

    async def _shut(self, trouble: Trouble) -> None:
        """Pause what this token was for: all that the tenant has in Slack, since the answer does not say."""
        remedy = REMEDIES.get(trouble.error)
        means, fix = (remedy.means, remedy.fix) if remedy else ("Slack refuses the bot", "run `clarify-bot doctor`")
        log.error("slack.token_refused", reason=trouble.reason, means=means, fix=fix)
        await self._pause(trouble.error)

    async def _pause(self, reason: str, but: str | None = None) -> None:
        """Send nothing to any workspace of the tenant in Slack, but to one: the token is not for them."""
        for found in await self._gateway.call(self._workspaces.all, self._tenant):
            if found.platform == PLATFORM and found.workspace != but:
                pause = self._workspaces.pause
                await self._gateway.call(pause, self._tenant, PLATFORM, found.workspace, reason)
