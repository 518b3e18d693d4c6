"""What Slack's answers say, read without trusting their shape."""

from collections.abc import Mapping
from typing import Any

from bot.channels.base import Profile

EVENT_TYPE = "clarify_delivery"
"""Marks, in a message's metadata, what this bot wrote; beside it stands the delivery key."""


def direct(conversation: object) -> str | None:
    """The id of a conversation, when that is a direct message: nothing is ever written anywhere else."""
    return conversation if isinstance(conversation, str) and conversation.startswith("D") else None


def marked(key: str) -> dict[str, Any]:
    """The metadata by which a message is found again. Members of a workspace can read it: no secret belongs here."""
    return {"event_type": EVENT_TYPE, "event_payload": {"key": key}}


def stamp_of(page: Mapping[str, Any], key: str) -> str | None:
    """The `ts` of the message with that delivery key, when it is on this page of a history."""
    wanted = marked(key)
    for message in page.get("messages") or ():
        told = message.get("metadata") or {}
        if {name: told.get(name) for name in wanted} == wanted:
            return str(message["ts"])
    return None


def cursor_of(page: Mapping[str, Any]) -> str | None:
    """Where the next page begins; None: this was the last."""
    return (page.get("response_metadata") or {}).get("next_cursor") or None


def scopes_of(headers: Mapping[str, str]) -> list[str] | None:
    """What the token may do, in order; None where Slack did not say."""
    told = next((value for name, value in headers.items() if name.lower() == "x-oauth-scopes"), None)
    return None if told is None else sorted({scope.strip() for scope in told.split(",")} - {""})


def profile_of(user_id: str, user: Mapping[str, Any], workspace: str) -> Profile:
    """Somebody's profile; the address only of a full member of this workspace who has confirmed it."""
    shown: Mapping[str, Any] = user.get("profile") or {}
    names = (shown.get("display_name"), shown.get("real_name"), user.get("real_name"), user.get("name"))
    return Profile(
        display_name=next((name.strip() for name in names if name and name.strip()), user_id),
        email=shown.get("email") or None if _is_ours(user, workspace) else None,
        zone=user.get("tz") or None,
        locale=user.get("locale") or None,
        active=not user.get("deleted"),
    )


def _is_ours(user: Mapping[str, Any], workspace: str) -> bool:
    odd = ("is_bot", "is_workflow_bot", "is_stranger", "is_restricted", "is_ultra_restricted")
    if any(user.get(mark) for mark in odd) or user.get("is_email_confirmed") is False:
        return False
    teams = (user.get("enterprise_user") or {}).get("teams") or ()
    return user.get("team_id", workspace) == workspace or workspace in teams
