"""From fires to cards in hand; the bot only carries them.

A fire's job puts one delivery per recipient (`spread`). All that wait for a person are gathered into one card message,
so that three watches on one change share a card and two workers cannot send two (`gather`). `take` looks again, now,
at where the recipient is and what they may see, writes the message down as sending under a new fence, and hands it
out; it is sent once. What becomes of it is told to `core.outcomes`.
A question to a person has one card as well (`ask`): put down by its first job, and made to say what has become of it
by every later one, or after the person's own vote (`renew`).
"""

from collections.abc import Callable, Collection
from typing import Any
from uuid import UUID

from core.clock import MINUTE, SECOND
from core.delivery.grouping import ANSWERS, BRIEF, CHANGES, QUESTION, RESTING, offered, withheld
from core.delivery.quiet import held_until
from core.errors import NotFound
from core.jsonhash import json_hash
from core.model.apart import apart
from core.model.card_states import CardEvent, CardState, step
from core.model.clarifying import ClarificationState
from core.model.notices import Notice, Outgoing
from core.model.ports import Asking, Briefs, Composed, Notices, Rests
from core.model.preferences import Preferences
from core.model.watching import Cadence
from core.model.work import Lane, Leased, Place, Waiting, stranger
from core.store import briefs, jobs, messages, people, rights, telling, watches, workspaces
from core.store.database import ANY_TENANT, Database, ReadTx, WriteTx
from core.store.deliveries import put_off
from core.store.tables import CardMessage, Person

Present = Callable[[Notice, str], dict[str, Any]]
"""(what to say, the card's nonce) → the card as stored. Pure: it runs inside the transaction."""

_PROACTIVE = {CHANGES, ANSWERS, BRIEF, QUESTION, RESTING}
"""Kinds that are composed when they are sent, and go where their recipient is then."""
_TO_SEND = {CardState.PENDING, CardState.FAILED}
_OUT = {CardState.SENDING, CardState.UNKNOWN, CardState.SENT}
"""States in which a card may stand: what it is made to say from then on is an update."""
REST = MINUTE
"""How long a person is left alone for whom no card could be made, and a card waits for what another shows."""


