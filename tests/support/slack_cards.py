"""Cards on their way to somebody in Slack, and a channel that carries them without waiting."""

from typing import Any
from uuid import UUID

from bot.channels.slack.channel import SlackChannel
from bot.channels.slack.pace import slack_pace
from bot.channels.slack.web import SlackWeb
from cards.codec import to_json
from cards.gallery import gallery
from cards.model import Card
from core.clock import MINUTE
from core.ids import derived
from core.model.notices import Outgoing
from core.model.work import Place
from tests.support.memories import NOW

TEAM, ADA = "T1", "U1"
CARDS = dict(gallery())
CARD = next(iter(CARDS.values()))


def outgoing(
    name: str = "first", card: Card = CARD, *, user_id: str = ADA, thread: str | None = None, **more: Any
) -> Outgoing:
    """A card in hand; its delivery key comes from `name`."""
    given: dict[str, Any] = {
        "tenant_id": "default",
        "message_id": derived("message", "default", name),
        "person_id": UUID(int=1),
        "kind": "notify",
        "place": Place("slack", TEAM, user_id, thread),
        "message_ref": None,
        "nonce": "n",
        "card": to_json(card),
        "fence": 1,
        "revision": 0,
        "lease_until": NOW + MINUTE,
        "created_at": NOW,
    }
    return Outgoing(**(given | more))


def channel_over(web: SlackWeb, workspace: str | None = TEAM) -> SlackChannel:
    """A channel for which it is always its turn, and every card may go, by the token of a workspace."""
    return SlackChannel(web, slack_pace(monotonic=lambda: 0.0, sleep=_at_once), _always, lambda: workspace)


async def _always(_: Outgoing) -> bool:
    return True


async def _at_once(_: float) -> None:
    pass
