"""A watch on a query: what it is made of, what wakes it, what it tells of, and what it never tells."""

import json
from uuid import UUID

import pytest
from sqlalchemy import text

from core.clock import DAY, HOUR, MINUTE, SECOND
from core.errors import InvalidQuery, InvalidRequest, StoreUnavailable
from core.graph.records import Record
from core.ids import derived
from core.model.nodes import NodeWrite
from core.model.watching import EventKind, ScopeType, TargetKind, WatchRequest
from core.store.tables import Job, NotifyDelivery, Person, Watch, WatchFire, WatchPending, WatchScope
from tests.support.briefs import FRIDAY, MONDAY, arrive
from tests.support.deliveries import Worker
from tests.support.memories import (
    add_person,
    change_row,
    document,
    dump,
    page,
    put,
    rows,
    section,
    watch_request,
    without_table,
)

MOVED = (EventKind.QUERY_RESULTS_CHANGED,)
OPEN = {"find": "TOPIC", "where": [{"prop": "state", "op": "eq", "value": "open"}]}
TEA = {"find": "SECTION", "where": [{"prop": "text", "op": "match", "value": "tea"}]}
SECTIONS = {"find": "SECTION", "where": []}
TOPIC = derived("topic")


@pytest.fixture
def swept(reopen):
    """A memory without a floor for debounces, swept once."""
    memory = reopen(watch={"debounce_floor_secs": 0})
    memory.sweep()
    return memory


@pytest.fixture
def ada(swept):
    return add_person(swept, "Ada")


def ask(memory, person, query, **more):
    body = query if isinstance(query, str) else json.dumps(query)
    return memory.watch(watch_request(person, ScopeType.QUERY, body, events=MOVED, **more), person)


def say(memory, state, node_id=TOPIC, *, readers=("everyone",), **interval):
    memory.put_node(Record(node_id, "TOPIC", {"state": state}, readers, **interval))
    memory.clock.advance(SECOND)


def drinks(memory, words, uri="drinks.md", readers=("everyone",), **more):
    put(memory, uri, page("Drinks", {"Hot": words, "Cold": "Lemonade."}), readers, **more)


def told(memory):
    """By fire, oldest first, the nodes that it names."""
    fires = sorted(rows(memory, WatchFire), key=lambda fire: fire.fire_tx)
    return [{UUID(event["changed_ref_id"]) for event in fire.events} for fire in fires]


def fingerprints(memory):
    return [row.result_fingerprint for row in rows(memory, Watch)]


# ── making one ──


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("{", "no JSON"),
        ("[" * 5000, "deeper than 32"),
        ('{"find": "SECTION", "find": "PAY"}', "same name twice"),
        ('{"find": "PAY", "where": [{"prop": "a", "op": "eq", "value": 1, "value": 2}]}', "same name twice"),
        ("[]", "must be"),
        ('{"find": "TOPIC", "limit": 3}', "limit"),
        ('{"find": 5}', "find"),
        ('{"find": "topic"}', "find"),
        ('{"find": "TOPIC\\u0000"}', "find"),
        ('{"find": null, "where": []}', "find"),
        ('{"find": "TOPIC", "where": {}}', "where"),
        ('{"find": "TOPIC", "where": [{"prop": "state", "op": "like", "value": 1}]}', r"where\[0\].op"),
        ('{"find": "TOPIC", "where": [{"any": [{"prop": "", "op": "eq", "value": 1}]}]}', r"where\[0\].any\[0\].prop"),
        ('{"find": "TOPIC", "where": [{"prop": "a", "op": "eq", "value": NaN}]}', "no number"),
        ('{"find": "TOPIC", "where": [{"prop": "a", "op": "eq", "value": "\\ud800"}]}', "surrogate"),
        ('{"find": "TOPIC", "where": [{"prop": "a", "op": "eq", "value": "\ud800"}]}', "no UTF-8"),
        ('{"find": "TOPIC", "where": []}' + " " * 9000, "characters"),
    ],
    ids=range(17),
)
def test_what_is_no_query_is_refused_and_its_place_named(swept, ada, query, place):
    with pytest.raises(InvalidQuery, match=place):
        ask(swept, ada, query)
    assert rows(swept, Watch) == []


