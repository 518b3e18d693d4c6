"""What a plan holds is little: no words of what was left out, and nothing that the collector of cycles goes through."""

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contextplan import ByteEstimator, ContextPlanner, Event, Message, Payload, PayloadNotFound, Session, Window
from core.contextplan.rows import Rows

EVENTS, KEPT = 3_000, 50
texts = st.sampled_from(["a", "b", ""])


class Words(bytes):
    """Counts how many of it there are."""

    there = most = 0

    def __init__(self, _content: bytes) -> None:
        Words.there += 1
        Words.most = max(Words.most, Words.there)

    def __del__(self) -> None:
        Words.there -= 1


class MadeWhenRead:
    def get(self, ref: str) -> Payload:
        return Payload(ref, Words(b"%076d" % int(ref)), "session", "somebody")

    def status(self, ref: str):
        raise PayloadNotFound(ref)


def planned(events: int):
    session = Session([Event(str(number), "user", "message") for number in range(EVENTS)])
    return ContextPlanner(MadeWhenRead()).plan(session, Window(23 * events, 0), ByteEstimator())


def test_words_that_are_left_out_are_let_go_of_one_by_one():
    Words.most = Words.there = 0
    result = planned(KEPT)
    assert (len(result.messages), len(result.elisions)) == (KEPT, EVENTS - KEPT)
    assert Words.there == KEPT
    assert Words.most <= KEPT + 2


@pytest.mark.parametrize("kept", [KEPT, EVENTS])
def test_a_longer_plan_gives_the_collector_of_cycles_no_more_to_go_through(kept):
    gc.collect()
    before = len(gc.get_objects())
    result = planned(kept)
    added = len(gc.get_objects()) - before
    assert len(result.messages) == kept
    assert added < EVENTS + 100, "the session itself, and a few lists"


# ── rows ──


@given(st.lists(st.tuples(texts, st.binary(max_size=2))), st.integers(-5, 5), st.slices(6))
def test_rows_are_the_values_of_their_columns(pairs, place, part):
    values = tuple(Message(*pair) for pair in pairs)
    rows = Rows(Message, *(map(list, zip(*pairs, strict=True)) if pairs else ([], [])))
    assert rows == values == tuple(rows)
    assert rows == list(values)
    assert (len(rows), hash(rows), repr(rows)) == (len(values), hash(values), repr(values))
    assert rows[part] == values[part]
    assert tuple(reversed(rows)) == values[::-1]
    if -len(values) <= place < len(values):
        assert rows[place] == values[place]
    else:
        with pytest.raises(IndexError):
            rows[place]


def test_rows_of_other_values_or_more_of_them_are_not_equal():
    rows = Rows(Message, ["user"], [b"a"])
    assert rows != (Message("user", b"b"),)
    assert rows != Rows(Message, ["user"] * 2, [b"a"] * 2)
    assert rows != "a"
    assert Rows(Message, [], []) != ""
