"""Where Slack reaches the bot, one address for events, taps and commands alike; and what names it and its users."""

import re

from bot.channels import public_address as outside

PLATFORM = "slack"
EVENTS_PATH = "/slack/events"
USER_ID = re.compile(r"[UW][A-Z0-9]{2,}")


def public_address(text: str) -> str:
    """The address without a slash at its end. Raises ValueError, saying what is off without showing the address."""
    return outside.public_address(text, "Slack", EVENTS_PATH)


def events_url(public_url: str) -> str:
    return public_url + EVENTS_PATH
