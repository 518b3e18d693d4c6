"""A tap as the durable inbox keeps it: what was tapped, and the card as it was then.

By the time it is worked on the card's buttons may be others: of two taps in a row, the first may have renewed them.
"""

from typing import Any
from uuid import UUID

from core.model.grants import CardAction
from core.model.work import Inbound, Tapped


def to_body(card: Tapped, action: CardAction) -> dict[str, Any]:
    return {
        "kind": action.kind,
        "target": action.target,
        "arg": action.arg,
        "message_id": str(card.message_id),
        "person_id": str(card.person_id),
        "fingerprint": card.fingerprint,
        "generation_id": card.generation_id,
    }


def action_of(event: Inbound) -> CardAction:
    return CardAction(event.body["kind"], event.body["target"], event.body["arg"])


def card_of(event: Inbound) -> Tapped:
    body = event.body
    message_id, person_id = UUID(body["message_id"]), UUID(body["person_id"])
    return Tapped(event.tenant_id, message_id, person_id, body["fingerprint"], body["generation_id"])
