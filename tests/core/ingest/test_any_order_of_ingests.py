"""Documents come in any order of valid time: what is believed of each node and edge never overlaps."""

from itertools import count, pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.clock import DAY, FOREVER
from core.store.tables import EdgeVersion, NodeVersion
from tests.support.memories import NOW, page, put, rows, source_id

TEXTS = (
    page("A", {"One": "One.", "Two": "Two, see [b](b.md)."}),
    page("A", {"One": "One.", "Three": "Three."}),
    page("A", {"Two": "Two, see [b](b.md).", "One": "Else."}),
    None,
)
"""None: it is gone."""
HISTORY = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(TEXTS)), min_size=2, max_size=7)
_numbers = count()


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])  # each has a uri of its own
@given(history=HISTORY)
def test_no_two_open_versions_of_a_thing_overlap(memory, history):
    uri = f"{next(_numbers)}.md"
    put(memory, uri, TEXTS[0], valid_start=NOW - 9 * DAY)
    for day, text in history:
        at = NOW - (6 - day) * DAY
        if text is None:
            memory.remove(uri, valid_start=at)
        else:
            put(memory, uri, text, valid_start=at)
    for table, id_name in ((NodeVersion, "node_id"), (EdgeVersion, "edge_id")):
        mine = [row for row in rows(memory, table) if row.source_id == source_id(uri) and row.tx_end == FOREVER]
        assert mine
        ordered = sorted((getattr(row, id_name), row.valid_start, row.valid_end) for row in mine)
        assert all(a[0] != b[0] or a[2] <= b[1] for a, b in pairwise(ordered))
