"""The app as Slack is told of it: the manifest, and what must hold of one.

Slack's own schema passes manifests with which no card would ever arrive, so the rules here are those it has not, and
those that keep the bot out of channels.
"""

from collections.abc import Iterator, Mapping

from bot.channels.manifests import DESCRIPTION, NAME, Json, at, parts, plain_addresses, texts
from bot.channels.slack.address import events_url

LONGEST_NAME = 35
COMMAND = "/memory"
SCOPES: Mapping[str, str] = {
    "chat:write": "send cards, and change them in place once something came of them",
    "commands": f"answer {COMMAND}",
    "im:history": "hear what people write to the bot, and find a card again when Slack gave no answer to sending it",
    "im:write": "open the direct message with a person",
    "users:read": "learn a person's name, time zone and language, and that they left",
    "users:read.email": "know who a person is by their e-mail address, where the workspace is trusted",
}
"""Everything that the bot asks for, and what for."""
EVENTS: Mapping[str, str | None] = {
    "app_home_opened": None,
    "app_uninstalled": None,
    "message.im": "im:history",
    "tokens_revoked": None,
    "user_change": "users:read",
}
"""Everything that the bot hears of, and the scope without which Slack tells nothing of it."""

_OF_CHANNELS = ("channels:", "groups:", "files:", "mpim:")
_LONG_DESCRIPTION = (
    "Ask in a direct message: the answer quotes your team's own documents, with the exact words and where they stand. "
    "Save an answer or watch a section, and a card tells you when the words beneath it change. "
    "Everything happens in direct messages: the bot reads no channel and writes to none."
)
_USAGE = "help, watch travel expenses, watching, or a question"


def manifest(public_url: str | None, name: str = NAME) -> Json:
    """The manifest, in the order in which Slack shows it. Without `public_url` it is for Socket Mode."""
    url = {} if public_url is None else {"url": events_url(public_url)}
    request_url = {} if public_url is None else {"request_url": events_url(public_url)}
    return {
        "display_information": {
            "name": name,
            "description": DESCRIPTION,
            "background_color": "#1f3a5f",
            "long_description": _LONG_DESCRIPTION,
        },
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": name, "always_online": True},
            "slash_commands": [
                {
                    "command": COMMAND,
                    **url,
                    "description": "Ask your team's memory",
                    "usage_hint": _USAGE,
                    "should_escape": False,
                }
            ],
        },
        "oauth_config": {"scopes": {"bot": list(SCOPES)}},
        "settings": {
            "event_subscriptions": {**request_url, "bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True, **request_url},
            "org_deploy_enabled": False,
            "socket_mode_enabled": public_url is None,
            "token_rotation_enabled": False,
        },
    }


def problems(found: object) -> list[str]:
    """What is wrong with a manifest, a sentence each, whatever it may hold."""
    return [words for rule in _RULES for words in rule(found)]


def _name(found: object) -> Iterator[str]:
    name = at(found, "display_information", "name")
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
        yield f"the app's name must have 1 to {LONGEST_NAME} characters"


def _scopes(found: object) -> Iterator[str]:
    asked = {*texts(found, "oauth_config", "scopes", "bot"), *texts(found, "oauth_config", "scopes", "bot_optional")}
    for scope, what_for in SCOPES.items():
        if scope not in asked:
            yield f"the bot scope {scope} is missing: without it the bot cannot {what_for}"
    for scope in sorted(asked - set(SCOPES)):
        if scope.startswith(_OF_CHANNELS):
            yield f"the bot scope {scope} reaches beyond direct messages: take it out"
        else:
            yield f"the bot scope {scope} is none that the bot needs: take it out"
    if asked and not isinstance(at(found, "features", "bot_user", "display_name"), str):
        yield "there are bot scopes and no features.bot_user with a display_name: Slack makes no bot without it"


def _user_scopes(found: object) -> Iterator[str]:
    for key in ("user", "user_optional"):
        for scope in texts(found, "oauth_config", "scopes", key):
            yield f"the user scope {scope} would let the bot act as a person: take it out"
    for event in texts(found, "settings", "event_subscriptions", "user_events"):
        yield f"the user event {event} would let the bot read along with a person: take it out"


def _events(found: object) -> Iterator[str]:
    asked = set(texts(found, "oauth_config", "scopes", "bot"))
    heard = texts(found, "settings", "event_subscriptions", "bot_events")
    for event, scope in EVENTS.items():
        if event not in heard:
            yield f"the bot event {event} is missing"
        elif scope is not None and scope not in asked:
            yield f"the bot event {event} needs the scope {scope}: Slack would never send it"
    for event in heard:
        if event not in EVENTS:
            yield f"the bot event {event} is none that the bot hears: take it out"


def _tabs(found: object) -> Iterator[str]:
    home = at(found, "features", "app_home")
    if at(home, "home_tab_enabled") is not True:
        yield "the Home tab is off: people find their watches and settings there"
    if at(home, "messages_tab_enabled") is not True:
        yield "the Messages tab is off: every card would be refused with messages_tab_disabled"
    if at(home, "messages_tab_read_only_enabled") is not False:
        yield "the Messages tab is read-only: nobody could ask anything"


def _command(found: object) -> Iterator[str]:
    command = next((one for one in parts(found, "features", "slash_commands") if one.get("command") == COMMAND), None)
    if command is None:
        yield f"the slash command {COMMAND} is missing"
    elif command.get("should_escape") is not False:
        yield f"{COMMAND} escapes what people type (should_escape): names in a question would reach the bot as ids"


def _interactivity(found: object) -> Iterator[str]:
    if at(found, "settings", "interactivity", "is_enabled") is not True:
        yield "interactivity is off: no button of a card would work"


def _addresses(found: object) -> Iterator[str]:
    settings = at(found, "settings")
    if at(settings, "socket_mode_enabled") is not True:
        for key in ("event_subscriptions", "interactivity"):
            if not at(settings, key, "request_url"):
                yield f"settings.{key} has no request_url, and Socket Mode is off"
        for command in parts(found, "features", "slash_commands"):
            if not command.get("url"):
                yield f"the slash command {command.get('command')} has no url, and Socket Mode is off"
    yield from plain_addresses(found, "Slack")


def _switches(found: object) -> Iterator[str]:
    settings = at(found, "settings")
    if at(settings, "token_rotation_enabled"):
        yield "token rotation is on: the bot token would end after 12 hours"
    if at(settings, "org_deploy_enabled"):
        yield "org-wide deployment is on: the bot serves one workspace"


_RULES = (_name, _scopes, _user_scopes, _events, _tabs, _command, _interactivity, _addresses, _switches)
