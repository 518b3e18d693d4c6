"""What a brief says: the week's changes as its reader may see them, and what no card could carry."""

import pytest

from core.clock import DAY, HOUR, MINUTE
from core.jobs.kinds import Audience, JobKind
from core.model.nodes import SECTION
from core.model.notices import BriefNotice
from core.model.watching import EventKind, ScopeType, TargetKind, WatchRequest
from core.model.work import Extent
from core.store.tables import LastShown, NotifyDelivery, Source, Watch, WatchFire
from tests.support.briefs import (
    MONDAY,
    WEEK,
    arrive,
    brief_cards,
    change,
    in_hand,
    meals_line,
    revise,
    said,
    travel,
    week,
)
from tests.support.deliveries import Worker
from tests.support.memories import (
    CHANGES,
    add_person,
    change_row,
    made_steward,
    page,
    place_of,
    put,
    rows,
    section,
    source_id,
    watch_request,
)

MOVED = (EventKind.NEW_SOURCE_VERSION, EventKind.FACT_TOMBSTONED)


# ── the changes of a week ──


def test_of_very_many_changes_every_one_that_may_be_read_is_counted(reopen, clock):
    memory = reopen(watch={"max_events_per_fire": 1000})
    ada = add_person(memory, "Ada")
    names = {"open.md": [f"Rule {number}" for number in range(205)], "shut.md": ["Secret"]}
    for uri, headings in names.items():
        put(memory, uri, page(uri, dict.fromkeys(headings, "It costs 1 EUR.")), ["member"])
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION, name="sections"), ada)
    worker = Worker(memory)
    put(memory, "shut.md", page("shut.md", {"Secret": "It costs 2 EUR."}), ["member"])
    revise(memory, worker, page("open.md", dict.fromkeys(names["open.md"], "It costs 2 EUR.")), "open.md")
    change_row(memory, Source, ("default", source_id("shut.md")), readers=["admin"])
    [brief] = arrive(memory, worker, MONDAY)
    assert (len(brief.lines), brief.more) == (15, 190)


def test_every_change_of_a_thing_is_a_line_newest_first(memory, worker, meals):
    for amount in (45, 50, 55):
        revise(memory, worker, meals=amount)
    [brief] = arrive(memory, worker, MONDAY)
    assert said(brief) == [meals_line(50, 55), meals_line(45, 50), meals_line(40, 45)]


def test_of_two_changes_seen_together_the_brief_tells_the_whole_way(memory, worker, meals):
    put(memory, "travel.md", travel(meals=45), ["member"])
    revise(memory, worker, meals=50)
    [brief] = arrive(memory, worker, MONDAY)
    assert said(brief) == [meals_line(40, 50)]


def test_one_change_that_three_watches_heard_is_one_line(memory, worker, meals, ada):
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION, name="sections"), ada)
    memory.watch(watch_request(ada, ScopeType.SOURCE, str(source_id("travel.md")), events=MOVED, name="page"), ada)
    revise(memory, worker, meals=45)
    assert len(rows(memory, WatchFire)) == 3
    [brief] = arrive(memory, worker, MONDAY)
    assert (said(brief), brief.more) == ([meals_line(40, 45)], 0)


def test_sixty_changes_are_fifteen_lines_and_forty_five_more(memory, worker, ada):
    headings = [f"Rule {number}" for number in range(60)]
    put(memory, "rules.md", page("Rules", dict.fromkeys(headings, "It costs 1 EUR.")), ["member"])
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION, name="sections"), ada)
    revise(memory, worker, page("Rules", dict.fromkeys(headings, "It costs 2 EUR.")), "rules.md")
    [brief] = arrive(memory, worker, MONDAY)
    assert (len(brief.lines), brief.more) == (15, 45)


# ── what it tells, to whom ──


def test_what_the_person_may_no_longer_read_is_not_on_it(memory, worker, ada, meals):
    put(memory, "prices.md", page("Prices", {"Fees": "The fee is 10 EUR."}), ["member"])
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION, name="sections"), ada)
    revise(memory, worker, page("Prices", {"Fees": "The fee is 12 EUR."}), "prices.md")
    revise(memory, worker, meals=45)
    change_row(memory, Source, ("default", source_id("prices.md")), readers=["admin"])
    [brief] = arrive(memory, worker, MONDAY)
    assert (said(brief), brief.more) == ([meals_line(40, 45)], 0)


def test_a_week_of_which_the_person_may_read_nothing_has_no_card(memory, worker, meals):
    revise(memory, worker, meals=45)
    change_row(memory, Source, ("default", source_id("travel.md")), readers=["admin"])
    assert arrive(memory, worker, MONDAY) == []
    change_row(memory, Source, ("default", source_id("travel.md")), readers=["member"])
    assert arrive(memory, worker, MONDAY + WEEK) == []


