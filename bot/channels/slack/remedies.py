"""What Slack's refusals mean and what helps: for `doctor`, and for docs/slack.md, which a test compares."""

from collections.abc import Mapping
from dataclasses import dataclass

import aiohttp

_ANEW = "install the app again under Install App and copy the new bot token"


@dataclass(frozen=True, slots=True)
class Remedy:
    means: str
    fix: str


REMEDIES: Mapping[str, Remedy] = {
    "invalid_auth": Remedy(
        "Slack does not know this token",
        "copy it again, whole, from the app's own pages; a token that was revoked does not come back",
    ),
    "not_authed": Remedy("no token was sent", "set the token that the mode needs"),
    "account_inactive": Remedy("the app was removed from the workspace, or its bot was deactivated", _ANEW),
    "app_uninstalled": Remedy("somebody removed the app from the workspace", _ANEW),
    "token_revoked": Remedy("the token was revoked", _ANEW),
    "tokens_revoked": Remedy("somebody revoked the bot's token", _ANEW),
    "token_expired": Remedy(
        "the token ended, so token rotation is on in the app", f"make the app anew from the manifest, or {_ANEW}"
    ),
    "missing_scope": Remedy(
        "the token may not do this",
        "add the scope under OAuth & Permissions > Scopes > Bot Token Scopes, then install the app again",
    ),
    "not_allowed_token_type": Remedy(
        "this is a token of another kind", "use the bot token for the bot and the app-level token for Socket Mode"
    ),
    "messages_tab_disabled": Remedy(
        "the app's Messages tab is off, so that every card is refused",
        "turn it on under App Home > Show Tabs, with “Allow users to send Slash commands and messages”",
    ),
    "team_access_not_granted": Remedy(
        "the organisation has not let the app into this workspace", "ask an admin of the organisation to grant it"
    ),
    "user_not_found": Remedy(
        "this workspace has no user with this id", "copy it from the person's profile: More > Copy member ID"
    ),
    "user_disabled": Remedy("the user's account is deactivated", "name somebody who works there"),
    "cannot_dm_bot": Remedy("bots cannot be written to, and this is one", "name a person"),
    "ratelimited": Remedy("Slack asks for quiet", "wait a minute and try again"),
}

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
