"""What became of a card in hand, recorded only under the fence it was taken with.

A message in flight past its lease is in doubt: it is sent again only when the platform says that it is not there, or
left to the next card where it cannot say. A lasting refusal reaches as far as it says: this card is given up, this
person cannot be written to, or the whole workspace is paused and its cards wait.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from core.clock import HOUR, MINUTE, SECOND
from core.delivery.grouping import RESTING
from core.errors import NotFound
from core.ids import jitter
from core.jobs.backoff import wait
from core.model.card_states import CardEvent, CardState, step
from core.model.erased import NOT_REDACTED
from core.model.notices import Outgoing
from core.model.work import Extent, Lane, Place, Waiting
from core.store import briefs, messages, people, rights, watches, workspaces
from core.store.database import ANY_TENANT, Database, WriteTx
from core.store.tables import CardMessage

Withdraw = Callable[[dict[str, Any]], dict[str, Any]]
"""From a card to what is left of it where its words may not be shown any more. Pure."""

_REFUSED: Mapping[Extent | None, CardEvent] = {Extent.CARD: CardEvent.PARK, Extent.PERSON: CardEvent.SKIP}
_ACCEPTED: Mapping[str, CardEvent] = {CardState.SENDING: CardEvent.ACCEPT, CardState.UNKNOWN: CardEvent.FIND}
"""In which states a card may turn out to have arrived."""
LOOK_AFTER = MINUTE
"""How long past its lease a card in doubt waits before anyone looks: the platform's own history lags."""
DOUBT_ENDS = HOUR
"""How long a history that cannot be read is asked again. Then the card is given up, and the next one carries it."""
MOST_REFUSALS = 36
"""About a day of tries, an hour apart in the end. What a platform still refuses then, in words that are not known to
last, the next card carries; an outage, in which nobody reads the card, gives nothing up."""
REST = MINUTE
"""How long a card waits of which nothing could be done, so that no error is met over and over."""
_DUE_BY: Mapping[str, str] = {
    CardState.PENDING: "not_before",
    CardState.FAILED: "not_before",
    CardState.SENDING: "lease_until",
    CardState.UNKNOWN: "not_before",
    CardState.SENT: "update_at",
}
"""By which of its times a card becomes due in each state."""


