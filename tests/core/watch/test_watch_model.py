"""Documents move, people come and go, workers die and clocks step back: what is told is what the plainest model says.

Whoever watches a thing is told of every net change they may read, once, and of nothing else; `tests.support.watched`
says what is so. The platform here takes every card that is put to it; whether the worker hears of it is open.
"""

import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule, run_state_machine_as_test

from core.clock import DAY, FOREVER, HOUR, MINUTE, SECOND, ManualClock
from core.errors import NotFound
from core.jobs.kinds import Audience, JobKind
from core.memory import Memory
from core.model.notices import Notice
from core.model.watching import TargetKind, WatchRequest
from core.store.tables import NotifyDelivery
from tests.support.judging import Hand, Judging
from tests.support.memories import last_tx, open_memory, place_of, rows
from tests.support.postgres import emptied
from tests.support.watched import Amounts, Paper, Part, Somebody, wishes

NOTIFY = [JobKind.NOTIFY_WATCH]
PEOPLE = (
    ("default", "Ada", {"member"}),
    ("default", "Bob", {"legal", "member", "steward"}),
    ("other", "Eve", {"member"}),
)
PAPERS = {"travel.md": {"member"}, "deals.md": {"legal"}, "house.md": {"everyone"}}
AMOUNTS = st.tuples(st.sampled_from((1, 2, None)), st.sampled_from((1, 2))) | st.just((1, None))
MINE = st.sampled_from(("default", "default", "default", "other"))
URIS = st.sampled_from(tuple(PAPERS))
WHO = st.sampled_from(range(len(PEOPLE)))
WHAT = st.sampled_from(
    (
        *(("role", legal) for legal in (True, False)),
        *(("be_active", active) for active in (True, False)),
        ("be_blocked", None),
        *(("return_", by_word) for by_word in (True, False)),
        *(("mute_all", hours) for hours in (0, 1, 30)),
        *(("be_quiet", hours) for hours in (None, (22, 7), (10, 18))),
        *(("prefer", ("brief_day", day)) for day in ("off", "monday", "thursday")),
    )
)
WHEN = st.sampled_from((0, 0, 0, 0, -2 * HOUR, 10 * MINUTE))
ALWAYS = (0, 5, 13)
"""Ada's on a section and on all, and Bob's on all that tells every member."""
ENDS = ("sent", "sent late", "refused", "lost", "lost but there", "died", "died but there")
LATER = st.sampled_from((5 * SECOND, 31 * SECOND, 61 * SECOND, 5 * MINUTE, HOUR, 9 * HOUR, DAY, 4 * DAY))


