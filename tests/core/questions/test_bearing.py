"""Which open questions bear on words: by place, whichever version they were read in, and only for who may read them."""

from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import event

from core.clarifications.opening import Opening
from core.graph.records import Record
from core.ids import derived
from core.model.clarifying import ClarificationState
from core.model.spans import SpanRef
from core.questions.bearing import around, overlaps
from core.store.view import view
from tests.support.memories import add_person, document, page, put, section, source_id

PRICE = derived("record", "price")


def span_of(memory, uri, words):
    """Where words stand in the newest version of a document."""
    version = next(one.version_tx for one in memory.documents.standing("default") if one.uri == uri)
    with memory._database.read("default") as tx:
        key = source_id(uri), version
        text = memory._engines.library._read(tx, [key])[key].raw
    start = text.index(words.encode())
    return SpanRef(*key, start, start + len(words.encode()))


def dispute(memory, uri="b.md", readers=("everyone",)):
    """Two documents name two prices of one thing; the words of each."""
    said = []
    for name, amount, who in (("a.md", 40, ("everyone",)), (uri, 55, readers)):
        words = f"A meal may cost {amount} EUR."
        put(memory, name, page(name, {"Meals": words, "Travel": "Trains are booked early."}), who)
        said.append(span_of(memory, name, words))
        memory.put_node(Record(PRICE, "LIMIT", {"price": amount}, provenance=said[-1:]))
    return said


def about(memory, who, *spans):
    """By place in `spans`, how many questions are open about it."""
    with memory._database.read("default") as tx:
        found = memory.questions.about(view(tx, who, memory.clock.now()), spans)
    return {spans.index(span): len(questions) for span, questions in found.items()}


def test_a_question_bears_on_the_words_of_its_node_and_of_each_option(memory, ada):
    one, other = dispute(memory)
    assert about(memory, ada, one, other, span_of(memory, "a.md", "Trains")) == {0: 1, 1: 1}
    part = SpanRef(one.source_id, one.source_version_tx, one.start + 3, one.start + 5)
    beside = SpanRef(one.source_id, one.source_version_tx, one.end, one.end + 1)
    assert about(memory, ada, part, beside) == {0: 1}


def test_what_is_asked_is_told_as_it_stands(memory, ada):
    one, _ = dispute(memory)
    [asked] = memory.clarifications(ada)
    with memory._database.read("default") as tx:
        found = memory.questions.about(view(tx, ada, memory.clock.now()), [one])
        states = memory.questions.states(tx, [asked.clarification_id, derived("none")])
    [question] = found[one]
    assert (question.clarification_id, question.state) == (asked.clarification_id, ClarificationState.PENDING)
    assert question.question == asked.question
    assert states == {asked.clarification_id: ClarificationState.PENDING}


def test_words_that_moved_bear_the_same_question_in_both_versions(memory, ada):
    one, _ = dispute(memory)
    moved = page("a.md", {"First": "Something new.", "Meals": "A meal may cost 40 EUR.", "Travel": "By train."})
    put(memory, "a.md", moved)
    today = span_of(memory, "a.md", "A meal may cost 40 EUR.")
    assert today.start != one.start
    assert about(memory, ada, one, today, span_of(memory, "a.md", "Something new.")) == {0: 1, 1: 1}


def test_words_that_were_replaced_bear_it_only_as_they_were_read(memory, ada):
    one, _ = dispute(memory)
    put(memory, "a.md", page("a.md", {"Meals": "A meal may cost nothing at all now.", "Travel": "By train."}))
    assert about(memory, ada, one, span_of(memory, "a.md", "A meal may cost nothing")) == {0: 1}


def test_a_question_about_what_one_may_not_read_is_not_there(memory, ada):
    put(memory, "shared.md", page("shared.md", {"Meals": "A meal may cost 55 EUR."}))
    put(memory, "board.md", page("board.md", {"Meals": "A meal may cost 40 EUR."}), ("board",))
    secret, shared = (span_of(memory, uri, "A meal may cost") for uri in ("board.md", "shared.md"))
    for amount, span in ((40, secret), (55, shared)):
        memory.put_node(Record(PRICE, "LIMIT", {"price": amount}, provenance=[span]))
    assert about(memory, ada, shared) == {}
    assert about(memory, add_person(memory, "Boss", roles=("board",)), shared, secret) == {0: 1, 1: 1}


@pytest.mark.parametrize(
    ("node", "bearing"),
    [
        (section("a.md", "a.md", "Meals"), {0: 1}),
        (section("a.md", "a.md", "Travel"), {1: 1}),
        (document("a.md"), {0: 1, 1: 1}),
    ],
)
def test_a_question_about_a_section_or_a_document_bears_on_all_that_stands_in_it(memory, ada, node, bearing):
    put(memory, "a.md", page("a.md", {"Meals": "A meal may cost 40 EUR.", "Travel": "Trains are booked early."}))
    put(memory, "b.md", page("b.md", {"Meals": "A meal may cost 40 EUR."}))
    spans = [span_of(memory, *at) for at in (("a.md", "A meal may"), ("a.md", "Trains"), ("b.md", "A meal may"))]
    asked = memory.clarify.open("default", Opening(UUID(node), "Is this so?", ["member"])).clarification_id
    assert about(memory, ada, *spans) == bearing
    put(memory, "a.md", page("a.md", {"Meals": "A meal may cost 41 EUR.", "Travel": "Trains are booked late."}))
    assert about(memory, ada, *spans) == bearing, "as it was read, in the section that it is about"
    memory.clarify.vote(asked, 0, ada)
    assert about(memory, ada, *spans) == {}


