"""Phase B as a whole: against the page's words carried out one span at a time, and what holds of every selection."""

import math
import struct
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import core.planner
from core.errors import InvalidRequest
from core.planner import Candidate, Selection, SelectStats, packing, select
from core.planner.candidates import ascending
from tests.strategies.planner import SOURCES, candidates, overlaps, pools

budgets = st.one_of(st.integers(0, 60), st.integers(0, 1000))
fractions = st.floats(0.01, 1)
caps = st.none() | st.integers(1, 8)


def falling(value: float) -> int:
    """A key by which larger floats come first, -0.0 after 0.0: the order of total_cmp for what is not negative."""
    (bits,) = struct.unpack(">q", struct.pack(">d", value))
    return -bits


def by_definition(
    pool: list[Candidate], budget: int, frac: float, overlap: float, max_spans: int | None = None
) -> Selection:
    kept: list[Candidate] = []
    for candidate in sorted(pool, key=lambda c: (falling(c.weight), c.span)):
        if not any(repeats(candidate, other, overlap) for other in kept):
            kept.append(candidate)
    order = sorted(kept, key=lambda c: (falling(c.weight / max(1, c.tokens)), falling(c.weight), c.span))
    return pack_by_definition(order, budget, math.floor(frac * budget), max_spans, deduped=len(pool) - len(kept))


def repeats(one: Candidate, other: Candidate, overlap: float) -> bool:
    if (one.source_id, one.source_version_tx) != (other.source_id, other.source_version_tx):
        return False
    shared = max(0, min(one.end, other.end) - max(one.start, other.start))
    ratio = shared / min(one.end - one.start, other.end - other.start)
    return ratio > overlap or ratio == 1.0


def pack_by_definition(
    order: list[Candidate], budget: int, cap: int, max_spans: int | None, *, deduped: int
) -> Selection:
    packed: list[Candidate] = []
    spent: Counter[Any] = Counter()
    out: Counter[str] = Counter()
    for candidate in order:
        if len(packed) == max_spans:
            break
        if candidate.tokens > budget:
            out["unpackable"] += 1
        elif spent.total() + candidate.tokens > budget:
            out["budget_skipped"] += 1
        elif spent[candidate.source_id] + candidate.tokens > cap:
            out["cap_skipped"] += 1
        else:
            packed.append(candidate)
            spent[candidate.source_id] += candidate.tokens
    stranded = budget - spent.total() if out["cap_skipped"] else 0
    stats = SelectStats(deduped=deduped, budget_stranded_by_cap=stranded, **out)
    return Selection(tuple(sorted(packed, key=lambda c: c.span)), spent.total(), stats)


def run(pool: Any, budget: int, frac: float, overlap: float, max_spans: int | None = None) -> Selection:
    return select(pool, budget=budget, max_frac_per_source=frac, dedup_overlap=overlap, max_spans=max_spans)


