"""The recall index: filter first, then score; contents alone decide a ranking."""

from dataclasses import replace
from threading import Thread
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import FOREVER
from core.recall.index import Entry, Hit, HybridConfig, RecallIndex
from core.recall.rows import Closure, Row
from tests.strategies.recall_worlds import (
    DIM,
    SOURCES,
    WORDS,
    Passage,
    configs,
    indexed,
    instants,
    naive_bm25,
    naive_search,
    rights,
    term_counts,
    unit,
    vectors,
    worlds,
)

HALF = HybridConfig(lexical_weight=0.5, bm25_half=10, semantic_min_sim=0.2)
SEED = HybridConfig(lexical_weight=0, bm25_half=10, semantic_min_sim=0.2)
QUESTION = unit([1, 0, 0, 0])
ks = st.integers(1, 4)


def passage(number: int, vector: list[float], *words: str, source: UUID = SOURCES[0], until: int = FOREVER) -> Passage:
    terms = {word: words.count(word) for word in words}
    node = UUID(int=number)
    return Passage(Row(node, source, 1, 0, FOREVER, 1, until), Entry(node, 1, unit(vector), terms))


def ask(index: RecallIndex, *terms: str, config: HybridConfig = HALF, k: int = 5, **place: object) -> list[Hit]:
    where = {"readable": None, "valid_t": 5, "tx_t": 5} | place
    return index.search(QUESTION, terms, k=k, config=config, **where)  # type: ignore[arg-type]


def numbers(hits: list[Hit]) -> list[int]:
    return [hit.node_id.int for hit in hits]


@given(worlds, rights, instants, instants, vectors, term_counts, ks, configs)
def test_a_search_is_what_the_naive_reading_of_the_rules_gives(
    world: list[Passage],
    readable: set[UUID] | None,
    valid_t: int,
    tx_t: int,
    question: np.ndarray,
    terms: dict[str, int],
    k: int,
    config: HybridConfig,
) -> None:
    allowed = [one for one in world if one.holds(readable, valid_t, tx_t)]
    hits = indexed(world).search(question, terms, readable=readable, valid_t=valid_t, tx_t=tx_t, k=k, config=config)
    assert hits == naive_search(allowed, question, terms, k, config)


@given(worlds, rights, instants, instants, term_counts)
def test_match_gives_every_holder_its_bm25(
    world: list[Passage], readable: set[UUID] | None, valid_t: int, tx_t: int, terms: dict[str, int]
) -> None:
    allowed = [one for one in world if one.holds(readable, valid_t, tx_t)]
    found = indexed(world).match(terms, readable=readable, valid_t=valid_t, tx_t=tx_t)
    assert found == pytest.approx(naive_bm25(allowed, terms), abs=2e-6)


@given(st.data(), worlds, vectors, term_counts, ks, configs)
def test_the_order_and_the_portions_of_insertion_leave_no_trace(
    data: st.DataObject, world: list[Passage], question: np.ndarray, terms: dict[str, int], k: int, config: HybridConfig
) -> None:
    shuffled = indexed(data.draw(st.permutations(world)), batch=data.draw(st.integers(1, 5)))
    coordinates = {"readable": None, "valid_t": 3, "tx_t": 3}
    expected = indexed(world).search(question, terms, k=k, config=config, **coordinates)
    assert shuffled.search(question, terms, k=k, config=config, **coordinates) == expected


@given(worlds, st.sets(st.sampled_from(SOURCES)), vectors, term_counts, ks, configs)
def test_a_reader_with_few_rights_sees_as_if_nothing_else_existed(
    world: list[Passage],
    readable: set[UUID],
    question: np.ndarray,
    terms: dict[str, int],
    k: int,
    config: HybridConfig,
) -> None:
    coordinates = {"valid_t": 3, "tx_t": 3, "k": k, "config": config}
    alone = indexed(one for one in world if one.row.source_id in readable)
    expected = alone.search(question, terms, readable=None, **coordinates)
    assert indexed(world).search(question, terms, readable=readable, **coordinates) == expected