def test_what_was_undone_before_anybody_was_told_is_no_line(memory, worker, meals):
    memory.clock.advance(HOUR)
    put(memory, "travel.md", travel(meals=45), ["member"])
    memory.sweep()
    put(memory, "travel.md", travel(meals=40), ["member"])
    memory.clock.advance(MINUTE)
    worker.send()
    assert [row.reason for row in rows(memory, NotifyDelivery)] == ["no_net_change"]
    assert arrive(memory, worker, MONDAY) == []


def test_a_stopped_watch_is_not_heard_of_again(memory, worker, meals, ada):
    revise(memory, worker, meals=45)
    with memory._database.write("default") as tx:
        memory._engines.watch.mute(tx, meals.watch_id, ada, None)
    assert arrive(memory, worker, MONDAY) == []


def test_a_thing_of_a_shared_watch_can_be_watched_from_it_and_ones_own_cannot(memory, worker, meals, bob, ada):
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"]}}
    memory.watch(
        WatchRequest("sections", ScopeType.LABEL, (SECTION,), CHANGES, target, debounce_secs=0),
        made_steward(memory, bob),
    )
    revise(memory, worker, meals=45, hotels=160)
    adas, bobs = sorted(arrive(memory, worker, MONDAY), key=lambda brief: len(targets(brief)), reverse=True)
    assert targets(adas) == [section("travel.md", "Travel", "Hotels")]
    assert targets(bobs) == []


def targets(brief):
    return [str(line.watch_target) for line in brief.lines if line.watch_target]


def test_what_is_gone_cannot_be_watched(memory, worker, ada, bob):
    target = {"kind": TargetKind.SHARED, "audience": {"persons": [str(ada.person_id)]}}
    memory.watch(
        WatchRequest("sections", ScopeType.LABEL, (SECTION,), CHANGES, target, debounce_secs=0),
        made_steward(memory, bob),
    )
    revise(memory, worker, page("Travel", {"Meals": "Meals cost at most 45 EUR."}))
    [brief] = arrive(memory, worker, MONDAY)
    assert targets(brief) == [section("travel.md", "Travel", "Meals")]
    assert len(brief.lines) == 2


def test_a_saved_answer_that_needs_a_look_is_on_it(memory, worker, ada):
    answer = memory.generate("What do meals cost at most?", ada)
    answer_id = memory.save_answer(answer.trace_id, ada)
    memory.clock.advance(HOUR)
    put(memory, "travel.md", travel(meals=45), ["member"])
    memory.sweep()
    for job in memory.jobs.lease(Audience.INTERNAL, [JobKind.CHECK_ANSWER], "me", 100):
        memory.check_answer(answer_id)
        memory.jobs.complete(job)
    memory.clock.advance(MINUTE)
    worker.send()
    [brief] = arrive(memory, worker, MONDAY)
    assert [moved.answer_id for moved in brief.answers] == [answer_id]
    assert brief.lines == ()
    assert arrive(memory, worker, MONDAY + WEEK) == []


# ── what no card could carry ──


@pytest.fixture
def carried(memory, worker, meals):
    """A change that a platform refused to carry for good."""
    change(memory, worker, meals=45)
    [card] = worker.take()
    memory.outcomes.not_sent(card, "invalid", lasting=Extent.CARD)
    worker.notices.clear()


def states(memory):
    return [row.state for row in rows(memory, NotifyDelivery)]


def test_the_brief_delivers_what_no_card_could(memory, worker, carried):
    assert states(memory) == ["carried"]
    [brief] = arrive(memory, worker, MONDAY)
    assert said(brief) == [meals_line(40, 45)]
    assert states(memory) == ["sent"]
    assert [fire.status for fire in rows(memory, WatchFire)] == ["delivered"]


def test_what_a_brief_could_not_carry_either_is_in_the_next(memory, worker, carried):
    card = in_hand(memory, worker)
    memory.outcomes.not_sent(card, "invalid", lasting=Extent.CARD)
    assert states(memory) == ["carried"]
    [second] = arrive(memory, worker, MONDAY + WEEK)
    assert said(second) == [meals_line(40, 45)]
    assert states(memory) == ["sent"]


def test_a_brief_that_was_refused_for_now_is_composed_again(memory, worker, meals):
    revise(memory, worker, meals=45)
    card = in_hand(memory, worker)
    memory.outcomes.not_sent(card, "busy", retry_after=HOUR)
    revise(memory, worker, meals=50)
    briefs = [notice for notice in worker.notices if isinstance(notice, BriefNotice)]
    assert [said(brief) for brief in briefs] == [[meals_line(40, 45)], [meals_line(45, 50), meals_line(40, 45)]]
    assert len(brief_cards(memory)) == 1


