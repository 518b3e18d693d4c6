"""From fires to cards in hand, and what became of each; the bot only carries them.

A fire's job puts one delivery per recipient (`spread`). All that wait for a person are gathered into one card message,
so that three watches on one change share a card and two workers cannot send two (`gather`). `take` looks again, now,
at what the recipient may see, writes the message down as sending under a new fence, and hands it out; it is sent once.
The outcome is recorded only under that fence. A message in flight past its lease is in doubt: it is sent again only
when the platform says that it is not there.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from core.clock import HOUR, MINUTE, SECOND
from core.delivery.grouping import ANSWERS, CHANGES, offered
from core.errors import NotFound
from core.ids import derived, jitter, nonce
from core.jobs.backoff import wait
from core.jsonhash import json_hash
from core.model.card_states import CardEvent, CardState, step
from core.model.grants import Grant, fingerprint, grant_from_json, grant_to_json
from core.model.notices import Notice, Outgoing
from core.model.ports import Notices
from core.model.work import NOTHING_OFFERED, Leased, Offer, Rewritten, Tapped
from core.store import jobs, messages, people, sources, watches
from core.store.database import ANY_TENANT, Database, ReadTx, WriteTx
from core.store.tables import CardMessage, ChatIdentity, NotifyDelivery, Person

Present = Callable[[Notice, str], dict[str, Any]]
"""(what to say, the card's nonce) → the card as stored. Pure: it runs inside the transaction."""

_TO_SEND = {CardState.PENDING, CardState.FAILED}
_ACCEPTED: Mapping[str, CardEvent] = {CardState.SENDING: CardEvent.ACCEPT, CardState.UNKNOWN: CardEvent.FIND}
LOOK_AFTER = MINUTE
"""How long past its lease a card in doubt waits before anyone looks: the platform's own history lags."""
DOUBT_ENDS = HOUR
"""How long a history that cannot be read is asked again. Then the card is given up, and the next one carries it."""


class DeliveryEngine:
    def __init__(self, database: Database, notices: Notices, *, lease_secs: int) -> None:
        self._database = database
        self._notices = notices
        self._lease = lease_secs * SECOND

    # ── from a fire to deliveries ──

    def spread(self, leased: Leased) -> None:
        """Resolve whom a fire is for, now; write one delivery each and finish the job, in one transaction."""
        with self._database.write(leased.tenant_id) as tx:
            job = jobs.held(tx, leased)
            if job is None:
                return
            found = watches.fires(tx, [UUID(leased.payload["fire_id"])])
            for fire, watch in found.values():
                kind = ANSWERS if watch.scope_type == "answer" else CHANGES
                recipients = people.named_by(tx, watch.target)
                for person_id in recipients:
                    messages.add_delivery(tx, fire.fire_id, person_id, kind)
                if not recipients:
                    fire.status, fire.reason = "skipped", "nobody"
                    tx.session.add(fire)
            job.state = "done"
            tx.session.add(job)

    # ── from deliveries to one message a person ──

    def gather(self, limit: int = 100) -> int:
        """Give every person with due deliveries one message that carries them; how many messages were made."""
        with self._database.read(ANY_TENANT) as tx:
            waiting = messages.people_waiting(tx, self._database.clock.now(), limit)
        return sum(self._gather(tenant_id, person_id) for tenant_id, person_id in waiting)

    def _gather(self, tenant_id: str, person_id: UUID) -> int:
        with self._database.write(tenant_id) as tx:
            deliveries = messages.waiting_deliveries(tx, person_id)
            person, identity = people.get(tx, person_id), people.reachable(tx, person_id)
            if not deliveries or messages.in_flight(tx, person_id):
                return 0
            if person is None or not person.active or identity is None:
                _skip(tx, deliveries, "unreachable")
                return 0
            ready = _to_tell(tx, deliveries, person)
            kind = next((delivery.kind for delivery in ready if delivery.state == "pending"), None)
            if kind is None:
                return 0
            batch = [delivery for delivery in ready if delivery.kind == kind]
            subject = "fires:" + json_hash(sorted(str(delivery.fire_id) for delivery in batch))
            while messages.by_subject(tx, person_id, subject) is not None:  # a mute, or doubt, has put them back
                subject = "fires:" + json_hash(subject)
            message = self._new(tx, person_id, identity, subject, kind)
            for delivery in batch:
                delivery.state, delivery.message_id = "pending", message.message_id
                tx.session.add(delivery)
            return 1

    def post(
        self,
        tenant_id: str,
        person_id: UUID,
        subject: str,
        kind: str,
        card: Callable[[str], dict[str, Any]],
        offer: Offer = NOTHING_OFFERED,
        source_ids: Sequence[UUID] = (),
    ) -> UUID:
        """Put a card that answers a person directly, once per subject; its id. `card` is made for the nonce it gets.

        Raises NotFound for a person who has no place to be written to.
        """
        with self._database.write(tenant_id) as tx:
            tx.lock()
            standing = messages.by_subject(tx, person_id, subject)
            if standing is not None:
                return standing.message_id
            identity = people.reachable(tx, person_id)
            if identity is None:
                raise NotFound("this person cannot be reached in any chat")
            message = self._new(tx, person_id, identity, subject, kind)
            self._fill(tx, message, card(message.nonce), offer)
            message.source_ids = [str(source_id) for source_id in source_ids]
            return message.message_id

    def _new(self, tx: WriteTx, person_id: UUID, identity: ChatIdentity, subject: str, kind: str) -> CardMessage:
        message = CardMessage(
            tenant_id=tx.tenant_id,
            message_id=derived("message", tx.tenant_id, person_id, subject),
            person_id=person_id,
            subject=subject,
            kind=kind,
            platform=identity.platform,
            place={"workspace": identity.workspace, "user_id": identity.user_id, "conversation": identity.conversation},
            nonce=nonce(),
            fingerprint="",
            card={},
            source_ids=[],
            shown=[],
            state=CardState.PENDING,
            created_at=tx.now,
            not_before=tx.now,
        )
        tx.session.add(message)
        tx.session.flush()
        return message

    def _fill(self, tx: WriteTx, message: CardMessage, card: dict[str, Any], offer: Offer) -> None:
        grant = Grant(tx.tenant_id, message.person_id, offer.actions, offer.generation_id, str(message.message_id))
        message.card, message.fingerprint = card, fingerprint(grant)
        messages.add_grant(tx, message.fingerprint, grant_to_json(grant))
        tx.session.add(message)

    # ── from a message to a card in hand ──

    def due(self, limit: int = 20) -> list[tuple[str, UUID]]:
        """(tenant, message) of cards that may be sent now."""
        with self._database.read(ANY_TENANT) as tx:
            return messages.due(tx, self._database.clock.now(), limit)

    def take(self, tenant_id: str, message_id: UUID, present: Present) -> Outgoing | None:
        """Look again at what the recipient may see, and write the card down as sending; None: nothing to send now."""
        with self._database.write(tenant_id) as tx:
            message = messages.locked(tx, message_id)
            if message is None or message.state not in _TO_SEND or message.not_before > tx.now:
                return None
            person = people.get(tx, message.person_id)
            if person is None or not person.active:
                _drop(tx, message, "not_authorised")
                return None
            if message.kind in {CHANGES, ANSWERS}:
                if not self._recompose(tx, message, person, present):
                    return None
            elif not _may_read(tx, person, message.source_ids):
                _drop(tx, message, "not_authorised")
                return None
            message.state = step(CardState(message.state), CardEvent.CLAIM)
            message.fence += 1
            message.attempts += 1
            message.lease_until = tx.now + self._lease
            tx.session.add(message)
            return _outgoing(message)

    def _recompose(self, tx: WriteTx, message: CardMessage, person: Person, present: Present) -> bool:
        """Fill a card about fires with what its recipient may see now; False when it is dropped or put off instead."""
        deliveries = _to_tell(tx, messages.deliveries_of(tx, message.message_id), person)
        if not deliveries:
            _end(tx, message, "suppressed")
            return False
        fires = list(watches.fires(tx, [delivery.fire_id for delivery in deliveries]).values())
        try:
            composed = self._notices.compose(tx, people.principal(person), message.kind, fires)
        except NotFound:
            _drop(tx, message, "not_authorised")
            return False
        if composed is None:
            _drop(tx, message, "no_net_change")
            return False
        message.shown = [[str(ref), upto] for ref, upto in composed.shown]
        message.source_ids = [str(source_id) for source_id in composed.source_ids]
        self._fill(tx, message, present(composed.notice, message.nonce), offered(composed.notice))
        return True

    # ── what became of it ──

    def sent(self, card: Outgoing, message_ref: str) -> bool:
        """Record that the platform accepted the card, however late; False when a later attempt made this one void."""
        with self._database.write(card.tenant_id) as tx:
            message = messages.locked(tx, card.message_id)
            event = _ACCEPTED.get(message.state) if message is not None and message.fence == card.fence else None
            return message is not None and event is not None and self._accept(tx, message, event, message_ref)

    def _accept(self, tx: WriteTx, message: CardMessage, event: CardEvent, message_ref: str) -> bool:
        message.state = step(CardState(message.state), event)
        message.message_ref, message.sent_at, message.reason = message_ref, tx.now, None
        tx.session.add(message)
        deliveries = messages.deliveries_of(tx, message.message_id)
        for delivery in deliveries:
            delivery.state, delivery.reason = "sent", None
            tx.session.add(delivery)
        for fire, _ in watches.fires(tx, [delivery.fire_id for delivery in deliveries]).values():
            fire.status, fire.reason = "delivered", None
            tx.session.add(fire)
        for ref, upto in message.shown:
            messages.show(tx, message.person_id, [UUID(ref)], upto)
        return True

    def not_sent(self, card: Outgoing, reason: str, *, retry_after: int | None = None, permanent: bool = False) -> None:
        """Record a definite refusal: tried again later (after `retry_after` µs if the platform said so), or parked."""
        with self._database.write(card.tenant_id) as tx:
            message = self._in_flight(tx, card)
            if message is None:
                return
            message.state = step(CardState(message.state), CardEvent.PARK if permanent else CardEvent.REJECT)
            message.reason = reason
            message.not_before = tx.now + max(retry_after or 0, wait(message.attempts, jitter()))
            tx.session.add(message)
            if permanent:
                _leave_to_next(tx, message, reason)

    def lost(self, card: Outgoing, reason: str) -> None:
        """Record that nobody knows whether the platform took the card."""
        with self._database.write(card.tenant_id) as tx:
            message = self._in_flight(tx, card)
            if message is not None:
                self._doubt(tx, message, reason)

    def _doubt(self, tx: WriteTx, message: CardMessage, reason: str) -> None:
        message.state = step(CardState(message.state), CardEvent.LOSE)
        message.reason, message.not_before = reason, tx.now + LOOK_AFTER
        tx.session.add(message)

    def _in_flight(self, tx: WriteTx, card: Outgoing) -> CardMessage | None:
        message = messages.locked(tx, card.message_id)
        held = message is not None and message.state == CardState.SENDING and message.fence == card.fence
        return message if held else None

    def doubtful(self, limit: int = 20) -> list[Outgoing]:
        """Cards in doubt that are due for a look at the platform's history. Marks those past their lease as unknown."""
        with self._database.read(ANY_TENANT) as tx:
            overdue = messages.overdue(tx, self._database.clock.now(), limit)
        looked = (self._doubtful(tenant_id, message_id) for tenant_id, message_id in overdue)
        return [card for card in looked if card is not None]

    def _doubtful(self, tenant_id: str, message_id: UUID) -> Outgoing | None:
        with self._database.write(tenant_id) as tx:
            message = messages.locked(tx, message_id)
            if message is None:
                return None
            if message.state == CardState.SENDING and message.lease_until <= tx.now:
                self._doubt(tx, message, "interrupted")
            return _outgoing(message) if message.state == CardState.UNKNOWN and message.not_before <= tx.now else None

    def found(self, card: Outgoing, message_ref: str | None) -> None:
        """Record what the history says of a card in doubt: there (its ref), or not there (None: send again)."""
        with self._database.write(card.tenant_id) as tx:
            message = messages.locked(tx, card.message_id)
            if message is None or message.state != CardState.UNKNOWN or message.fence != card.fence:
                return
            if message_ref is not None:
                self._accept(tx, message, CardEvent.FIND, message_ref)
                return
            message.state, message.not_before = step(CardState.UNKNOWN, CardEvent.MISS), tx.now
            tx.session.add(message)

    def look_later(self, card: Outgoing) -> None:
        """The history could not be read: look again after a while, and at last leave it to the next card."""
        with self._database.write(card.tenant_id) as tx:
            message = messages.locked(tx, card.message_id)
            if message is None or message.state != CardState.UNKNOWN:
                return
            message.not_before = tx.now + LOOK_AFTER
            tx.session.add(message)
            if tx.now >= message.lease_until + DOUBT_ENDS:
                message.state = step(CardState.UNKNOWN, CardEvent.CARRY)
                _leave_to_next(tx, message, "unknown")

    # ── a card that stands already ──

    def rewrite(
        self,
        tenant_id: str,
        message_id: UUID,
        change: Callable[[dict[str, Any], str], Rewritten],
        *,
        renew: bool = False,
    ) -> Outgoing | None:
        """Let `change` turn a sent card into what it is to be, given its nonce; None when it was never sent.

        `renew` gives it a new nonce, so that its old buttons are no longer active.
        """
        with self._database.write(tenant_id) as tx:
            message = messages.locked(tx, message_id)
            if message is None or message.state != CardState.SENT:
                return None
            if renew:
                message.nonce = nonce()
            message.card, offer = change(message.card, message.nonce)
            if offer is not None:
                self._fill(tx, message, message.card, offer)
            tx.session.add(message)
            return _outgoing(message)

    def tapped(self, value: str) -> Tapped | None:
        """The standing card that a tap came from, by its nonce."""
        with self._database.read(ANY_TENANT) as tx:
            message = messages.by_nonce(tx, value)
            if message is None or message.state == CardState.REDACTED:
                return None
            body = messages.grant(ReadTx(tx.session, message.tenant_id), message.fingerprint)
        generation_id = grant_from_json(body).generation_id if body else ""
        return Tapped(message.tenant_id, message.message_id, message.person_id, message.fingerprint, generation_id)

    def state(self, tenant_id: str, message_id: UUID) -> CardState | None:
        with self._database.read(tenant_id) as tx:
            message = messages.get(tx, message_id)
        return CardState(message.state) if message else None


def _skip(tx: WriteTx, deliveries: Sequence[NotifyDelivery], reason: str) -> None:
    for delivery in deliveries:
        delivery.state, delivery.reason = "skipped", reason
        tx.session.add(delivery)
    for fire, _ in watches.fires(tx, [delivery.fire_id for delivery in deliveries]).values():
        if fire.status == "fired":
            fire.status, fire.reason = "skipped", reason
            tx.session.add(fire)


def _to_tell(tx: WriteTx, deliveries: Sequence[NotifyDelivery], person: Person) -> list[NotifyDelivery]:
    """What may be told now: what is of a stopped watch is skipped, what is muted waits outside any card."""
    fires = watches.fires(tx, [delivery.fire_id for delivery in deliveries])
    live = {fire_id: watch for fire_id, (_, watch) in fires.items() if watch.enabled}
    _skip(tx, [delivery for delivery in deliveries if delivery.fire_id not in live], "suppressed")
    ready: list[NotifyDelivery] = []
    for delivery in deliveries:
        watch = live.get(delivery.fire_id)
        until = max(person.muted_until, watch.muted_until) if watch else 0
        if until > tx.now:
            delivery.not_before, delivery.message_id = until, None
            tx.session.add(delivery)
        elif watch:
            ready.append(delivery)
    return ready


def _may_read(tx: WriteTx, person: Person, source_ids: Sequence[str]) -> bool:
    return not source_ids or sources.readable(tx, people.principal(person)).issuperset(map(UUID, source_ids))


def _drop(tx: WriteTx, message: CardMessage, reason: str) -> None:
    _end(tx, message, reason)
    _skip(tx, messages.deliveries_of(tx, message.message_id), reason)


def _end(tx: WriteTx, message: CardMessage, reason: str) -> None:
    message.state, message.reason = step(CardState(message.state), CardEvent.SKIP), reason
    tx.session.add(message)


def _leave_to_next(tx: WriteTx, message: CardMessage, reason: str) -> None:
    """Let the person's next card about changes tell what this one was to tell; by itself nothing is sent again."""
    for delivery in messages.deliveries_of(tx, message.message_id):
        delivery.state, delivery.reason, delivery.message_id = "carried", reason, None
        tx.session.add(delivery)


def _outgoing(message: CardMessage) -> Outgoing:
    return Outgoing(
        tenant_id=message.tenant_id,
        message_id=message.message_id,
        person_id=message.person_id,
        platform=message.platform,
        workspace=message.place["workspace"],
        user_id=message.place["user_id"],
        conversation=message.place["conversation"],
        message_ref=message.message_ref,
        nonce=message.nonce,
        card=message.card,
        fence=message.fence,
    )
