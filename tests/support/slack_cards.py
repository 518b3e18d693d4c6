"""Cards on their way to somebody in Slack, and a channel that carries them without waiting."""

from typing import Any

from bot.channels.slack.channel import SlackChannel
from bot.channels.slack.pace import slack_pace
from bot.channels.slack.web import SlackWeb
from cards.model import Card
from core.model.notices import Outgoing
from core.model.work import Place
from tests.support.in_hand import CARD, CARDS, always, at_once, card_in_hand

__all__ = ["CARD", "CARDS"]

TEAM, ADA = "T1", "U1"


def outgoing(
    name: str = "first", card: Card = CARD, *, user_id: str = ADA, thread: str | None = None, **more: Any
) -> Outgoing:
    """A card in hand; its delivery key comes from `name`."""
    return card_in_hand(name, card, **{"place": Place("slack", TEAM, user_id, thread)} | more)


def channel_over(web: SlackWeb, workspace: str | None = TEAM) -> SlackChannel:
    """A channel for which it is always its turn, and every card may go, by the token of a workspace."""
    return SlackChannel(web, slack_pace(monotonic=lambda: 0.0, sleep=at_once), always, lambda: workspace)
