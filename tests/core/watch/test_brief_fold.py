"""What a brief says: each change once, however many watches heard it, the material ones first, and the rest counted."""

from itertools import groupby
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.evidence import BriefLine, ChangeLine, SectionChange
from core.model.watching import Event, EventKind
from core.text.numbers import numbers, polarity
from core.watch.brief import LINES, Fired, arranged, fold, untold

IDS = st.integers(1, 6).map(lambda number: UUID(int=number))
TX = st.integers(1, 30)
EVENTS = st.builds(
    Event, st.sampled_from([EventKind.FACT_CHANGED, EventKind.FACT_TOMBSTONED]), st.just("node"), IDS, TX
)
FIRES = st.lists(st.builds(Fired, IDS, st.integers(0, 30), st.lists(EVENTS, max_size=8)), max_size=8)


def event(ref, tx):
    return Event(EventKind.FACT_CHANGED, "node", UUID(int=ref), tx)


def fire(watch, *events, created=0, undone=False):
    return Fired(UUID(int=watch), created, events, undone=undone)


# ── the fold over fires ──


def test_one_change_that_three_watches_heard_is_one_line_that_knows_them_all():
    [moved] = fold([fire(1, event(7, 50)), fire(2, event(7, 50), event(7, 50)), fire(3, event(7, 50))], 0, {})
    assert (moved.ref_id, moved.change_tx) == (UUID(int=7), 50)
    assert moved.watch_ids == {UUID(int=1), UUID(int=2), UUID(int=3)}


@given(FIRES, TX)
def test_there_is_one_line_for_each_thing_and_tx_and_no_other(fires, cursor):
    moved = fold(fires, cursor, {})
    keys = [(one.ref_id, one.change_tx) for one in moved]
    assert len(keys) == len(set(keys))
    assert set(keys) == {(event.ref_id, event.change_tx) for fire in fires for event in fire.events}
    assert [tx for _, tx in keys] == sorted((tx for _, tx in keys), reverse=True)


@given(FIRES, TX)
def test_a_line_knows_exactly_the_watches_that_heard_it(fires, cursor):
    for one in fold(fires, cursor, {}):
        heard = {
            f.watch_id for f in fires if any((e.ref_id, e.change_tx) == (one.ref_id, one.change_tx) for e in f.events)
        }
        assert one.watch_ids == heard


@given(FIRES, TX)
def test_the_changes_of_one_thing_follow_each_other_without_gap_or_overlap(fires, cursor):
    moved = sorted(fold(fires, cursor, {}), key=lambda one: (one.ref_id, one.change_tx))
    for _, of_one in groupby(moved, key=lambda one: one.ref_id):
        first, *rest = of_one
        assert first.since_tx < first.change_tx
        assert all(b.since_tx == a.change_tx for a, b in zip([first, *rest], rest, strict=False))


@given(st.permutations([fire(1, event(7, 50)), fire(2, event(7, 60), event(8, 60)), fire(1, event(9, 40))]))
def test_the_order_of_fires_does_not_matter(fires):
    assert fold(fires, 10, {}) == fold(
        [fire(1, event(7, 50)), fire(2, event(7, 60), event(8, 60)), fire(1, event(9, 40))], 10, {}
    )


@pytest.mark.parametrize(
    ("cursor", "created", "since"),
    [(30, 10, 30), (10, 30, 30), (49, 0, 49), (80, 0, 49), (0, 90, 49)],
    ids=["the last brief", "the watch began", "just before", "told of late", "watched since"],
)
def test_a_first_change_is_told_from_where_the_last_brief_or_the_watch_left_off(cursor, created, since):
    """Two changes seen together make one event at the newer: the older is between `since` and it."""
    [moved] = fold([fire(1, event(7, 50), created=created)], cursor, {})
    assert moved.since_tx == since


def test_what_was_undone_before_it_was_told_is_no_change_of_the_week():
    assert fold([fire(1, event(7, 50), undone=True)], 0, {}) == []


def test_what_was_undone_is_a_step_between_changes_of_which_others_tell():
    """A card composed late told of both changes; the second had nothing of its own to tell then."""
    moved = fold([fire(1, event(7, 50)), fire(1, event(7, 60), undone=True), fire(1, event(8, 60), undone=True)], 0, {})
    assert [(one.ref_id.int, one.since_tx, one.change_tx) for one in moved] == [(7, 50, 60), (7, 0, 50)]


# ── what its reader was shown already ──


def test_what_is_no_news_is_left_out_and_the_next_change_is_told_from_there():
    moved = fold([fire(1, event(7, 50), event(7, 60), event(8, 50))], 0, {UUID(int=7): 55})
    assert [(one.ref_id.int, one.since_tx, one.change_tx) for one in moved] == [(7, 55, 60), (8, 0, 50)]


@given(FIRES, TX, st.dictionaries(IDS, TX))
def test_of_what_was_told_up_to_a_tx_only_later_changes_are_left_and_none_begins_before(fires, cursor, told):
    later = {(one.ref_id, one.change_tx) for one in fold(fires, cursor, {}) if one.change_tx > told.get(one.ref_id, 0)}
    moved = fold(fires, cursor, told)
    assert {(one.ref_id, one.change_tx) for one in moved} == later
    assert all(one.since_tx >= min(told.get(one.ref_id, 0), one.change_tx - 1) for one in moved)


