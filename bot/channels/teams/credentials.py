"""What opens Entra's door for the Teams app: its client secret, what it is mistaken for, and which mode needs it."""

import re
from collections.abc import Mapping

from bot.channels.credentials import Credential
from bot.channels.teams.address import GUID

_STARS = re.compile(r".{0,8}\*{3,}")
_BEGINNINGS = {"https://": "an address", "eyJ": "a token, and what is needed is that which tokens are asked for with"}


def _taken_for(text: str) -> str:
    if GUID.fullmatch(text.lower()):
        return "is an id: the secret's own Secret ID, or that of the app; its Value is needed"
    if _STARS.fullmatch(text):
        return "is what Entra shows of a secret later, with stars for the rest: make a new one and copy it at once"
    return next((f"is {kind}" for start, kind in _BEGINNINGS.items() if text.startswith(start)), "")


APP_PASSWORD = Credential(
    section="teams",
    name="app_password",
    words="the client secret",
    site="entra.microsoft.com in the app's registration",
    place="Certificates & secrets > Client secrets, in the column Value",
    looks="is shown only when it is made; it has about 40 characters",
    taken_for=_taken_for,
    charset="!-~",
    characters="letters, digits and signs of ASCII",
)
CREDENTIALS = (APP_PASSWORD,)
NEEDED: Mapping[str, tuple[Credential, ...]] = {"off": (), "on": (APP_PASSWORD,), "anonymous": ()}
