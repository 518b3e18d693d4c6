"""Where a chat platform reaches the bot from outside."""

import re
from urllib.parse import urlsplit

_SUCH_AS = "write one such as https://bot.example.com"
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|[0-9a-f:.]*:[0-9a-f:.]*")


def public_address(text: str, platform: str, path: str) -> str:
    """The address without a slash at its end. Raises ValueError, saying what is off without showing the address.

    `path` is what the bot adds for this platform.
    """
    if not re.fullmatch(r"[!-~]+", text):
        raise ValueError(f"must be one address without white space, in ASCII; {_SUCH_AS}")
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise ValueError(f"is no address that can be read; {_SUCH_AS}") from error
    for is_off, words in (
        (parts.scheme != "https", f"must begin with https://, since {platform} calls nothing else"),
        ("@" in parts.netloc, f"must not hold a user name or a password: {platform} sends none"),
        (not _HOST.fullmatch(host), "must name a host after https://"),
        ("?" in text or "#" in text, "must end with the host or a path, without ? and #"),
        (path in text, f"must be written without {path}, which the bot adds itself"),
    ):
        if is_off:
            raise ValueError(f"{words}; {_SUCH_AS}")
    return text.rstrip("/")
