"""What Slack sends, read strictly: what is not exactly as it should be is None, and has no effect.

What is kept of it are ids of known shapes and cleaned words, so that no database chokes on them.
"""

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from bot.channels.slack.manifest import EVENTS
from bot.channels.slack.reading import direct, mapped, matched
from bot.channels.slack.spoken import spoken
from bot.ingress import Tap
from cards.actions import Button
from cards.text import is_blank
from core.model.grants import CardAction

Json = dict[str, Any]

_ID = re.compile(r"[A-Z0-9]{1,32}")
_TS = re.compile(r"[0-9]{1,16}\.[0-9]{1,9}")
_KEY = re.compile(r"[A-Za-z0-9._:-]{1,200}")
_SAID_PLAINLY = (None, "thread_broadcast", "file_share", "me_message")
"""Words that somebody wrote: also those beside a file, and after /me."""
_TOMBSTONE = "tombstone"
_KINDS = frozenset(event.partition(".")[0] for event in EVENTS)
_SHARED = ("files", "attachments")
_CARRIED = {"kind", "target", "nonce", "arg"}
_NO_COMMAND = "help"


@dataclass(frozen=True, slots=True)
class Heard:
    """Something that a user said or looked at, and where. `event_id` is the same for every repeat.

    A message is known by its place and time: Slack may tell of one in several events.
    """

    user_id: str
    conversation: str
    event_id: str
    text: str = ""
    thread: str | None = None


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A message that a person deleted (`text` None) or changed: who, by which event, and the message's own id."""

    heard: Heard
    message: str
    text: str | None


def parsed(body: bytes, content_type: str) -> Json | None:
    """The payload of a request's body: JSON, a form with JSON in its `payload`, or a form."""
    try:
        text = body.decode()
        if content_type == "application/json":
            return _object(text)
        form = dict(parse_qsl(text, keep_blank_values=True, strict_parsing=True, errors="strict", max_num_fields=100))
        return _object(form["payload"]) if "payload" in form else form or None
    except (ValueError, RecursionError):
        return None


def kind(body: Json) -> str:
    """Which event it is, for the log: nothing that somebody else made up."""
    told = mapped(body.get("event")).get("type")
    return told if isinstance(told, str) and told in _KINDS else "other"


def is_event(body: Json) -> bool:
    """Whether it is something that Slack repeats until it is acknowledged, and nobody waits for."""
    return body.get("type") == "event_callback"


def workspace(told: object) -> str | None:
    """The id of a workspace."""
    return _id(told)


def is_for_others(body: Json) -> bool:
    """Whether a message plainly is none of a person's to the bot: a bot's, an edit, or said elsewhere."""
    event = mapped(body.get("event"))
    place, subtype = event.get("channel_type"), event.get("subtype")
    elsewhere = isinstance(place, str) and place != "im"
    return elsewhere or "bot_id" in event or (isinstance(subtype, str) and subtype not in _SAID_PLAINLY)


def message(body: Json) -> Heard | None:
    """What a person wrote to the bot, which is no words at all where they only shared something."""
    event = mapped(body.get("event"))
    theirs = event.get("channel_type") == "im" and event.get("subtype") in _SAID_PLAINLY and "bot_id" not in event
    conversation, ts, words = direct(_id(event.get("channel"))), matched(_TS, event.get("ts")), _words(event)
    thread = matched(_TS, event.get("thread_ts") or ts)
    if not theirs or conversation is None or ts is None or thread is None or words is None:
        return None
    return _heard(event.get("user"), conversation, f"{conversation}:{ts}", words, thread)


def withdrawn(body: Json) -> Withdrawn | None:
    """What became of a message of a person's to the bot; None where it says what it said, or is none.

    One that has replies is replaced by a tombstone where it is deleted. When a link in it is unfurled it is told as
    changed too, and when the bot brings a card of its own up to date.
    """
    event = mapped(body.get("event"))
    before, after = mapped(event.get("previous_message")), mapped(event.get("message"))
    subtype, is_gone = event.get("subtype"), after.get("subtype") == _TOMBSTONE
    if event.get("channel_type") != "im" or "bot_id" in before or "bot_id" in after:
        return None
    if subtype == "message_deleted" or (subtype == "message_changed" and is_gone):
        return _withdrawn(body, before, None)
    if subtype != "message_changed" or before.get("text") == after.get("text"):
        return None
    text = after.get("text") or ""
    words = spoken(text) if isinstance(text, str) else ""
    return _withdrawn(body, after, "" if is_blank(words) else words)