def test_two_ways_to_write_one_query_make_one_watch(swept, ada):
    first = ask(swept, ada, '{"where": [{"value": "open", "op": "eq", "prop": "state"}],\n "find": "TOPIC"}')
    again = ask(swept, ada, OPEN)
    assert (first.fresh, again.fresh, again.watch_id) == (True, False, first.watch_id)
    assert json.loads(first.refs[0]) == OPEN


@pytest.mark.parametrize(
    ("refs", "events", "wrong"),
    [
        ((json.dumps(OPEN), json.dumps(TEA)), MOVED, "one query"),
        ((), MOVED, "one query"),
        ((json.dumps(OPEN),), (EventKind.FACT_CHANGED,), "query_results_changed"),
    ],
    ids=["two", "none", "another's events"],
)
def test_a_watch_is_on_one_query_and_hears_that_its_results_changed(swept, ada, refs, events, wrong):
    with pytest.raises(InvalidRequest, match=wrong):
        swept.watch(watch_request(ada, ScopeType.QUERY, *refs, events=events), ada)


@pytest.mark.parametrize(
    ("query", "labels"),
    [
        (OPEN, {"TOPIC"}),
        (TEA, {"SECTION", "PASSAGE"}),
        ({"find": None, "where": TEA["where"]}, {"PASSAGE"}),
    ],
    ids=["properties", "words", "no label"],
)
def test_a_watch_is_found_by_the_labels_of_what_its_query_sees(swept, ada, query, labels):
    ask(swept, ada, query)
    assert {(row.scope_type, row.scope_ref) for row in rows(swept, WatchScope)} == {("query", one) for one in labels}


def test_what_stands_when_it_is_made_is_known_and_never_told(swept, ada):
    say(swept, "open")
    ask(swept, ada, OPEN)
    [first] = fingerprints(swept)
    assert len(first) == 16
    assert swept.sweep().fires == 0
    say(swept, "shut")
    assert swept.sweep().fires == 1
    assert fingerprints(swept) != [first]


def test_of_changes_in_one_window_only_those_after_its_birth_count(swept, ada):
    """Open before it was made and shut after: to a watch made before both, nothing; to this one, a change."""
    say(swept, "shut")
    swept.sweep()
    say(swept, "open")
    ask(swept, ada, OPEN)
    say(swept, "shut")
    assert swept.sweep().fires == 1
    assert told(swept) == [{TOPIC}]


def test_stopped_and_made_again_it_hears_what_comes_after(swept, ada):
    made = ask(swept, ada, OPEN)
    change_row(swept, Watch, ("default", made.watch_id), enabled=False)
    say(swept, "open")
    assert ask(swept, ada, OPEN).fresh
    assert swept.sweep().fires == 0
    say(swept, "shut")
    assert swept.sweep().fires == 1


# ── what moves a result ──


@pytest.mark.parametrize(
    ("before", "after", "fires"),
    [("open", "shut", 1), ("shut", "open", 1), ("shut", "gone", 0), (None, "open", 1), (None, "shut", 0)],
    ids=["leaves", "enters", "never there", "new in it", "new outside"],
)
def test_it_fires_where_something_enters_or_leaves(swept, ada, before, after, fires):
    if before:
        say(swept, before)
    ask(swept, ada, OPEN)
    swept.sweep()
    say(swept, after)
    assert swept.sweep().fires == fires
    assert told(swept) == [{TOPIC}] * fires


def test_it_fires_where_what_it_finds_says_something_else(swept, ada):
    ask(swept, ada, {"find": "TOPIC", "where": []})
    say(swept, "open")
    swept.sweep()
    say(swept, "shut")
    assert swept.sweep().fires == 1


def test_a_removal_is_one_of_its_moves(swept, ada):
    say(swept, "open")
    ask(swept, ada, OPEN)
    swept.remove_node(TOPIC)
    assert swept.sweep().fires == 1
    assert told(swept) == [{TOPIC}]


def test_there_and_back_in_one_window_is_none(swept, ada):
    say(swept, "open")
    ask(swept, ada, OPEN)
    for state in ("shut", "open"):
        say(swept, state)
    assert swept.sweep().fires == 0