class DeliveryEngine:
    def __init__(
        self,
        database: Database,
        notices: Notices,
        brief: Briefs,
        asking: Asking,
        rests: Rests,
        defaults: Preferences,
        *,
        lease_secs: int,
    ) -> None:
        self._database = database
        self._notices = notices
        self._brief = brief
        self._asking = asking
        self._rests = rests
        self._defaults = defaults
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
                    messages.add_delivery(tx, fire.fire_id, person_id, kind, watch.cadence)
                briefs.enrol(tx, recipients, watch.created_tx, Cadence(watch.cadence))
                if not recipients:
                    fire.status, fire.reason = "skipped", "nobody"
                    tx.session.add(fire)
            job.state = "done"
            tx.session.add(job)

    # ── from deliveries to one message a person ──

    def gather(self, limit: int = 100) -> int:
        """Give every person with due deliveries one message that carries them, and every owner of watches that began
        to rest one that says so; how many messages were made.

        Raises ExceptionGroup of what failed for some of them, when the others have theirs.
        """
        with self._database.read(ANY_TENANT) as tx:
            waiting = messages.people_waiting(tx, self._database.clock.now(), limit)
        made = self._rests.gather(limit)
        with apart("people with news waiting") as turn:
            for tenant_id, person_id in waiting:
                with turn():
                    made += self._gather_or_put_off(tenant_id, person_id)
        return made

    def _gather_or_put_off(self, tenant_id: str, person_id: UUID) -> int:
        """As `_gather`; who fails is not looked at again before `REST`, so that they keep nobody out."""
        try:
            return self._gather(tenant_id, person_id)
        except Exception:
            with self._database.write(tenant_id) as tx:
                put_off(tx, person_id, tx.now + REST)
            raise

    def _gather(self, tenant_id: str, person_id: UUID) -> int:
        with self._database.write(tenant_id) as tx:
            deliveries = messages.waiting_deliveries(tx, person_id)
            person, identity = people.get(tx, person_id), people.reachable(tx, person_id)
            if not deliveries or messages.in_flight(tx, person_id):
                return 0
            if person is None or not person.active or identity is None:
                telling.undelivered(tx, deliveries)
                return 0
            ready = telling.to_tell(tx, deliveries, self._held(tx, person, tx.now))
            kind = next((delivery.kind for delivery in ready if delivery.state == "pending"), None)
            if kind is None:
                return 0
            batch = [delivery for delivery in ready if delivery.kind == kind]
            subject = "fires:" + json_hash(sorted(str(delivery.fire_id) for delivery in batch))
            while messages.by_subject(tx, person_id, subject) is not None:  # a mute, or doubt, has put them back
                subject = "fires:" + json_hash(subject)
            message = messages.new(tx, person_id, people.place_of(identity), subject, kind)
            for delivery in batch:
                delivery.state, delivery.message_id = "pending", message.message_id
                tx.session.add(delivery)
            return 1

    # ── from a message to a card in hand ──

    def due(self, limit: int = 20, busy: Collection[Lane] = ()) -> list[Waiting]:
        """Cards that may be sent now, none of them by a busy lane."""
        with self._database.read(ANY_TENANT) as tx:
            now = self._database.clock.now()
            return messages.waiting(tx, messages.to_send(now), now, limit, busy)

    def take(self, tenant_id: str, message_id: UUID, present: Present) -> Outgoing | None:
        """Look again at what the recipient may see, and write the card down as sending; None: nothing to send now."""
        with self._database.write(tenant_id) as tx:
            tx.compose()  # what is erased while this composes would come back with the card
            message = messages.locked(tx, message_id)
            if message is None or message.state not in _TO_SEND or message.not_before > tx.now:
                return None
            is_new = message.kind in _PROACTIVE and not message.sent_at  # one whose copy is gone says what it said
            ready = self._composed(tx, message, present) if is_new else _stands(tx, message)
            if not ready or workspaces.is_shut(tx, message.platform, message.workspace, tx.now):
                return None
            message.state = step(CardState(message.state), CardEvent.CLAIM)
            message.fence += 1
            message.attempts += 1
            message.lease_until = tx.now + self._lease
            tx.session.add(message)
            return messages.outgoing(message)

    def may_go(self, card: Outgoing) -> bool:
        """Whether a card in hand may still be sent: to be asked right before, since whoever carries it may have waited.

        What may not is taken anew, and then its rows say why it is not sent, or until when it waits.
        """
        with self._database.read(card.tenant_id) as tx:
            message, now = messages.get(tx, card.message_id), self._database.clock.now()
            in_hand = message is not None and (message.state, message.fence) == (CardState.SENDING, card.fence)
            if message is None or not in_hand or not card.is_held(now) or not rights.may_go(tx, message):
                return False
            person = people.get(tx, message.person_id)
            if person is None or message.kind not in _PROACTIVE:
                return True
            return not self._held(tx, person, now) and telling.none_stopped(tx, message, now)

    def _composed(self, tx: WriteTx, message: CardMessage, present: Present) -> bool:
        """Fill a card with what its recipient may see now, where they are now; False when it is dropped or put off."""
        person, identity = people.get(tx, message.person_id), people.reachable(tx, message.person_id)
        if message.kind == RESTING and (person is None or not person.active or identity is None):
            watches.tell_of(tx, [UUID(watch_id) for watch_id, _ in message.shown])
        if person is None or not person.active:
            return _drop(tx, message, "not_authorised")
        if identity is None:
            telling.undelivered(tx, messages.deliveries_of(tx, message.message_id))
            return _end(tx, message, "unreachable")
        messages.move(message, people.place_of(identity))
        kinds = {BRIEF: self._told_brief, QUESTION: self._asked, RESTING: self._told_of_rest}
        tell = kinds.get(message.kind, self._told)
        return tell(tx, message, person, present)

    def _told(self, tx: WriteTx, message: CardMessage, person: Person, present: Present) -> bool:
        """Fill a card about fires, unless a brief that tells the same may be on its way."""
        if briefs.is_being_sent(tx, person.person_id):
            return _rest(tx, message)
        deliveries = telling.to_tell(tx, messages.deliveries_of(tx, message.message_id), self._held(tx, person, tx.now))
        if not deliveries:
            return _end(tx, message, "suppressed")
        fires = list(watches.fires(tx, [delivery.fire_id for delivery in deliveries]).values())
        try:
            composed = self._notices.compose(tx, people.principal(person), message.kind, fires)
        except NotFound:
            return _drop(tx, message, "not_authorised")
        if composed is None:
            return _drop(tx, message, "no_net_change")
        return _say(tx, message, composed, present)

    def _told_of_rest(self, tx: WriteTx, message: CardMessage, person: Person, present: Present) -> bool:
        """Fill a card that tells an owner which of their watches rest, unless it is to wait."""
        if self._put_off(tx, message, person):
            return False
        composed = self._rests.compose(tx, person.person_id, [UUID(watch_id) for watch_id, _ in message.shown])
        return _end(tx, message, "suppressed") if composed is None else _say(tx, message, composed, present)

    # ── a person's hour, day or week ──

    def _told_brief(self, tx: WriteTx, message: CardMessage, person: Person, present: Present) -> bool:
        """Fill a brief, unless it is to wait, or is not wanted any more: then the next card tells what it carried.

        It says what changed since the last one, and what no card could deliver.
        """
        period = briefs.period_of(message.subject)
        if self._put_off(tx, message, person):
            return False
        if briefs.comes_after_another(tx, message.person_id, period):
            return _rest(tx, message)
        if period is Cadence.WEEKLY and self._chosen(tx, person).brief_day is None:
            messages.leave_to_next(tx, message.message_id, "suppressed")
            return _end(tx, message, "suppressed")
        held = messages.deliveries_of(tx, message.message_id)
        due = messages.waiting_for_brief(tx, person.person_id, period)
        deliveries = telling.to_tell(tx, [*held, *due, *messages.carried(tx, person.person_id)], 0)
        fires = [delivery.fire_id for delivery in deliveries]
        composed = self._brief.compose(tx, people.principal(person), period, fires)
        if composed is None:
            telling.skip(tx, deliveries, briefs.UNDONE)
            return _end(tx, message, briefs.UNDONE)
        for delivery in deliveries:
            delivery.state, delivery.message_id = "pending", message.message_id
            tx.session.add(delivery)
        return _say(tx, message, composed, present)

    # ── a question ──

    def ask(self, leased: Leased, present: Present) -> None:
        """Put the one card that asks a person a question, or let it say what has become of that; finish the job."""
        with self._database.write(leased.tenant_id) as tx:
            tx.compose()
            job = jobs.held(tx, leased)
            if job is None:
                return
            person_id, subject = UUID(leased.payload["person_id"]), messages.ASKS + leased.payload["clarification_id"]
            message = messages.by_subject(tx, person_id, subject)
            reason = (
                self._begin_to_ask(tx, person_id, subject) if message is None else self._renewed(tx, message, present)
            )
            job.state, job.error = "done", f"skipped: {reason}" if reason else None
            tx.session.add(job)

    def renew(self, tenant_id: str, message_id: UUID, present: Present) -> None:
        """Let a card that asks a question say what its recipient may see of it now."""
        with self._database.write(tenant_id) as tx:
            tx.compose()
            message = messages.locked(tx, message_id)
            if message is not None and message.kind == QUESTION:
                self._renewed(tx, message, present)

    def _begin_to_ask(self, tx: WriteTx, person_id: UUID, subject: str) -> str | None:
        """Put down a card, to be composed when it is sent; why not, where there is nobody to be asked any more."""
        person, identity = people.get(tx, person_id), people.reachable(tx, person_id)
        if person is None or not person.active:
            return "not_authorised"
        if identity is None:
            return "unreachable"
        if self._asking.states(tx, [_question_of(subject)]).get(_question_of(subject)) != ClarificationState.PENDING:
            return "settled"
        messages.new(tx, person_id, people.place_of(identity), subject, QUESTION)
        return None

    def _renewed(self, tx: WriteTx, message: CardMessage, present: Present) -> str | None:
        """Compose anew a card that may be out; one that is not is composed when it is sent."""
        person = people.get(tx, message.person_id)
        if message.state not in _OUT or not message.card or person is None or not person.active:
            return None
        try:
            composed = self._asking.compose(tx, people.principal(person), _question_of(message.subject))
        except NotFound:
            return "not_authorised"
        _say(tx, message, composed, present)
        message.revision, message.update_at = message.revision + 1, tx.now
        return None

    def _asked(self, tx: WriteTx, message: CardMessage, person: Person, present: Present) -> bool:
        """Fill a card that asks, unless it is to wait, or nothing is to be asked of this person any more."""
        if self._put_off(tx, message, person):
            return False
        try:
            composed = self._asking.compose(tx, people.principal(person), _question_of(message.subject))
        except NotFound:
            return _end(tx, message, "not_authorised")
        reason = withheld(composed.notice)
        return _end(tx, message, reason) if reason else _say(tx, message, composed, present)

    def _put_off(self, tx: WriteTx, message: CardMessage, person: Person) -> bool:
        """Whether a card is to wait for the end of its recipient's mute or quiet hours; then it does."""
        until = self._held(tx, person, tx.now)
        if until:
            message.not_before = until
            tx.session.add(message)
        return bool(until)

    def _chosen(self, tx: ReadTx, person: Person) -> Preferences:
        return self._defaults.chosen(people.preferences(tx, person.person_id))

    def _held(self, tx: ReadTx, person: Person, now: int) -> int:
        """The Ts until which the person wants no card that they did not ask for; 0 when they may have it now."""
        chosen = self._chosen(tx, person)
        quiet = held_until(now, person.zone, chosen.quiet_from, chosen.quiet_until)
        muted = person.muted_until if person.muted_until > now else 0
        return max(muted, quiet)


