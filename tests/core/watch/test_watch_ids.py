"""Ids of fires and their jobs: whoever sweeps a window again derives the same ones."""

import json
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from core.ids import watch_derived

TS = st.integers(0, 2**62)
PARTS = st.tuples(st.sampled_from(["fire", "job"]), st.uuids(), TS, TS)


def test_the_published_vectors(vectors):
    cases = json.loads((vectors / "watch-ids.json").read_text())["cases"]
    found = [str(watch_derived(c["prefix"], UUID(c["watch_id"]), c["start"], c["end"])) for c in cases]
    assert found == [c["id"] for c in cases] != []


def test_a_watch_id_counts_by_its_value_however_it_was_written():
    watch = UUID("CF64F2DF-6209-FA70-B4F4-6833E0B1222D")
    assert watch_derived("fire", watch, 1, 2) == watch_derived("fire", UUID(str(watch)), 1, 2)


@given(PARTS, PARTS)
def test_every_part_counts(one, other):
    assert (watch_derived(*one) == watch_derived(*other)) is (one == other)