def test_a_late_older_fact_is_none(swept, ada):
    say(swept, "open")
    ask(swept, ada, OPEN)
    begun = swept.clock.now()
    say(swept, "shut", valid_start=begun - DAY, valid_end=begun - HOUR)
    assert swept.sweep().fires == 0
    drinks(swept, "Tea.")
    ask(swept, ada, TEA)
    drinks(swept, "Coffee.", valid_start=begun - DAY)
    assert swept.sweep().fires == 0


def test_what_changes_its_label_leaves_and_enters(swept, ada):
    def write(label):
        with swept._database.write("default") as tx:
            node = NodeWrite(TOPIC, label, key=label, props={"state": "open"}, readers=("everyone",))
            swept._engines.graph.write(tx, [node], (tx.now, 1 << 62))
        swept.clock.advance(SECOND)

    write("TOPIC")
    ask(swept, ada, OPEN)
    ask(swept, ada, OPEN | {"find": "THEME"})
    swept.sweep()
    write("THEME")
    assert swept.sweep().fires == 2
    assert told(swept) == [{TOPIC}] * 2


@pytest.mark.parametrize("label", ["SECTION", "DOCUMENT"])
def test_words_that_come_and_go_move_whatever_they_are_part_of(swept, ada, label):
    drinks(swept, "Tea is served.")
    ask(swept, ada, TEA | {"find": label})
    swept.sweep()
    drinks(swept, "Coffee is served.")
    assert swept.sweep().fires == 1
    ref = section("drinks.md", "Drinks", "Hot") if label == "SECTION" else document("drinks.md")
    assert UUID(ref) in told(swept)[0]


def test_a_section_is_in_by_the_words_of_a_section_below_it(swept, ada):
    """Nothing was written of the section above itself."""
    nested = "# Drinks\n\n## Hot\n\nAsk.\n\n### Cups\n\n{}\n".format
    put(swept, "drinks.md", nested("Coffee.").encode())
    ask(swept, ada, TEA)
    swept.sweep()
    put(swept, "drinks.md", nested("Tea.").encode())
    assert swept.sweep().fires == 1
    above = UUID(section("drinks.md", "Drinks", "Hot"))
    assert above in told(swept)[0]


def test_without_a_label_it_sees_the_passages_that_its_words_lead_to(swept, ada):
    ask(swept, ada, TEA | {"find": None})
    drinks(swept, "Coffee.")
    say(swept, "tea")
    assert swept.sweep().fires == 0
    drinks(swept, "Tea.")
    assert swept.sweep().fires == 1
    assert len(told(swept)[0]) == 1


# ── time ──


def test_time_moves_a_result_when_it_comes_and_when_it_ends(swept, ada):
    ask(swept, ada, OPEN)
    say(swept, "open", valid_start=swept.clock.now() + HOUR, valid_end=swept.clock.now() + 2 * HOUR)
    assert swept.sweep().fires == 0
    for _ in range(2):
        swept.clock.advance(HOUR)
        assert [swept.sweep().fires for _ in range(2)] == [1, 0]
    assert told(swept) == [{TOPIC}] * 2


def test_a_version_whose_time_comes_is_another_although_one_write_made_both(swept, ada):
    say(swept, "open")
    ask(swept, ada, {"find": "TOPIC", "where": []})
    say(swept, "shut", valid_start=swept.clock.now() + HOUR)
    swept.sweep()
    before = fingerprints(swept)
    swept.clock.advance(HOUR)
    assert swept.sweep().fires == 1
    assert fingerprints(swept) != before


def test_a_backlog_holds_up_no_moment_that_has_come(reopen):
    memory = reopen(watch={"debounce_floor_secs": 0, "max_rows_per_tick": 1})
    ada = add_person(memory, "Ada")
    memory.sweep()
    ask(memory, ada, OPEN)
    say(memory, "open", valid_start=memory.clock.now() + HOUR)
    while memory.sweep().backlog:
        pass
    memory.clock.advance(HOUR)
    for name in "abc":
        put(memory, f"{name}.md", page(name, {"One": "One."}))
    while memory.sweep().backlog:
        pass
    assert told(memory) == [{TOPIC}]


def test_moves_within_the_debounce_wait_and_go_out_as_one(swept, ada):
    ask(swept, ada, OPEN, debounce_secs=60)
    for number in range(3):
        say(swept, "open", derived("topic", number))
        swept.sweep()
    assert len(rows(swept, WatchPending)) == 2
    swept.clock.advance(MINUTE)
    assert swept.sweep().fires == 1
    assert [len(found) for found in told(swept)] == [1, 2]


