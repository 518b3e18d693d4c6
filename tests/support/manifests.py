"""Manifests that are off in one place, and JSON that is none at all."""

from copy import deepcopy
from typing import Any

from hypothesis import strategies as st


def with_another(made: dict[str, Any], *path: str | int, to: object = None) -> dict[str, Any]:
    """The manifest with another value at a place; without `to` nothing is there."""
    found = deepcopy(made)
    *way, last = path
    place: Any = found
    for key in way:
        place = place[key]
    if to is None:
        del place[last]
    else:
        place[last] = to
    return found


def any_json(*names: str) -> st.SearchStrategy[Any]:
    """JSON of any shape, in which these names are frequent."""
    return st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda children: (
            st.lists(children, max_size=3)
            | st.dictionaries(st.sampled_from(names) | st.text(max_size=5), children, max_size=3)
        ),
        max_leaves=20,
    )