def test_with_the_brief_off_it_is_told_when_the_person_next_writes(memory, worker, carried, ada):
    memory.prefer(ada, "brief_day", "off")
    assert arrive(memory, worker, MONDAY + WEEK) == []
    memory.inbound.receive("default", place_of(ada.person_id), "e1", "question", {"text": "Hello"})
    worker.send()
    [notice] = worker.notices
    assert [(c.before, c.after) for c in notice.lines[0].changes] == meals_line(40, 45)
    assert states(memory) == ["sent"]


def test_a_brief_switched_off_before_it_was_sent_leaves_what_it_carried_to_the_next_card(memory, worker, carried, ada):
    card = in_hand(memory, worker)
    memory.outcomes.not_sent(card, "busy", retry_after=HOUR)
    memory.prefer(ada, "brief_day", "off")
    memory.clock.advance(HOUR)
    assert week(worker) == []
    assert states(memory) == ["carried"]
    assert [card.reason for card in brief_cards(memory)] == ["suppressed"]


# ── beside the cards of changes ──


def test_what_a_brief_has_told_is_not_told_again_by_a_card_that_comes_later(memory, worker, meals):
    change(memory, worker, meals=45)
    [waiting] = rows(memory, NotifyDelivery)
    key = ("default", waiting.fire_id, waiting.person_id, waiting.kind)
    change_row(memory, NotifyDelivery, key, not_before=MONDAY + HOUR)
    assert len(arrive(memory, worker, MONDAY)) == 1
    memory.clock.advance(HOUR)
    assert worker.send() == []
    assert [(row.state, row.reason) for row in rows(memory, NotifyDelivery)] == [("skipped", "no_net_change")]


def test_what_is_of_a_muted_watch_is_left_to_the_card_that_ends_the_mute(memory, worker, meals):
    worker.brief()
    change_row(memory, Watch, ("default", meals.watch_id), muted_until=MONDAY + DAY)
    revise(memory, worker, meals=45)
    assert arrive(memory, worker, MONDAY) == []
    memory.clock.ts = MONDAY + DAY
    [card] = worker.send()
    assert card.kind == "memory_change"


def test_a_brief_remembers_what_it_has_shown_and_takes_nothing_back(memory, worker, meals, ada):
    revise(memory, worker, meals=45)
    brief = in_hand(memory, worker)
    revise(memory, worker, meals=50)
    shown = {row.ref_id: row.tx for row in rows(memory, LastShown)}
    memory.outcomes.sent(brief, "ref")
    assert {row.ref_id: row.tx for row in rows(memory, LastShown)}.items() >= shown.items()


# ── fires are kept until they are told ──


def test_no_fire_is_forgotten_before_every_brief_has_told_it(reopen, clock):
    memory = reopen(watch={"fire_keep_per_watch": 1, "debounce_floor_secs": 0})
    ada, bob = add_person(memory, "Ada"), add_person(memory, "Bob")
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"]}}
    memory.watch(
        WatchRequest("sections", ScopeType.LABEL, (SECTION,), CHANGES, target, debounce_secs=0),
        made_steward(memory, bob),
    )
    memory.prefer(ada, "brief_day", "wednesday")
    worker = Worker(memory)
    for amount in (45, 50, 55):
        revise(memory, worker, meals=amount)
    assert len(rows(memory, WatchFire)) == 3
    [bobs] = arrive(memory, worker, MONDAY)
    assert len(bobs.lines) == 3
    revise(memory, worker, meals=60)
    assert len(rows(memory, WatchFire)) == 4
    [adas] = arrive(memory, worker, MONDAY + 2 * DAY)
    assert len(adas.lines) == 4
    memory.prefer(bob, "brief_day", "off")
    memory.briefs.schedule("default")
    revise(memory, worker, meals=65)
    assert len(rows(memory, WatchFire)) == 1


def test_fires_of_people_without_a_brief_are_kept_as_ever(reopen, clock):
    memory = reopen(watch={"fire_keep_per_watch": 1, "debounce_floor_secs": 0})
    ada = add_person(memory, "Ada")
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION), ada)
    memory.prefer(ada, "brief_day", "off")
    worker = Worker(memory)
    for amount in (45, 50, 55):
        revise(memory, worker, meals=amount)
        memory.briefs.schedule("default")
    assert len(rows(memory, WatchFire)) <= 2


# ── asked for ──


def test_asked_for_it_tells_what_it_would_and_its_own_time_stays(memory, worker, meals, ada):
    assert memory.briefs.preview(ada) is None
    revise(memory, worker, meals=45)
    assert said(memory.briefs.preview(ada).notice) == [meals_line(40, 45)]
    [brief] = arrive(memory, worker, MONDAY)
    assert said(brief) == [meals_line(40, 45)]
    assert memory.briefs.preview(ada) is None
