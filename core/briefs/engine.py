"""Briefs: when each person's is due, the card that will carry it, and what it has to tell.

Whoever is told of anything has a brief. Its row says when to look again, so that a tick costs one look-up in an index;
the week is marked in the transaction that makes its job, and the card is named after it, so that no number of
schedulers makes two. What it tells is read when it is sent, from where the last left off; the row moves on only when a
brief has arrived, or when there was nothing to tell. A brief is one of the things that its card shows: up to which tx.
"""

from collections.abc import Collection
from dataclasses import replace
from uuid import UUID

from core.clock import MINUTE
from core.delivery.grouping import BRIEF
from core.jobs.kinds import FENCE, JobKind
from core.model.apart import apart
from core.model.card_states import CardState
from core.model.ports import Composed, Notices
from core.model.preferences import Preferences
from core.model.principals import Principal
from core.model.work import Leased, Place
from core.store import briefs, jobs, messages, people, watches
from core.store.briefs import OFF, Heard
from core.store.database import Database, ReadTx, WriteTx
from core.store.tables import Brief, Person
from core.watch.brief import Last, Schedule, due, latest, look_again

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
        """Make the jobs of briefs that are due; how many people were looked at.

        Raises ExceptionGroup of what failed for some of them, when the others have theirs.
        """
        with self._database.read(tenant_id) as tx:
            waiting = briefs.due(tx, self._database.clock.now(), limit)
        with apart("people with a brief due") as turn:
            for person_id in waiting:
                with turn():
                    self._look_or_put_off(tenant_id, person_id)
        return len(waiting)

    def _look_or_put_off(self, tenant_id: str, person_id: UUID) -> None:
        """As `_look`; who fails is not looked at again before `REST`, so that they keep nobody out."""
        try:
            self._look(tenant_id, person_id)
        except Exception:
            with self._database.write(tenant_id) as tx:
                briefs.put_off(tx, person_id, tx.now + REST)
            raise

    def _look(self, tenant_id: str, person_id: UUID) -> None:
        with self._database.write(tenant_id) as tx:
            row, person = briefs.locked(tx, person_id), people.get(tx, person_id)
            if row is None:
                return
            schedule = self._chosen(tx, person) if person else None
            if person is None or schedule is None:
                row.next_due_at = OFF
            else:
                _move_on(tx, row, schedule, active=person.active)
            tx.session.add(row)

    def _chosen(self, tx: ReadTx, person: Person) -> Schedule | None:
        """When the person wants it; None when they do not."""
        chosen = self._defaults.chosen(people.preferences(tx, person.person_id))
        return None if chosen.brief_day is None else Schedule(person.zone, chosen.brief_day, chosen.brief_minute)

    def make(self, leased: Leased) -> None:
        """Put the card of a person's week, to be composed when it is sent, and finish the job, in one transaction."""
        with self._database.write(leased.tenant_id) as tx:
            job = jobs.held(tx, leased)
            if job is None:
                return
            person_id, week = UUID(leased.payload["person_id"]), leased.payload["week"]
            identity, refused = people.reachable(tx, person_id), briefs.cards(tx, person_id, week)
            stands = briefs.on_its_way(tx, person_id) or any(card.state != CardState.SKIPPED for card in refused)
            if identity is not None and not stands:
                messages.new(tx, person_id, people.place_of(identity), briefs.subject(week, len(refused)), BRIEF)
            job.state = "done"
            tx.session.add(job)

    # ── what ──

    def compose(self, tx: WriteTx, principal: Principal, carried: Collection[UUID]) -> Composed | None:
        """What changed since the person's last brief, and what these fires tell that no card could carry before.

        None where nothing did that they may read: then the brief is done with it.
        """
        row = briefs.locked(tx, principal.person_id)
        if row is None:
            return None
        upto = tx.last_tx
        composed = self._since(tx, principal, row, upto, carried)
        if composed is None:
            row.cursor_tx = upto
            tx.session.add(row)
            return None
        return replace(composed, shown=(*composed.shown, (principal.person_id, upto)))

    def preview(self, principal: Principal) -> Composed | None:
        """What the person's next brief would tell by now. It tells it all the same when its time has come."""
        with self._database.read(principal.tenant_id) as tx:
            row = briefs.get(tx, principal.person_id)
            return None if row is None else self._since(tx, principal, row, tx.last_tx, ())

    def _since(
        self, tx: ReadTx, principal: Principal, row: Brief, upto: int, carried: Collection[UUID]
    ) -> Composed | None:
        now = self._database.clock.now()
        heard = briefs.heard(tx, principal.person_id, row.cursor_tx, upto, now) | _heard(tx, carried)
        return self._notices.brief(tx, principal, list(heard.values()), row.cursor_tx, now)


def _move_on(tx: WriteTx, row: Brief, schedule: Schedule, *, active: bool) -> None:
    row.week = row.week or latest(tx.now, schedule).week
    slot = due(tx.now, schedule, Last(row.week, row.sent_at))
    if slot is not None:
        row.week = slot.week
        if active:
            _enqueue(tx, row, row.week)
        else:  # whoever has left is told nothing, and nothing is kept for them
            row.cursor_tx = tx.last_tx
    row.next_due_at = look_again(tx.now, schedule, Last(row.week, row.sent_at))
    if slot is None and active:
        _redirect(tx, row)


def _redirect(tx: WriteTx, row: Brief) -> None:
    """Make the week's brief once more for another place, where the one that it went to has refused it for good."""
    cards = briefs.cards(tx, row.person_id, row.week)
    if not cards or people.can_be_reached_at(tx, row.person_id, Place(**cards[-1].place)):
        return
    if cards[-1].state == CardState.SKIPPED and people.reachable(tx, row.person_id) is not None:
        _enqueue(tx, row, briefs.subject(row.week, len(cards)))
    elif cards[-1].state in _IN_FLIGHT:  # whether it has arrived is not yet known
        row.next_due_at = min(row.next_due_at, tx.now + REST)


def _enqueue(tx: WriteTx, row: Brief, cause: str) -> None:
    kind, payload = JobKind.NOTIFY_BRIEF, {"person_id": str(row.person_id), "week": row.week}
    jobs.enqueue(tx, kind, FENCE[kind], row.person_id, cause, payload, tx.now)


def _heard(tx: ReadTx, fire_ids: Collection[UUID]) -> dict[UUID, Heard]:
    return {fire_id: Heard(fire, watch, undone=False) for fire_id, (fire, watch) in watches.fires(tx, fire_ids).items()}
