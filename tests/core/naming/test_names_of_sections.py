"""A section is named by its document's uri and its headings, each by a name that no other has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.documents import Section
from core.naming.written import matching, near, readings, reference, written

_HEADINGS = st.lists(st.text("ab/\\#12 ", max_size=5), max_size=3).map(tuple)
_SECTIONS = st.lists(st.tuples(_HEADINGS, st.integers(0, 12)), max_size=6, unique=True).map(
    lambda found: [Section(path, repeat if path else 0) for path, repeat in found]
)


@pytest.mark.parametrize(
    ("path", "repeat", "name"),
    [
        ((), 0, "a.md"),
        (("Travel", "Meals"), 0, "a.md#Travel/Meals"),
        (("Travel", "Meals"), 1, "a.md#Travel/Meals#2"),
        (("In/Out", "C:\\"), 0, "a.md#In\\/Out/C:\\\\"),
        (("C#",), 0, "a.md#C#"),
        (("C#2",), 0, "a.md#C\\#2"),
        (("",), 0, "a.md#"),
    ],
)
def test_a_section_is_written(path, repeat, name):
    assert reference("a.md", Section(path, repeat)) == name


@given(st.tuples(_HEADINGS, st.integers(0, 12)), st.tuples(_HEADINGS, st.integers(0, 12)))
def test_no_two_sections_are_written_alike(one, other):
    names = [reference("a.md", Section(path, repeat if path else 0)) for path, repeat in (one, other)]
    same = one[0] == other[0] and (one[1] == other[1] or not one[0])
    assert (names[0] == names[1]) is same


@given(_SECTIONS, st.text("a.#/", max_size=6))
def test_what_is_written_is_read_as_what_it_was(sections, uri):
    for section in sections:
        read = [headings for named, headings in readings(reference(uri, section)) if named == uri]
        assert read[0] == (written(section) if section.path else None)
        if section.path:
            assert [found for found in matching(written(section), sections) if found.path] == [section]


def test_the_longest_uri_is_tried_first():
    assert list(readings("a#b#c")) == [("a#b#c", None), ("a#b", "c"), ("a", "b#c")]


MEALS, MEALS_TOO, HOTELS = (Section(("Travel", name), 0) for name in ("Meals", "MEALS", "Hotels and “inns”"))


def test_case_and_white_space_matter_only_where_they_tell_two_apart():
    assert matching('travel/hotels  and "inns"', [MEALS, HOTELS]) == [HOTELS]
    assert matching("Travel/MEALS", [MEALS, MEALS_TOO]) == [MEALS_TOO]
    assert matching("travel/meals", [MEALS, MEALS_TOO]) == [MEALS, MEALS_TOO]
    assert matching("Travel", [MEALS, HOTELS]) == []


def test_what_is_near_is_named_as_it_is_written_likeliest_first():
    assert near("Travel/Meal", [HOTELS, MEALS]) == ["Travel/Meals", "Travel/Hotels and “inns”"]
    assert near("meals", [HOTELS, MEALS]) == ["Travel/Meals"]
    assert near("Bicycles", [HOTELS, MEALS]) == []
