"""JSON from anybody: what is one value to every reader is read as it is; what is not is refused, with why."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.strict_json import DEEPEST, NotJsonError, parse

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('ab[{\\"'), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_a_value_is_read_as_it_is(value):
    assert parse(json.dumps(value).encode()) == value


@given(st.binary(max_size=40))
def test_bytes_are_a_value_or_are_refused(raw):
    with suppress(NotJsonError):
        json.dumps(parse(raw), ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b'{"a": 1, "a": 1}', "twice"),
        (b'[{"b": {"a": 1, "a": 2}}]', "twice"),
        (b"[" * (DEEPEST + 1), "deeper"),
        (b"[" * 100_000, "deeper"),
        (b"[-Infinity]", "no number"),
        (b"1e999", "too large"),
        (b"9" * 21, "20 digits"),
        (b'"\\ud800"', "surrogate"),
        (b"\xef\xbb\xbf1", "byte order mark"),
        (b"[1,]", "column"),
    ],
)
def test_what_readers_would_take_otherwise_is_refused(raw, why):
    with pytest.raises(NotJsonError, match=why):
        parse(raw)


def test_brackets_in_strings_are_no_depth():
    text = "[{" * 100
    assert parse(json.dumps([text, "\\" + text]).encode()) == [text, "\\" + text]
