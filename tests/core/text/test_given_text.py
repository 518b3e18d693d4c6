"""What callers give is text that can be encoded and stored, or refused by the name of where it stands."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidRequest
from core.text.given import refuse_broken

whole = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | whole, lambda inner: st.lists(inner) | st.dictionaries(whole, inner)
)


@given(values)
def test_whole_text_is_taken_wherever_it_stands(value: object) -> None:
    refuse_broken("where", value)
    json.dumps(value, ensure_ascii=False).encode()


@given(st.text(), st.sampled_from(["\0", "\ud800", "\udbff", "\udc00", "\udfff"]), st.text())
def test_nul_and_half_of_a_pair_are_refused_by_name(before: str, broken: str, after: str) -> None:
    text = before + broken + after
    for value in (text, [1, [text]], {"value": text}, {text: 1}, [{"value": ("a", text)}]):
        with pytest.raises(InvalidRequest, match="the place must be Unicode text"):
            refuse_broken("the place", value)


def test_a_value_is_read_however_deep_it_is() -> None:
    deep: object = "\ud800"
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InvalidRequest):
        refuse_broken("where", deep)
