"""What opens Slack's doors: how each credential looks, where it stands in Slack's pages, and which mode needs it."""

import re
from collections.abc import Mapping

from bot.channels.credentials import Credential

APPS_PAGE = "api.slack.com/apps"
SHAPE_OF_SECRET = re.compile(r"[0-9a-f]{32}")
"""As Slack writes it today. `doctor` compares; nothing else refuses what Slack may write tomorrow."""

_KINDS = {
    "xoxb-": "a bot token",
    "xapp-": "an app-level token",
    "xoxp-": "a user token",
    "xoxe": "a token that rotates, and rotation must be off",
    "xoxr-": "a token that renews another",
    "xoxc-": "a browser's token",
    "xoxd-": "a browser's cookie",
    "xox": "a token of an old kind",
    "xwfp-": "a workflow's token",
    "https://": "an address",
}


def _taken_for(text: str, prefix: str) -> str:
    kind = next((known for known in _KINDS if text.startswith(known)), "")
    if kind == prefix:
        return ""
    if kind:
        return f"is {_KINDS[kind]}: it begins with {kind}"
    return "is a signing secret or a client secret" if SHAPE_OF_SECRET.fullmatch(text) else "is something else"


def _credential(name: str, words: str, place: str, prefix: str = "") -> Credential:
    return Credential(
        section="slack",
        name=name,
        words=words,
        site=f"{APPS_PAGE} in your app",
        place=place,
        looks=f"begins with {prefix}" if prefix else "has 32 characters, 0 to 9 and a to f",
        taken_for=lambda text: _taken_for(text, prefix),
        charset=r"\w-",
        characters="letters, digits and -",
    )


BOT_TOKEN = _credential("bot_token", "the bot token", "OAuth & Permissions > Bot User OAuth Token", "xoxb-")
SIGNING_SECRET = _credential(
    "signing_secret", "the signing secret", "Basic Information > App Credentials > Signing Secret"
)
APP_TOKEN = _credential("app_token", "the app-level token", "Basic Information > App-Level Tokens", "xapp-")
CREDENTIALS = (BOT_TOKEN, SIGNING_SECRET, APP_TOKEN)
NEEDED: Mapping[str, tuple[Credential, ...]] = {
    "off": (),
    "http": (BOT_TOKEN, SIGNING_SECRET),
    "socket": (BOT_TOKEN, APP_TOKEN),
}
