"""Conditions and the properties they are asked of."""

from typing import Any

from hypothesis import strategies as st

NAMES = st.sampled_from(["a", "b", "c"])

scalars = st.one_of(
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, 0.5, 1.0, -1e300]),
    st.sampled_from(["", "a", "ab", "b", "1"]),
)
properties = st.dictionaries(NAMES, st.one_of(scalars, st.none(), st.lists(scalars, max_size=3)), max_size=3)

ordered = st.one_of(st.integers(-3, 3), st.sampled_from([0.5, "", "a", "b"]))
VALUES = {
    **dict.fromkeys(["eq", "ne", "contains"], scalars),
    **dict.fromkeys(["lt", "le", "gt", "ge"], ordered),
    "in": st.lists(scalars, min_size=1, max_size=3),
    "exists": st.booleans(),
}

conditions = st.sampled_from(sorted(VALUES)).flatmap(
    lambda op: st.fixed_dictionaries({"prop": NAMES, "op": st.just(op), "value": VALUES[op]})
)
parts = st.recursive(
    conditions, lambda inner: st.fixed_dictionaries({"any": st.lists(inner, min_size=1, max_size=3)}), max_leaves=6
)
queries: st.SearchStrategy[list[dict[str, Any]]] = st.lists(parts, max_size=4)
json_values = st.recursive(
    st.none() | scalars | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["any", "prop", "op", "value", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)
