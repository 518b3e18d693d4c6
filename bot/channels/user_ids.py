"""What names a user on each platform, where an admin finds it, and what is said of something else."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.channels.slack import address as slack
from bot.channels.teams import address as teams


@dataclass(frozen=True, slots=True)
class UserIds:
    """`name` of the platform; how its ids look, and where they stand."""

    name: str
    shape: re.Pattern[str]
    example: str
    where: str


USER_IDS: Mapping[str, UserIds] = {
    slack.PLATFORM: UserIds(
        "Slack", slack.USER_ID, "U012ABCDEF", "stands in their profile under More > Copy member ID"
    ),
    teams.PLATFORM: UserIds(
        "Teams",
        re.compile(teams.GUID.pattern, re.IGNORECASE),
        "01234567-89ab-4cde-8f01-23456789abcd",
        "stands at entra.microsoft.com under Users > All users, in the person's Overview as Object ID",
    ),
}


def user_id(platform: str, text: str) -> str:
    """The id as it is kept. Raises ValueError for what is no id there, and for a platform that there is not."""
    ids = USER_IDS.get(platform)
    if ids is None:
        raise ValueError(f"there is no platform {platform!r}: it is one of {', '.join(USER_IDS)}")
    if not ids.shape.fullmatch(text):
        raise ValueError(f"{text!r} is no {ids.name} user's id; it looks like {ids.example}, and {ids.where}")
    return text.lower() if platform == teams.PLATFORM else text
