"""What a watch on a question tells: what came of it since its reader was last shown it, of what they may read."""

from dataclasses import replace

import pytest

from core.clock import HOUR, MINUTE
from core.graph.records import Record
from core.model.clarifying import ClarificationState
from core.model.evidence import ChangeLine
from core.model.notices import ChangeNotice, Stood
from core.model.watching import TargetKind, watch_on_question
from core.store.tables import NotifyDelivery
from tests.support.deliveries import Worker
from tests.support.memories import add_person, made_steward, page, put, rows, section, source_id, watch_request
from tests.support.memories import document as document_of
from tests.support.questions import LUNCH, MEALS, dispute, opened, says

PENDING, BOUND, CONFLICTED = ClarificationState.PENDING, ClarificationState.BOUND, ClarificationState.CONFLICTED


@pytest.fixture
def worker(memory):
    memory.sweep()
    return Worker(memory)


def follow(memory, who, asked, target=None):
    """A watch on a question by one person, or by a team."""
    request = watch_on_question(asked, "the question", who)
    return memory.watch(replace(request, target=target or request.target, debounce_secs=0), who).watch_id


def told(memory, worker, hours=1):
    """The notices of what has happened by now."""
    memory.clock.advance(hours * HOUR)
    memory.sweep()
    memory.clock.advance(MINUTE)
    before = len(worker.notices)
    worker.send()
    return worker.notices[before:]


def only(memory, worker):
    [notice] = told(memory, worker)
    assert isinstance(notice, ChangeNotice)
    [line] = notice.questions
    return line


def reasons(memory):
    return [(row.state, row.reason) for row in sorted(rows(memory, NotifyDelivery), key=lambda row: row.created_at)]


def test_what_settles_a_question_is_told_with_its_words_and_what_it_is_about(memory, worker, ada):
    asked = opened(memory)
    follow(memory, ada, asked)
    memory.clarify.override("default", asked, 1)
    line = only(memory, worker)
    assert (line.question, line.about, line.source_name, line.source_uri) == (LUNCH, "Lunch", "day.md", "day.md")
    assert (line.before, line.after) == (Stood(PENDING, ("At noon", "At one")), Stood(BOUND, ("At one",)))
    assert line.material
    assert line.source_ids == {source_id("day.md")}


def test_each_card_tells_from_where_the_last_left_off(memory, worker, ada):
    asked = dispute(memory)
    follow(memory, ada, asked)
    memory.clarify.mark_conflicted("default", asked)
    assert only(memory, worker).after == Stood(CONFLICTED)
    memory.put_node(says(memory, "c.md", 60))
    again = only(memory, worker)
    assert (again.before, again.after) == (Stood(CONFLICTED), Stood(PENDING, (40, 55, 60)))
    assert not again.material
    memory.clarify.override("default", asked, 2)
    assert only(memory, worker).after == Stood(BOUND, (60,))
    memory.clarify.override("default", asked, 0)
    corrected = only(memory, worker)
    assert (corrected.before, corrected.after) == (Stood(BOUND, (60,)), Stood(BOUND, (40,)))


def test_a_vote_that_settles_nothing_is_no_news_and_does_not_date_it(memory, worker, ada, bob):
    asked = dispute(memory)
    [boss] = [add_person(memory, "Boss", roles=("member", "steward"))]
    add_person(memory, "Chief", roles=("steward",))
    follow(memory, ada, asked)
    memory.put_node(says(memory, "c.md", 60))
    restated = memory.clock.now()
    memory.clock.advance(HOUR)
    [notice] = told(memory, worker)
    assert notice.happened_at == notice.questions[0].change_tx <= restated
    memory.clarify.vote(asked, None, boss)
    assert told(memory, worker) == []


def test_a_question_that_comes_back_to_what_was_shown_makes_no_card(memory, worker, ada):
    asked = opened(memory)
    follow(memory, ada, asked)
    memory.clarify.override("default", asked, 0)
    only(memory, worker)
    memory.clarify.override("default", asked, 1)
    memory.clarify.override("default", asked, 0)
    assert told(memory, worker) == []
    assert reasons(memory)[-1] == ("skipped", "no_net_change")


def test_what_it_is_settled_to_is_withheld_with_its_source(memory, worker, ada):
    boss = add_person(memory, "Boss", roles=("member", "steward", "board"))
    memory.put_node(says(memory, "a.md", 40))
    [asked] = memory.put_node(says(memory, "hr.md", 55, ("board",))).in_question
    for who in (ada, boss):
        follow(memory, who, asked)
    memory.clarify.mark_conflicted("default", asked)
    lines = {notice.questions[0].source_ids: notice.questions[0] for notice in told(memory, worker)}
    assert lines[frozenset({source_id("a.md")})].before == Stood(PENDING, (40,))
    assert lines[frozenset({source_id("a.md"), source_id("hr.md")})].before == Stood(PENDING, (40, 55))