NESTED = b"""# T

## Meals

Meals are paid by the firm.

### Lunch

A lunch may cost 20 EUR.

#### Drinks

Water is free.

## Travel

Trains are booked early.
"""


@pytest.mark.parametrize(
    ("path", "bearing"),
    [
        (("T",), {0: 1, 1: 1, 2: 1, 3: 1}),
        (("T", "Meals"), {0: 1, 1: 1, 2: 1}),
        (("T", "Meals", "Lunch"), {1: 1, 2: 1}),
        (("T", "Travel"), {3: 1}),
    ],
)
def test_a_question_about_a_section_bears_on_the_sections_in_it_however_deep(memory, ada, path, bearing):
    put(memory, "t.md", NESTED)
    spans = [span_of(memory, "t.md", words) for words in ("Meals are paid", "A lunch", "Water", "Trains")]
    memory.clarify.open("default", Opening(UUID(section("t.md", *path)), "Is this so?", ["member"]))
    assert about(memory, ada, *spans) == bearing
    put(memory, "t.md", NESTED.replace(b"20 EUR", b"25 EUR"))
    assert about(memory, ada, *spans) == bearing, "as it was read"


def test_what_a_node_is_part_of_is_found_in_one_look_a_step_and_without_end_goes_round_once():
    a, b, c, d = (UUID(int=number) for number in range(4))
    edges, looks = {a: [b], b: [c], c: [a], d: [c]}, []

    def wholes(nodes):
        looks.append(list(nodes))
        return [(node, whole) for node in nodes for whole in edges[node]]

    assert around({a, d}, wholes) == {a: {a, b, c}, d: {d, c, a, b}}
    assert len(looks) <= 4
    assert around((), wholes) == {}


def test_a_question_about_a_passage_bears_on_its_words_alone(memory, ada):
    put(memory, "a.md", page("a.md", {"Meals": "A meal may cost 40 EUR.\n\nDrinks are free."}))
    meals, drinks = span_of(memory, "a.md", "A meal may"), span_of(memory, "a.md", "Drinks")
    [passage] = [node for node in memory.query("PASSAGE", [], ada) if overlaps_any(node, meals)]
    memory.clarify.open("default", Opening(passage.node_id, "Is this so?", ["member"]))
    assert about(memory, ada, meals, drinks) == {0: 1}


def overlaps_any(node, span):
    return list(overlaps([(0, one) for one in node.spans()], [(1, span)])) != []


def test_with_nothing_open_it_costs_one_look(memory, ada):
    put(memory, "a.md", page("a.md", {"Meals": "A meal may cost 40 EUR."}))
    span = span_of(memory, "a.md", "A meal may cost 40 EUR.")
    statements: list[str] = []
    with memory._database.read("default") as tx:
        asked = view(tx, ada, memory.clock.now())
        event.listen(memory._database.engine, "before_cursor_execute", lambda *more: statements.append(more[2]))
        assert memory.questions.about(asked, [span]) == {}
        assert len(statements) == 1
        assert memory.questions.about(asked, []) == {}
        assert len(statements) == 1


SPANS = st.builds(
    lambda source, version, start, length: SpanRef(UUID(int=source), version, start, start + length),
    st.integers(0, 1),
    st.integers(1, 2),
    st.integers(0, 9),
    st.integers(0, 4),
)


WHOLE, EMPTY, LATE = (SpanRef(UUID(int=0), 1, start, end) for start, end in ((0, 4), (1, 1), (2, 3)))


@given(st.lists(SPANS, max_size=12), st.lists(SPANS, max_size=12))
@example([WHOLE], [EMPTY, LATE])
def test_overlaps_are_what_shares_a_byte(ones, others):
    def shares(a, b):
        same = (a.source_id, a.source_version_tx) == (b.source_id, b.source_version_tx)
        return same and bool(set(range(a.start, a.end)) & set(range(b.start, b.end)))

    left, right = list(enumerate(ones)), list(enumerate(others))
    expected = {(i, j) for i, a in left for j, b in right if shares(a, b)}
    assert set(overlaps(left, right)) == expected


@pytest.mark.parametrize("number", [2_000])
def test_many_places_that_do_not_meet_cost_no_pairs(number):
    ones = [(i, SpanRef(UUID(int=1), 1, 2 * i, 2 * i + 1)) for i in range(number)]
    others = [(i, SpanRef(UUID(int=1), 1, 2 * i + 1, 2 * i + 2)) for i in range(number)]
    assert list(overlaps(ones, others)) == []