class OutcomesEngine:
    def __init__(self, database: Database, *, lease_secs: int) -> None:
        self._database = database
        self._lease = lease_secs * SECOND

    def sent(self, card: Outgoing, message_ref: str) -> bool:
        """Record that the platform accepted the card, however late, and whoever else has seen it there already.

        False when another has taken it over or given it up: what it says may be out twice.
        """
        with self._database.write(card.tenant_id) as tx:
            message = messages.locked(tx, card.message_id)
            if message is None or message.fence != card.fence:
                return False
            if message.state in _ACCEPTED:
                _accept(tx, message, message_ref)
            return message.state == CardState.SENT

    def not_sent(
        self,
        card: Outgoing,
        reason: str,
        *,
        retry_after: int | None = None,
        lasting: Extent | None = None,
        read: bool = False,
    ) -> None:
        """Record a definite refusal: tried again, after `retry_after` µs if the platform said so, or given up.

        `read`: the platform looked at the card itself and said no, which after `MOST_REFUSALS` tries is taken to last.
        """
        with self._database.write(card.tenant_id) as tx:
            message = _in_flight(tx, card)
            if message is None:
                return
            if lasting is None and read and message.attempts >= MOST_REFUSALS:
                lasting = Extent.CARD
            message.state = step(CardState(message.state), _REFUSED.get(lasting, CardEvent.REJECT))
            message.reason = reason
            message.not_before = tx.now + _pause(message, retry_after, lasting)
            tx.session.add(message)
            if lasting is Extent.CARD:
                messages.leave_to_next(tx, message.message_id, reason)
            elif lasting is Extent.PERSON:
                _put_back(tx, message)

    def lost(self, card: Outgoing, reason: str) -> None:
        """Record that nobody knows whether the platform took the card."""
        with self._database.write(card.tenant_id) as tx:
            message = _in_flight(tx, card)
            if message is not None:
                _doubt(tx, message, reason)

    # ── cards in doubt ──

    def doubtful(self, limit: int = 20, busy: Collection[Lane] = ()) -> list[Waiting]:
        """Cards in doubt that are due for a look at the platform's history, none of them by a busy lane."""
        with self._database.read(ANY_TENANT) as tx:
            now = self._database.clock.now()
            return messages.waiting(tx, messages.in_doubt(now), now, limit, busy)

    def doubt(self, tenant_id: str, message_id: UUID) -> Outgoing | None:
        """A card to be looked for, if it is still in doubt; one past its lease is marked as unknown first."""
        with self._database.write(tenant_id) as tx:
            message = messages.locked(tx, message_id)
            if message is None:
                return None
            if message.state == CardState.SENDING and message.lease_until <= tx.now:
                _doubt(tx, message, "interrupted")
            ready = message.state == CardState.UNKNOWN and message.not_before <= tx.now
            return messages.outgoing(message) if ready and not _shut(tx, message) else None

    def found(self, card: Outgoing, message_ref: str | None) -> None:
        """Record what the history says of a card in doubt: there (its ref), or not there (None: send again)."""
        with self._database.write(card.tenant_id) as tx:
            message = messages.locked(tx, card.message_id)
            if message is None or message.state != CardState.UNKNOWN or message.fence != card.fence:
                return
            if message_ref is not None:
                _accept(tx, message, message_ref)
                return
            message.state, message.not_before = step(CardState.UNKNOWN, CardEvent.MISS), tx.now
            tx.session.add(message)

    def look_later(self, card: Outgoing, *, for_good: bool = False) -> None:
        """The history could not be read: look again after a while, and at last leave it to the next card.

        `for_good`: it never can, so that is done now.
        """
        with self._database.write(card.tenant_id) as tx:
            message = messages.locked(tx, card.message_id)
            if message is None or message.state != CardState.UNKNOWN:
                return
            message.not_before = tx.now + LOOK_AFTER
            tx.session.add(message)
            if for_good or tx.now >= message.lease_until + DOUBT_ENDS:
                messages.give_up(tx, message)

    def witnessed(self, tenant_id: str, message_id: UUID, message_ref: str) -> None:
        """Somebody tapped the card, so it is there, whatever was known of it.

        What one that was given up had to tell was left to the next card, which may have told it.
        """
        with self._database.write(tenant_id) as tx:
            message = messages.locked(tx, message_id)
            if message is not None and message.state in _ACCEPTED:
                _accept(tx, message, message_ref)
            elif message is not None and message.state == CardState.SKIPPED:
                _stand(tx, message, message_ref, CardEvent.FIND)

    # ── cards of which nothing could be done ──

    def rest(self, tenant_id: str, message_id: UUID) -> None:
        """Let a card wait, whatever is to be done with it, since that raised: others that are due come before it."""
        with self._database.write(tenant_id) as tx:
            message = messages.locked(tx, message_id)
            time = _DUE_BY.get(message.state) if message else None
            if time is not None and (due := getattr(message, time)) is not None:
                setattr(message, time, max(due, tx.now + REST))
                tx.session.add(message)

    # ── cards that stand, and say something else by now ──

    def outdated(self, limit: int = 20, busy: Collection[Lane] = ()) -> list[Waiting]:
        """Cards of which the platform's copy is to be brought up to date, none of them by a busy lane."""
        with self._database.read(ANY_TENANT) as tx:
            now = self._database.clock.now()
            return messages.waiting(tx, messages.behind(now), now, limit, busy)

    def updating(self, tenant_id: str, message_id: UUID, withdraw: Withdraw) -> Outgoing | None:
        """A card as it is to be shown, under a lease; None where its copy is true already, or another shows it now.

        One at a time, since of two updates on their way the older could come last. Where the place is another's by
        now, what stands there stays as it was. Whoever may not see the card any more is shown it withdrawn.
        """
        with self._database.write(tenant_id) as tx:
            message = messages.locked(tx, message_id)
            if message is None or not _behind(tx, message) or _shut(tx, message):
                return None
            tx.session.add(message)
            if message.card and not people.is_at(tx, message.person_id, Place(**message.place)):
                message.update_at = None
                return None
            message.lease_until = tx.now + self._lease
            card = messages.outgoing(message)
            seen = message.card and rights.may_see(tx, message)
            return card if seen else replace(card, card=withdraw(card.card))

    def standing(self, tenant_id: str, message_id: UUID, withdraw: Withdraw) -> dict[str, Any]:
        """A card as its person may see it at this moment, where it stands. Raises NotFound."""
        with self._database.read(tenant_id) as tx:
            message = messages.get(tx, message_id)
            if message is None:
                raise NotFound
            theirs = people.is_at(tx, message.person_id, Place(**message.place)) and rights.may_see(tx, message)
            return message.card if message.card and theirs else withdraw(message.card)

    def updated(self, card: Outgoing) -> None:
        """The platform's copy says what `card` says; if that has been rewritten meanwhile, it is due again."""
        self._update_next(card, lambda _: None, shown=True)

    def not_updated(self, card: Outgoing, retry_after: int | None, *, for_good: bool, read: bool = False) -> None:
        """The platform's copy stays as it was: for good, for `retry_after` µs, or else for longer each time.

        `read`: the platform looked at it and said no, which after `MOST_REFUSALS` tries is taken to be for good.
        """

        def pause(attempt: int) -> int | None:
            is_over = for_good or (read and attempt >= MOST_REFUSALS)
            return None if is_over else retry_after or wait(attempt, jitter())

        self._update_next(card, pause, shown=False)

    def gone(self, card: Outgoing) -> None:
        """The platform's copy is not there any more: what it was to say is sent as a new card, like any other.

        Not where that was erased or may not be seen any more: then nothing that stands there says too much.
        """
        with self._database.write(card.tenant_id) as tx:
            message = messages.locked(tx, card.message_id)
            if message is None or (message.state, message.message_ref) != (CardState.SENT, card.message_ref):
                return
            message.lease_until, message.update_at = 0, None
            tx.session.add(message)
            if message.card and rights.may_see(tx, message):
                message.state, message.message_ref = step(CardState.SENT, CardEvent.VANISH), None
                message.not_before, message.attempts = tx.now, 0
            else:
                _settle_erased(message, shown=True)

    def redact(self, tenant_id: str, message_id: UUID) -> None:
        """Have the platform's copy of a card that was erased brought up to date, as soon as it stands there."""
        with self._database.write(tenant_id) as tx:
            message = messages.locked(tx, message_id)
            if message is not None and not message.card and message.state != CardState.REDACTED:
                message.update_at = tx.now
                tx.session.add(message)

    def _update_next(self, card: Outgoing, pause: Callable[[int], int | None], *, shown: bool) -> None:
        """`pause`: how many µs it is after so many attempts until the next one; None where there is none."""
        with self._database.write(card.tenant_id) as tx:
            message = messages.locked(tx, card.message_id)
            if message is None:
                return
            message.lease_until, rest = 0, pause(message.attempts)
            if message.revision != card.revision:  # an older saying may have come last, after a newer one was shown
                message.update_at = tx.now
            elif rest is None:
                message.update_at, message.attempts = None, 1
                if shown and card.card == message.card:  # what was withdrawn instead, nobody has seen
                    messages.show(tx, message.person_id, _shown(message))
                _settle_erased(message, shown=shown)
            else:
                message.update_at = tx.now + rest
                message.attempts += 1
            tx.session.add(message)