def _rest(tx: WriteTx, message: CardMessage) -> bool:
    """False, for it is to wait for what another card will have shown."""
    message.not_before = tx.now + REST
    tx.session.add(message)
    return False


def _question_of(subject: str) -> UUID:
    return UUID(subject.removeprefix(messages.ASKS))


def _say(tx: WriteTx, message: CardMessage, composed: Composed, present: Present) -> bool:
    """True, for now it can be sent."""
    message.shown = [[str(ref), upto] for ref, upto in composed.shown]
    message.source_ids = [str(source_id) for source_id in composed.source_ids]
    messages.fill(tx, message, present(composed.notice, message.nonce), offered(composed.notice))
    return True


def _stands(tx: WriteTx, message: CardMessage) -> bool:
    """Whether a card that says what it was made to say may still be sent, and to the one it was made for."""
    place = Place(**message.place)
    theirs = people.is_at(tx, message.person_id, place)
    if message.person_id == stranger(place):
        return theirs or _drop(tx, message, "bound")
    return (theirs and rights.may_see(tx, message)) or _drop(tx, message, "not_authorised")


def _drop(tx: WriteTx, message: CardMessage, reason: str) -> bool:
    """False, for it is not sent."""
    telling.skip(tx, messages.deliveries_of(tx, message.message_id), reason)
    return _end(tx, message, reason)


def _end(tx: WriteTx, message: CardMessage, reason: str) -> bool:
    message.state, message.reason = step(CardState(message.state), CardEvent.SKIP), reason
    tx.session.add(message)
    return False
