"""What Slack's answers say, read without trusting their shape."""

import re
from collections.abc import Mapping
from typing import Any

from bot.channels.base import Profile
from cards.text import is_blank, one_line

EVENT_TYPE = "clarify_delivery"
"""Marks, in a message's metadata, what this bot wrote; beside it stands the delivery key."""

_ZONE = re.compile(r"[A-Za-z0-9_+/-]{1,64}")
_LOCALE = re.compile(r"[A-Za-z0-9_.@-]{1,35}")
_ADDRESS = re.compile(r"[^\s@]{1,64}@[^\s@]{1,255}")


def mapped(value: object) -> dict[str, Any]:
    """An object of JSON; empty for anything else."""
    return value if isinstance(value, dict) else {}


def matched(shape: re.Pattern[str], value: object) -> str | None:
    """Text of that shape; None for anything else."""
    return value if isinstance(value, str) and shape.fullmatch(value) else None


def direct(conversation: object) -> str | None:
    """The id of a conversation, when that is a direct message: nothing is ever written anywhere else."""
    return conversation if isinstance(conversation, str) and conversation.startswith("D") else None


def marked(key: str) -> dict[str, Any]:
    """The metadata by which a message is found again. Members of a workspace can read it: no secret belongs here."""
    return {"event_type": EVENT_TYPE, "event_payload": {"key": key}}


def listed(page: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The messages on a page of a history; None where that is no list of messages."""
    messages = page.get("messages")
    readable = isinstance(messages, list) and all(isinstance(mapped(one).get("ts"), str) for one in messages)
    return messages if readable else None


def stamp_of(messages: list[dict[str, Any]], key: str) -> str | None:
    """The `ts` of the message with that delivery key, when it is among these."""
    wanted = marked(key)
    for message in messages:
        told = mapped(message.get("metadata"))
        if {name: told.get(name) for name in wanted} == wanted:
            return str(message["ts"])
    return None


def cursor_of(page: Mapping[str, Any]) -> str | None:
    """Where the next page begins; None: this was the last."""
    cursor = mapped(page.get("response_metadata")).get("next_cursor")
    return cursor if isinstance(cursor, str) and cursor else None


def scopes_of(headers: Mapping[str, str]) -> list[str] | None:
    """What the token may do, in order; None where Slack did not say."""
    told = next((value for name, value in headers.items() if name.lower() == "x-oauth-scopes"), None)
    return None if told is None else sorted({scope.strip() for scope in told.split(",")} - {""})


def profile_of(user_id: str, user: Mapping[str, Any], workspace: str) -> Profile:
    """Somebody's profile, without what cannot be read; the address only of a full member who has confirmed it."""
    shown = mapped(user.get("profile"))
    names = (shown.get("display_name"), shown.get("real_name"), user.get("real_name"), user.get("name"))
    return Profile(
        display_name=next((one_line(name) for name in names if isinstance(name, str) and not is_blank(name)), user_id),
        email=_address(shown.get("email")) if _is_ours(user, workspace) else None,
        zone=matched(_ZONE, user.get("tz")),
        locale=matched(_LOCALE, user.get("locale")),
        active=user.get("deleted") in (None, False),
    )


def _address(value: object) -> str | None:
    address = matched(_ADDRESS, value)
    return address if address and address.isprintable() else None


def _is_ours(user: Mapping[str, Any], workspace: str) -> bool:
    odd = ("is_bot", "is_workflow_bot", "is_stranger", "is_restricted", "is_ultra_restricted")
    if any(user.get(mark) for mark in odd) or user.get("is_email_confirmed") is not True:
        return False
    teams = mapped(user.get("enterprise_user")).get("teams")
    return user.get("team_id", workspace) == workspace or (isinstance(teams, list) and workspace in teams)