def _in_flight(tx: WriteTx, card: Outgoing) -> CardMessage | None:
    """The card's row if this attempt at it is still the newest, and has not ended."""
    message = messages.locked(tx, card.message_id)
    held = message is not None and message.state == CardState.SENDING and message.fence == card.fence
    return message if held else None


def _stand(tx: WriteTx, message: CardMessage, message_ref: str, how: CardEvent) -> None:
    """A card is there, and from now on what it says is brought up to date there."""
    message.state = step(CardState(message.state), how)
    message.message_ref, message.sent_at, message.reason = message_ref, tx.now, None
    message.lease_until, message.attempts = 0, 1  # from now on of updates
    tx.session.add(message)


def _accept(tx: WriteTx, message: CardMessage, message_ref: str) -> None:
    """A card has arrived: with it what it was to tell, and what it spoke of was shown."""
    _stand(tx, message, message_ref, _ACCEPTED[message.state])
    deliveries = messages.deliveries_of(tx, message.message_id)
    for delivery in deliveries:
        delivery.state, delivery.reason = "sent", None
        tx.session.add(delivery)
    for fire, _ in watches.fires(tx, [delivery.fire_id for delivery in deliveries]).values():
        fire.status, fire.reason = "delivered", None
        tx.session.add(fire)
    shown = _shown(message)
    messages.show(tx, message.person_id, shown)
    if message.person_id in shown:  # a brief is one of the things that its card shows
        briefs.told(tx, message.person_id, briefs.period_of(message.subject), shown[message.person_id])


def _shown(message: CardMessage) -> dict[UUID, int]:
    """What a card lets its reader have seen: up to which tx."""
    return {UUID(ref): upto for ref, upto in message.shown}


def _doubt(tx: WriteTx, message: CardMessage, reason: str) -> None:
    message.state = step(CardState(message.state), CardEvent.LOSE)
    message.reason, message.not_before = reason, tx.now + LOOK_AFTER
    tx.session.add(message)


def _behind(tx: WriteTx, message: CardMessage) -> bool:
    """Whether the platform's copy is to be brought up to date now, and nobody is at it."""
    due = message.update_at is not None and message.update_at <= tx.now
    return message.state == CardState.SENT and due and message.lease_until <= tx.now


def _settle_erased(message: CardMessage, *, shown: bool) -> None:
    """A card that was erased is redacted once its copy is; where that is refused for good, the report says so."""
    if message.card:
        return
    if shown:
        message.state = step(CardState(message.state), CardEvent.REDACT)
        message.place = {**message.place, "user_id": "", "thread": None}
        message.message_ref = None  # it may name the chat
    else:
        message.reason = NOT_REDACTED


def _shut(tx: WriteTx, message: CardMessage) -> bool:
    return workspaces.is_shut(tx, message.platform, message.workspace, tx.now)


def _pause(message: CardMessage, retry_after: int | None, lasting: Extent | None) -> int:
    """How long a refused card waits. Where its workspace is paused, that alone keeps it."""
    return 0 if lasting is Extent.WORKSPACE else max(retry_after or 0, wait(message.attempts, jitter()))


def _put_back(tx: WriteTx, message: CardMessage) -> None:
    """Let what the card was to tell be told in another place, if the person has one."""
    if message.kind == RESTING:
        watches.tell_of(tx, [UUID(watch_id) for watch_id, _ in message.shown])
    for delivery in messages.deliveries_of(tx, message.message_id):
        delivery.message_id = None
        tx.session.add(delivery)