def test_who_may_not_read_what_it_is_settled_to_is_told_only_that_it_is(memory, worker, ada):
    memory.put_node(says(memory, "a.md", 40))
    [asked] = memory.put_node(says(memory, "hr.md", 55, ("board",))).in_question
    follow(memory, ada, asked)
    memory.clarify.override("default", asked, 1)
    assert told(memory, worker) == [], "the record rests on what may not be read by now, and so does the question"
    assert reasons(memory)[-1] == ("skipped", "not_authorised")
    memory.put_node(Record(MEALS, "LIMIT", {"price": 85}, ["everyone"]))
    memory.clarify.override("default", asked, 0)
    memory.clarify.override("default", asked, 1)
    memory.put_node(Record(MEALS, "LIMIT", {"price": 85}, ["everyone"]))
    line = only(memory, worker)
    assert (line.before, line.after) == (Stood(PENDING, (40,)), Stood(BOUND)), "they were shown nothing in between"
    assert source_id("hr.md") not in line.source_ids


def test_whoever_may_no_longer_read_what_it_is_about_is_told_nothing(memory, worker, ada, bob):
    asked = opened(memory)
    team = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"]}}
    follow(memory, made_steward(memory, bob), asked, target=team)
    put(memory, "day.md", page("day.md", {"Lunch": "Lunch is served daily."}), (f"person:{bob.person_id}",))
    memory.clarify.override("default", asked, 0)
    notices = told(memory, worker)
    assert [notice.questions[0].after for notice in notices] == [Stood(BOUND, ("At noon",))]
    assert sorted(reasons(memory)) == [("sent", None), ("skipped", "not_authorised")]


def test_a_question_and_a_section_that_moved_together_share_a_card(memory, worker, ada):
    asked = opened(memory)
    follow(memory, ada, asked)
    memory.watch(watch_request(ada, "entity", section("day.md", "day.md", "Lunch"), name="Lunch"), ada)
    memory.clarify.override("default", asked, 0)
    put(memory, "day.md", page("day.md", {"Lunch": "Lunch is served at noon."}))
    [notice] = told(memory, worker)
    assert [type(line) for line in notice.lines] == [ChangeLine]
    assert [line.after for line in notice.questions] == [Stood(BOUND, ("At noon",))]
    assert sorted(reason.name for reason in notice.reasons) == ["Lunch", "the question"]


def test_of_watches_on_one_card_only_those_are_named_that_heard_what_it_says(memory, worker, ada, bob):
    asked = opened(memory)
    put(memory, "hr.md", page("hr.md", {"Pay": "Pay is low."}), (f"person:{bob.person_id}",))
    memory.sweep()
    team = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"]}}
    pay = watch_request(bob, "entity", document_of("hr.md"), name="Pay is secret")
    memory.watch(replace(pay, target=team), made_steward(memory, bob))
    follow(memory, ada, asked)
    put(memory, "hr.md", page("hr.md", {"Pay": "Pay is high."}), (f"person:{bob.person_id}",))
    memory.clarify.override("default", asked, 0)
    adas = next(notice for notice in told(memory, worker) if notice.questions)
    assert [reason.name for reason in adas.reasons] == ["the question"]


def test_an_erased_question_tells_nothing(memory, worker, ada):
    memory.put_node(says(memory, "a.md", 40))
    [asked] = memory.put_node(says(memory, "b.md", 55)).in_question
    follow(memory, ada, asked)
    memory.put_node(says(memory, "c.md", 60))
    memory.erase(source_id("b.md"), "asked for")
    memory.clarify.override("default", asked, 2)
    assert told(memory, worker) == []
    assert reasons(memory)[-1] == ("skipped", "no_net_change")


def test_a_fire_of_a_question_can_be_explained_and_its_watch_stopped(memory, worker, ada):
    asked = opened(memory)
    watch_id = follow(memory, ada, asked)
    memory.clarify.override("default", asked, 0)
    told(memory, worker)
    fire_id = memory.watched.fires(watch_id, ada)[0].fire_id
    fire = memory.explain_fire(fire_id, ada)
    assert (fire.watch_name, [event.kind for event in fire.events]) == ("the question", ["clarification_bound"])
    assert [outcome.state for outcome in fire.recipients] == ["sent"]
    with memory._database.write("default") as tx:
        memory._engines.watch.mute(tx, watch_id, ada, None)
    memory.clarify.override("default", asked, 1)
    assert told(memory, worker) == []
