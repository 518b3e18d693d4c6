"""What Teams tells of a member of a conversation, read without trusting its shape.

The address is the userPrincipalName, which the organisation gives, and never `email`, which its user may have chosen.
A guest's holds #EXT#, and says nothing of who that is at home.
https://learn.microsoft.com/microsoftteams/platform/bots/how-to/get-teams-context
"""

import re
from collections.abc import Mapping
from typing import Any

from bot.channels.base import Profile
from cards.text import is_blank, one_line

_ADDRESS = re.compile(r"[^\s@]{1,64}@[^\s@]{1,255}")


def profile_of(member: Mapping[str, Any], workspace: str, user_id: str) -> Profile:
    """Somebody's profile, without what cannot be read; Teams tells nothing of where they live."""
    name = member.get("name")
    shown = one_line(name) if isinstance(name, str) and not is_blank(name) else user_id
    return Profile(shown, _address(member, workspace, user_id), zone=None, locale=None, active=True)


def _address(member: Mapping[str, Any], workspace: str, user_id: str) -> str | None:
    told = member.get("userPrincipalName")
    ours = _same(member.get("tenantId"), workspace) and _same(member.get("aadObjectId"), user_id)
    if not ours or member.get("userRole") not in {None, "user"} or not isinstance(told, str):
        return None
    return told if _ADDRESS.fullmatch(told) and told.isprintable() and "#" not in told else None


def _same(told: object, known: str) -> bool:
    return isinstance(told, str) and told.lower() == known