def test_of_many_moves_the_newest_are_kept_and_the_rest_counted(reopen):
    memory = reopen(watch={"max_events_per_fire": 2})
    ada = add_person(memory, "Ada")
    memory.sweep()
    ask(memory, ada, OPEN)
    for number in range(5):
        say(memory, "open", derived("topic", number))
    memory.sweep()
    [fire] = rows(memory, WatchFire)
    assert (len(fire.events), fire.truncated) == (2, 3)


# ── rights ──


def test_what_its_owner_may_not_read_never_moves_it(swept, ada):
    say(swept, "open", readers=["board"])
    drinks(swept, "Tea.", readers=["board"])
    for query in (OPEN, TEA, SECTIONS):
        ask(swept, ada, query)
    before = fingerprints(swept)
    say(swept, "shut", readers=["board"])
    drinks(swept, "Coffee.", readers=["board"])
    assert swept.sweep().fires == 0
    assert fingerprints(swept) == before


def test_rights_that_move_alone_are_told_to_nobody_and_kept(swept, ada):
    drinks(swept, "Tea.")
    drinks(swept, "Tea.", "other.md")
    ask(swept, ada, SECTIONS)
    swept.sweep()
    before = fingerprints(swept)
    drinks(swept, "Tea.", readers=["board"])
    assert swept.sweep().fires == 0
    drinks(swept, "Coffee.", "other.md")
    assert swept.sweep().fires == 1
    assert told(swept) == [{UUID(section("other.md", "Drinks", "Hot"))}]
    assert fingerprints(swept) != before


def test_a_source_lost_and_regained_is_heard_of_from_the_next_change_on(swept, ada):
    drinks(swept, "Tea.", readers=["member"])
    ask(swept, ada, TEA)
    swept.sweep()
    key = ("default", ada.person_id)
    change_row(swept, Person, key, roles=["guest"])
    drinks(swept, "Coffee.", readers=["member"])
    assert swept.sweep().fires == 0
    change_row(swept, Person, key, roles=["member"])
    assert swept.sweep().fires == 0
    drinks(swept, "Tea again.", readers=["member"])
    assert swept.sweep().fires == 1


@pytest.mark.parametrize("change", ["hidden", "shown"])
def test_a_record_that_only_gets_other_readers_is_no_news(swept, ada, change):
    one, other = (["everyone"], ["board"]) if change == "hidden" else (["board"], ["everyone"])
    say(swept, "open", readers=one)
    ask(swept, ada, OPEN)
    say(swept, "open", readers=other)
    assert swept.sweep().fires == 0


def test_who_is_not_there_any_more_hears_nothing(swept, ada):
    ask(swept, ada, OPEN)
    change_row(swept, Person, ("default", ada.person_id), active=False)
    say(swept, "open")
    assert swept.sweep().fires == 0


# ── what is told ──


def test_three_watches_on_one_change_share_a_card_that_names_each(swept, ada):
    drinks(swept, "Tea is served.")
    swept.sweep()
    hot = section("drinks.md", "Drinks", "Hot")
    swept.watch(watch_request(ada, ScopeType.ENTITY, hot, name="the section"), ada)
    swept.watch(watch_request(ada, ScopeType.LABEL, "SECTION", name="every section"), ada)
    ask(swept, ada, TEA, name="what is said of tea")
    drinks(swept, "Tea is served at noon.")
    assert swept.sweep().fires == 3
    assert len({event["change_tx"] for fire in rows(swept, WatchFire) for event in fire.events}) == 1
    swept.clock.advance(MINUTE)
    worker = Worker(swept)
    assert len(worker.send()) == 1
    [notice] = worker.notices
    assert {reason.name for reason in notice.reasons} == {"the section", "every section", "what is said of tea"}
    [line] = notice.lines
    assert [(c.before, c.after) for c in line.changes] == [("Tea is served.", "Tea is served at noon.")]


