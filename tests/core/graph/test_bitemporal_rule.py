"""The write rule against the plainest model there is: what holds at every single (valid, tx) cell."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from core.clock import FOREVER
from core.errors import InvalidRequest
from core.graph.bitemporal import Change, Version, as_of, write

VALID = range(8)

bounds = st.tuples(st.integers(0, 7), st.integers(1, 8) | st.just(FOREVER)).filter(lambda v: v[0] < v[1])


def applied(rows: list[Version], change: Change, tx: int) -> list[Version]:
    """What a store holds after the change: nothing goes, some rows end."""
    return [replace(row, tx_end=tx) if row in change.close else row for row in rows] + list(change.insert)


class EveryCell(RuleBasedStateMachine):
    """`columns[tx][valid]` is what was believed at tx about the moment `valid`: (body, tombstone), or nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Version] = []
        self.tx = 0
        self.columns: list[dict[int, tuple[object, bool]]] = [{}]

    def keep(self, body: object, valid: tuple[int, int], wait: int, *, tombstone: bool) -> None:
        self.columns += [self.columns[-1]] * (wait - 1)
        self.tx += wait
        told = {moment: (body, tombstone) for moment in VALID if valid[0] <= moment < valid[1]}
        self.columns.append(self.columns[-1] | told)
        self.rows = applied(self.rows, write(self.rows, body, valid, self.tx, tombstone), self.tx)

    @rule(body=st.integers(0, 5), valid=bounds, wait=st.integers(1, 2))
    def write_or_correct(self, body: int, valid: tuple[int, int], wait: int) -> None:
        self.keep(body, valid, wait, tombstone=False)

    @rule(valid=bounds, wait=st.integers(1, 2))
    def bury(self, valid: tuple[int, int], wait: int) -> None:
        self.keep(None, valid, wait, tombstone=True)

    def teardown(self) -> None:
        """Once is enough: no column of the past is ever forgotten."""
        for tx, column in enumerate(self.columns):
            for moment in VALID:
                holding = [row for row in self.rows if as_of([row], moment, tx)]
                assert [(row.body, row.tombstone) for row in holding] == ([column[moment]] if moment in column else [])
        assert all(row.valid_start < row.valid_end and row.tx_start < row.tx_end for row in self.rows)
        assert len({(row.tx_start, row.valid_start) for row in self.rows}) == len(self.rows), "the key of a row"


TestEveryCell = EveryCell.TestCase
TestEveryCell.settings = settings(max_examples=60, stateful_step_count=15, deadline=None)

OPEN = Version(10, 20, 1, FOREVER, tombstone=False, body="old")


@pytest.mark.parametrize(
    ("valid", "kept"),
    [
        ((10, 20), []),
        ((0, 30), []),
        ((10, FOREVER), []),
        ((12, 15), [(10, 12), (15, 20)]),
        ((0, 15), [(15, 20)]),
        ((15, 25), [(10, 15)]),
    ],
)
def test_what_sticks_out_is_kept_as_it_was(valid: tuple[int, int], kept: list[tuple[int, int]]):
    change = write([OPEN], "new", valid, 5)
    assert change.close == (OPEN,)
    *parts, fresh = change.insert
    assert [(part.valid_start, part.valid_end) for part in parts] == kept
    assert {(part.tx_start, part.tx_end, part.body) for part in parts} <= {(5, FOREVER, "old")}
    assert fresh == Version(*valid, 5, FOREVER, tombstone=False, body="new")


@pytest.mark.parametrize("valid", [(0, 10), (20, 30)])
def test_a_version_that_only_touches_stays(valid: tuple[int, int]):
    change = write([OPEN], "new", valid, 5)
    assert (change.close, len(change.insert)) == ((), 1)


def test_a_tombstone_that_sticks_out_stays_a_tombstone():
    change = write([replace(OPEN, tombstone=True)], "new", (10, 15), 5)
    assert [row.tombstone for row in change.insert] == [True, False]


def test_what_is_closed_already_stays_closed():
    assert write([replace(OPEN, tx_end=3)], "new", (0, 30), 5).close == ()


@given(start=st.integers(0, 20), length=st.integers(0, 5))
def test_an_empty_interval_is_refused(start: int, length: int):
    with pytest.raises(InvalidRequest, match="is empty; its end must be later"):
        write([], "new", (start, start - length), 5)


@pytest.mark.parametrize("tx", [0, 1])
def test_a_tx_that_is_not_later_is_refused(tx: int):
    """Two writes of one tx over one interval would leave a version that was never believed."""
    with pytest.raises(InvalidRequest, match=f"a write at tx {tx} cannot change what was written at tx 1"):
        write([OPEN], "new", (0, 30), tx)


def test_intervals_are_half_open():
    rows = [replace(OPEN, tx_end=5)]
    assert as_of(rows, 10, 1) is as_of(rows, 19, 4) is rows[0]
    assert as_of(rows, 20, 1) is as_of(rows, 9, 1) is as_of(rows, 10, 5) is as_of(rows, 10, 0) is None
