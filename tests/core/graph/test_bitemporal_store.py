"""The store against a naive model that keeps every cell of valid and tx time; both must agree at every coordinate."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.clock import FOREVER
from core.errors import NotFound
from core.graph.records import Record
from core.ids import derived, random_id
from tests.support.memories import last_tx

DAYS = 6
writes = st.tuples(
    st.sampled_from(["a", "b"]),
    st.integers(0, DAYS - 1),
    st.integers(1, DAYS + 1),
    st.none() | st.integers(0, 2),
)
"""(which, first day, days, value); a value of None removes. The last day stands for all that follow."""


class Naive:
    """One picture of every (node, day) for each tx at which anything was written."""

    def __init__(self):
        self.pictures = [(0, {})]

    def write(self, tx, which, days, value):
        self.pictures.append((tx, {**self.pictures[-1][1], **{(which, day): value for day in days}}))

    def stands(self, which, days):
        return any(self.pictures[-1][1].get((which, day)) is not None for day in days)

    def at(self, which, day, tx):
        picture = next(picture for start, picture in reversed(self.pictures) if start <= tx)
        return picture.get((which, day))


def apply(memory, naive, world, write):
    which, first, length, value = write
    days = range(first, min(first + length, DAYS + 1))
    interval = {"valid_start": first, "valid_end": FOREVER if days[-1] == DAYS else first + length}
    node_id = derived(world, which)
    if value is None and not naive.stands(which, days):
        with pytest.raises(NotFound):
            memory.remove_node(node_id, **interval)
        return
    if value is None:
        memory.remove_node(node_id, **interval)
    else:
        memory.put_node(Record(node_id, "CELL", {"value": value}, ("everyone",), **interval))
    naive.write(last_tx(memory), which, days, value)


def read(memory, ada, node_id, day, tx):
    try:
        return memory.get_as_of(node_id, ada, valid_time=day, tx_time=tx).props["value"]
    except NotFound:
        return None


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(history=st.lists(writes, max_size=7))
def test_store_and_model_agree_at_every_coordinate(memory, clock, ada, history):
    naive, world = Naive(), str(random_id())
    for write in history:
        clock.advance(1)
        apply(memory, naive, world, write)
    for tx in [start for start, _ in naive.pictures] + [last_tx(memory)]:
        for which in "ab":
            for day in range(DAYS + 1):
                assert read(memory, ada, derived(world, which), day, tx) == naive.at(which, day, tx), (which, day, tx)