def test_a_brief_has_one_line_for_a_change_that_several_watches_heard(swept, ada, clock):
    clock.ts = FRIDAY
    drinks(swept, "Tea is served.")
    swept.sweep()
    swept.watch(watch_request(ada, ScopeType.LABEL, "SECTION", name="every section"), ada)
    ask(swept, ada, TEA, name="what is said of tea")
    worker = Worker(swept)
    drinks(swept, "Tea is served at noon.")
    swept.sweep()
    clock.advance(MINUTE)
    worker.send()
    [brief] = arrive(swept, worker, MONDAY)
    assert len(brief.lines) == 1
    assert set(brief.watches) == {"every section", "what is said of tea"}


def test_of_a_shared_watch_each_is_shown_what_they_may_read(swept):
    chief, clerk = add_person(swept, "Chief", ("member", "board", "steward")), add_person(swept, "Clerk")
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"]}}
    swept.watch(WatchRequest("tea", ScopeType.QUERY, (json.dumps(TEA),), MOVED, target, debounce_secs=0), chief)
    drinks(swept, "Tea for the board.", "board.md", ["board"])
    assert swept.sweep().fires == 1
    swept.clock.advance(MINUTE)
    worker = Worker(swept)
    assert [card.person_id for card in worker.send()] == [chief.person_id]
    skipped = [row for row in rows(swept, NotifyDelivery) if row.state == "skipped"]
    assert [(row.person_id, row.reason) for row in skipped] == [(clerk.person_id, "not_authorised")]
    drinks(swept, "Tea for all.", "all.md")
    drinks(swept, "Tea, and more of it.", "board.md", ["board"])
    assert swept.sweep().fires == 1
    swept.clock.advance(MINUTE)
    shown = {card.person_id: notice for card, notice in zip(worker.send(), worker.notices[-2:], strict=True)}
    assert {line.source_uri for line in shown[clerk.person_id].lines} == {"all.md"}
    assert {line.source_uri for line in shown[chief.person_id].lines} == {"all.md", "board.md"}
    [fire_id] = swept.recent_fires(clerk)
    assert swept.explain_fire(fire_id, clerk).scope_refs == (), "the words of the query are its owner's"
    assert swept.explain_fire(fire_id, chief).scope_refs


def test_why_it_was_told_is_explained(swept, ada):
    made = ask(swept, ada, OPEN, name="open topics")
    say(swept, "open")
    swept.sweep()
    [fire] = [one.fire_id for one in swept.watched.fires(made.watch_id, ada)]
    view = swept.explain_fire(fire, ada)
    assert (view.watch_name, view.scope_type, view.scope_refs) == (
        "open topics",
        ScopeType.QUERY,
        made.refs,
    )
    assert [event.kind for event in view.events] == list(MOVED)


# ── what fails ──


def test_a_query_that_can_be_read_no_more_suspends_its_watch_alone(swept, ada):
    broken = ask(swept, ada, OPEN)
    other = ask(swept, ada, {"find": "TOPIC", "where": []})
    change_row(swept, Watch, ("default", broken.watch_id), scope_refs=['{"find": "TOPIC", "where": [1]}'])
    say(swept, "open")
    assert swept.sweep().fires == 1
    assert [fire.watch_id for fire in rows(swept, WatchFire)] == [other.watch_id]
    states = {view.watch_id: view.suspended for view in swept.watches(ada)}
    assert states == {broken.watch_id: "broken", other.watch_id: None}
    say(swept, "shut")
    assert swept.sweep().fires == 1


@pytest.mark.parametrize("failure", ["sql", "index"])
def test_what_fails_while_it_is_asked_suspends_it_and_the_others_fire(swept, ada, failure, monkeypatch):
    drinks(swept, "Coffee.")
    broken, other = ask(swept, ada, TEA), ask(swept, ada, SECTIONS)
    swept.sweep()

    def fail(tx, *_):
        if failure == "index":
            raise ValueError("the index is broken")
        tx.session.execute(text("SELECT * FROM nowhere"))

    monkeypatch.setattr(swept._engines.recall, "match", fail)
    drinks(swept, "Tea.")
    assert swept.sweep().fires == 1
    assert [fire.watch_id for fire in rows(swept, WatchFire)] == [other.watch_id]
    [reason] = [view.suspended for view in swept.watches(ada) if view.watch_id == broken.watch_id]
    assert reason == "broken"
    monkeypatch.undo()
    assert ask(swept, ada, TEA).suspended is None
    drinks(swept, "Coffee.")
    assert swept.sweep().fires == 2


