"""The embedder for tests: it knows shared words and nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embed.hashing import HashingEmbedder

embedder = HashingEmbedder()
texts = st.text(max_size=60)


@given(st.lists(texts, max_size=6))
def test_rows_have_length_one_or_are_zero(batch: list[str]) -> None:
    rows = embedder.embed(batch)
    assert rows.shape == (len(batch), embedder.dim)
    assert rows.dtype == np.float32
    lengths = np.linalg.norm(rows, axis=1)
    assert np.all(np.isclose(lengths, 1, atol=1e-6) | (lengths == 0))


@given(st.lists(texts, min_size=1, max_size=6))
def test_equal_text_gives_equal_bits_in_any_company(batch: list[str]) -> None:
    backwards = embedder.embed(batch[::-1])[::-1]
    assert embedder.embed(batch).tobytes() == backwards.tobytes()
    assert embedder.embed(batch[:1]).tobytes() == embedder.embed(batch)[:1].tobytes()


def test_shared_words_bring_texts_together() -> None:
    question, near, far = embedder.embed(
        ["How is parental leave paid?", "Parental leave is paid in full.", "The office opens at eight."]
    )
    assert question @ near > 0.5
    assert abs(question @ far) < 0.3


@pytest.mark.parametrize("blank", ["", "   ", "!?"])
def test_text_without_words_resembles_nothing(blank: str) -> None:
    assert not embedder.embed([blank]).any()


def test_the_bits_are_the_same_in_every_process() -> None:
    """Recorded once: a change here makes every stored hashing vector incomparable, so rename the model with it."""
    row = embedder.embed(["laptop laptop policy"])[0]
    assert {int(place): round(float(row[place]), 6) for place in np.flatnonzero(row)} == {35: -0.894427, 182: 0.447214}
