"""The app as Teams is told of it: the manifest, and what must hold of one.

Microsoft's own schema passes addresses without encryption, bots in every channel, and names that no list of apps shows
whole: the rules here are those it has not, and those that keep the bot in personal chats.
https://learn.microsoft.com/microsoft-365/extensibility/schema
"""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from bot.channels.manifests import DESCRIPTION, NAME, Json, at, parts, plain_addresses, texts
from bot.channels.teams.address import GUID
from bot.channels.teams.icons import ACCENT

SCHEMA = "1.22"
VERSION = "1.0.0"
"""Teams takes a changed manifest only under a higher one."""
COLOR_FILE, OUTLINE_FILE = "color.png", "outline.png"
MOST_COMMANDS = 10
COMMANDS: Mapping[str, str] = {
    "help": "What you can say",
    "watch": "Choose something to watch: watch travel expenses",
    "watching": "What you watch, and how to stop",
    "saved": "The answers you saved",
    "brief": "When your week's changes come",
    "why": "Why the last card came",
    "mute": "Pause every card: mute 1h, mute tomorrow, mute 1d, mute 1w",
    "unmute": "Let cards come again",
    "stop all": "End every watch",
    "preferences": "When you hear, and where",
}
"""What Teams offers while a person writes."""
LENGTHS: Mapping[tuple[str, ...], int] = {
    ("name", "short"): 30,
    ("name", "full"): 100,
    ("description", "short"): 80,
    ("description", "full"): 4000,
    ("developer", "name"): 32,
}
_LONGEST_COMMAND, _LONGEST_REMARK, _LONGEST_ADDRESS = 32, 128, 2048
_SEMVER = re.compile(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}", re.ASCII)
_HOST = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|[0-9a-f:.]*:[0-9a-f:.]*")
_PAGES = ("websiteUrl", "privacyUrl", "termsOfUseUrl")
_PERSONAL = ["personal"]
_PERMISSIONS = ["identity", "messageTeamMembers"]
_LONG_DESCRIPTION = (
    "Ask in a personal chat: the answer quotes your team's own documents, with the exact words and where they stand. "
    "Save an answer or watch a section, and a card tells you when the words beneath it change. "
    "Everything happens in personal chats: the bot reads no channel and no group chat, and writes to none."
)


def manifest(public_url: str, app_id: str, name: str = NAME) -> Json:
    """The manifest, in the order in which Microsoft shows it."""
    return {
        "$schema": f"https://developer.microsoft.com/json-schemas/teams/v{SCHEMA}/MicrosoftTeams.schema.json",
        "manifestVersion": SCHEMA,
        "version": VERSION,
        "id": app_id,
        "developer": {"name": NAME, **dict.fromkeys(_PAGES, public_url)},
        "name": {"short": name, "full": name},
        "description": {"short": DESCRIPTION, "full": _LONG_DESCRIPTION},
        "icons": {"outline": OUTLINE_FILE, "color": COLOR_FILE},
        "accentColor": ACCENT,
        "bots": [
            {
                "botId": app_id,
                "scopes": _PERSONAL,
                "isNotificationOnly": False,
                "supportsFiles": False,
                "supportsCalling": False,
                "supportsVideo": False,
                "commandLists": [
                    {
                        "scopes": _PERSONAL,
                        "commands": [{"title": title, "description": words} for title, words in COMMANDS.items()],
                    }
                ],
            }
        ],
        "permissions": _PERMISSIONS,
        "validDomains": [(urlsplit(public_url).hostname or "").rstrip(".")],
        "defaultInstallScope": "personal",
    }


def problems(found: object) -> list[str]:
    """What is wrong with a manifest, a sentence each, whatever it may hold."""
    return [words for rule in _RULES for words in rule(found)]


def _versions(found: object) -> Iterator[str]:
    schema, version = at(found, "manifestVersion"), at(found, "version")
    if schema != SCHEMA or f"/v{SCHEMA}/" not in str(at(found, "$schema")):
        yield f"manifestVersion must be {SCHEMA}, and $schema the address of that schema"
    if not isinstance(version, str) or not _SEMVER.fullmatch(version):
        yield "version must be three numbers, such as 1.0.0"