def test_where_the_database_is_gone_no_watch_is_to_blame(swept, ada):
    ask(swept, ada, OPEN)
    say(swept, "open")
    with without_table(swept, "watch_scope"), pytest.raises(StoreUnavailable):
        swept.sweep()
    assert [view.suspended for view in swept.watches(ada)] == [None]
    assert swept.sweep().fires == 1


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_where_the_database_cut_a_query_short_no_watch_is_to_blame(swept, ada, monkeypatch):
    drinks(swept, "Coffee.")
    ask(swept, ada, TEA)
    swept.sweep()

    def cut_short(tx, *_):
        tx.session.execute(text("SET LOCAL statement_timeout = 1"))
        tx.session.execute(text("SELECT pg_sleep(1)"))

    monkeypatch.setattr(swept._engines.recall, "match", cut_short)
    drinks(swept, "Tea.")
    with pytest.raises(StoreUnavailable):
        swept.sweep()
    monkeypatch.undo()
    assert [view.suspended for view in swept.watches(ada)] == [None]
    assert swept.sweep().fires == 1


def test_a_sweep_that_fails_leaves_the_fingerprint_and_tells_it_once_later(swept, ada):
    ask(swept, ada, OPEN)
    before = fingerprints(swept)
    say(swept, "open")
    with without_table(swept, "watch_fire"), pytest.raises(StoreUnavailable):
        swept.sweep()
    assert fingerprints(swept) == before
    assert [job for job in rows(swept, Job) if job.kind == "notify:watch"] == []
    assert [swept.sweep().fires for _ in range(2)] == [1, 0]


def test_a_sweep_that_fails_hides_nothing_from_the_index_of_words(swept, ada):
    """The tx that its transaction took is another's by then."""
    ask(swept, ada, TEA)
    drinks(swept, "Tea.", valid_start=swept.clock.now() + MINUTE)
    swept.sweep()
    swept.clock.advance(MINUTE)
    with without_table(swept, "watch_fire"), pytest.raises(StoreUnavailable):
        swept.sweep()
    drinks(swept, "Tea, too.", "other.md")
    assert swept.sweep().fires == 1
    assert len(swept.query(None, TEA["where"], ada)) == 2


# ── what is left of it ──


def test_of_who_is_erased_no_word_of_a_query_is_left_and_no_hash_of_one(swept, ada):
    query = OPEN | {"where": [{"prop": "state", "op": "eq", "value": "marzipan"}]}
    made = ask(swept, ada, query)
    assert "marzipan" in dump(swept)
    key = rows(swept, Watch)[0].dedup_key
    swept.erase(ada.person_id, "left")
    assert "marzipan" not in dump(swept)
    assert key not in dump(swept)
    assert made.watch_id != derived("watch", "default", key)


def test_two_people_ask_alike_and_each_has_a_watch(swept, ada):
    bob = add_person(swept, "Bob")
    assert ask(swept, ada, OPEN).watch_id != ask(swept, bob, OPEN).watch_id
    say(swept, "open")
    assert swept.sweep().fires == 2


def test_a_document_is_found_by_what_stands_at_its_head(swept, ada):
    ask(swept, ada, {"find": "DOCUMENT", "where": [{"prop": "status", "op": "eq", "value": "final"}]})
    for status in ("draft", "final", "final"):
        put(swept, "plan.md", f"---\nstatus: {status}\n---\n# Plan\n\nBuild.\n".encode())
        swept.sweep()
    assert told(swept) == [{UUID(document("plan.md"))}]


def test_a_card_says_what_has_changed_at_the_head_of_a_document(swept, ada):
    plan = "---\nstatus: {}\nrank: {}\nowner: Kim\n---\n# Plan\n\nBuild.\n".format
    put(swept, "plan.md", plan("draft", 1).encode())
    ask(swept, ada, {"find": "DOCUMENT", "where": [{"prop": "status", "op": "eq", "value": "final"}]})
    swept.sweep()
    put(swept, "plan.md", plan("final", 2).encode())
    swept.sweep()
    swept.clock.advance(MINUTE)
    worker = Worker(swept)
    worker.send()
    [line] = worker.notices[0].lines
    assert [(one.before, one.after) for one in line.changes] == [
        ("rank: 1", "rank: 2"),
        ("status: draft", "status: final"),
    ]
