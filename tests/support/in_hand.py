"""Cards in hand, as a channel is given them, and what lets them go at once."""

from typing import Any
from uuid import UUID

from cards.codec import to_json
from cards.gallery import gallery
from cards.model import Card
from core.clock import MINUTE
from core.ids import derived
from core.model.notices import Outgoing
from core.model.work import Place
from tests.support.memories import NOW

CARDS = dict(gallery())
CARD = next(iter(CARDS.values()))


def card_in_hand(name: str, card: Card, place: Place, **more: Any) -> Outgoing:
    """Its delivery key comes from `name`."""
    given: dict[str, Any] = {
        "tenant_id": "default",
        "message_id": derived("message", "default", name),
        "person_id": UUID(int=1),
        "kind": "notify",
        "place": place,
        "message_ref": None,
        "nonce": "n",
        "card": to_json(card),
        "fence": 1,
        "revision": 0,
        "lease_until": NOW + MINUTE,
        "created_at": NOW,
    }
    return Outgoing(**(given | more))


async def always(_: Outgoing) -> bool:
    return True


async def at_once(_: float) -> None:
    pass
