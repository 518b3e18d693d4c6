"""Briefs: when each person's is due, the card that will carry it, and what it has to tell.

Whoever is told of anything has a weekly brief, which lists it all; whoever watches at a pace has one of that period,
for what waited. A row says when to look again, so that a tick costs one look-up in an index; the slot is marked in the
transaction that makes its job, and the card is named after it, so that no number of schedulers makes two. What it tells
is read when it is sent, from where the last left off; the row moves on only when a brief has arrived, or when there was
nothing to tell. A brief is one of the things that its card shows: up to which tx.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import partial
from typing import TypeVar
from uuid import UUID

from core.clock import MINUTE
from core.delivery.grouping import BRIEF
from core.jobs.kinds import FENCE, JobKind
from core.model.apart import apart
from core.model.card_states import CardState
from core.model.ports import Composed, Notices
from core.model.preferences import Preferences
from core.model.principals import Principal
from core.model.watching import Cadence
from core.model.work import Leased, Place
from core.store import briefs, jobs, messages, people, rights, watches
from core.store.briefs import OFF, Heard
from core.store.database import Database, ReadTx, WriteTx
from core.store.tables import Brief, Person, Watch
from core.watch.cadence import Last, Schedule, due, latest, look_again

AnyTx = TypeVar("AnyTx", bound=ReadTx)
Closed = Callable[[AnyTx, Iterable[Watch]], set[UUID]]
REST = MINUTE
"""How long a person is left alone whose brief could not be looked at, or of whose card nobody knows where it is."""
_IN_FLIGHT = {CardState.SENDING, CardState.UNKNOWN}


class BriefsEngine:
    def __init__(self, database: Database, notices: Notices, defaults: Preferences) -> None:
        self._database = database
        self._notices = notices
        self._defaults = defaults

    # ── when ──

    def schedule(self, tenant_id: str, limit: int = 100) -> int:
        """Make the jobs of briefs that are due; how many were looked at.

        Raises ExceptionGroup of what failed for some of them, when the others have theirs.
        """
        with self._database.read(tenant_id) as tx:
            waiting = briefs.due(tx, self._database.clock.now(), limit)
        with apart("people with a brief due") as turn:
            for person_id, period in waiting:
                with turn():
                    self._look_or_put_off(tenant_id, person_id, period)
        return len(waiting)

    def _look_or_put_off(self, tenant_id: str, person_id: UUID, period: Cadence) -> None:
        """As `_look`; who fails is not looked at again before `REST`, so that they keep nobody out."""
        try:
            self._look(tenant_id, person_id, period)
        except Exception:
            with self._database.write(tenant_id) as tx:
                briefs.put_off(tx, person_id, period, tx.now + REST)
            raise

    def _look(self, tenant_id: str, person_id: UUID, period: Cadence) -> None:
        with self._database.write(tenant_id) as tx:
            row, person = briefs.locked(tx, person_id, period), people.get(tx, person_id)
            if row is None:
                return
            schedule = self._chosen(tx, person, period) if person else None
            if person is None or schedule is None:
                row.next_due_at = OFF
            else:
                _move_on(tx, row, schedule, active=person.active)
            tx.session.add(row)

    def _chosen(self, tx: ReadTx, person: Person, period: Cadence) -> Schedule | None:
        """When the person wants it; None when they do not. What comes hourly or daily ends with its watches alone."""
        chosen = self._defaults.chosen(people.preferences(tx, person.person_id))
        if period is Cadence.WEEKLY and chosen.brief_day is None:
            return None
        return Schedule(person.zone, chosen.brief_day or 0, chosen.brief_minute, period)

    def make(self, leased: Leased) -> None:
        """Put the card of a person's slot, to be composed when it is sent, and finish the job, in one transaction."""
        with self._database.write(leased.tenant_id) as tx:
            job = jobs.held(tx, leased)
            if job is None:
                return
            person_id, period = UUID(leased.payload["person_id"]), Cadence(leased.payload["period"])
            slot, identity = leased.payload["slot"], people.reachable(tx, person_id)
            refused = briefs.cards(tx, person_id, period, slot)
            stands = any(card.state != CardState.SKIPPED for card in refused)
            if identity is not None and not stands and not briefs.on_its_way(tx, person_id, period):
                about = briefs.subject(period, slot, len(refused))
                messages.new(tx, person_id, people.place_of(identity), about, BRIEF)
            job.state = "done"
            tx.session.add(job)

    # ── what ──

    def compose(self, tx: WriteTx, principal: Principal, period: Cadence, carried: Collection[UUID]) -> Composed | None:
        """What these fires tell, that waited or that no card could carry; in a week's brief, all since the last one.

        None where nothing did that they may read: then the brief is done with it.
        """
        row = briefs.locked(tx, principal.person_id, period)
        if row is None:
            return None
        upto = tx.last_tx
        composed = self._since(tx, principal, row, upto, carried, rights.heed)
        if composed is None:
            row.cursor_tx = upto
            tx.session.add(row)
            return None
        return replace(composed, shown=(*composed.shown, (principal.person_id, upto)))

    def preview(self, principal: Principal) -> Composed | None:
        """What the person's next weekly brief would tell by now. It tells it all the same when its time has come."""
        with self._database.read(principal.tenant_id) as tx:
            row, now = briefs.get(tx, principal.person_id, Cadence.WEEKLY), self._database.clock.now()
            waiting = briefs.untold(tx, principal.person_id, now)
            closed = partial(rights.closed, now=now)
            return None if row is None else self._since(tx, principal, row, tx.last_tx, waiting, closed)

    def _since(
        self, tx: AnyTx, principal: Principal, row: Brief, upto: int, carried: Collection[UUID], closed: Closed[AnyTx]
    ) -> Composed | None:
        """`closed`: of which watches nobody is told, since their owners may not read what they are on."""
        now = self._database.clock.now()
        heard = _heard(tx, carried, now)
        if row.period == Cadence.WEEKLY:
            heard = briefs.heard(tx, principal.person_id, row.cursor_tx, upto, now) | heard
        silent = closed(tx, (one.watch for one in heard.values())) | _muted(tx, principal, heard.values(), now)
        kept = [one for one in heard.values() if one.watch.watch_id not in silent]
        return self._notices.brief(tx, principal, Cadence(row.period), kept, row.cursor_tx, now)


