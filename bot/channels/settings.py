"""What can be set of each chat platform, and what its mode still needs."""

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from bot.channels.credentials import Credential
from bot.channels.loopback import is_loopback
from bot.channels.slack import address as slack_address
from bot.channels.slack import credentials as slack_credentials
from bot.channels.teams import address as teams_address
from bot.channels.teams import credentials as teams_credentials

CREDENTIALS = (*slack_credentials.CREDENTIALS, *teams_credentials.CREDENTIALS)
"""Every secret of every platform."""
_APP_PAGE = "the Overview page of the app's registration at entra.microsoft.com"
TEAMS_IDS = {
    "app_id": f"the Application (client) ID, which stands on {_APP_PAGE}",
    "tenant_id": f"the Directory (tenant) ID, which stands on {_APP_PAGE}",
}
"""Ids that are no secrets, each with what it is and where it stands."""


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _id(text: str) -> str:
    if text and not teams_address.GUID.fullmatch(text):
        raise ValueError(
            "must be an id of Entra's, such as 01234567-89ab-cdef-0123-456789abcdef, in small letters:"
            f" {' or '.join(TEAMS_IDS.values())}"
        )
    return text


def _service(text: str) -> str:
    """Keys and a secret are at stake: what is not encrypted stays on this machine."""
    parts = urlsplit(text)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname)):
        raise ValueError("must begin with https://")
    return text


def _lacking(section: Section, credentials: Iterable[Credential]) -> Iterator[str]:
    for one in credentials:
        if not getattr(section, one.name).get_secret_value().strip():
            file = f"{one.section}.{one.file_setting}"
            yield f"{one.words}: set {one.variable}, or name a file that holds it in {file}; {one.where}"


class SlackSettings(Section):
    """One workspace. Its three secrets come from the environment or from the files named here; `load` resolves them."""

    mode: Literal["off", "http", "socket"] = "off"
    trusted: bool = False
    public_url: Annotated[str, AfterValidator(lambda text: text and slack_address.public_address(text))] = ""
    api_url: Annotated[str, Field(pattern=r"^https?://.+/$")] = "https://slack.com/api/"
    bot_token_file: Path | None = None
    signing_secret_file: Path | None = None
    app_token_file: Path | None = None
    bot_token: SecretStr = SecretStr("")
    signing_secret: SecretStr = SecretStr("")
    app_token: SecretStr = SecretStr("")

    @property
    def gaps(self) -> tuple[str, ...]:
        """What the mode needs and is not there, a sentence each."""
        said = [*_lacking(self, slack_credentials.NEEDED[self.mode])]
        if self.mode == "http" and not self.public_url:
            said += ["slack.public_url: write the https:// address where Slack reaches this bot"]
        if self.mode != "off" and find_spec("slack_bolt") is None:
            said += ["the package slack-bolt: install clarify-bot with its extra, pip install '.[slack]' in its folder"]
        return tuple(f"slack.mode is {self.mode!r} and needs {what}" for what in said)


class TeamsSettings(Section):
    """One organisation. Its secret comes from the environment or from the file named here; `load` resolves it.

    `anonymous` asks for no token and has none: for development, on this machine alone (`Settings` holds it to that).
    """

    mode: Literal["off", "on", "anonymous"] = "off"
    app_id: Annotated[str, AfterValidator(_id)] = ""
    tenant_id: Annotated[str, AfterValidator(_id)] = ""
    trusted: bool = False
    public_url: Annotated[str, AfterValidator(lambda text: text and teams_address.public_address(text))] = ""
    openid_url: Annotated[str, AfterValidator(_service)] = teams_address.OPENID_URL
    login_url: Annotated[str, Field(pattern=r"/$"), AfterValidator(_service)] = teams_address.LOGIN_URL
    app_password_file: Path | None = None
    app_password: SecretStr = SecretStr("")

    @property
    def gaps(self) -> tuple[str, ...]:
        """What the mode needs and is not there, a sentence each."""
        needed = {"off": (), "on": ("app_id", "tenant_id"), "anonymous": ("tenant_id",)}[self.mode]
        said = [f"teams.{name}: write {TEAMS_IDS[name]}" for name in needed if not getattr(self, name)]
        said += _lacking(self, teams_credentials.NEEDED[self.mode])
        if self.mode != "off" and find_spec("botbuilder") is None:
            said += [
                "the package botbuilder-core: install clarify-bot with its extra, pip install '.[teams]' in its folder"
            ]
        return tuple(f"teams.mode is {self.mode!r} and needs {what}" for what in said)