def test_a_thing_is_untold_where_nothing_of_it_was_shown_since_its_first_change():
    moved = fold([fire(1, event(7, 50), event(7, 60), event(8, 50), event(9, 50))], 10, {})
    found = untold(moved, {UUID(int=7): 55, UUID(int=8): 10})
    assert [(one.ref_id.int, one.change_tx) for one in found] == [(8, 50), (9, 50)]


# ── the lines ──


def line(number, before="old words", after="new words", *, uri="a.md", tx=None, path=("A",)):
    change = ChangeLine(UUID(int=number), "A", uri, [SectionChange(path, before, after)], 0, 0)
    return BriefLine(change, number if tx is None else tx)


def numbers_of(lines):
    return [line.change.ref_id.int for line in lines]


def test_sixty_changes_are_fifteen_lines_and_forty_five_more():
    shown, more = arranged([line(number, path=(str(number),)) for number in range(60)])
    assert (len(shown), more) == (15, 45)
    assert numbers_of(shown) == list(range(59, 44, -1))


def test_material_changes_come_first_then_the_newest():
    lines = [
        line(1, "14 days", "30 days"),
        line(2),
        line(3, "It is allowed.", "It is not allowed."),
        line(4, "", "New: 5 days"),
        line(5, "5 days", ""),
    ]
    shown, more = arranged(lines)
    assert numbers_of(shown) == [3, 1, 5, 4, 2]
    assert [line.material for line in shown] == [True, True, False, False, False]
    assert more == 0


def test_the_material_passage_of_a_line_stands_in_front():
    change = line(1).change
    passages = [*change.changes, SectionChange(("B",), "It costs 5 EUR.", "It costs 6 EUR.")]
    [shown], _ = arranged([BriefLine(ChangeLine(UUID(int=1), "A", "a.md", passages, 0, 0), 9)])
    assert ([passage.path for passage in shown.change.changes], shown.material) == ([("B",), ("A",)], True)


SENTENCES = st.lists(
    st.sampled_from(["It costs 5 EUR.", "It costs 6 EUR.", "It is not allowed!", "All is well.", "Ask first."]),
    min_size=1,
)


@given(SENTENCES, SENTENCES)
def test_whether_a_change_is_material_is_what_the_whole_texts_say(old, new):
    before, after = " ".join(old), " ".join(new)
    [shown], _ = arranged([line(1, before, after)])
    assert shown.material == (numbers(before) != numbers(after) or polarity(before) != polarity(after))


def test_lines_of_one_source_stand_together_the_source_of_the_first_on_top():
    lines = [line(1, uri="b.md"), line(2, uri="a.md"), line(3, "1 day", "2 days", uri="c.md"), line(4, uri="b.md")]
    shown, _ = arranged(lines)
    assert [line.change.source_uri for line in shown] == ["c.md", "b.md", "b.md", "a.md"]
    assert numbers_of(shown) == [3, 4, 1, 2]


def test_what_is_left_out_are_the_oldest_of_the_least_material():
    lines = [line(number, path=(str(number),)) for number in range(2, 20)] + [line(1, "1 day", "2 days")]
    shown, more = arranged(lines)
    assert numbers_of(shown)[0] == 1
    assert set(numbers_of(shown)) == {1, *range(6, 20)}
    assert more == 4


def test_a_document_and_its_section_say_the_same_passage_once():
    change = line(1, tx=9).change
    whole = ChangeLine(UUID(int=2), "A", "a.md", [*change.changes, SectionChange(("B",), "x", "y")], 0, 0)
    shown, _ = arranged([BriefLine(whole, 9), line(1, tx=9)])
    assert [[passage.path for passage in line.change.changes] for line in shown] == [[("A",)], [("B",)]]


def test_a_passage_said_already_makes_no_line_of_its_own():
    shown, more = arranged([line(1, tx=9), line(2, tx=9)])
    assert (numbers_of(shown), more) == ([1], 0)


@pytest.mark.parametrize("other", [{"tx": 10}, {"tx": 9, "uri": "b.md"}], ids=["another tx", "another source"])
def test_the_same_words_at_another_time_or_place_are_another_change(other):
    shown, _ = arranged([line(1, tx=9), line(2, **other)])
    assert len(shown) == 2


PASSAGES = st.builds(
    SectionChange, st.tuples(st.sampled_from("AB")), st.sampled_from(["", "1", "2", "x"]), st.just("9")
)
CHANGES = st.builds(
    ChangeLine, IDS, st.just("A"), st.sampled_from(["a.md", "b.md"]), st.lists(PASSAGES, max_size=4), st.just(0), TX
)


def passages(lines):
    return ((line.change.source_uri, line.change_tx, passage) for line in lines for passage in line.change.changes)


@given(st.lists(st.builds(BriefLine, CHANGES, TX), max_size=40))
def test_every_passage_is_said_once_and_the_count_is_right(lines):
    shown, more = arranged(lines)
    said = list(passages(shown))
    there = set(passages(lines))
    assert len(said) == len(set(said))
    assert set(said) <= there
    assert len(shown) == LINES or (more == 0 and set(said) == there)
    assert all(line.change.changes for line in shown)
    sources = [uri for uri, _ in groupby(line.change.source_uri for line in shown)]
    assert len(sources) == len(set(sources))