def _ids(found: object) -> Iterator[str]:
    bots = [at(bot, "botId") for bot in parts(found, "bots")]
    for place, text in [("id", at(found, "id")), *(("bots.botId", bot) for bot in bots)]:
        if not isinstance(text, str) or not GUID.fullmatch(text):
            yield f"{place} must be the app's Application (client) ID in small letters"


def _lengths(found: object) -> Iterator[str]:
    for path, longest in LENGTHS.items():
        text = at(found, *path)
        if not isinstance(text, str) or not text.strip() or len(text) > longest or not text.isprintable():
            yield f"{'.'.join(path)} must have 1 to {longest} characters, and none that is unseen"


def _addresses(found: object) -> Iterator[str]:
    for page in _PAGES:
        address = str(at(found, "developer", page))
        if not address.lower().startswith(("https://", "http://")) or len(address) > _LONGEST_ADDRESS:
            most = f"of at most {_LONGEST_ADDRESS} characters"
            yield f"developer.{page} must be an address that begins with https://, {most}"
    yield from plain_addresses(found, "Teams")


def _icons(found: object) -> Iterator[str]:
    for kind, file in (("color", COLOR_FILE), ("outline", OUTLINE_FILE)):
        if at(found, "icons", kind) != file:
            yield f"icons.{kind} must be {file}, which stands beside the manifest"


def _bot(found: object) -> Iterator[str]:
    bots = parts(found, "bots")
    if len(bots) != 1:
        yield "bots must hold this one bot"
    for bot in bots:
        if bot.get("scopes") != _PERSONAL:
            yield 'bots.scopes must be ["personal"]: the bot is in no channel and in no group chat'
        if bot.get("isNotificationOnly") is not False:
            yield "bots.isNotificationOnly must be false: else nobody could ask anything"


def _commands(found: object) -> Iterator[str]:
    for bot in parts(found, "bots"):
        for listed in parts(bot, "commandLists"):
            if listed.get("scopes") != _PERSONAL:
                yield 'bots.commandLists.scopes must be ["personal"]'
            yield from _listed(parts(listed, "commands"))


def _listed(commands: list[Json]) -> Iterator[str]:
    titles = [str(command.get("title")) for command in commands]
    if not 1 <= len(commands) <= MOST_COMMANDS:
        yield f"bots.commandLists.commands must be 1 to {MOST_COMMANDS}: Teams shows no more"
    if len(set(titles)) < len(titles):
        yield "a command stands twice in bots.commandLists"
    for title, command in zip(titles, commands, strict=True):
        if not 1 <= len(title) <= _LONGEST_COMMAND or not 1 <= len(str(command.get("description"))) <= _LONGEST_REMARK:
            limits = f"{_LONGEST_COMMAND} characters, and its description 1 to {_LONGEST_REMARK}"
            yield f"the command {title[:_LONGEST_COMMAND]!r} must have 1 to {limits}"


def _domains(found: object) -> Iterator[str]:
    for domain in texts(found, "validDomains"):
        if not _HOST.fullmatch(domain):
            yield f"validDomains must hold names of hosts alone, without https://, a path or *: {domain[:99]}"


def _beyond(found: object) -> Iterator[str]:
    """Tabs, connectors, rights of a team: what the bot has not, its manifest must not ask for."""
    known = manifest("https://bot.example.com", "")
    for part in sorted(map(str, found.keys() - known.keys()) if isinstance(found, dict) else ()):
        yield f"{part} is nothing that the bot has: take it out"
    for permission in texts(found, "permissions"):
        if permission not in _PERMISSIONS:
            yield f"the permission {permission} is none that the bot needs: take it out"
    if at(found, "defaultInstallScope") not in (None, "personal"):
        yield "defaultInstallScope must be personal"


_RULES = (_versions, _ids, _lengths, _addresses, _icons, _bot, _commands, _domains, _beyond)
