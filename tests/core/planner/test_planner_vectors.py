"""Every published vector of the planner, byte for byte."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from core.planner import Candidate, SpanClass, estimate_tokens, plan_hash, select


def cases(vectors: Path, name: str) -> list[dict[str, Any]]:
    return json.loads((vectors / "planner" / name).read_text())["cases"]


def candidate(row: dict[str, Any]) -> Candidate:
    return Candidate(
        UUID(row["source_id"]),
        row["source_version_tx"],
        row["start"],
        row["end"],
        row["kind"],
        SpanClass(row["class"]),
        row["weight"],
        row["tokens"],
    )


def test_estimate(vectors: Path, subtests: pytest.Subtests):
    for case in cases(vectors, "estimate.json"):
        with subtests.test(case["text"]):
            assert estimate_tokens(case["text"]) == case["tokens"]


def test_hash(vectors: Path, subtests: pytest.Subtests):
    for case in cases(vectors, "hash.json"):
        with subtests.test(case["name"]):
            spans = [candidate(row) for row in case["spans"]]
            hashed = plan_hash(spans, budget=case["budget"], used=case["used"], plan_model=case["plan_model"])
            assert hashed == case["plan_hash"]


def test_select(vectors: Path, subtests: pytest.Subtests):
    for case in cases(vectors, "select.json"):
        with subtests.test(case["name"]):
            pool = [candidate(row) for row in case["pool"]]
            bounds = {name: case[name] for name in ("budget", "max_frac_per_source", "dedup_overlap")}
            selection = select(pool, **bounds)
            expected = case["expect"]
            assert selection.spans == tuple(pool[number] for number in expected.pop("selected"))
            assert selection.used == expected.pop("used")
            assert {name: getattr(selection.stats, name) for name in expected} == expected
            assert plan_hash(selection.spans, budget=case["budget"], used=selection.used) == case["plan_hash"]
