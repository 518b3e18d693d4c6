"""Sending to webhooks: one request, to an address that was looked at as it is connected to, and no more.

The address is judged where its socket is made, whatever named it and however often the name is resolved: nothing lies
between the look and the connection. No redirect is followed, no proxy is used, no cookie kept, and of an answer nothing
is read but its status and when to come back.
"""

import socket
from pathlib import Path

import structlog
from aiohttp import (
    ClientConnectorDNSError,
    ClientError,
    ClientSession,
    ClientSSLError,
    ClientTimeout,
    DummyCookieJar,
    TCPConnector,
    ThreadedResolver,
)
from aiohttp.abc import AbstractResolver

from bot import webhook_key
from bot.memory_gateway import MemoryGateway
from core.clock import Clock
from core.model.work import Leased
from core.webhooks.addresses import is_public
from core.webhooks.replies import Reply, answered
from core.webhooks.views import Parcel

log = structlog.get_logger()

TIMEOUT_SECS = 10.0
"""From the look-up to the answer: well within the lease of a job."""
_AGENT = {"user-agent": "clarify-bot", "accept": "*/*"}

AddressInfo = tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]]


class _Guard:
    """Makes the sockets of one request; refuses an address that it may not have."""

    def __init__(self, *, allow_private: bool) -> None:
        self._allow_private = allow_private
        self.has_refused = False

    def socket(self, info: AddressInfo) -> socket.socket:
        family, kind, protocol, _, address = info
        if not self._allow_private and not is_public(str(address[0])):
            self.has_refused = True
            raise OSError("the address is not public")
        return socket.socket(family, kind, protocol)


class WebhookSender:
    """`keys`: the folder of the key that signs. `resolver`: None, the machine's own."""

    def __init__(
        self,
        gateway: MemoryGateway,
        keys: Path,
        resolver: AbstractResolver | None = None,
        timeout_secs: float = TIMEOUT_SECS,
    ) -> None:
        self._gateway = gateway
        self._keys = keys
        self._resolver = resolver
        self._timeout = timeout_secs

    async def deliver(self, job: Leased) -> None:
        """Send what a job is about, unless there is nothing to send now, and write down what came of it."""
        webhooks = self._gateway.memory.webhooks
        key = await self._gateway.call(webhook_key.load, self._keys)
        parcel = await self._gateway.call(webhooks.take, job, key)
        if parcel is None:
            return
        reply = await send(parcel, self._gateway.memory.clock, self._resolver, self._timeout)
        ids = {"tenant": job.tenant_id, "fire_id": job.payload["fire_id"], "outcome": reply.reason}
        self._gateway.memory.metrics.webhook_outcomes.labels(reply.reason).inc()
        log.info("webhook.ended", **ids)
        if await self._gateway.call(webhooks.record, job, reply):
            log.error("webhook.disabled", **ids)


async def send(
    parcel: Parcel, clock: Clock, resolver: AbstractResolver | None = None, timeout_secs: float = TIMEOUT_SECS
) -> Reply:
    """What came of one request; whatever it was, it raises nothing."""
    guard = _Guard(allow_private=parcel.allow_private)
    connector = TCPConnector(resolver=resolver or ThreadedResolver(), socket_factory=guard.socket, force_close=True)
    timeout = ClientTimeout(total=timeout_secs)
    try:
        async with (
            ClientSession(connector=connector, cookie_jar=DummyCookieJar(), timeout=timeout) as session,
            session.post(
                parcel.url, data=parcel.body, headers={**_AGENT, **parcel.headers}, allow_redirects=False
            ) as response,
        ):
            return answered(response.status, response.headers.get("retry-after"), clock.now())
    except (ClientError, OSError, ValueError) as error:  # a time-out is an OSError
        return Reply("address_refused" if guard.has_refused else _reason(error))


def _reason(error: Exception) -> str:
    """A code for what went wrong, in which nothing is of the address or of what it answered."""
    kinds: tuple[tuple[type[Exception], str], ...] = (
        (TimeoutError, "timed_out"),
        (ClientConnectorDNSError, "name_not_found"),
        (ClientSSLError, "tls_failed"),
        (ValueError, "bad_address"),
    )
    return next((code for kind, code in kinds if isinstance(error, kind)), "connection_failed")
