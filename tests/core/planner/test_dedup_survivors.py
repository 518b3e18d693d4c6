"""Dedup against the definition: walk all survivors for every span."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.planner import dedup
from tests.strategies.planner import lines, overlaps


def by_definition(spans: Sequence[tuple[int, int]], order: Sequence[int], overlap: float) -> list[int]:
    kept: list[int] = []
    for number in order:
        if not any(clash(spans[number], spans[other], overlap) for other in kept):
            kept.append(number)
    return sorted(kept)


def clash(one: tuple[int, int], other: tuple[int, int], overlap: float) -> bool:
    shared = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    ratio = shared / min(one[1] - one[0], other[1] - other[0])
    return ratio > overlap or ratio == 1.0


def survivors(spans: Sequence[tuple[int, int]], order: Sequence[int], overlap: float) -> list[int]:
    start, end = np.array(spans, np.int64).reshape(-1, 2).T
    return np.flatnonzero(dedup.survivors(start, end, np.array(order, np.int64), overlap)).tolist()


@pytest.mark.parametrize(("first", "growth"), [(1, 1), (1, 2), (3, 2), (1000, 2)])
@given(spans=lines(), overlap=overlaps, data=st.data())
def test_two_neighbours_decide_as_all_survivors_would(first: int, growth: int, spans: Any, overlap: float, data: Any):
    """However the batches fall, down to one span a batch and up to all in one."""
    order = data.draw(st.permutations(range(len(spans))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dedup, "FIRST_BATCH", first)
        patch.setattr(dedup, "GROWTH", growth)
        assert survivors(spans, order, overlap) == by_definition(spans, order, overlap)


@given(spans=lines(), overlap=overlaps, data=st.data())
def test_survivors_never_hold_one_another(spans: Any, overlap: float, data: Any):
    order = data.draw(st.permutations(range(len(spans))))
    ends = [spans[number][1] for number in survivors(spans, order, overlap)]
    starts = [spans[number][0] for number in survivors(spans, order, overlap)]
    assert starts == sorted(set(starts))
    assert ends == sorted(set(ends))


@pytest.mark.parametrize("overlap", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("turn", [1, -1])
def test_a_long_chain_in_order_of_place(overlap: float, turn: int):
    """Equal weights fall to the coordinates: the whole chain depends on its first link, over many blocks of the row."""
    spans = [(10 * number, 10 * number + 100) for number in range(20_000)]
    apart = {0.0: 10, 0.3: 7, 0.8: 2, 1.0: 1}[overlap]
    order = list(range(len(spans)))[::turn]
    kept = survivors(spans, order, overlap)
    assert kept == sorted(order[::apart])


def test_the_outermost_of_many_nested_spans_stays_alone_when_it_is_the_heaviest():
    spans = [(number, 100_000 - number) for number in range(20_000)]
    assert survivors(spans, range(len(spans)), 1.0) == [0]
    assert survivors(spans, range(len(spans))[::-1], 1.0) == [len(spans) - 1]


def test_a_ratio_next_to_one_is_not_one():
    """Lengths up to 2**53 are exact: one byte short of being held is not held."""
    spans = [(0, 2**53 - 1), (1, 2**53)]
    assert survivors(spans, [0, 1], 1.0) == [0, 1]


@given(numbers=st.sets(st.integers(0, 20_000), max_size=30), asked=st.lists(st.integers(0, 20_000), max_size=30))
def test_the_row_finds_the_neighbours_of_a_number(numbers: set[int], asked: list[int]):
    """Over 4 blocks of the row, with many that hold nothing."""
    row = dedup._Row(20_001)
    for number in numbers:
        row.add(number)
    for number in set(asked) - numbers:
        assert row.before(number) == max((n for n in numbers if n < number), default=-1)
        assert row.after(number) == min((n for n in numbers if n > number), default=-1)


def test_no_spans():
    assert survivors([], [], 0.8) == []
