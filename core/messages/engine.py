"""Cards that the bot writes itself, and cards that stand: put down once per subject, and rewritten in place.

A rewritten card is shown at once where that can be done, and otherwise stays due to be shown (`update_at`): what a tap
led to is never lost with one refused call.
"""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from core.clock import FOREVER
from core.errors import NotFound
from core.ids import nonce
from core.jsonhash import json_hash
from core.model.card_states import CardState
from core.model.grants import grant_from_json
from core.model.notices import Outgoing
from core.model.threads import Turn
from core.model.work import GREETING, NOTHING_OFFERED, PLACEHOLDER, Offer, Place, Rewritten, Tapped, stranger
from core.store import messages, sources, threads
from core.store.database import ANY_TENANT, Database, ReadTx, WriteTx
from core.store.tables import CardMessage

MakeCard = Callable[[str], dict[str, Any]]
"""From the card's nonce to the card."""

_ENDED = {CardState.SKIPPED, CardState.PARKED, CardState.REDACTED}


class MessagesEngine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def moment(self, tenant_id: str) -> int:
        """The tenant's newest tx: whatever is read for a card after this is given as `since` with it."""
        with self._database.read(tenant_id) as tx:
            return tx.last_tx

    def post(
        self,
        tenant_id: str,
        person_id: UUID,
        place: Place,
        subject: str,
        kind: str,
        card: MakeCard,
        offer: Offer = NOTHING_OFFERED,
        source_ids: Sequence[UUID] = (),
        since: int = FOREVER,
        turn: Turn | None = None,
    ) -> UUID:
        """Put a card that answers a person where they asked, once per subject, with the turn it ends; its id.

        Only a placeholder gives way to what it held the place for. Raises NotFound where something was erased `since`:
        a card may list what it is not from.
        """
        with self._database.write(tenant_id) as tx:
            tx.lock()
            message = messages.by_subject(tx, person_id, subject)
            if message is None:
                message = messages.new(tx, person_id, place, subject, kind)
            elif message.kind != PLACEHOLDER or kind == PLACEHOLDER:
                return message.message_id
            _refuse_outdated(tx, since)
            _say(tx, message, kind, card, offer, source_ids)
            if turn is not None:
                threads.record(tx, person_id, place, turn)
            return message.message_id

    def show(
        self,
        tenant_id: str,
        person_id: UUID,
        place: Place,
        kind: str,
        card: MakeCard,
        offer: Offer,
        since: int = FOREVER,
    ) -> UUID:
        """Put the one card of its kind that stands there always, anew each time; its id.

        Its old buttons are no longer active. Raises NotFound where something was erased `since`.
        """
        with self._database.write(tenant_id) as tx:
            tx.lock()
            _refuse_outdated(tx, since)
            subject = kind
            message = messages.by_subject(tx, person_id, subject)
            while message is not None and message.state in _ENDED:
                subject = f"{subject}:{json_hash(subject)[:8]}"
                message = messages.by_subject(tx, person_id, subject)
            if message is None:
                message = messages.new(tx, person_id, place, subject, kind)
            message.nonce = nonce()
            messages.move(message, place)
            _say(tx, message, kind, card, offer, ())
            return message.message_id

    def greet(self, tenant_id: str, place: Place, day: str, card: dict[str, Any]) -> UUID:
        """Put one card a day for a chat user whom nobody knows, in their own place; its id."""
        return self.post(tenant_id, stranger(place), place, f"greeting:{day}", GREETING, lambda _: card)

    def rewrite(
        self,
        tenant_id: str,
        message_id: UUID,
        change: Callable[[dict[str, Any], str], Rewritten],
        *,
        renew: bool = False,
        since: int = FOREVER,
    ) -> Outgoing | None:
        """Let `change` turn a sent card into what it is to be, given its nonce; None when it was never sent, or erased.

        `renew` gives it a new nonce, so that its old buttons are no longer active. Raises NotFound where something was
        erased `since`.
        """
        with self._database.write(tenant_id) as tx:
            tx.lock()
            _refuse_outdated(tx, since)
            message = messages.locked(tx, message_id)
            if message is None or not _has_stood(message) or not message.card:
                return None
            if renew:
                message.nonce = nonce()
            _put_on(tx, message, change(message.card, message.nonce))
            _changed(tx, message)
            return messages.outgoing(message)

    def tapped(self, value: str) -> Tapped | None:
        """The standing card that a tap came from, by its nonce."""
        with self._database.read(ANY_TENANT) as tx:
            message = messages.by_nonce(tx, value)
            if message is None or not message.card:
                return None
            body = messages.grant(ReadTx(tx.session, message.tenant_id), message.fingerprint)
        generation_id = grant_from_json(body).generation_id if body else ""
        return Tapped(message.tenant_id, message.message_id, message.person_id, message.fingerprint, generation_id)

    def state(self, tenant_id: str, message_id: UUID) -> CardState | None:
        """Where a card is on its way; None for one that there is not."""
        with self._database.read(tenant_id) as tx:
            message = messages.get(tx, message_id)
        return CardState(message.state) if message else None


def _refuse_outdated(tx: WriteTx, since: int) -> None:
    if sources.erased_since(tx, since):
        raise NotFound("a document was taken away while this was made; it is to be made anew")


def _has_stood(message: CardMessage) -> bool:
    """Whether a card stands, or does again soon: its copy was gone, and a new one is on its way."""
    return message.state == CardState.SENT or (message.sent_at > 0 and message.state not in _ENDED)


def _say(
    tx: WriteTx, message: CardMessage, kind: str, card: MakeCard, offer: Offer, source_ids: Sequence[UUID]
) -> None:
    message.kind, message.source_ids = kind, [str(source_id) for source_id in source_ids]
    messages.fill(tx, message, card(message.nonce), offer)
    if message.attempts:
        _changed(tx, message)


def _put_on(tx: WriteTx, message: CardMessage, rewritten: Rewritten) -> None:
    message.card = rewritten.card
    if rewritten.source_ids is not None:
        message.source_ids = [str(source_id) for source_id in rewritten.source_ids]
    if rewritten.offer is not None:
        messages.fill(tx, message, rewritten.card, rewritten.offer)


def _changed(tx: WriteTx, message: CardMessage) -> None:
    message.revision += 1
    message.update_at = tx.now
    tx.session.add(message)
