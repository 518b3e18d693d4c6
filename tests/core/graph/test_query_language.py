"""The query language: what is a query, what is none and where it goes wrong, and what matches."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidQuery
from core.graph.query import DEEPEST, AllOf, AnyOf, Condition, Op, match_text, matches, parse
from tests.strategies.queries import conditions, json_values, properties, queries, scalars


def is_so(op: str, value: object, **props: object) -> bool:
    return matches(parse([{"prop": "p", "op": op, "value": value}]), props)


def test_a_query_becomes_a_frozen_tree():
    where = [{"prop": "a", "op": "in", "value": [1, 2]}, {"any": [{"prop": "b", "op": "exists", "value": True}]}]
    tree = parse(where)
    assert tree == AllOf((Condition("a", Op.IN, (1, 2)), AnyOf((Condition("b", Op.EXISTS, True),))))
    assert hash(tree) == hash(parse(where))


def test_no_conditions_match_everything():
    assert matches(parse([]), {})


@pytest.mark.parametrize(
    ("op", "value", "found", "expected"),
    [
        ("eq", 1, 1.0, True),
        ("eq", 1, True, False),
        ("eq", True, 1, False),
        ("eq", True, True, True),
        ("eq", "1", 1, False),
        ("eq", "é", "é", True),
        ("eq", 2**60 + 1, float(2**60), False),
        ("eq", 1, [1], False),
        ("ne", 1, 1.0, False),
        ("ne", 1, "1", True),
        ("ne", 1, [1], True),
        ("lt", 2, 1, True),
        ("lt", 1, 1, False),
        ("le", 1, 1.0, True),
        ("gt", "a", "b", True),
        ("ge", "b", "b", True),
        ("lt", 2, True, False),
        ("lt", 2, "1", False),
        ("lt", "2", 1, False),
        ("gt", 2, [3], False),
        ("in", [1, "a"], "a", True),
        ("in", [1, "a"], True, False),
        ("contains", "b", "abc", True),
        ("contains", "d", "abc", False),
        ("contains", 1, "1", False),
        ("contains", 1, [2, 1.0], True),
        ("contains", "b", ["abc"], False),
        ("contains", True, [1], False),
        ("contains", "a", {"a": 1}, False),
        ("exists", True, "", True),
        ("exists", True, [], True),
        ("exists", False, 0, False),
    ],
)
def test_comparison_is_typed(op: str, value: object, found: object, expected: bool):
    assert is_so(op, value, p=found) is expected


@pytest.mark.parametrize("props", [{}, {"p": None}], ids=["absent", "null"])
@given(condition=conditions)
def test_what_is_absent_or_null_matches_ne_and_not_exists_alone(props: dict[str, Any], condition: dict[str, Any]):
    wanted = condition["op"] == "ne" or (condition["op"] == "exists" and not condition["value"])
    assert is_so(condition["op"], condition["value"], **props) is wanted


@given(found=scalars | st.none() | st.lists(scalars), value=scalars)
def test_ne_is_the_opposite_of_eq(found: object, value: Any):
    assert is_so("ne", value, p=found) is not is_so("eq", value, p=found)


@given(found=scalars, value=scalars)
def test_of_two_values_of_one_type_exactly_one_order_holds_and_of_others_none(found: Any, value: Any):
    alike = isinstance(found, str) == isinstance(value, str)
    if isinstance(value, bool):
        return
    holding = [op for op in ("lt", "eq", "gt") if is_so(op, value, p=found)]
    assert len(holding) == (1 if alike and not isinstance(found, bool) else 0)


@given(where=queries, props=properties)
def test_a_query_means_and_and_or(where: list[dict[str, Any]], props: dict[str, Any]):
    def holds(part: dict[str, Any]) -> bool:
        return any(map(holds, part["any"])) if "any" in part else matches(parse([part]), props)

    assert matches(parse(where), props) is all(map(holds, where))


GOOD = {"prop": "a", "op": "eq", "value": 1}
WRONG = [
    (None, "where"),
    ({"prop": "a"}, "where"),
    ("abc", "where"),
    ([GOOD, 5], "where[1]"),
    ([{}], "where[0].prop"),
    ([{**GOOD, "prop": ""}], "where[0].prop"),
    ([{**GOOD, "prop": 3}], "where[0].prop"),
    ([GOOD, GOOD, {"any": [{**GOOD, "op": "like"}]}], "where[2].any[0].op"),
    ([{**GOOD, "op": ["eq"]}], "where[0].op"),
    ([{**GOOD, "op": None}], "where[0].op"),
    ([{**GOOD, "extra": 1}], "where[0].extra"),
    ([{**GOOD, "any": [GOOD]}], "where[0].prop"),
    ([{"any": []}], "where[0].any"),
    ([{"any": GOOD}], "where[0].any"),
    ([{"any": [GOOD, {"any": [None]}]}], "where[0].any[1].any[0]"),
    ([{**GOOD, "value": None}], "where[0].value"),
    ([{**GOOD, "value": [1]}], "where[0].value"),
    ([{**GOOD, "value": {"a": 1}}], "where[0].value"),
    ([{**GOOD, "value": float("nan")}], "where[0].value"),
    ([{**GOOD, "value": float("inf")}], "where[0].value"),
    ([{**GOOD, "op": "lt", "value": True}], "where[0].value"),
    ([{**GOOD, "op": "ge", "value": [1]}], "where[0].value"),
    ([{**GOOD, "op": "in", "value": 1}], "where[0].value"),
    ([{**GOOD, "op": "in", "value": []}], "where[0].value"),
    ([{**GOOD, "op": "in", "value": "abc"}], "where[0].value"),
    ([{**GOOD, "op": "in", "value": [1, None]}], "where[0].value"),
    ([{**GOOD, "op": "contains", "value": ["a"]}], "where[0].value"),
    ([{**GOOD, "op": "exists", "value": 1}], "where[0].value"),
    ([{"prop": "a", "op": "exists"}], "where[0].value"),
    ([{**GOOD, "op": "match", "value": " "}], "where[0].value"),
    ([{**GOOD, "op": "match", "value": 1}], "where[0].value"),
    ([{"any": [{**GOOD, "op": "match", "value": "x"}]}], "where[0].any[0].op"),
    ([{**GOOD, "op": "match", "value": "x"}] * 2, "where[1].op"),
]


@pytest.mark.parametrize(("where", "place"), WRONG, ids=[place + " " + repr(where)[:40] for where, place in WRONG])
def test_what_is_no_query_is_refused_with_its_place(where: object, place: str):
    with pytest.raises(InvalidQuery) as refused:
        parse(where)
    assert str(refused.value).startswith(place + ": ")


@given(where=json_values)
def test_any_json_is_a_query_or_a_clear_refusal(where: object):
    """Nothing else is raised."""
    with contextlib.suppress(InvalidQuery):
        matches(parse(where), {"a": "x"})


@pytest.mark.parametrize("key", ["any", "value"])
def test_deep_nesting_is_refused_before_the_stack_ends(key: str):
    where: Any = [GOOD]
    for _ in range(50_000):
        where = [{**GOOD, "value": where}] if key == "value" else [{"any": where}]
    with pytest.raises(InvalidQuery) as refused:
        parse(where)
    assert len(str(refused.value)) < 300


def test_any_may_stand_in_any_up_to_a_depth():
    where: Any = [GOOD]
    for _ in range(DEEPEST):
        where = [{"any": where}]
    assert matches(parse(where), {"a": 1})
    with pytest.raises(InvalidQuery, match=f"nested more than {DEEPEST} deep"):
        parse([{"any": where}])


def test_match_gives_its_words_to_the_index_and_counts_as_met():
    tree = parse([GOOD, {"prop": "text", "op": "match", "value": "travel cap"}])
    assert match_text(tree) == "travel cap"
    assert matches(tree, {"a": 1})
    assert not matches(tree, {"a": 2})


def test_without_match_there_are_no_words():
    assert match_text(parse([GOOD, {"any": [GOOD]}])) is None