@given(worlds, st.sampled_from(SOURCES), vectors, term_counts, ks, configs, st.integers(1, 5))
def test_a_dropped_source_leaves_the_index_as_if_it_had_never_been(
    world: list[Passage],
    source: UUID,
    question: np.ndarray,
    terms: dict[str, int],
    k: int,
    config: HybridConfig,
    batch: int,
) -> None:
    index = indexed(world, batch)
    index.drop_source(source)
    rest = [one for one in world if one.row.source_id != source]
    coordinates = {"readable": None, "valid_t": 3, "tx_t": 3, "k": k, "config": config}
    assert index.search(question, terms, **coordinates) == indexed(rest).search(question, terms, **coordinates)
    held = {word for segment in index._segments for word in segment.vocabulary}
    assert held == {word for one in rest for word in one.entry.terms}
    index.add_entries(one.entry for one in world)
    index.add_rows(one.row for one in world)
    assert index.search(question, terms, **coordinates) == indexed(world).search(question, terms, **coordinates)


def test_few_rights_still_fill_k() -> None:
    others = [passage(number, [1, 0, 0, 0], "leave") for number in range(100, 200)]
    mine = [passage(number, [1, number, 0, 0], "leave", source=SOURCES[1]) for number in range(1, 4)]
    hits = ask(indexed(others + mine), "leave", k=3, readable={SOURCES[1]}, config=SEED)
    assert numbers(hits) == [1, 2, 3]


def test_unknown_sources_are_no_right() -> None:
    assert ask(indexed([passage(1, [1, 0, 0, 0])]), readable={UUID(int=99)}) == []


def test_an_empty_index_and_a_question_without_words_give_nothing_and_no_error() -> None:
    assert ask(RecallIndex(DIM), "leave") == []
    assert numbers(ask(indexed([passage(1, [1, 0, 0, 0])]))) == [1]


def test_equal_scores_stand_by_coordinate_however_many_there_are() -> None:
    """More equal texts than any fixed shortlist holds: the first k by source and place, whatever came first."""
    twins = [passage(number, [1, 1, 0, 0], "paid", source=SOURCES[number % 2]) for number in range(1, 501)]
    placed = [Passage(replace(twin.row, start=500 - twin.row.node_id.int), twin.entry) for twin in twins]
    assert numbers(ask(indexed(placed), "paid", k=3)) == [499, 497, 495]
    again = [Passage(replace(twin.row, start=7), twin.entry) for twin in reversed(twins)]
    assert numbers(ask(indexed(again), "paid", k=3)) == [1, 3, 5], "and by id, where even the place is the same"


def test_the_union_holds_the_best_by_words_and_the_best_by_meaning() -> None:
    world = [passage(1, [1, 0, 0, 0]), passage(2, [0, 1, 0, 0], "leave"), passage(3, [0.9, 0.1, 0, 0])]
    assert numbers(ask(indexed(world), "leave", k=1)) == [1, 2]


def test_far_nodes_are_out_unless_a_word_holds_them() -> None:
    world = [passage(1, [0.1, 1, 0, 0], "leave"), passage(2, [0.1, 1, 0, 0], "laptop"), passage(3, [-1, 0, 0, 0])]
    hits = ask(indexed(world), "leave")
    assert numbers(hits) == [1]
    assert hits[0].cosine < HALF.semantic_min_sim
    assert hits[0].bm25 > 0


def test_without_lexical_weight_words_neither_add_nor_rescue() -> None:
    world = [passage(1, [0.1, 1, 0, 0], "leave"), passage(2, [0.8, 0.6, 0, 0])]
    assert ask(indexed(world), "leave", config=SEED) == [Hit(UUID(int=2), 0.8, 0.8, 0.0)]


