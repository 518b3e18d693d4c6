"""The plan and its hash."""

import math
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.planner import Candidate, EvidencePlan, PlanStats, RecallStats, Selection, SelectStats, SpanClass, plan_hash
from core.planner.plan import build
from tests.strategies.planner import candidates, pools

SPAN = Candidate(UUID(int=5), 17, 2, 8, "cell", SpanClass.TRUTH, 0.3, 4, "words!")


def hashed(*spans: Candidate) -> str:
    return plan_hash(spans, budget=10, used=4)


@given(pool=pools(max_size=8).filter(bool), data=st.data())
def test_one_unit_in_the_last_place_of_one_weight_shows(pool: list[Candidate], data: st.DataObject):
    place = data.draw(st.integers(0, len(pool) - 1))
    nudged = replace(pool[place], weight=math.nextafter(pool[place].weight, math.inf))
    assert hashed(*pool) != hashed(*pool[:place], nudged, *pool[place + 1 :])


@given(pool=pools(max_size=8), data=st.data())
def test_the_order_given_does_not_show(pool: list[Candidate], data: st.DataObject):
    assert hashed(*pool) == hashed(*data.draw(st.permutations(pool)))


@pytest.mark.parametrize(
    "change",
    [
        {"source_id": UUID(int=6)},
        {"source_version_tx": -17},
        {"start": 1},
        {"end": 9},
        {"kind": "cel"},
        {"span_class": SpanClass.CACHE},
        {"tokens": 5},
    ],
    ids=str,
)
def test_every_decision_shows(change: dict[str, Any]):
    assert hashed(replace(SPAN, **change)) != hashed(SPAN)


def test_budget_use_and_model_show():
    plans = [(10, 4, "v1"), (11, 4, "v1"), (10, 5, "v1"), (10, 4, "v2")]
    hashes = {plan_hash([SPAN], budget=budget, used=used, plan_model=model) for budget, used, model in plans}
    assert len(hashes) == len(plans)


@given(candidate=candidates(), text=st.text())
def test_text_does_not_show(candidate: Candidate, text: str):
    assert hashed(candidate) == hashed(replace(candidate, text=text))


@given(budget=st.integers(0, 2**63))
def test_an_empty_plan_has_the_hash_of_no_spans(budget: int):
    plan = EvidencePlan.empty(budget, PlanStats())
    assert plan.plan_hash == EvidencePlan.empty_hash(budget) == plan_hash([], budget=budget, used=0)
    assert (plan.spans, plan.used) == ((), 0)


def test_a_plan_says_everything_in_camel_case():
    selection = Selection((SPAN,), 4, SelectStats(1, 2, 3, 4, 5))
    plan = build(selection, pool_spans=11, budget=9, token_estimate=True, recall=RecallStats(1, 2, 3, 4, 5, 6, 7, 8))
    assert plan.to_json() == {
        "planModel": "v1",
        "budget": 9,
        "used": 4,
        "spans": [
            {
                "span": {
                    "sourceId": "00000000-0000-0000-0000-000000000005",
                    "sourceVersionTx": 17,
                    "start": 2,
                    "end": 8,
                },
                "kind": "cell",
                "class": "truth",
                "weight": 0.3,
                "tokens": 4,
                "text": "words!",
            }
        ],
        "stats": {
            "poolSpans": 11,
            "selectedSpans": 1,
            "deduped": 1,
            "unpackable": 2,
            "budgetSkipped": 3,
            "capSkipped": 4,
            "budgetStrandedByCap": 5,
            "tokenEstimate": True,
            "recall": {
                "query": 1,
                "semantic": 2,
                "expansion": 3,
                "union": 4,
                "nodesWithoutSpans": 5,
                "kindMissing": 6,
                "slicesMissing": 7,
                "poolTruncated": 8,
            },
        },
        "planHash": plan_hash([SPAN], budget=9, used=4),
    }
