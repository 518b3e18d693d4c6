"""What opens a platform's doors: each secret with what people call it, where it stands, and how it looks.

No sentence made here holds any part of a secret but the few letters that tell its kind.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Credential:
    """`name` in the settings' `section`, what people call it, its `place` on the platform's `site`, and how it `looks`.

    `taken_for` says what a text is instead ("is a user token"), "" where it may be the one. `charset` is of a regular
    expression, and `characters` says it in words.
    """

    section: str
    name: str
    words: str
    site: str
    place: str
    looks: str
    taken_for: Callable[[str], str]
    charset: str
    characters: str

    @property
    def setting(self) -> str:
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        return f"CLARIFY_{self.section.upper()}__{self.name.upper()}"

    @property
    def file_setting(self) -> str:
        return f"{self.name}_file"

    @property
    def where(self) -> str:
        return f"{self.words} stands at {self.site} under {self.place}, and {self.looks}"


_QUOTES = "\"'`“”„‘’«»"
_SHOWS = re.compile(
    r"(?i)(?<![a-z0-9])(xox[a-z]|xapp|xwfp)-\w\S*"
    r"|(?<![0-9a-z])[0-9a-f]{32}(?![0-9a-z])"
    r"|[\w~.-]{3}\dq~\S{16,}"
)
"""Slack's tokens, its signing secret, and Entra's client secret."""


def problem(credential: Credential, text: str) -> str:
    """Why this cannot be the credential, as the rest of a sentence that begins with its name; "" where it can."""
    if text.split() != [text]:
        found = "has white space in or around it: write the value alone"
    elif text[0] in _QUOTES or text[-1] in _QUOTES:
        found = "has quotes around it: write the value alone"
    elif taken_for := credential.taken_for(text):
        found = taken_for
    elif not re.fullmatch(f"[{credential.charset}]+", text, re.ASCII):
        found = f"has a character that none has: they are {credential.characters}"
    else:
        return ""
    return f"{found}; {credential.where}"


def discreet(text: str) -> str:
    """The text without anything in it that looks like a platform's secret."""
    return _SHOWS.sub("(hidden)", text)
