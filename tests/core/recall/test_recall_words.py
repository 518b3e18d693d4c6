"""Postings and BM25."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.recall import bm25
from core.recall.postings import Segments, appended, holders, kept

texts = st.lists(st.lists(st.sampled_from("abcdef"), max_size=5).map(Counter), max_size=12)


def built(counts: list[Counter[str]], batch: int) -> Segments:
    segments: Segments = ()
    for start in range(0, len(counts), batch):
        segments = appended(segments, counts[start : start + batch])
    return segments


def held(segments: Segments, term: str) -> dict[int, float]:
    size = sum(segment.size for segment in segments)
    places, counts = holders(segments, term, np.ones(size, dtype=np.bool_))
    return dict(zip(places.tolist(), counts.tolist(), strict=True))


@given(texts, st.integers(1, 5))
def test_postings_say_who_holds_a_term_and_how_often(counts: list[Counter[str]], batch: int) -> None:
    segments = built(counts, batch)
    for term in "abcdefg":
        assert held(segments, term) == {place: text[term] for place, text in enumerate(counts) if text[term]}


def test_holders_that_are_not_allowed_do_not_come() -> None:
    segments = built([Counter("a"), Counter("aa"), Counter("aaa")], batch=2)
    places, counts = holders(segments, "a", np.array([False, True, True]))
    assert sorted(zip(places.tolist(), counts.tolist(), strict=True)) == [(1, 2), (2, 3)]


@given(st.data(), texts, st.integers(1, 5))
def test_what_is_not_kept_leaves_neither_counts_nor_words(
    data: st.DataObject, counts: list[Counter[str]], batch: int
) -> None:
    stay = data.draw(st.lists(st.booleans(), min_size=len(counts), max_size=len(counts)))
    rest = [text for text, stays in zip(counts, stay, strict=True) if stays]
    segments = kept(built(counts, batch), np.array(stay, dtype=np.bool_))
    assert {word for segment in segments for word in segment.vocabulary} == {word for text in rest for word in text}
    assert sum(segment.size for segment in segments) == len(rest)
    for term in "abcdef":
        assert held(segments, term) == {place: text[term] for place, text in enumerate(rest) if text[term]}


def test_segments_stay_few_and_a_large_one_is_not_touched_by_a_small_append() -> None:
    segments = appended((), [Counter("ab")] * 1000)
    large = segments[0]
    for _ in range(400):
        segments = appended(segments, [Counter("ac")])
        assert segments[0] is large
        assert len(segments) <= 2 + math.log2(400)
    assert sum(segment.size for segment in segments) == 1400


def test_bm25_is_the_textbooks() -> None:
    """Two of three texts hold the term; lengths 2, 4, 3, mean 3."""
    segments = appended((), [Counter("ab"), Counter("aacd"), Counter("bcd")])
    scores = bm25.scores(segments, np.array([2, 4, 3]), np.ones(3, dtype=np.bool_), ["a"])
    rarity = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    first = rarity * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 3))
    second = rarity * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 3))
    assert scores.tolist() == pytest.approx([first, second, 0])


def test_statistics_are_those_of_the_allowed_entries_alone() -> None:
    segments = appended((), [Counter("ab"), Counter("ab"), Counter("aaaaaaaa")])
    lengths, allowed = np.array([2, 2, 8]), np.array([True, True, False])
    alone = bm25.scores(appended((), [Counter("ab")] * 2), lengths[:2], allowed[:2], ["a"])
    assert bm25.scores(segments, lengths, allowed, ["a"]).tolist() == [*alone, 0]


def test_a_repeated_question_term_counts_once_and_order_changes_no_bit() -> None:
    segments = appended((), [Counter("abc"), Counter("bcd")])
    lengths, allowed = np.array([3, 3]), np.ones(2, dtype=np.bool_)
    once = bm25.scores(segments, lengths, allowed, ["a", "b", "c"])
    assert bm25.scores(segments, lengths, allowed, ["c", "b", "b", "a", "c"]).tobytes() == once.tobytes()


def test_nobody_allowed_and_unknown_terms_score_nothing() -> None:
    segments = appended((), [Counter("ab")])
    assert not bm25.scores(segments, np.array([2]), np.zeros(1, dtype=np.bool_), ["a"]).any()
    assert not bm25.scores(segments, np.array([2]), np.ones(1, dtype=np.bool_), ["z"]).any()
