"""What is held against each fire and each card, and what is left in the end: see `tests.support.watched`."""

from itertools import count
from typing import Any
from uuid import UUID

from hypothesis.stateful import RuleBasedStateMachine, invariant

from core.clock import DAY, FOREVER, ManualClock
from core.ids import watch_derived
from core.memory import Memory
from core.model.notices import BriefNotice, ChangeNotice, Notice, Outgoing, RestNotice
from core.store.tables import Brief, CardMessage, Job, NotifyDelivery, SweepCheckpoint, WatchFire, WatchPending
from tests.support.memories import NOW, last_tx, rows
from tests.support.watched import HEADINGS, Moment, Paper, Part, Somebody, Standing


class Hand:
    """A card in hand: what it says, when it was taken, and which fires it tells."""

    def __init__(self, card: Outgoing, notice: Notice, moment: Moment, fires: set[UUID]) -> None:
        self.card, self.notice, self.moment, self.fires = card, notice, moment, fires


class Judging(RuleBasedStateMachine):
    memory: Memory
    papers: dict[tuple[str, str], Paper]
    people: list[Somebody]
    watches: list[Standing]

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url, self.clock, self.numbers = url, ManualClock(NOW), count()
        self.hands: list[Hand] = []
        self.said: dict[str, Notice] = {}
        self.platform: dict[str, Hand] = {}
        self.accepted: set[tuple[UUID, UUID]] = set()
        self.unsure: set[tuple[UUID, UUID]] = set()
        self.shown: dict[tuple[UUID, UUID], Moment] = {}
        self.told: dict[tuple[UUID, str, str], Moment] = {}
        self.heard: set[tuple[UUID, UUID, int]] = set()
        self.fires: dict[UUID, Any] = {}
        self.checkpoints: dict[str, Moment] = {}

    def of(self, tenant: str) -> list[Paper]:
        return [paper for paper in self.papers.values() if paper.tenant == tenant]

    def present(self, tenant: str) -> Moment:
        newest = last_tx(self.memory, tenant)
        return max(self.clock.now(), newest), newest

    def checkpoint(self, tenant: str) -> Moment:
        [row] = rows(self.memory, SweepCheckpoint, tenant)
        return row.swept_at, row.tx

    def judge_fires(self, tenant: str, since: Moment, until: Moment) -> None:
        """What a sweep heard is what is different between where it began and where it ended."""
        found = {row.fire_id: row for row in rows(self.memory, WatchFire, tenant)}
        fresh = {key: fire for key, fire in found.items() if key not in self.fires}
        of_watch = {watch.watch_id: watch for watch in self.watches if watch.watch_id}
        heard: set[tuple[UUID, UUID, int]] = set()
        for fire in fresh.values():
            window = fire.window_start, fire.window_end
            turns = [event["change_tx"] for event in fire.events]
            assert window == (min(turns), max(turns))
            assert min(turns) > of_watch[fire.watch_id].created_tx
            assert fire.fire_id == watch_derived("fire", fire.watch_id, *window)
            assert fire.job_id == watch_derived("job", fire.watch_id, *window)
            heard |= {(fire.watch_id, UUID(e["changed_ref_id"]), e["change_tx"]) for e in fire.events}
        heard |= {(row.watch_id, row.ref_id, row.change_tx) for row in rows(self.memory, WatchPending, tenant)}
        new = {(watch_id, ref) for watch_id, ref, tx in heard - self.heard}
        self.heard |= heard
        self.forgotten(tenant, found)
        self.fires |= fresh
        for watch in self.watches:
            if watch.watch_id is not None and watch.owner.tenant == tenant:
                self.judge_heard(watch, {ref for watch_id, ref in new if watch_id == watch.watch_id}, since, until)

    def judge_heard(self, watch: Standing, new: set[UUID], since: Moment, until: Moment) -> None:
        parts = {part.ref_id: part for part in watch.parts if not part.paper.erased}
        begun = watch.created_tx, watch.created_tx
        begin = since if watch.created_tx <= since[1] else begun
        moved = {ref for ref, part in parts.items() if part.stands(begin) != part.stands(until)}
        if watch.created_tx <= until[1]:
            assert new & parts.keys() <= moved, "a fire tells of what did not change"
            assert moved <= new or not watch.goes_on, "the sweep has missed a change"
        if watch.enabled and not watch.goes_on:
            for (_, uri), moments in watch.coords.items():
                if any(parts[ref].paper.uri == uri for ref in moved):
                    moments.append(until)

    def forgotten(self, tenant: str, found: dict[UUID, Any]) -> None:
        """No fire is gone that somebody is still to be told of, by a brief at least."""
        gone = [key for key, fire in self.fires.items() if fire.tenant_id == tenant and key not in found]
        if not gone:
            return
        cursors = {row.person_id: row for row in rows(self.memory, Brief, tenant)}
        for delivery in rows(self.memory, NotifyDelivery, tenant):
            if delivery.fire_id in gone:
                assert delivery.state not in {"pending", "carried"}
                brief = cursors[delivery.person_id]
                assert brief.cursor_tx >= delivery.created_at or brief.next_due_at > self.clock.now() + 400 * DAY
        for key in gone:
            del self.fires[key]

    def judge(self, hand: Hand) -> None:
        notice = hand.notice
        person = self.may_be_told(hand.card, notice)
        assert person.within_reach
        if isinstance(notice, ChangeNotice):
            for line in notice.lines:
                self.judge_line(person, line, hand.moment)
        elif isinstance(notice, BriefNotice):
            for line in notice.lines:
                self.judge_brief_line(person, line)
        else:
            assert isinstance(notice, RestNotice)

    def may_be_told(self, card: Outgoing, notice: Notice) -> Somebody:
        """The recipient, who may read every word of the card and wants to hear it, now."""
        [person] = [one for one in self.people if one.person_id == card.person_id]
        assert (person.tenant, person.active) == (card.tenant_id, True)
        assert not person.wants_none(self.clock.now()), "told while they want to hear nothing"
        closed = [paper for paper in self.of(person.tenant) if paper.erased or not person.may_read(paper)]
        words = repr(notice)
        assert not any(paper.sentence(h, n) in words for paper in closed for h in HEADINGS for n in (1, 2))
        return person

    def part(self, tenant: str, ref_id: UUID) -> Part:
        [part] = [p for paper in self.of(tenant) for p in paper.parts() if p.ref_id == ref_id]
        return part

    def watching(self, person: Somebody, part: Part) -> list[Standing]:
        return [watch for watch in self.watches if watch.enabled and part in watch.parts and watch.tells(person)]

    def judge_line(self, person: Somebody, line: Any, moment: Moment) -> None:
        part = self.part(person.tenant, line.ref_id)
        theirs = self.watching(person, part)
        heard = [w for w in theirs if w.silent.get(person.person_id, 0) <= self.clock.now() and not w.on_nothing_open]
        assert heard, "told without a watch that stands"
        before = {one.before for one in line.changes if one.before}
        after = {one.after for one in line.changes if one.after}
        now = part.words(moment)
        if (person.person_id, line.ref_id) in self.shown:
            known = [self.shown[person.person_id, line.ref_id]]
        else:
            known = [at for w in theirs for at in w.coords[person.person_id, part.paper.uri]]
        told = [(part.words(at) - now, now - part.words(at)) for at in known]
        assert before or after
        assert (before, after) in told, f"{part.kind} of {part.paper.uri}: {before} → {after} is none of {told}"

    def judge_brief_line(self, person: Somebody, line: Any) -> None:
        part = self.part(person.tenant, line.ref_id)
        assert self.watching(person, part)
        now = part.words((line.change_tx, line.change_tx))
        before = {one.before for one in line.change.changes if one.before}
        after = {one.after for one in line.change.changes if one.after}
        assert before or after
        assert after <= now
        assert not before & now

    def post(self, hand: Hand) -> bool:
        """Put a card to the platform, which takes it; False where the worker has lost it."""
        card = hand.card
        if not self.memory.delivery.may_go(card):
            return False
        self.may_be_told(card, hand.notice)
        assert card.delivery_key not in self.platform, "one card, twice"
        self.platform[card.delivery_key] = hand
        told = {(fire, card.person_id) for fire in hand.fires}
        assert self.accepted & told <= self.unsure, "one change, twice"
        self.accepted |= told
        return True

    def learn(self, hand: Hand) -> None:
        """The worker is told that the card was taken."""
        if self.memory.outcomes.sent(hand.card, "ref"):
            self.known(hand)
        else:
            self.unsure |= {(fire, hand.card.person_id) for fire in hand.fires}

    # ── what must hold ──

    def known(self, hand: Hand) -> None:
        """From now on the recipient knows what the card says."""
        person_id, notice = hand.card.person_id, hand.notice
        if isinstance(notice, ChangeNotice):
            for line in notice.lines:
                part = self.part(hand.card.tenant_id, line.ref_id)
                self.knows(person_id, part, part.headings, hand.moment)
        elif isinstance(notice, BriefNotice):
            for line in notice.lines:
                part = self.part(hand.card.tenant_id, line.ref_id)
                words = repr(line.change.changes)
                headings = [heading for heading in part.headings if heading in words]
                self.knows(person_id, part, headings, (line.change_tx, line.change_tx))
            if notice.more:
                for watch in self.watches:
                    for (one, _), moments in watch.coords.items():
                        if one == person_id:
                            moments.append(hand.moment)

    def knows(self, person_id: UUID, part: Part, headings: Any, moment: Moment) -> None:
        key = person_id, part.ref_id
        if moment[1] >= self.shown.get(key, (0, 0))[1]:
            self.shown[key] = moment
        for heading in headings:
            cell = person_id, part.paper.uri, heading
            if moment[1] >= self.told.get(cell, (0, 0))[1]:
                self.told[cell] = moment

    @invariant()
    def what_cannot_be_told_is_nobodys_to_tell(self) -> None:
        """Whoever may not read a thing, has left or hears of it no more is owed nothing of how it stands meanwhile."""
        now = {tenant: self.present(tenant) for tenant in ("default", "other")}
        for watch in self.watches:
            if watch.enabled:
                for person in self.people:
                    self.excuse(watch, person, now[watch.owner.tenant])

    def excuse(self, watch: Standing, person: Somebody, now: Moment) -> None:
        stopped = watch.silent.get(person.person_id) == FOREVER
        closed = stopped or watch.on_nothing_open or not watch.owner.active or not watch.tells(person)
        for paper in {part.paper for part in watch.parts}:
            if closed or not person.may_read(paper):
                moments = watch.coords[person.person_id, paper.uri]
                if moments[-1] != now:
                    moments.append(now)

    def everybody_knows(self) -> None:
        for watch in self.watches:
            now = self.present(watch.owner.tenant)
            for person in self.people:
                if watch.enabled and watch.tells(person) and watch.silent.get(person.person_id, 0) <= now[0]:
                    for part in watch.parts:
                        self.knows_all(person, part, now)

    def knows_all(self, person: Somebody, part: Part, now: Moment) -> None:
        """Each heading says what it said when they were told last, or at a time that nobody had to tell them of."""
        for heading in () if part.paper.erased else part.headings:
            cell = Part(part.paper, heading)
            told = self.told.get((person.person_id, part.paper.uri, heading), (0, 0))
            watching = [watch for watch in self.watches if watch.enabled and watch.hears(cell)]
            known = [at for watch in watching for at in watch.coords[person.person_id, part.paper.uri]]
            states = {cell.words(at) for at in (told, *known) if at[1] >= told[1]}
            assert cell.words(now) in states, f"{person.name} was not told of {heading} of {part.paper.uri}"

    def nothing_is_left(self) -> None:
        now = self.clock.now()
        for tenant in ("default", "other"):
            left = [job for job in rows(self.memory, Job, tenant) if job.state != "done" and job.not_before <= now]
            assert [job.kind for job in left if job.kind.startswith("notify:w")] == []
            assert rows(self.memory, WatchPending, tenant) == []
            states = {card.state for card in rows(self.memory, CardMessage, tenant)}
            assert states <= {"sent", "skipped", "redacted"}
            waiting = [row for row in rows(self.memory, NotifyDelivery, tenant) if row.state in {"pending", "carried"}]
            muted = {w.watch_id for w in self.watches if any(until > now for until in w.silent.values())}
            assert [row for row in waiting if self.fires[row.fire_id].watch_id not in muted] == []
