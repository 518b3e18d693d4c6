"""Rows written many at once are read back as they were given, as rows written one by one are."""

from uuid import UUID

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.clock import FOREVER
from core.model.nodes import Node
from core.store.tables import Boundary, NodeVersion
from core.store.versions import NODES
from tests.support.memories import NOW, rows

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_characters="\0")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=5,
)
NODE = st.builds(
    Node,
    node_id=st.uuids(),
    label=st.sampled_from(["SECTION", "a label with 'quotes' and %s"]),
    source_id=st.none() | st.uuids(),
    key=st.sampled_from(["", "key"]),
    props=st.dictionaries(st.sampled_from("abc"), JSON, max_size=3),
    provenance=st.lists(st.lists(st.integers(0, FOREVER), min_size=3, max_size=3), max_size=2),
    readers=st.none() | st.lists(st.sampled_from(["everyone", "hr"])),
    confidence=st.floats(0, 1),
    observed_at=st.none() | st.integers(0, FOREVER),
    tombstone=st.booleans(),
    valid_start=st.integers(0, NOW),
    valid_end=st.integers(NOW + 1, FOREVER),
    tx_start=st.integers(0, NOW),
    tx_end=st.just(FOREVER),
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])  # rolled back each time
@given(nodes=st.lists(NODE, max_size=4, unique_by=lambda node: node.node_id))
def test_every_kind_of_value_is_read_back_as_it_was_given(memory, nodes):
    with memory._database.write("default") as tx:
        NODES.insert(tx, nodes)
        found = NODES.select(tx)
        tx.session.rollback()
    assert sorted(found, key=lambda node: node.node_id) == sorted(nodes, key=lambda node: node.node_id)


def test_what_is_the_same_for_all_is_turned_too(memory):
    row = {"valid_start": [1, 2], "valid_end": [2, 3], "tx_start": [5, 5], "tx_end": [FOREVER] * 2, "key": ["", ""]}
    row |= {"label": ["A", "B"], "confidence": [1.0] * 2, "observed_at": [None] * 2, "tombstone": [False] * 2}
    same = {"node_id": UUID(int=1), "source_id": None, "props": {"a": [1]}, "provenance": [], "readers": ["hr"]}
    with memory._database.write("default") as tx:
        tx.insert_ready(tx.rows(NodeVersion, row), **same)
    found = sorted(rows(memory, NodeVersion), key=lambda one: one.valid_start)
    assert [(one.tenant_id, one.node_id, one.label, one.props, one.readers) for one in found] == [
        ("default", UUID(int=1), label, {"a": [1]}, ["hr"]) for label in "AB"
    ]


def test_no_rows_are_no_statement(memory):
    with memory._database.write("default") as tx:
        tx.insert_ready(tx.rows(NodeVersion, {}), label="A")
        tx.insert(Boundary, [])
    assert rows(memory, NodeVersion) == rows(memory, Boundary) == []


def test_of_rows_of_which_some_stand_already_the_others_are_added(memory):
    def boundary(at, label):
        return {"tenant_id": "default", "at": at, "ref_type": "node", "ref_id": UUID(int=1), "label": label}

    for mine in ([boundary(1, "first")], [boundary(1, "second"), boundary(2, "second")]):
        with memory._database.write("default") as tx:
            tx.insert(Boundary, mine, unless_there=True)
    assert {one.at: one.label for one in rows(memory, Boundary)} == {1: "first", 2: "second"}
