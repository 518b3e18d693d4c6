"""What Teams sends, read strictly: what is not exactly as it should be is None, and has no effect.

What is kept of it are ids of known shapes and cleaned words, so that no database chokes on them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any

from bot.channels.teams.address import GUID, PLATFORM, Address
from bot.ingress import Tap
from cards.actions import Button
from cards.teams_controls import Unchosen, read_tap
from cards.text import clean, is_blank
from core.model.grants import CardAction
from core.model.work import Place

Json = Mapping[str, Any]

_ID = re.compile(r"(?!\.{1,2}\Z)[!-{}~]{1,300}")
"""Of an activity, a conversation, or somebody in it: not `.` or `..`, which lead elsewhere in an address. A `|` is what
parts two of them in a message's own id."""
_TIME = re.compile(r"[0-9TZ:.+-]{1,40}")
_ZONE = re.compile(r"[A-Za-z0-9_+/-]{1,64}")
_LOCALE = re.compile(r"[A-Za-z0-9_-]{1,35}")
_TYPE = re.compile(r"[A-Za-z]{1,40}")
_MENTION = re.compile(r"<at\b[^<>]*+>((?:[^<]|<(?!at\b|/at>))*+)</at>")


@dataclass(frozen=True, slots=True)
class Heard:
    """Something that a user did, and where. `event_id` is the same for every repeat.

    `address`: by which they can be written to; None where others read along.
    """

    place: Place
    conversation: str
    event_id: str
    address: Address | None


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A message that a person deleted (`text` None) or changed: by which event."""

    event_id: str
    text: str | None


def kind(activity: Json) -> str:
    """Which type it is, for the log."""
    told = activity.get("type")
    return told if isinstance(told, str) and _TYPE.fullmatch(told) else "other"


def heard(activity: Json) -> Heard | None:
    """Who did something, and where."""
    conversation, bot = _mapped(activity.get("conversation")), _mapped(activity.get("recipient"))
    sender, tenant = _mapped(activity.get("from")), _mapped(_mapped(activity.get("channelData")).get("tenant"))
    workspace, user_id = _guid(tenant.get("id")), _guid(sender.get("aadObjectId"))
    ids = [_matched(_ID, one) for one in (conversation.get("id"), activity.get("id"), sender.get("id"), bot.get("id"))]
    service = activity.get("serviceUrl")
    if workspace is None or user_id is None or not isinstance(service, str):
        return None
    match ids:
        case str(chat), str(activity_id), str(user), str(itself):
            place, event_id = Place(PLATFORM, workspace, user_id), f"{chat}:{activity_id}"
            alone = conversation.get("conversationType") == "personal" and not conversation.get("isGroup")
            address = Address(service, chat, user, itself, _zone(activity), _matched(_LOCALE, activity.get("locale")))
            return Heard(place, chat, event_id, address if alone else None)
    return None


def words(activity: Json) -> str | None:
    """What is written; nothing beside what was shared without words; None for what neither says nor shares anything."""
    text, bot = activity.get("text"), _mapped(activity.get("recipient")).get("name")
    said = spoken(text, str(bot)) if isinstance(text, str) else ""
    if not is_blank(said):
        return said
    return "" if _listed(activity.get("attachments")) else None


def spoken(text: str, bot: str) -> str:
    """Plain words, out of what Teams made of them: people by their names, but for the bot's own, and no entities."""

    def named(mention: re.Match[str]) -> str:
        return "" if unescape(mention[1]).strip() == bot else mention[1]

    return clean(unescape(_MENTION.sub(named, text)).replace("\xa0", " ")).strip()


def withdrawn(activity: Json, message: Heard) -> Withdrawn | None:
    """What became of a message; None where it was only put back."""
    event = _mapped(activity.get("channelData")).get("eventType")
    if activity.get("type") == "messageDelete" or event == "softDeleteMessage":
        return Withdrawn(f"{message.event_id}:deleted", None)
    if event != "editMessage":
        return None
    when = _matched(_TIME, activity.get("timestamp")) or "once"
    return Withdrawn(f"{message.event_id}:{when}", words(activity) or "")


def comes(activity: Json) -> bool | None:
    """Whether the bot was installed (True) or removed (False) for somebody; None where it is about others."""
    if activity.get("type") == "installationUpdate":  # others are told of a new version of the app
        return {"add": True, "remove": False}.get(str(activity.get("action")))
    bot = _mapped(activity.get("recipient")).get("id")
    added, removed = (
        any(_mapped(one).get("id") == bot for one in told if bot is not None)
        for told in (_listed(activity.get("membersAdded")), _listed(activity.get("membersRemoved")))
    )
    return added if added or removed else None


def tap(activity: Json, place: Heard) -> Tap | Unchosen | None:
    """What was tapped on which card; None for what no card of this bot offers."""
    told = _mapped(activity.get("value"))
    action = _mapped(told.get("action"))
    verb, data = action.get("verb"), action.get("data")
    if told.get("trigger", "manual") != "manual" or not isinstance(verb, str) or not isinstance(data, dict):
        return None  # what a client does by itself is nobody's tap
    pressed = read_tap(verb, data)
    if not isinstance(pressed, Button):
        return pressed
    message = _matched(_ID, activity.get("replyToId"))
    ref = place.address.message_ref(message) if message and place.address else None
    return Tap(pressed.nonce, CardAction(pressed.kind, pressed.target, pressed.arg), ref)


def _zone(activity: Json) -> str | None:
    """The time zone that a user's own device says it is in."""
    entities = _listed(activity.get("entities"))
    told = [_mapped(one).get("timezone") for one in entities if _mapped(one).get("type") == "clientInfo"]
    return next(filter(None, (_matched(_ZONE, one) for one in (activity.get("localTimezone"), *told))), None)


def _mapped(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _matched(shape: re.Pattern[str], value: object) -> str | None:
    return value if isinstance(value, str) and shape.fullmatch(value) else None


def _guid(value: object) -> str | None:
    """An id of Entra's, in small letters however it was written."""
    return _matched(GUID, value.lower()) if isinstance(value, str) else None
