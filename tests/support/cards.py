"""Cards with buttons, and the taps on them."""

from collections.abc import Sequence
from typing import Any

from core.access.card_tokens import CardWrite
from core.memory import Memory
from core.model.grants import PermittedAction
from core.model.principals import Principal
from core.model.work import Offer
from core.store.tables import CardMessage
from tests.support.memories import place_of


def card_with(memory: Memory, principal: Principal, actions: Sequence[PermittedAction], subject: str = "card") -> Any:
    """A card in the ledger that offers these actions to a person."""
    offer = Offer(tuple(actions), "g-1")
    tenant, person = principal.tenant_id, principal.person_id
    message_id = memory.messages.post(
        tenant, person, place_of(person), subject, "answer", lambda nonce: {"nonce": nonce}, offer
    )
    with memory._database.read(tenant) as tx:
        return tx.session.get_one(CardMessage, (tenant, message_id))


def tap(card: Any, kind: str, target: str, arg: str | None = None) -> CardWrite:
    """What the bot would ask for when its recipient taps a button of a card."""
    return CardWrite(
        tenant=card.tenant_id,
        person_id=card.person_id,
        action_kind=kind,
        target_id=target,
        scope_fingerprint=card.fingerprint,
        generation_id="g-1",
        arg=arg,
    )
