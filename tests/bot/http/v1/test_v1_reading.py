"""What a body may be: strict JSON in a strict model, every refusal with its place."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.http.v1.conditions import plain
from bot.http.v1.evidence import ContextAsked
from bot.http.v1.nodes import QueryAsked
from bot.http.v1.paging import PageAsked
from bot.http.v1.problems import Problem
from bot.http.v1.reading import body_of, parse, pointer, query_of
from bot.http.v1.verdicts import VerifyAsked
from core.graph.query import read
from core.text.strict_json import DEEPEST

SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(SCALARS | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


def refused(act, *args):
    with pytest.raises(Problem) as caught:
        act(*args)
    return caught.value


@given(VALUES, st.booleans())
def test_any_json_value_is_read_as_it_is_meant(value, is_ascii):
    assert parse(json.dumps(value, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")) == value


@given(st.binary())
def test_of_whatever_comes_nothing_is_raised_but_a_problem(raw):
    with suppress(Problem):
        json.dumps(parse(raw), allow_nan=False)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "line 1, column 1"),
        (b'{"find": "A"', "line 1"),
        (b'{"find": "\xff"}', "byte 10 is no UTF-8"),
        (b'{"find": "A", "find": "B"}', "same name twice"),
        (b'{"where": [{"a": {"b": 1, "b": 2}}]}', "same name twice"),
        (b'{"limit": NaN}', "NaN is no number"),
        (b'{"limit": -Infinity}', "-Infinity is no number"),
        (b'{"limit": 1e999}', "too large"),
        (b'{"limit": ' + b"9" * 5000 + b"}", "20 digits"),
        (b"[" * 100_000, f"deeper than {DEEPEST}"),
        (b'{"a":' * 100_000, f"deeper than {DEEPEST}"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b'{"find": "\\ud800"}', "half of a surrogate pair"),
        (b'{"find": ["\\uDFFF\\ud83c"]}', "half of a surrogate pair"),
        (b'{"find": "a\nb"}', "Invalid control character at line 1"),
        (b"{} {}", "Extra data"),
    ],
)
def test_what_is_no_json_is_refused_and_said_why(raw, words):
    problem = refused(body_of, QueryAsked, raw)
    assert (problem.code, words in problem.detail) == ("MALFORMED_JSON", True), problem.detail


def test_brackets_in_a_text_are_no_depth():
    assert parse(json.dumps({"find": "[{" * 100 + '\\"' + "[" * 100}).encode())


@pytest.mark.parametrize(
    ("model", "body", "place", "words"),
    [
        (QueryAsked, {"fnd": "A"}, "/fnd", "there are: find, where, validTime, txTime, limit"),
        (QueryAsked, {"valid_time": 1}, "/valid_time", "no such field"),
        (QueryAsked, {"limit": "7"}, "/limit", "integer"),
        (QueryAsked, {"limit": 0}, "/limit", "greater than or equal to 1"),
        (QueryAsked, {"limit": 1.5}, "/limit", "integer"),
        (QueryAsked, {"limit": True}, "/limit", "integer"),
        (QueryAsked, {"validTime": -1}, "/validTime", "greater than or equal to 0"),
        (QueryAsked, {"find": "a\0b"}, "/find", "no control characters"),
        (QueryAsked, [], "", "object"),
        (QueryAsked, {"where": [{"prop": "p", "op": "like", "value": 1}]}, "/where/0", "eq ne contains lt le"),
        (QueryAsked, {"where": [{"prop": "p", "op": "eq", "value": []}]}, "/where/0/value", "valid"),
        (QueryAsked, {"where": [{"prop": "p", "op": "eq"}]}, "/where/0/value", "required"),
        (QueryAsked, {"where": [{"any": [{"prop": "p", "op": "match", "value": "x"}]}]}, "/where/0/any/0", "in exists"),
        (QueryAsked, {"where": [7]}, "/where/0", "in exists match"),
        (QueryAsked, {"where": [{"any": [{"prop": "p", "op": "exists", "value": 1}]}]}, "/where/0/any/0/value", "bool"),
        (QueryAsked, {"where": [{"any": [], "a/b~c": 1}]}, "/where/0/a~1b~0c", "there are: any"),
        (VerifyAsked, {"claims": ["a", " "]}, "/claims/1", "must say something"),
        (VerifyAsked, {"claims": ["a"] * 51}, "/claims", "at most 50"),
        (VerifyAsked, {"claims": ["a"], "against": {"sourceIds": ["7"]}}, "/against/sourceIds/0", "UUID"),
        (ContextAsked, {"include": ["scores", "prose"]}, "/include/1", "'openQuestions', 'scores' or 'stats'"),
    ],
)
def test_what_a_model_refuses_is_named_by_its_place(model, body, place, words):
    problem = refused(body_of, model, json.dumps(body).encode())
    assert problem.code == "INVALID_REQUEST"
    assert place in [error["pointer"] for error in problem.errors]
    assert words in " ".join(error["detail"] for error in problem.errors)


def test_a_pair_of_surrogates_is_a_character():
    assert body_of(QueryAsked, b'{"find": "\\ud83c\\udfdd"}').find == "\U0001f3dd"


def test_a_number_without_a_fraction_is_whole_however_it_is_written():
    assert body_of(QueryAsked, b'{"limit": 7.0}').limit == 7


CONDITIONS = st.deferred(
    lambda: st.one_of(
        st.builds(lambda op, v: {"prop": "p", "op": op, "value": v}, st.sampled_from(["eq", "ne", "contains"]), _VALUE),
        st.builds(lambda op, v: {"prop": "p", "op": op, "value": v}, st.sampled_from(["lt", "ge"]), _ORDERED),
        st.builds(lambda v: {"prop": "p", "op": "in", "value": v}, st.lists(_VALUE, min_size=1, max_size=3)),
        st.builds(lambda v: {"prop": "p", "op": "exists", "value": v}, st.booleans()),
        st.builds(lambda v: {"any": v}, st.lists(CONDITIONS, min_size=1, max_size=2)),
    )
)
_ORDERED = st.integers(-100, 100) | st.sampled_from(["", "a", "ü"]) | st.floats(-1, 1)
_VALUE = _ORDERED | st.booleans()


@given(st.lists(CONDITIONS, max_size=3))
def test_what_the_schema_lets_through_core_reads_as_it_was_written(where):
    asked = body_of(QueryAsked, json.dumps({"find": "A", "where": where}).encode())
    assert read("A", plain(asked.where)) == read("A", where)


@pytest.mark.parametrize(
    ("pairs", "place"),
    [
        ([("limit", "x")], "/limit"),
        ([("limit", "0")], "/limit"),
        ([("limit", "201")], "/limit"),
        ([("limit", " 1")], "/limit"),
        ([("limit", "1_0")], "/limit"),
        ([("limit", "1.0")], "/limit"),
        ([("limit", "\u0661")], "/limit"),
        ([("limit", "5"), ("limit", "6")], "/limit"),
        ([("offset", "5")], "/offset"),
        ([("cursor", "!")], "/cursor"),
    ],
)
def test_parameters_are_as_strict(pairs, place):
    assert [error["pointer"] for error in refused(query_of, PageAsked, pairs).errors] == [place]


@given(VALUES, st.data())
def test_a_pointer_leads_to_what_it_is_about(value, data):
    steps, here = [], value
    while isinstance(here, dict | list) and here and data.draw(st.booleans()):
        step = data.draw(st.sampled_from(sorted(here) if isinstance(here, dict) else range(len(here))))
        steps.append(step)
        here = here[step]
    found = value
    for part in pointer(steps, value).split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        found = found[int(name)] if isinstance(found, list) else found[name]
    assert found == here