@pytest.mark.parametrize("chunk", [1, 3, 512])
@given(pool=pools(), budget=budgets, frac=fractions, overlap=overlaps, max_spans=caps)
def test_select_does_what_the_page_says(
    chunk: int, pool: list[Candidate], budget: int, frac: float, overlap: float, max_spans: int | None
):
    """However large the pieces in which packing looks ahead."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "FIRST_CHUNK", chunk)
        assert run(pool, budget, frac, overlap, max_spans) == by_definition(pool, budget, frac, overlap, max_spans)


@given(pool=pools(), budget=budgets, frac=fractions, overlap=overlaps, max_spans=caps)
def test_budget_cap_and_count_hold(
    pool: list[Candidate], budget: int, frac: float, overlap: float, max_spans: int | None
):
    selection = run(pool, budget, frac, overlap, max_spans)
    spent: Counter[Any] = Counter()
    for span in selection.spans:
        spent[span.source_id] += span.tokens
    assert selection.used == spent.total() <= budget
    assert all(tokens <= math.floor(frac * budget) for tokens in spent.values())
    assert len(selection.spans) <= (max_spans or len(pool))


@given(pool=pools(), budget=budgets, frac=fractions, overlap=overlaps, data=st.data())
def test_the_order_of_the_pool_does_not_show(
    pool: list[Candidate], budget: int, frac: float, overlap: float, data: st.DataObject
):
    expected = run(pool, budget, frac, overlap)
    turn = data.draw(st.integers(0, len(pool)))
    for other in (pool[::-1], pool[turn:] + pool[:turn], data.draw(st.permutations(pool))):
        assert run(other, budget, frac, overlap) == expected


@given(pool=pools(), budget=budgets, frac=fractions, overlap=overlaps)
def test_every_candidate_is_accounted_for_once(pool: list[Candidate], budget: int, frac: float, overlap: float):
    selection = run(pool, budget, frac, overlap)
    stats = selection.stats
    left_out = stats.deduped + stats.unpackable + stats.budget_skipped + stats.cap_skipped
    assert len(selection.spans) + left_out == len(pool)


@given(pool=pools(), budget=budgets, overlap=overlaps)
def test_a_cap_of_the_whole_budget_strands_nothing(pool: list[Candidate], budget: int, overlap: float):
    assert run(pool, budget, 1.0, overlap).stats.budget_stranded_by_cap == 0


@given(pool=pools(), budget=budgets, frac=fractions, overlap=overlaps)
def test_budget_is_stranded_only_when_a_cap_blocked_a_fitting_span(
    pool: list[Candidate], budget: int, frac: float, overlap: float
):
    selection = run(pool, budget, frac, overlap)
    blocked = selection.stats.cap_skipped > 0
    assert selection.stats.budget_stranded_by_cap == (budget - selection.used if blocked else 0)


def spans(*rows: tuple[int, int, int], weight: float = 1.0) -> list[Candidate]:
    """Candidates of (source number, start, tokens), ten bytes each."""
    return [
        Candidate(SOURCES[source], 5, start, start + 10, "body", core.planner.SpanClass.TRUTH, weight, tokens)
        for source, start, tokens in rows
    ]


def test_the_cap_never_gives_way_even_when_one_source_is_all_there_is():
    selection = run(spans((0, 0, 40), (0, 10, 40), (0, 20, 40)), 100, 0.4, 0.8)
    assert selection.used == 40
    assert selection.stats == SelectStats(cap_skipped=2, budget_stranded_by_cap=60)


def test_the_scan_stops_at_max_spans_and_counts_only_what_it_met():
    selection = run(spans((0, 0, 10), (1, 0, 10), (2, 0, 500)), 100, 1.0, 0.8, max_spans=2)
    assert (len(selection.spans), selection.stats) == (2, SelectStats())


def test_minus_zero_comes_after_zero():
    """As in the IEEE-754 total order, and against the order of coordinates."""
    pool = [replace(c, weight=w) for c, w in zip(spans((0, 0, 9), (0, 10, 9)), (-0.0, 0.0), strict=True)]
    assert [span.start for span in run(pool, 10, 1.0, 0.8).spans] == [10]


def test_a_budget_of_nothing_selects_nothing_that_costs():
    assert run(spans((0, 0, 1), (1, 0, 2)), 0, 1.0, 0.8).spans == ()


def test_any_iterable_is_a_pool():
    pool = spans((0, 0, 1), (1, 0, 2))
    assert run(iter(pool), 10, 1.0, 0.8) == run(pool, 10, 1.0, 0.8)


def test_far_offsets_and_many_versions_stay_apart():
    """Versions laid end to end would leave 64 bits, were each number of source × version kept."""
    pool = [
        replace(candidate, source_version_tx=number, start=2**52, end=2**53)
        for number, candidate in enumerate(spans(*[(number % 3, 0, 1) for number in range(400)]))
    ]
    assert len(run(pool, 1000, 1.0, 0.0).spans) == 400


def test_more_than_the_line_can_hold_is_refused():
    pool = [
        replace(candidate, source_version_tx=number, start=2**52, end=2**53)
        for number, candidate in enumerate(spans(*[(0, 0, 1)] * 600))
    ]
    with pytest.raises(InvalidRequest, match="cannot be told apart"):
        run(pool, 1000, 1.0, 0.0)


@pytest.mark.parametrize(
    "change",
    [
        {"weight": math.nan},
        {"weight": math.inf},
        {"weight": -1e-300},
        {"start": 10},
        {"start": 11},
        {"start": -1},
        {"end": 2**53 + 1},
        {"end": 2**70},
        {"tokens": -1},
        {"tokens": 2**62 + 1},
        {"tokens": 2**70},
        {"tokens": 1.5},
        {"weight": "heavy"},
        {"source_version_tx": 2**63},
    ],
    ids=str,
)
def test_a_bad_candidate_is_refused_by_name(change: dict[str, Any]):
    good, bad = spans((0, 0, 1), (1, 0, 1))
    with pytest.raises(InvalidRequest, match=next(iter(change))) as refused:
        run([good, replace(bad, **change)], 10, 1.0, 0.8)
    assert "candidate 1 " in str(refused.value)


@given(keys=st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1))))
def test_a_fast_order_is_the_stable_one(keys: list[tuple[int, int]]):
    """With ties in the last key and without."""
    minor, major = np.array(keys, np.int64).reshape(-1, 2).T
    stable = sorted(range(len(keys)), key=lambda place: keys[place][::-1])
    assert ascending(minor, major).tolist() == stable
    assert ascending(major).tolist() == sorted(range(len(keys)), key=lambda place: keys[place][1])


def test_a_repeated_coordinate_is_refused_with_both_places():
    one, other, _ = pool = spans((0, 0, 1), (1, 0, 1), (0, 0, 2))
    with pytest.raises(InvalidRequest, match="candidates 0 and 2 of the pool"):
        run(pool, 10, 1.0, 0.8)
    assert run([one, other], 10, 1.0, 0.8).used == 2


@pytest.mark.parametrize(
    ("bound", "value"),
    [
        ("budget", -1),
        ("budget", 2**62 + 1),
        ("max_frac_per_source", 0),
        ("max_frac_per_source", 1.1),
        ("max_frac_per_source", math.nan),
        ("dedup_overlap", -0.1),
        ("dedup_overlap", 1.1),
        ("dedup_overlap", math.nan),
        ("max_spans", 0),
    ],
)
def test_a_bound_out_of_range_is_refused_by_name(bound: str, value: float):
    bounds: dict[str, Any] = {"budget": 10, "max_frac_per_source": 0.4, "dedup_overlap": 0.8} | {bound: value}
    with pytest.raises(InvalidRequest, match=bound):
        select([], **bounds)


@given(candidate=candidates())
def test_a_candidate_knows_its_span(candidate: Candidate):
    assert (candidate.span.source_id, candidate.span.end) == (candidate.source_id, candidate.end)


def test_select_is_a_function_of_the_package():
    assert core.planner.select is select