def _muted(tx: ReadTx, principal: Principal, heard: Iterable[Heard], now: int) -> set[UUID]:
    """The watches of which a person wants to hear nothing now, though they are somebody else's too."""
    until = watches.muted_by(tx, principal.person_id, {one.watch.watch_id for one in heard})
    return {watch_id for watch_id, ts in until.items() if ts > now}


def _move_on(tx: WriteTx, row: Brief, schedule: Schedule, *, active: bool) -> None:
    row.slot = row.slot or latest(tx.now, schedule).name
    slot = due(tx.now, schedule, Last(row.slot, row.sent_at))
    if slot is not None:
        row.slot = slot.name
        if not active:  # whoever has left is told nothing, and nothing is kept for them
            row.cursor_tx = tx.last_tx
        elif row.period == Cadence.WEEKLY or briefs.has_news(tx, row.person_id, schedule.period):
            _enqueue(tx, row, row.slot)
    row.next_due_at = look_again(tx.now, schedule, Last(row.slot, row.sent_at))
    if slot is None and active:
        _redirect(tx, row)


def _redirect(tx: WriteTx, row: Brief) -> None:
    """Make the slot's brief once more for another place, where the one that it went to has refused it for good."""
    cards = briefs.cards(tx, row.person_id, Cadence(row.period), row.slot)
    if not cards or people.can_be_reached_at(tx, row.person_id, Place(**cards[-1].place)):
        return
    if cards[-1].state == CardState.SKIPPED and people.reachable(tx, row.person_id) is not None:
        _enqueue(tx, row, briefs.subject(Cadence(row.period), row.slot, len(cards)))
    elif cards[-1].state in _IN_FLIGHT:  # whether it has arrived is not yet known
        row.next_due_at = min(row.next_due_at, tx.now + REST)


def _enqueue(tx: WriteTx, row: Brief, cause: str) -> None:
    kind = JobKind.NOTIFY_BRIEF
    payload = {"person_id": str(row.person_id), "period": row.period, "slot": row.slot}
    jobs.enqueue(tx, kind, FENCE[kind], row.person_id, cause, payload, tx.now)


def _heard(tx: ReadTx, fire_ids: Collection[UUID], now: int) -> dict[UUID, Heard]:
    """These fires, but for those of watches that are stopped or muted."""
    found = watches.fires(tx, fire_ids).items()
    audible = ((fire_id, fire, watch) for fire_id, (fire, watch) in found if watch.enabled and watch.muted_until <= now)
    return {fire_id: Heard(fire, watch, undone=False) for fire_id, fire, watch in audible}
