"""What keeps a card from being written to a platform at all, alike for every one of them."""

from collections.abc import Awaitable, Callable
from typing import Any

from bot.channels.base import NotSent
from cards.codec import from_json
from cards.model import Card
from core.model.notices import Outgoing
from core.model.work import Extent

MayGo = Callable[[Outgoing], Awaitable[bool]]
"""Asked of a card whose turn has come."""


class NotWritten(Exception):
    """The platform was not asked to take a message."""

    def __init__(self, outcome: NotSent) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


def drawn(card: Outgoing, draw: Callable[[Card], dict[str, Any]]) -> dict[str, Any]:
    """A card as a platform takes it. Raises NotWritten for what is no card."""
    try:
        return draw(from_json(card.card))
    except ValueError as error:
        raise NotWritten(NotSent(f"the card cannot be drawn: {error}", lasting=Extent.CARD)) from error
