"""What the planner refuses to be asked or set to."""

import math
from typing import Any

import pytest
from pydantic import ValidationError

from core.errors import InvalidRequest
from core.planner import PlannerConfig, PlanRequest

WHERE = [{"prop": "status", "op": "eq", "value": "open"}]


@pytest.mark.parametrize("leg", [{"question": "when?"}, {"find": "PASSAGE"}, {"where": WHERE}], ids=str)
def test_one_leg_is_enough(leg: dict[str, Any]):
    request = PlanRequest(**leg)
    assert (request.has_question, request.has_query) == ("question" in leg, "question" not in leg)


@pytest.mark.parametrize("legs", [{}, {"question": " \n"}, {"find": "", "where": []}], ids=str)
def test_no_leg_is_refused(legs: dict[str, Any]):
    with pytest.raises(InvalidRequest, match="give a question, or a label"):
        PlanRequest(**legs)


@pytest.mark.parametrize("question", ["", " ", "\n\t"])
def test_a_blank_question_beside_another_leg_is_no_leg_to_pass_over(question: str):
    with pytest.raises(InvalidRequest, match="question is blank: ask something, or leave it out"):
        PlanRequest(question=question, find="PASSAGE")


@pytest.mark.parametrize(
    ("field", "bad", "good"),
    [
        ("expand_depth", 3, 2),
        ("expand_depth", -1, 0),
        ("budget_tokens", 0, 1),
        ("budget_tokens", -5, None),
        ("max_spans", 0, 1),
        ("max_spans", -1, None),
    ],
)
def test_a_number_out_of_range_is_refused_by_name(field: str, bad: int, good: int | None):
    with pytest.raises(InvalidRequest, match=f"{field} is {bad}; it must be"):
        PlanRequest(question="when?", **{field: bad})
    assert getattr(PlanRequest(question="when?", **{field: good}), field) == good


@pytest.mark.parametrize("broken", ["a\0b", "a\ud800b"])
@pytest.mark.parametrize("field", ["question", "find", "where", "model"])
def test_text_that_cannot_be_encoded_is_refused_by_name(field: str, broken: str):
    bad = [{"prop": "status", "op": "eq", "value": broken}] if field == "where" else broken
    with pytest.raises(InvalidRequest, match=f"{field} must be Unicode text"):
        PlanRequest(**({"question": "when?"} | {field: bad}))


REFUSED: dict[str, list[Any]] = {
    "default_budget_tokens": [0, 1_000_001, 1.5],
    "max_frac_per_source": [0, 1.01, math.nan],
    "dedup_overlap": [-0.01, 1.01, math.nan],
    "cache_discount": [-0.01, 1.01],
    "alpha": [-0.01, 1.01],
    "hop_discount": [0, 1.01],
    "semantic_k": [0, 1001],
    "lexical_weight": [-0.01, 1.01],
    "bm25_half": [0, math.inf],
    "semantic_min_sim": [-0.01, 1],
    "query_limit": [0, 10_001],
    "max_pool_spans": [0],
    "kind_priors": [{"heading": 0}, {"cell": 10.1}, {"code": math.nan}, {"footnote": 1}],
    "half_life_days": [0, math.inf],
    "decay_floor": [-0.01, 1.01],
    "no_such_key": [1],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in REFUSED.items() for value in values])
def test_a_setting_out_of_range_is_refused_and_never_clamped(key: str, value: object):
    with pytest.raises(ValidationError) as refused:
        PlannerConfig(**{key: value})
    assert refused.value.errors()[0]["loc"][0] == key


ALLOWED: dict[str, list[Any]] = {
    "default_budget_tokens": [1, 1_000_000],
    "max_frac_per_source": [0.001, 1],
    "dedup_overlap": [0, 1],
    "cache_discount": [0, 1],
    "alpha": [0, 1],
    "hop_discount": [0.001, 1],
    "semantic_k": [1, 1000],
    "lexical_weight": [0, 1],
    "bm25_half": [0.001],
    "semantic_min_sim": [0, 0.999],
    "query_limit": [1, 10_000],
    "max_pool_spans": [1],
    "half_life_days": [0.001],
    "decay_floor": [0, 1],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in ALLOWED.items() for value in values])
def test_the_ends_of_every_range_are_allowed(key: str, value: float):
    assert getattr(PlannerConfig(**{key: value}), key) == value


def test_every_setting_has_its_range_tested():
    assert set(ALLOWED) | {"kind_priors"} == set(PlannerConfig.model_fields) == set(REFUSED) - {"no_such_key"}


def test_a_prior_that_is_not_named_keeps_its_default():
    assert PlannerConfig(kind_priors={"heading": 10}).kind_priors == {
        "heading": 10,
        "paragraph": 1.0,
        "cell": 0.9,
        "code": 0.8,
        "body": 1.0,
    }


def test_an_unknown_kind_is_refused_with_the_kinds_there_are():
    with pytest.raises(ValidationError, match="'footnote'; the kinds are heading, paragraph, cell, code, body"):
        PlannerConfig(kind_priors={"footnote": 1})