def test_a_negative_cosine_counts_as_nothing() -> None:
    config = HybridConfig(lexical_weight=0.5, bm25_half=1, semantic_min_sim=0)
    (hit,) = ask(indexed([passage(1, [-1, 0, 0, 0], "leave")]), "leave", config=config)
    assert hit.cosine == -1
    assert hit.score == pytest.approx(0.5 * hit.bm25 / (hit.bm25 + 1), abs=1e-6)


def test_a_closed_row_stands_before_its_end_and_not_from_then_on() -> None:
    index = indexed([passage(1, [1, 0, 0, 0])])
    index.close_rows([Closure(UUID(int=1), valid_start=0, tx_start=1, tx_end=5)])
    assert numbers(ask(index, tx_t=4)) == [1]
    assert ask(index, tx_t=5) == []


def test_closures_of_unknown_nodes_pass_by() -> None:
    index = indexed([passage(1, [1, 0, 0, 0])])
    index.close_rows([Closure(UUID(int=2), 0, 1, 5), Closure(UUID(int=1), 0, 2, 5)])
    assert numbers(ask(index)) == [1]


def test_versions_of_a_node_share_an_entry() -> None:
    one = passage(1, [1, 0, 0, 0], until=4)
    index = indexed([one])
    index.add_rows([Row(UUID(int=1), SOURCES[0], 1, valid_start=3, valid_end=FOREVER, tx_start=4, tx_end=FOREVER)])
    assert numbers(ask(index, tx_t=3)) == numbers(ask(index, tx_t=4)) == [1]
    assert ask(index, tx_t=4, valid_t=2) == []


def test_a_row_told_twice_is_one_row_with_the_later_end() -> None:
    open_, closed = passage(1, [1, 0, 0, 0]), passage(1, [1, 0, 0, 0], until=3)
    index = indexed([open_, open_])
    index.add_entries([open_.entry])
    index.add_rows([open_.row, closed.row])
    assert ask(index, "x") == []
    assert len(index._rows.entries_of(SOURCES[0])) == 1


def test_a_row_without_an_entry_names_what_is_missing() -> None:
    one = passage(1, [1, 0, 0, 0])
    with pytest.raises(ValueError, match=f"node {one.row.node_id} names entry 1; add the entry first"):
        RecallIndex(DIM).add_rows([one.row])


@pytest.mark.parametrize("bad", [np.zeros(3, np.float32), np.full(DIM, np.nan, np.float32)])
def test_vectors_that_cannot_be_compared_are_refused_and_change_nothing(bad: np.ndarray) -> None:
    index, good = RecallIndex(DIM), passage(1, [1, 0, 0, 0])
    with pytest.raises(ValueError, match=f"node {UUID(int=2)} has shape .* must be {DIM} finite numbers"):
        index.add_entries([good.entry, Entry(UUID(int=2), 1, bad, {})])
    assert ask(indexed([good])) != ask(index) == []
    with pytest.raises(ValueError, match="the question's vector"):
        index.search(bad, (), readable=None, valid_t=1, tx_t=1, k=1, config=HALF)


def test_searches_and_appends_in_many_threads_see_whole_states() -> None:
    """A search sees some prefix of what is appended: never a row without its words, never an error."""
    world = [passage(number, [1, 0, 0, 0], WORDS[0]) for number in range(1, 120)]
    index, seen = RecallIndex(DIM), []

    def append() -> None:
        for one in world:
            index.add_entries([one.entry])
            index.add_rows([one.row])

    writer = Thread(target=append)
    writer.start()
    while writer.is_alive() or len(seen) < 3:
        seen.append(ask(index, WORDS[0], k=200))
    writer.join()
    assert all(hit.bm25 > 0 for hits in seen for hit in hits)
    assert all(numbers(hits) == list(range(1, len(hits) + 1)) for hits in seen)
    assert len(ask(index, WORDS[0], k=200)) == len(world)
