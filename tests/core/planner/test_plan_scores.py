"""Scores, weights and pooling."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.planner import Candidate, PlannerConfig, SpanClass
from core.planner.fusion import decay, fuse, hop, saturation
from core.planner.weigh import pool, truncate, weigh
from tests.strategies.planner import candidates

units = st.floats(0, 1)
DEFAULTS = PlannerConfig()


@given(sim=units, fresh=units, alpha=units)
def test_a_fused_score_lies_between_its_parts(sim: float, fresh: float, alpha: float):
    fused = fuse(sim, fresh, alpha)
    assert 0 <= fused <= 1
    assert fused <= max(sim, fresh) * (1 + 1e-12)
    assert fused >= min(sim, fresh) * (1 - 1e-12)


@given(sim=units, fresh=units)
def test_at_its_ends_alpha_takes_one_part_to_the_bit(sim: float, fresh: float):
    assert (fuse(sim, fresh, 1), fuse(sim, fresh, 0)) == (sim, fresh)


def test_fuse_weighs_by_alpha():
    assert fuse(0.25, 1.0, 0.5) == 0.5
    assert fuse(1.0, 0.25, 0.5) == 0.5


def test_decay_halves_with_every_half_life():
    ages = [decay(0.8, age, half_life=100, floor=0.0) for age in (0, 100, 200)]
    assert ages == pytest.approx([0.8, 0.4, 0.2])


def test_what_was_observed_after_the_moment_asked_about_does_not_grow():
    assert decay(0.8, -100, half_life=100, floor=0.0) == 0.8


def test_the_floor_applies_after_confidence():
    assert decay(0.01, 0, half_life=100, floor=0.05) == 0.05
    assert decay(1.0, 10**9, half_life=100, floor=0.05) == 0.05


@given(bm25=st.floats(0, 1e6), more=st.floats(0, 1e6), half=st.floats(0.01, 1e3))
def test_saturation_rises_from_zero_towards_one(bm25: float, more: float, half: float):
    assert 0 <= saturation(bm25, half) <= saturation(bm25 + more, half) <= 1
    assert saturation(half, half) == 0.5


def test_a_hop_discounts_what_its_parent_had():
    assert hop(hop(0.8, 0.5), 0.5) == 0.2


@pytest.mark.parametrize(
    ("kind", "span_class", "weight"),
    [
        ("heading", SpanClass.TRUTH, 0.7 * 0.6),
        ("cell", SpanClass.CACHE, 0.7 * 0.9 * 0.5),
        ("unheard of", SpanClass.TRUTH, 0.7),
    ],
)
def test_weight_is_score_by_prior_by_discount_in_this_order(kind: str, span_class: SpanClass, weight: float):
    assert weigh(0.7, kind, span_class, DEFAULTS) == weight


@given(found=st.lists(candidates()), data=st.data())
def test_pooling_keeps_the_heaviest_of_each_coordinate_in_any_order(found: list[Candidate], data: st.DataObject):
    pooled = pool(found)
    assert [one.span for one in pooled] == sorted({one.span for one in found})
    for one in pooled:
        assert one.weight == max(other.weight for other in found if other.span == one.span)
    assert pool(data.draw(st.permutations(found))) == pooled


@given(candidate=candidates())
def test_of_equally_heavy_spans_truth_stays(candidate: Candidate):
    derived, verbatim = (replace(candidate, span_class=span_class) for span_class in ("cache", "truth"))
    same: Any = [replace(derived, span_class=SpanClass.CACHE), replace(verbatim, span_class=SpanClass.TRUTH)]
    assert pool(same) == pool(same[::-1]) == [same[1]]


@given(found=st.lists(candidates()).map(pool), limit=st.integers(1, 10))
def test_a_full_pool_keeps_its_heaviest(found: list[Candidate], limit: int):
    kept, went = truncate(found, limit)
    assert len(kept) == min(limit, len(found)) == len(found) - went
    assert [one.span for one in kept] == sorted(one.span for one in kept)
    lightest = min((one.weight for one in kept), default=math.inf)
    assert all(one.weight <= lightest for one in found if one not in kept)
