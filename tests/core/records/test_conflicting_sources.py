"""Two sources that disagree on one property of one entity: a clarification opens, and nothing is picked silently."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clarifications.conflicts import Statement, agreed, disputed, same, statements, with_statement
from core.clock import DAY
from core.errors import InvalidRequest, NotFound
from core.graph.records import Record
from core.ids import derived
from core.model.spans import SpanRef
from core.planner.request import PlanRequest
from core.store.tables import Clarification, Feed
from tests.support.memories import add_person, page, put, rows, source_id

MEALS = derived("record", "meals")


def says(memory, uri, price, readers=("everyone",)):
    """A document that names a price, and the record that somebody made of those words."""
    words = f"A meal may cost {price} EUR."
    text = page(uri, {"Meals": words})
    put(memory, uri, text, readers)
    version = next(view.version_tx for view in memory.documents.standing("default") if view.uri == uri)
    start = text.index(words.encode())
    return record(price, SpanRef(source_id(uri), version, start, start + len(words.encode())))


def record(price, *spans, **more):
    given_readers = {} if spans else {"readers": ("everyone",)}
    return Record(MEALS, "LIMIT", {"price": price, "unit": "EUR"}, provenance=spans, **given_readers, **more)


def price(memory, who):
    return memory.get_as_of(MEALS, who).props["price"]


def options(memory, who):
    return [[option.value for option in one.options] for one in memory.clarifications(who)]


def test_what_stands_stays_and_both_are_there_to_choose_from(memory, ada):
    assert memory.put_node(says(memory, "a.md", 40)).written
    outcome = memory.put_node(says(memory, "b.md", 55))
    assert not outcome.written
    assert price(memory, ada) == 40, "nothing is picked silently"
    [asked] = memory.clarifications(ada)
    assert asked.clarification_id in outcome.in_question
    assert (asked.node_id, asked.prop, asked.state) == (MEALS, "price", "pending")
    assert [option.value for option in asked.options] == [40, 55]
    assert {span.source_id for option in asked.options for span in option.spans} == {
        source_id("a.md"),
        source_id("b.md"),
    }
    [fed] = [row for row in rows(memory, Feed) if row.ref_type == "clarification"]
    assert (fed.ref_id, fed.change) == (asked.clarification_id, "clarification_opened")


def test_a_correction_by_the_same_source_is_written(memory, ada, clock):
    memory.put_node(says(memory, "a.md", 40))
    clock.advance(DAY)
    assert memory.put_node(says(memory, "a.md", 45)).written
    assert (price(memory, ada), memory.clarifications(ada)) == (45, [])


def test_a_source_that_says_the_same_disagrees_with_nothing(memory, ada):
    memory.put_node(says(memory, "a.md", 40))
    assert memory.put_node(says(memory, "b.md", 40)).written
    assert memory.clarifications(ada) == []


def test_words_that_stand_no_more_have_no_say(memory, ada):
    memory.put_node(says(memory, "a.md", 40))
    put(memory, "a.md", page("a.md", {"Meals": "Meals are free now."}))
    assert memory.put_node(says(memory, "b.md", 55)).written
    assert (price(memory, ada), memory.clarifications(ada)) == (55, [])


def test_saying_it_again_asks_once(memory, ada):
    memory.put_node(says(memory, "a.md", 40))
    again = says(memory, "b.md", 55)
    for _ in range(3):
        memory.put_node(again)
    assert len(rows(memory, Clarification)) == 1
    assert options(memory, ada) == [[40, 55]]


def test_a_third_voice_is_one_more_option_and_a_changed_mind_replaces_its_own(memory, ada):
    for uri, amount in (("a.md", 40), ("b.md", 55), ("c.md", 60), ("b.md", 50)):
        memory.put_node(says(memory, uri, amount))
    assert options(memory, ada) == [[40, 60, 50]]
    assert price(memory, ada) == 40


def test_it_is_bound_when_all_agree(memory, ada):
    memory.put_node(says(memory, "a.md", 40))
    memory.put_node(says(memory, "b.md", 55))
    memory.put_node(says(memory, "a.md", 55))
    assert (price(memory, ada), memory.clarifications(ada)) == (55, [])
    newest = max(rows(memory, Clarification), key=lambda row: row.tx_start)
    assert (newest.state, newest.options[newest.bound]["value"], newest.settled_by) == ("bound", 55, "sources")
    assert [row.change for row in rows(memory, Feed) if row.ref_type == "clarification"][-1] == "clarification_bound"


def test_a_property_of_which_only_one_speaks_is_in_question_for_nobody(memory, ada):
    first, second = says(memory, "a.md", 40), says(memory, "b.md", 55)
    memory.put_node(Record(MEALS, "LIMIT", {"price": 40}, provenance=first.provenance))
    assert memory.put_node(Record(MEALS, "LIMIT", {"owner": "Grace"}, provenance=second.provenance)).written


def test_unrelated_facts_do_not_retire_each_other(memory, ada):
    """A uses B, then B uses C: both stand."""
    uses = [(derived("record", name), name, other) for name, other in (("A", "B"), ("B", "C"))]
    for node_id, name, other in uses:
        memory.put_node(Record(node_id, "TOOL", {"name": name, "uses": other}, ["everyone"]))
    found = {node.props["name"]: node.props["uses"] for node in memory.query("TOOL", [], ada)}
    assert found == {"A": "B", "B": "C"}
    assert memory.clarifications(ada) == []


def test_somebodys_own_word_corrects(memory, ada):
    """It rests on no document, so that there is nothing to set it against."""
    memory.put_node(says(memory, "a.md", 40))
    assert memory.put_node(record(70)).written
    assert (price(memory, ada), memory.clarifications(ada)) == (70, [])


# ── rights ──


def test_nobody_sees_an_option_whose_source_they_may_not_read(memory, ada):
    boss = add_person(memory, "Boss", roles=("board",))
    memory.put_node(says(memory, "a.md", 40))
    memory.put_node(says(memory, "secret.md", 55, readers=("board",)))
    assert options(memory, ada) == [[40]]
    assert options(memory, boss) == [[40, 55]]


def test_a_record_is_readable_with_all_its_sources(memory, ada):
    open_, secret = says(memory, "a.md", 40), says(memory, "secret.md", 40, readers=("board",))
    memory.put_node(record(40, *open_.provenance, *secret.provenance))
    with pytest.raises(NotFound):
        memory.get_as_of(MEALS, ada)
    assert price(memory, add_person(memory, "Boss", roles=("board",))) == 40


def test_nobody_reads_of_a_clarification_about_what_they_may_not_read(memory, ada):
    memory.put_node(says(memory, "a.md", 40, readers=("board",)))
    memory.put_node(says(memory, "b.md", 55))
    assert memory.clarifications(ada) == []


# ── evidence ──


def test_a_record_leads_the_planner_to_the_words_it_rests_on(memory, ada):
    told = says(memory, "a.md", 40)
    memory.put_node(told)
    planned = memory.plan(PlanRequest(find="LIMIT"), ada)
    assert [span.span for span in planned.spans] == list(told.provenance)


def test_words_that_are_not_there_are_refused(memory):
    told = says(memory, "a.md", 40)
    [span] = told.provenance
    wrong = [
        SpanRef(span.source_id, span.source_version_tx, 10_000, 10_010),
        SpanRef(span.source_id, span.source_version_tx + 1, span.start, span.end),
        SpanRef(derived("nothing"), span.source_version_tx, span.start, span.end),
        SpanRef(span.source_id, span.source_version_tx, span.start, span.start),
    ]
    for each in wrong:
        with pytest.raises(InvalidRequest, match="provenance"):
            memory.put_node(record(40, each))


def test_a_record_names_its_readers_or_the_words_whose_readers_they_are():
    with pytest.raises(InvalidRequest, match="name readers"):
        Record(MEALS, "LIMIT", {})


@pytest.mark.parametrize(
    ("readers", "of_source", "who"),
    [("board", "everyone", {"Boss"}), ("everyone", "board", {"Boss"}), ("everyone", "everyone", {"Ada", "Boss"})],
)
def test_of_readers_and_sources_both_must_admit(memory, ada, readers, of_source, who):
    boss = add_person(memory, "Boss", roles=("board",))
    told = says(memory, "a.md", 40, readers=(of_source,))
    memory.put_node(Record(MEALS, "LIMIT", {"price": 40}, (readers,), provenance=told.provenance))
    reading = {name for name, one in (("Ada", ada), ("Boss", boss)) if memory.query("LIMIT", [], one)}
    assert reading == who


@pytest.mark.parametrize("in_question", [False, True])
def test_words_that_were_replaced_meanwhile_are_refused(memory, ada, in_question):
    memory.put_node(says(memory, "a.md", 40))
    if in_question:
        memory.put_node(says(memory, "b.md", 55))
    late = says(memory, "a.md", 41)
    says(memory, "a.md", 42)
    with pytest.raises(InvalidRequest, match=r"provenance: the words at .* do not stand any more; name words of the"):
        memory.put_node(late)
    assert (price(memory, ada), options(memory, ada)) == (40, [[55]] if in_question else [])


def test_history_rests_on_words_of_its_time_and_settles_nothing_of_today(memory, ada, clock):
    first = says(memory, "a.md", 40)
    clock.advance(DAY)
    memory.put_node(says(memory, "a.md", 45))
    memory.put_node(says(memory, "b.md", 55))
    begin = clock.now() - DAY
    assert memory.put_node(record(40, *first.provenance, valid_start=begin, valid_end=clock.now())).written
    assert memory.get_as_of(MEALS, ada, valid_time=begin).props["price"] == 40
    assert (price(memory, ada), options(memory, ada)) == (45, [[45, 55]])


# ── erasing ──


def test_an_erased_source_takes_its_words_out_of_records_and_options(memory, ada):
    memory.put_node(says(memory, "a.md", "marzipan"))
    memory.put_node(says(memory, "b.md", "zanzibar"))
    report = memory.erase(source_id("b.md"), "asked")
    assert report.surfaces["clarifications"] == 1
    assert "zanzibar" not in str([row.model_dump() for row in rows(memory, Clarification)])
    assert price(memory, ada) == "marzipan"
    report = memory.erase(source_id("a.md"), "asked")
    assert report.surfaces["records"] == 1
    with pytest.raises(NotFound):
        memory.get_as_of(MEALS, ada)


# ── the rule ──

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.text("aA ", max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=2),
    max_leaves=4,
)


@given(VALUES, VALUES)
def test_being_the_same_goes_both_ways(a, b):
    assert same(a, a)
    assert same(a, b) == same(b, a)


def test_what_is_the_same():
    assert same({"a": [1, "Ada "]}, {"a": [1.0, "ada"]})
    for a, b in ((1, True), (0, False), (0, None), ("1", 1), ([], {}), ("a", "b")):
        assert not same(a, b), (a, b)


SOURCES = [derived("source", number) for number in range(3)]
STATEMENTS = st.builds(Statement, st.integers(0, 2), st.sampled_from(SOURCES).map(lambda one: (SpanRef(one, 1, 0, 1),)))


@given(st.lists(STATEMENTS, min_size=1, max_size=8))
def test_each_source_has_one_option_its_last_word_and_numbers_stay(said):
    found = []
    for statement in said:
        before, found = found, with_statement(found, statement)
        assert [(one.sources, one.value) for one in found[: len(before)]] == [(o.sources, o.value) for o in before]
    last = {statement.sources: statement.value for statement in said}
    alive = [option for option in found if not option.gone]
    assert {option.sources: option.value for option in alive} == last
    assert len(alive) == len(last)
    assert agreed(alive) == (len(set(last.values())) == 1)
    assert statements(option.to_json() for option in found) == found


@given(
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 1)),
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 1)),
)
def test_only_other_sources_dispute_and_only_what_both_speak_of(stands, said):
    one, other = frozenset(SOURCES[:1]), frozenset(SOURCES[1:2])
    assert disputed(stands, one, said, one) == []
    assert disputed(stands, frozenset(), said, other) == disputed(stands, one, said, frozenset()) == []
    assert disputed(stands, one, said, other) == sorted(k for k in stands.keys() & said.keys() if stands[k] != said[k])


# ── a source is erased ──


def test_what_others_say_of_a_record_outlives_the_erasure_of_a_source(memory, ada, clock):
    memory.put_node(says(memory, "a.md", 40))
    put(memory, "a.md", page("a.md", {"Meals": "Meals are free now."}))
    assert memory.put_node(says(memory, "b.md", 55)).written
    clock.advance(DAY)
    memory.erase(source_id("a.md"), "asked by mail")
    assert price(memory, ada) == 55


def test_only_the_time_that_an_erased_source_spoke_of_is_empty(memory, ada, clock):
    later = clock.now() + 10 * DAY
    first, second = says(memory, "a.md", 40), says(memory, "b.md", 55)
    memory.put_node(record(40, *first.provenance, valid_end=later))
    memory.put_node(record(55, *second.provenance, valid_start=later))
    memory.erase(source_id("a.md"), "asked by mail")
    with pytest.raises(NotFound):
        memory.get_as_of(MEALS, ada)
    assert memory.get_as_of(MEALS, ada, valid_time=later).props["price"] == 55


def test_an_erased_option_has_no_say_and_the_others_keep_theirs(memory, ada):
    for uri, amount in (("a.md", 40), ("b.md", 55), ("c.md", 60)):
        memory.put_node(says(memory, uri, amount))
    memory.erase(source_id("b.md"), "asked by mail")
    assert options(memory, ada) == [[40, 60]], "what was erased is not there to choose"
    assert [option.number for option in memory.clarifications(ada)[0].options] == [0, 2], "votes go on meaning the same"
    memory.put_node(says(memory, "a.md", 60))
    assert memory.clarifications(ada) == [], "all who are left agree"
