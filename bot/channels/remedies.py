"""What went wrong with a platform, in words, and what helps."""

from dataclasses import dataclass

import aiohttp


@dataclass(frozen=True, slots=True)
class Remedy:
    means: str
    fix: str


_RUN = "start `clarify-bot run`, and check that the proxy or the firewall in front leads to it"
_CONNECTING: tuple[tuple[type[Exception], Remedy], ...] = (
    (
        aiohttp.ClientConnectorDNSError,
        Remedy("its name does not resolve", "check how it is spelt, and that there is a DNS record for it"),
    ),
    (
        aiohttp.ClientConnectorCertificateError,
        Remedy(
            "its certificate is not trusted",
            "use one of a public authority, for this very name, not expired, with the whole chain",
        ),
    ),
    (aiohttp.ClientSSLError, Remedy("it does not speak TLS", "put a proxy that does in front of the bot")),
    (TimeoutError, Remedy("nobody answers in time", _RUN)),
    (aiohttp.ClientConnectorError, Remedy("no connection is accepted", _RUN)),
    (Exception, Remedy("the connection is cut", _RUN)),
)
"""The first that fits is what happened."""


def trouble(error: Exception) -> Remedy:
    """What became of a request that got no answer."""
    return next(remedy for kind, remedy in _CONNECTING if isinstance(error, kind))
