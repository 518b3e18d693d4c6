"""What opens Slack's doors: what each credential looks like, where it stands in Slack's pages, and which mode needs it.

No sentence made here holds any part of a credential but the few letters that tell its kind.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

APPS_PAGE = "api.slack.com/apps"


@dataclass(frozen=True, slots=True)
class Credential:
    """`name` in the settings, what people call it, where Slack shows it, and how it begins, if always alike."""

    name: str
    words: str
    place: str
    prefix: str = ""

    @property
    def variable(self) -> str:
        return f"CLARIFY_SLACK__{self.name.upper()}"

    @property
    def file_setting(self) -> str:
        return f"{self.name}_file"

    @property
    def where(self) -> str:
        looks = f"begins with {self.prefix}" if self.prefix else "has 32 characters, 0 to 9 and a to f"
        return f"{self.words} stands at {APPS_PAGE} in your app under {self.place}, and {looks}"


BOT_TOKEN = Credential("bot_token", "the bot token", "OAuth & Permissions > Bot User OAuth Token", "xoxb-")
SIGNING_SECRET = Credential(
    "signing_secret", "the signing secret", "Basic Information > App Credentials > Signing Secret"
)
APP_TOKEN = Credential("app_token", "the app-level token", "Basic Information > App-Level Tokens", "xapp-")
CREDENTIALS = (BOT_TOKEN, SIGNING_SECRET, APP_TOKEN)
NEEDED: Mapping[str, tuple[Credential, ...]] = {
    "off": (),
    "http": (BOT_TOKEN, SIGNING_SECRET),
    "socket": (BOT_TOKEN, APP_TOKEN),
}
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
_QUOTES = "\"'`“”„‘’«»"
_SHOWS = re.compile(r"(?i)(?<![a-z0-9])(xox[a-z]|xapp|xwfp)-\w\S*|(?<![0-9a-z])[0-9a-f]{32}(?![0-9a-z])")


def problem(credential: Credential, text: str) -> str:
    """Why this cannot be the credential, as the rest of a sentence that begins with its name; "" where it can."""
    kind = next((prefix for prefix in _KINDS if text.startswith(prefix)), "")
    if text.split() != [text]:
        found = "has white space in or around it: write the value alone"
    elif text[0] in _QUOTES or text[-1] in _QUOTES:
        found = "has quotes around it: write the value alone"
    elif kind != credential.prefix:
        found = f"is {_KINDS[kind]}: it begins with {kind}" if kind else _unknown(text)
    elif not re.fullmatch(r"[\w-]+", text, re.ASCII):
        found = "has a character that none has: they are letters, digits and -"
    else:
        return ""
    return f"{found}; {credential.where}"


def discreet(text: str) -> str:
    """The text without anything in it that looks like a credential of Slack's."""
    return _SHOWS.sub("(hidden)", text)


def _unknown(text: str) -> str:
    return "is a signing secret or a client secret" if SHAPE_OF_SECRET.fullmatch(text) else "is something else"