class Watching(Judging):
    @initialize(
        rows_a_tick=st.sampled_from((1, 5000)),
        keep=st.sampled_from((1, 200)),
        wanted=st.sets(st.integers(0, 40), max_size=5),
    )
    def begin(self, rows_a_tick: int, keep: int, wanted: set[int]) -> None:
        self.settings = {"watch": {"max_rows_per_tick": rows_a_tick, "fire_keep_per_watch": keep}}
        self.memory = self.opened(self.clock)
        for tenant in ("default", "other"):
            self.memory.people.ensure_tenant(tenant, tenant)
        self.people = [self.joined(*one) for one in PEOPLE]
        self.papers = {
            (tenant, uri): Paper(tenant, uri, set(readers))
            for tenant in ("default", "other")
            for uri, readers in PAPERS.items()
        }
        for paper in self.papers.values():
            if paper.tenant == "default" or paper.uri == "travel.md":
                self.hand_in(paper, (1, 1))
        self.watches = [watch for one in self.people for watch in wishes(one, self.of(one.tenant))]
        for tenant in ("default", "other"):
            self.memory.sweep(tenant)
            self.checkpoints[tenant] = self.checkpoint(tenant)
        for number in (*ALWAYS, *sorted(wanted)):
            self.watch(number)

    def joined(self, tenant: str, name: str, roles: set[str]) -> Somebody:
        person_id = self.memory.people.put(tenant, name, roles=roles)
        self.memory.people.bind(tenant, person_id, place_of(person_id))
        return Somebody(tenant, name, person_id, set(roles))

    def opened(self, clock: ManualClock) -> Memory:
        return open_memory(self.url, clock, **self.settings)

    # ── what people write ──

    def hand_in(self, paper: Paper, amounts: Amounts | None, ahead: int = 0) -> None:
        at = self.clock.now() + ahead
        when = at if ahead else None
        if amounts is None:
            self.memory.remove(paper.uri, tenant=paper.tenant, valid_start=when)
        else:
            self.memory.ingest(
                paper.uri, paper.data(amounts), readers=sorted(paper.readers), tenant=paper.tenant, valid_start=when
            )
        paper.handed_in.append((last_tx(self.memory, paper.tenant), at, amounts))

    @rule(tenant=MINE, uri=URIS, amounts=st.lists(AMOUNTS, min_size=1, max_size=3), ahead=WHEN)
    def write(self, tenant: str, uri: str, amounts: list[Amounts], ahead: int = 0) -> None:
        for some in () if self.papers[tenant, uri].erased else amounts:
            self.hand_in(self.papers[tenant, uri], some, ahead)

    @rule(tenant=MINE, uri=URIS, ahead=WHEN)
    def remove(self, tenant: str, uri: str, ahead: int) -> None:
        paper = self.papers[tenant, uri]
        if paper.handed_in and not paper.erased:
            self.hand_in(paper, None, ahead)

    @rule(uri=URIS, readers=st.sampled_from(("member", "legal", "everyone")))
    def share(self, uri: str, readers: str) -> None:
        paper = self.papers["default", uri]
        said = paper.at((self.clock.now(), last_tx(self.memory)))
        if said is not None and not paper.erased:
            paper.readers = {readers}
            self.hand_in(paper, said)

    @rule(sure=st.integers(0, 3))
    def erase(self, sure: int) -> None:
        paper = self.papers["default", "house.md"]
        if sure == 0 and not paper.erased:
            paper.erased = True
            self.memory.erase(Part(paper, "source").ref_id, "asked for")

    # ── people ──

    @rule(who=WHO, what=WHAT)
    def change(self, who: int, what: tuple[str, Any]) -> None:
        """Somebody changes, or changes their mind."""
        name, value = what
        getattr(self, name)(self.people[who], value)

    def role(self, person: Somebody, legal: bool) -> None:
        person.roles = person.roles - {"legal"} | ({"legal"} if legal else set())
        self.memory.people.put(person.tenant, person.name, roles=person.roles)

    def be_active(self, person: Somebody, active: bool) -> None:
        person.active = active
        self.memory.people.set_active(person.tenant, person.person_id, active)

    def be_blocked(self, person: Somebody, _: None) -> None:
        person.within_reach = False
        self.memory.people.departed(person.tenant, place_of(person.person_id), "blocked")

    def return_(self, person: Somebody, by_word: bool) -> None:
        person.within_reach = True
        place = place_of(person.person_id)
        if by_word:
            self.memory.inbound.receive(person.tenant, place, f"e{next(self.numbers)}", "question", {"text": "Hello"})
        else:
            self.memory.people.returned(person.tenant, place)

    def mute_all(self, person: Somebody, hours: int) -> None:
        person.muted_until = self.clock.now() + hours * HOUR if hours else 0
        self.memory.people.mute(person.tenant, person.person_id, person.muted_until)

    def be_quiet(self, person: Somebody, hours: tuple[int, int] | None) -> None:
        person.quiet = hours
        self.prefer(person, ("quiet_from", str(hours[0]) if hours else "off"))
        self.prefer(person, ("quiet_until", str(hours[1]) if hours else "off"))

    def prefer(self, person: Somebody, chosen: tuple[str, str]) -> None:
        with self.memory._database.write(person.tenant) as tx:
            self.memory.people.prefer(tx, person.person_id, *chosen)

    # ── watches ──

    @rule(number=st.integers(0, 40))
    def watch(self, number: int) -> None:
        watch = self.watches[number % len(self.watches)]
        owner = watch.owner
        if not owner.active:
            return
        target = {"kind": TargetKind.SHARED, "audience": {"roles": [watch.role]}}
        mine = {"kind": TargetKind.PERSON, "person_id": str(owner.person_id)}
        request = WatchRequest(
            "w", watch.scope, watch.refs, watch.events, target if watch.role else mine, debounce_secs=0
        )
        with suppress(NotFound):
            made = self.memory.watch(request, self.memory.people.principal(owner.tenant, owner.person_id))
            watch.watch_id = made.watch_id
            watch.silent.pop(owner.person_id, None)
            if made.fresh:
                watch.enabled, watch.created_tx = True, last_tx(self.memory, owner.tenant)
                now = self.present(owner.tenant)
                watch.coords = {(one.person_id, p.uri): [now] for one in self.people for p in self.of(owner.tenant)}

    @rule(number=st.integers(0, 40), who=WHO, hours=st.sampled_from((None, 0, 1, 30)))
    def mute(self, number: int, who: int, hours: int | None) -> None:
        """Whoever is told may mute and stop a watch for themselves, and its owner ends it."""
        watch, person = self.watches[number % len(self.watches)], self.people[who]
        if watch.watch_id is None or not person.active:
            return
        until = None if hours is None else self.clock.now() + hours * HOUR
        principal = self.memory.people.principal(person.tenant, person.person_id)
        with suppress(NotFound):
            with self.memory._database.write(person.tenant) as tx:
                self.memory._engines.watch.mute(tx, watch.watch_id, principal, until)
            watch.enabled = watch.enabled and (until is not None or person is not watch.owner)
            watch.silent[person.person_id] = FOREVER if until is None else until

    # ── time ──

    @rule(by=LATER)
    def wait(self, by: int) -> None:
        self.advance(by)

    def advance(self, by: int) -> None:
        self.clock.advance(by)

    @rule(back=st.booleans())
    def restart(self, back: bool) -> None:
        """Everything in hand is lost; the clock may have been set back."""
        self.hands.clear()
        self.memory.close()
        self.advance(-HOUR if back else 0)
        self.memory = self.opened(self.clock)

    # ── the sweep ──

    @rule(behind=st.sampled_from((0, 0, 10 * SECOND)))
    def sweep(self, behind: int = 0) -> None:
        for tenant in ("default", "other"):
            self.sweep_once(tenant, behind)

    def sweep_once(self, tenant: str, behind: int = 0) -> bool:
        since = self.checkpoint(tenant)
        if behind:
            with self.opened(ManualClock(self.clock.now() - behind)) as slow:
                swept = slow.sweep(tenant)
        else:
            swept = self.memory.sweep(tenant)
        until = self.checkpoint(tenant)
        assert until >= since
        assert until[1] >= since[1]
        self.judge_fires(tenant, since, until)
        if not swept.backlog and not behind:
            assert self.memory.sweep(tenant).fires == 0
        return swept.backlog

    # ── the worker ──

    @rule(step=st.sampled_from(("spread", "die", "brief", "gather", "take")))
    def one_step(self, step: str) -> None:
        getattr(self, step)()

    def die(self) -> None:
        self.memory.jobs.lease(Audience.CLARIFY, NOTIFY, "worker", 3)

    def spread(self) -> None:
        for job in self.memory.jobs.lease(Audience.CLARIFY, NOTIFY, "worker", 100):
            self.memory.delivery.spread(job)

    def brief(self) -> None:
        for tenant in ("default", "other"):
            self.memory.briefs.schedule(tenant)
        for job in self.memory.jobs.lease(Audience.CLARIFY, [JobKind.NOTIFY_BRIEF], "worker", 100):
            self.memory.briefs.make(job)

    def gather(self) -> None:
        self.memory.delivery.gather()

    def take(self) -> None:
        """Every card that may be sent now, in hand."""
        for one in self.memory.delivery.due(100):
            moment = self.present(one.tenant_id)
            card = self.memory.delivery.take(one.tenant_id, one.message_id, self.keep)
            if card is not None:
                carried = rows(self.memory, NotifyDelivery, one.tenant_id)
                fires = {d.fire_id for d in carried if d.message_id == card.message_id and d.state == "pending"}
                self.hands.append(Hand(card, self.said[card.nonce], moment, fires))
                self.judge(self.hands[-1])

    @rule(uri=URIS, amounts=AMOUNTS)
    def hold(self, uri: str, amounts: Amounts) -> None:
        """A change that has settled, and its cards in hand."""
        self.advance(2 * MINUTE)
        self.write("default", uri, [amounts])
        self.sweep()
        self.advance(31 * SECOND)
        self.spread()
        self.gather()
        self.take()

    @rule(who=WHO, hours=st.sampled_from((1, 30)), uri=URIS, amounts=AMOUNTS)
    def hold_while_muted(self, who: int, hours: int, uri: str, amounts: Amounts) -> None:
        self.mute_all(self.people[who], hours)
        self.hold(uri, amounts)

    def keep(self, notice: Notice, nonce: str) -> dict[str, Any]:
        self.said[nonce] = notice
        return {"nonce": nonce}

    @precondition(lambda self: self.hands)
    @rule(end=st.sampled_from(ENDS))
    def end(self, end: str) -> None:
        hand = self.hands.pop(0)
        if end in {"sent", "sent late", "lost but there", "died but there"} and not self.post(hand):
            self.memory.outcomes.not_sent(hand.card, "too late")
            return
        if end == "sent":
            self.learn(hand)
        elif end == "sent late":
            self.clock.advance(3 * MINUTE)
            self.learn(hand)
        elif end == "refused":
            self.memory.outcomes.not_sent(hand.card, "429", retry_after=MINUTE)
        elif end.startswith("lost"):
            self.memory.outcomes.lost(hand.card, "time-out")

    @rule(tell=st.booleans(), later=st.sampled_from((0, 3 * MINUTE, 2 * HOUR)))
    def look(self, tell: bool = True, later: int = 0) -> None:
        """Look for cards in doubt in the platform's history, which may tell or not."""
        self.advance(later)
        for one in self.memory.outcomes.doubtful(100):
            card = self.memory.outcomes.doubt(one.tenant_id, one.message_id)
            if card is None:
                continue
            there = self.platform.get(card.delivery_key)
            if not tell:
                self.memory.outcomes.look_later(card)
                if self.memory.messages.state(one.tenant_id, one.message_id) == "skipped" and there:
                    self.unsure |= {(fire, card.person_id) for fire in there.fires}
            else:
                self.memory.outcomes.found(card, "ref" if there else None)
                if there:
                    self.known(there)

    @rule(later=LATER)
    def work(self, later: int = 0) -> None:
        """All of a worker's round, at once."""
        self.advance(later)
        self.sweep()
        self.spread()
        self.brief()
        self.gather()
        self.take()
        while self.hands:
            self.end("sent")

    # ── what a card says ──

    def teardown(self) -> None:
        if sys.exc_info()[0] is None:
            self.settle()
            self.everybody_knows()
            self.nothing_is_left()
        self.memory.close()

    def settle(self) -> None:
        """Everybody comes back, all mutes end, and nothing goes wrong any more."""
        self.hands.clear()
        for person in self.people:
            self.be_active(person, True)
            self.be_quiet(person, None)
            self.mute_all(person, 0)
        self.what_cannot_be_told_is_nobodys_to_tell()
        for turn in range(4):
            self.clock.advance(7 * HOUR)
            if turn in {0, 2}:
                for person in self.people:
                    self.return_(person, True)
            for tenant in ("default", "other"):
                while self.sweep_once(tenant):
                    pass
            self.clock.advance(6 * MINUTE)
            self.look()
            self.work()
            self.what_cannot_be_told_is_nobodys_to_tell()


def run(make: Callable[[], str], examples: int) -> None:
    many = settings.default.max_examples // 25  # 1, or more where somebody asks for the profile `deep`
    few = settings(max_examples=examples * many, stateful_step_count=20, deadline=None)
    run_state_machine_as_test(lambda: Watching(make()), settings=few)


def test_whoever_watches_is_told_of_every_net_change_once(migrated_file, tmp_path):
    number = count()

    def fresh() -> str:
        return f"sqlite:///{shutil.copy(migrated_file, tmp_path / f'{next(number)}.db')}"

    run(fresh, 8)


def test_and_on_postgresql(postgres_url):
    def fresh() -> str:
        emptied(postgres_url)
        return postgres_url

    run(fresh, 3)
