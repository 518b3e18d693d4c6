"""A reader of a handful among a hundred thousand passages finds what they would find if nothing else existed."""

from collections.abc import Iterator
from uuid import UUID

import numpy as np
import pytest

from core.clock import FOREVER
from core.recall.index import Entry, Hit, HybridConfig, RecallIndex
from core.recall.rows import Row
from tests.strategies.recall_worlds import DIM, SOURCES, unit

OTHERS = 100_000
MINE, THEIRS = SOURCES[:2]
QUESTION = unit([1, 0, 0, 0])
MEANING, BOTH, WORDS = CONFIGS = [HybridConfig(weight, bm25_half=10, semantic_min_sim=0.2) for weight in (0, 0.5, 1)]


def mine() -> list[tuple[Entry, Row]]:
    """Each a little further from the question than the one before; every second one holds its words."""
    texts = [{"leave": 1, "paid": number % 4 + 1} if number % 2 else {"laptop": 2} for number in range(9)]
    return [passage(30_000 * number, MINE, unit([4, number + 4, 0, 0]), words) for number, words in enumerate(texts)]


def theirs() -> Iterator[tuple[Entry, Row]]:
    """Nearer to the question than any of mine, and longer; one of its words is in all of them."""
    vectors = [unit([1, 0, 0, step / 100]) for step in range(7)]
    texts = [{"leave": 3, "days": days} for days in range(9, 14)]
    for number in range(OTHERS):
        yield passage(3 * number + 1, THEIRS, vectors[number % 7], texts[number % 5])


def passage(number: int, source: UUID, vector: np.ndarray, words: dict[str, int]) -> tuple[Entry, Row]:
    node = UUID(int=number)
    return Entry(node, 1, vector, words), Row(node, source, 1, 0, FOREVER, 1, FOREVER)


def indexed(passages: list[tuple[Entry, Row]]) -> RecallIndex:
    index = RecallIndex(DIM)
    index.add_entries(entry for entry, _ in passages)
    index.add_rows(row for _, row in passages)
    return index


@pytest.fixture(scope="module")
def shared() -> RecallIndex:
    return indexed([*theirs(), *mine()])


@pytest.fixture(scope="module")
def alone() -> RecallIndex:
    return indexed(mine())


def found(index: RecallIndex, config: HybridConfig, k: int, readable: set[UUID] | None) -> list[Hit]:
    return index.search(QUESTION, ["leave", "paid"], readable=readable, valid_t=5, tx_t=5, k=k, config=config)


@pytest.mark.parametrize("config", CONFIGS, ids=["meaning", "both", "words"])
@pytest.mark.parametrize("k", [1, 5, 40])
def test_few_rights_give_the_ids_order_and_scores_of_an_index_of_nothing_else(
    shared: RecallIndex, alone: RecallIndex, config: HybridConfig, k: int
) -> None:
    hits = found(shared, config, k, {MINE})
    assert hits == found(alone, config, k, None)
    assert len(hits) >= min(k, len(mine()))


def test_without_the_filter_the_others_take_every_place_and_shift_every_score(shared: RecallIndex) -> None:
    """What makes the test above worth its name."""
    own = {hit.node_id: hit.bm25 for hit in found(shared, BOTH, 40, {MINE})}
    assert own.keys().isdisjoint(hit.node_id for hit in found(shared, MEANING, 40, None))
    everyones = {hit.node_id: hit.bm25 for hit in found(shared, BOTH, 40, None)}
    by_words = [node for node, bm25 in own.items() if bm25]
    assert by_words
    assert all(everyones[node] != own[node] for node in by_words)


def test_words_match_by_the_statistics_of_what_may_be_read(shared: RecallIndex, alone: RecallIndex) -> None:
    matched = shared.match(["leave", "paid"], readable={MINE}, valid_t=5, tx_t=5)
    assert matched == alone.match(["leave", "paid"], readable=None, valid_t=5, tx_t=5)
    assert len(matched) == 4
