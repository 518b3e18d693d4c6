"""Records that no document says, and how nodes are read: at any coordinates, and by whom they are for alone."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import DAY, FOREVER
from core.errors import InvalidQuery, InvalidRequest, NotFound
from core.graph.records import LARGEST, Record
from core.ids import derived
from tests.support.memories import NOW, add_person, last_tx, page, put, section

ATLAS = derived("record", "atlas")
PROJECT = {"node_id": ATLAS, "label": "PROJECT", "readers": ("everyone",)}


def project(owner, **more):
    return Record(**(PROJECT | {"props": {"name": "Atlas", "owner": owner}} | more))


def owner(memory, who, **at):
    return memory.get_as_of(ATLAS, who, **at).props["owner"]


# ── bitemporal reads ──


def test_a_correction_changes_what_is_believed_and_not_what_was_believed(memory, clock, ada):
    memory.put_node(project("Grace", valid_start=NOW - 10 * DAY))
    before = last_tx(memory)
    clock.advance(DAY)
    memory.put_node(project("Linus", valid_start=NOW - 5 * DAY))
    assert owner(memory, ada) == "Linus"
    assert owner(memory, ada, tx_time=before) == "Grace"
    assert owner(memory, ada, valid_time=NOW - 6 * DAY) == "Grace"
    assert owner(memory, ada, valid_time=NOW - 5 * DAY) == "Linus"


def test_what_begins_tomorrow_is_not_so_today(memory, clock, ada):
    memory.put_node(project("Grace"))
    memory.put_node(project("Linus", valid_start=NOW + DAY))
    assert owner(memory, ada) == "Grace"
    clock.advance(DAY)
    assert owner(memory, ada) == "Linus"


def test_a_removed_record_stands_only_in_the_past(memory, clock, ada):
    memory.put_node(project("Grace", valid_start=NOW - DAY))
    memory.remove_node(ATLAS)
    with pytest.raises(NotFound):
        memory.get_as_of(ATLAS, ada)
    assert owner(memory, ada, valid_time=NOW - 1) == "Grace"
    with pytest.raises(NotFound):
        memory.remove_node(ATLAS)


def test_saying_the_same_again_is_no_news(memory, clock, ada):
    memory.put_node(project("Grace"))
    before = last_tx(memory)
    clock.advance(DAY)
    memory.put_node(project("Grace"))
    assert last_tx(memory) == before
    memory.put_node(project("Grace", confidence=0.5))
    assert last_tx(memory) > before


# ── who may read ──


def test_a_record_is_read_by_its_readers_alone(memory, ada, bob):
    memory.put_node(project("Grace", readers=(f"person:{ada.person_id}",)))
    assert owner(memory, ada) == "Grace"
    assert [node.node_id for node in memory.query("PROJECT", [], ada)] == [ATLAS]
    assert memory.query("PROJECT", [], bob) == []
    with pytest.raises(NotFound):
        memory.get_as_of(ATLAS, bob)


def test_rights_are_those_of_today_whatever_the_coordinates(memory, ada):
    memory.put_node(project("Grace"))
    put(memory, "secret.md", page("Secret", {"Pay": "Everybody earns the same."}))
    then = last_tx(memory)
    node = UUID(section("secret.md", "Secret", "Pay"))
    assert memory.get_as_of(node, ada, tx_time=then)
    put(memory, "secret.md", page("Secret", {"Pay": "Everybody earns the same."}), readers=["board"])
    with pytest.raises(NotFound):
        memory.get_as_of(node, ada, tx_time=then)
    assert memory.query("SECTION", [], ada, tx_time=then) == []


def test_a_saved_answer_is_found_by_its_owner_while_all_it_rests_on_may_be_read(memory, ada, bob):
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 40 EUR."}))
    answer = memory.generate("What may a meal cost at most?", ada)
    memory.save_answer(answer.trace_id, ada)
    assert [len(memory.query("SAVED_ANSWER", [], who)) for who in (ada, bob)] == [1, 0]
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 40 EUR."}), readers=["board"])
    assert memory.query("SAVED_ANSWER", [], ada) == []


# ── queries ──


def fill(memory):
    put(memory, "travel.md", page("Travel", {"Meals": "Meals cost 40 EUR a day.", "Trains": "Trains go first class."}))
    put(memory, "office.md", page("Office", {"Meals": "Lunch is at noon.", "Parking": "Parking is free."}))


def titles(nodes):
    return [node.props["title"] for node in nodes]


def test_match_finds_passages_and_whatever_they_are_part_of(memory, ada):
    fill(memory)
    noon = [{"prop": "text", "op": "match", "value": "lunch at noon"}]
    assert len(memory.query("PASSAGE", noon, ada)) == 1
    assert memory.query(None, noon, ada) == memory.query("PASSAGE", noon, ada)
    assert sorted(titles(memory.query("SECTION", noon, ada))) == ["Meals", "Office"]
    assert titles(memory.query("DOCUMENT", noon, ada)) == ["Office"]


def test_match_and_the_other_conditions_must_all_hold(memory, ada):
    fill(memory)
    meals = [{"prop": "text", "op": "match", "value": "meals"}]
    named = [{"prop": "title", "op": "eq", "value": "Trains"}]
    assert memory.query("SECTION", meals + named, ada) == []
    assert titles(memory.query("SECTION", named, ada)) == ["Trains"]


def test_a_limit_keeps_the_best(memory, ada):
    fill(memory)
    meals = [{"prop": "text", "op": "match", "value": "meals"}]
    everything = memory.query("SECTION", meals, ada)
    assert len(everything) > 1
    assert memory.query("SECTION", meals, ada, limit=1) == everything[:1]


@pytest.mark.parametrize(
    ("find", "where", "more", "named"),
    [
        (None, [], {}, "find"),
        ("SECTION", [{"prop": "title", "op": "like", "value": "x"}], {}, r"where\[0\].op"),
        ("SECTION", [{"prop": "level", "op": "lt", "value": True}], {}, r"where\[0\].value"),
        ("SECTION", [], {"limit": 0}, "limit"),
    ],
)
def test_a_query_that_cannot_be_answered_says_where(memory, ada, find, where, more, named):
    with pytest.raises(InvalidQuery, match=named):
        memory.query(find, where, ada, **more)


def test_an_unknown_label_is_empty(memory, ada):
    fill(memory)
    assert memory.query("UNHEARD_OF", [], ada) == []


# ── what is refused, whole ──


def nested(depth):
    value = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"label": "project"}, "label"),
        ({"label": "SECTION"}, "label"),
        ({"readers": ()}, "readers"),
        ({"confidence": 1.1}, "confidence"),
        ({"confidence": float("nan")}, "confidence"),
        ({"props": {"a": float("inf")}}, "props"),
        ({"props": {"a": {1, 2}}}, "props.a"),
        ({"props": {1: "a"}}, "props"),
        ({"props": {"a": "half \ud83d of an emoji"}}, "props"),
        ({"props": {"a": "nul \0"}}, "NUL"),
        ({"props": {"a\0": "key"}}, "NUL"),
        ({"props": {"a": "x" * LARGEST}}, "at most"),
        ({"props": {"a": nested(5000)}}, "props"),
    ],
)
def test_a_record_out_of_range_is_refused_and_says_what_would_be_right(wrong, named):
    with pytest.raises(InvalidRequest, match=named):
        project("Grace", **wrong)


@pytest.mark.parametrize("valid", [(5, 5), (6, 5), (-1, 5), (0, FOREVER + 1)])
def test_an_interval_without_length_or_out_of_range_is_refused(memory, valid):
    with pytest.raises(InvalidRequest, match="interval"):
        memory.put_node(project("Grace", valid_start=valid[0], valid_end=valid[1]))


def test_a_backslash_is_not_mistaken_for_the_character_nul():
    assert project("Grace", props={"path": r"C:\u0000", "more": "\\\\u0000"})


def test_no_record_takes_the_place_of_a_documents_node_or_of_another_label(memory, ada):
    fill(memory)
    memory.put_node(project("Grace"))
    with pytest.raises(InvalidRequest, match="another kind"):
        memory.put_node(project("Grace", node_id=UUID(section("travel.md", "Travel", "Meals"))))
    with pytest.raises(InvalidRequest, match="another kind"):
        memory.put_node(project("Grace", label="TEAM"))
    with pytest.raises(NotFound):
        memory.remove_node(UUID(section("travel.md", "Travel", "Meals")))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), json_values, max_size=3))
def test_any_properties_are_taken_whole_or_refused_in_words(props):
    try:
        record = project("Grace", props=props)
    except InvalidRequest as refusal:
        assert "props" in str(refusal)  # noqa: PT017  either outcome is right
    else:
        assert record.to_write().props == props


def test_whatever_a_record_may_hold_is_read_back_alike_on_both_databases(memory, ada):
    props = {"a": "é😀", "b": [1, 2.5, None, True, {"c": []}], "d": 2**53, "e": r"\u0000", "f": ""}
    memory.put_node(project("Grace", props=props))
    assert memory.get_as_of(ATLAS, ada).props == props


def test_another_tenants_records_are_nobodys(memory, ada):
    memory.people.ensure_tenant("other", "Other")
    stranger = add_person(memory, "Eve", tenant="other")
    memory.put_node(project("Grace"))
    assert memory.query("PROJECT", [], stranger) == []
    with pytest.raises(NotFound):
        memory.get_as_of(ATLAS, stranger)