def _withdrawn(body: Json, told: Json, text: str | None) -> Withdrawn | None:
    conversation, ts = direct(_id(mapped(body.get("event")).get("channel"))), matched(_TS, told.get("ts"))
    thread = matched(_TS, told.get("thread_ts") or ts)
    if conversation is None or ts is None or thread is None or told.get("subtype") not in _SAID_PLAINLY:
        return None
    heard = _heard(told.get("user"), conversation, body.get("event_id"), thread=thread)
    return Withdrawn(heard, f"{conversation}:{ts}", text) if heard else None


def _words(event: Json) -> str | None:
    """What is written; nothing beside what was shared without words; None for what neither says nor shares anything."""
    text = event.get("text") or ""
    words = spoken(text) if isinstance(text, str) else ""
    if not is_blank(words):
        return words
    return "" if any(event.get(shared) for shared in _SHARED) else None


def opened_home(body: Json) -> Heard | None:
    """Who opened the app's page, on whichever of its tabs."""
    event = mapped(body.get("event"))
    return _heard(event.get("user"), event.get("channel"), body.get("event_id"))


def shows_home(body: Json) -> bool:
    """Whether that is the tab where the page itself is."""
    return mapped(body.get("event")).get("tab") == "home"


def command(body: Json) -> Heard | None:
    """What was typed after the slash command, anywhere; nothing at all asks for help."""
    text = body.get("text")
    words = spoken(text) if isinstance(text, str) else ""
    words = _NO_COMMAND if is_blank(words) else words
    return _heard(body.get("user_id"), body.get("channel_id"), body.get("trigger_id"), words)


def changed_user(body: Json) -> tuple[str, Json] | None:
    """The id of a user of whom there is something new, and everything Slack says of them.

    None also where it cannot be read whether they left: on that depends whether they are written to.
    """
    user = mapped(mapped(body.get("event")).get("user"))
    user_id, left = _id(user.get("id")), user.get("deleted")
    return (user_id, user) if user_id and (left is None or isinstance(left, bool)) else None


def revokes_bots(body: Json) -> bool | None:
    """Whether it is the bot's token that was revoked, and not only somebody's own; None: that cannot be read."""
    bots = mapped(mapped(body.get("event")).get("tokens")).get("bot", [])
    return bool(bots) if isinstance(bots, list) else None


def tapping(body: Json) -> Heard | None:
    """Who tapped something."""
    container = mapped(body.get("container"))
    conversation = container.get("channel_id") or container.get("view_id")
    return _heard(mapped(body.get("user")).get("id"), conversation, body.get("trigger_id"))


def at_home(body: Json) -> bool:
    """Whether what was tapped stands in the app's own page and not in a message."""
    return mapped(body.get("container")).get("type") == "view" and mapped(body.get("view")).get("type") == "home"


def taps(body: Json) -> list[Tap | None]:
    """Everything that was tapped but links, which open by themselves; None for what no card of this bot offers."""
    ref = _message_ref(body)
    is_card = ref is not None or at_home(body)
    actions = body.get("actions")
    used = [mapped(action) for action in actions] if isinstance(actions, list) else []
    return [_tap(action, ref) if is_card else None for action in used if _kind(action) != "open_link"]


def _message_ref(body: Json) -> str | None:
    container = mapped(body.get("container"))
    conversation = direct(_id(container.get("channel_id")))
    ts = matched(_TS, container.get("message_ts"))
    is_message = container.get("type") == "message" and conversation is not None and ts is not None
    return f"{conversation}/{ts}" if is_message else None


def _tap(action: Json, message_ref: str | None) -> Tap | None:
    """The value is read as the card made it: a button that could not be made was never there to be tapped."""
    try:
        carried = _object((mapped(action.get("selected_option")) or action)["value"])
        if carried is None or not carried.keys() <= _CARRIED:
            return None
        button = Button(label="", **carried)
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
    if button.kind != _kind(action):
        return None
    pressed = CardAction(button.kind, button.target, button.arg)
    return Tap(button.nonce, pressed, message_ref, at_home=message_ref is None)


def _kind(action: Json) -> str:
    return str(action.get("action_id")).partition(":")[0]


def _heard(user_id: Any, conversation: Any, event_id: Any, text: str = "", thread: str | None = None) -> Heard | None:
    user, place, key = _id(user_id), _id(conversation), matched(_KEY, event_id)
    return Heard(user, place, key, text, thread) if user and place and key else None


def _object(text: str) -> Json | None:
    found = json.loads(text)
    return found if isinstance(found, dict) else None


def _id(value: Any) -> str | None:
    return matched(_ID, value)
