"""Exact nearest neighbours: float32 makes a shortlist, float64 decides."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.recall import dense


def unit_rows(seed: int, count: int, dim: int = 384) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((count, dim))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def best(cosines: np.ndarray, k: int) -> set[int]:
    return set(np.argsort(-cosines, kind="stable")[:k].tolist())


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 20), share=st.floats(0, 1))
def test_the_candidates_hold_the_k_nearest_of_the_allowed(seed: int, k: int, share: float) -> None:
    rows = unit_rows(seed, 300)
    question, rows = rows[0], rows[1:]
    allowed = np.random.default_rng(seed).random(len(rows)) < share
    exact = np.where(allowed, rows.astype(float) @ question.astype(float), -np.inf)
    found = set(dense.candidates(rows, allowed, question, k).tolist())
    assert best(exact, min(k, int(allowed.sum()))) <= found <= set(np.flatnonzero(allowed).tolist())
    assert len(found) <= k + 3


@pytest.mark.parametrize("share", [0.05, 1])
def test_rows_that_float32_puts_apart_and_six_decimals_do_not_are_all_candidates(share: float) -> None:
    question, *others = unit_rows(1, 2000)
    near = (question + np.array(others) * 1e-6).astype(np.float32)
    allowed = np.arange(len(near)) < share * len(near)
    exact = np.where(allowed, dense.cosines(near, np.arange(len(near)), question), -1)
    level = np.sort(exact)[-5]
    assert len(set((near[allowed] @ question).tolist())) > 1
    assert set(np.flatnonzero(exact >= level)) <= set(dense.candidates(near, allowed, question, 5).tolist())


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 40))
def test_a_cosine_has_the_same_bits_alone_and_in_company(seed: int, count: int) -> None:
    rows = unit_rows(seed, count + 1)
    together = dense.cosines(rows, np.arange(count), rows[-1])
    alone = [dense.cosines(rows[[place]], np.arange(1), rows[-1])[0] for place in range(count)]
    assert together.tolist() == alone
    assert together == pytest.approx(rows[:-1].astype(float) @ rows[-1].astype(float), abs=1e-6)


def test_nothing_allowed_gives_no_candidate() -> None:
    rows = unit_rows(1, 10)
    found = dense.candidates(rows, np.zeros(10, dtype=np.bool_), rows[0], 3)
    assert found.size == dense.cosines(rows, found, rows[0]).size == 0
