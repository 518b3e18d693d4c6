"""Where Teams reaches the bot, what names a user there, and the address by which one is written to."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self
from urllib.parse import urlsplit

from bot.channels import public_address as outside
from bot.channels.loopback import is_loopback

PLATFORM = "teams"
MESSAGES_PATH = "/teams/messages"
OPENID_URL = "https://login.botframework.com/v1/.well-known/openidconfiguration"
LOGIN_URL = "https://login.microsoftonline.com/"
GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""An id of Entra's, of a tenant, an app or a user, in small letters."""

SERVICE_HOSTS = frozenset(
    {
        "smba.trafficmanager.net",
        "smba.infra.gcc.teams.microsoft.com",
        "smba.infra.gov.teams.microsoft.us",
        "smba.infra.dod.teams.microsoft.us",
    }
)
"""Who may be sent the bot's token: the public cloud, and those of the United States' government.
https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages"""


@dataclass(frozen=True, slots=True)
class Address:
    """A personal chat: the service that takes messages for it, its id, and the ids of both who are in it.

    `zone` and `locale`: where its user lives, as they last told.
    """

    service_url: str
    conversation: str
    user: str
    bot: str
    zone: str | None = None
    locale: str | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        return cls(**row)

    def to_row(self) -> dict[str, Any]:
        return asdict(self)

    def message_ref(self, activity_id: str) -> str:
        """What names a message in the chat: also where to reach it, for when nobody's address leads there any more."""
        return f"{self.service_url}|{self.conversation}|{activity_id}"


def public_address(text: str) -> str:
    """The address without a slash at its end. Raises ValueError, saying what is off without showing the address."""
    return outside.public_address(text, "Teams", MESSAGES_PATH)


def messages_url(public_url: str) -> str:
    """What Azure Bot calls the messaging endpoint."""
    return public_url + MESSAGES_PATH


def is_service(url: str, *, loopback: bool = False) -> bool:
    """Whether a service URL is one of Microsoft's own, to be asked before any token is made for it.

    `loopback`: in development, a service on this machine is one too.
    """
    if not re.fullmatch(r"[!-z|~]+", url):
        return False
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return False
    if "@" in parts.netloc or "\\" in url or parts.query or parts.fragment:
        return False
    if loopback and is_loopback(host):
        return parts.scheme in {"http", "https"}
    return parts.scheme == "https" and host in SERVICE_HOSTS and port in {None, 443}
