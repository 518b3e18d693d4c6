"""Where Slack reaches the bot, one address for events, taps and commands alike; and what names it and its users."""

import re
from urllib.parse import urlsplit

PLATFORM = "slack"
EVENTS_PATH = "/slack/events"
USER_ID = re.compile(r"[UW][A-Z0-9]{2,}")

_SUCH_AS = "write one such as https://bot.example.com"
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|[0-9a-f:.]*:[0-9a-f:.]*")


def public_address(text: str) -> str:
    """The address without a slash at its end. Raises ValueError, saying what is off without showing the address."""
    if not re.fullmatch(r"[!-~]+", text):
        raise ValueError(f"must be one address without white space, in ASCII; {_SUCH_AS}")
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise ValueError(f"is no address that can be read; {_SUCH_AS}") from error
    for is_off, words in (
        (parts.scheme != "https", "must begin with https://, since Slack calls nothing else"),
        ("@" in parts.netloc, "must not hold a user name or a password: Slack sends none"),
        (not _HOST.fullmatch(host), "must name a host after https://"),
        ("?" in text or "#" in text, "must end with the host or a path, without ? and #"),
        (EVENTS_PATH in text, f"must be written without {EVENTS_PATH}, which the bot adds itself"),
    ):
        if is_off:
            raise ValueError(f"{words}; {_SUCH_AS}")
    return text.rstrip("/")


def events_url(public_url: str) -> str:
    return public_url + EVENTS_PATH
