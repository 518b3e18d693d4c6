"""Parts become blocks: in order, cut around what is hidden, with places in bytes."""

from hypothesis import given
from hypothesis import strategies as st

from core.ingest.comments import merged, outside
from core.ingest.parts import Found, Part, assemble
from core.model.documents import Document, Link
from core.model.spans import Kind


def assembled(text: str, found: Found) -> Document:
    return assemble(text, found, media_type="text/plain", file_name="a.txt")


def paragraph(start: int, end: int) -> Part:
    return Part(Kind.PARAGRAPH, start, end)


def test_parts_come_in_the_order_of_the_text() -> None:
    document = assembled("ab cd ef", Found([paragraph(6, 8), paragraph(0, 2), paragraph(3, 5)]))
    assert [block.text for block in document.blocks] == ["ab", "cd", "ef"]


def test_places_are_bytes() -> None:
    document = assembled("é 漢 👩 z", Found([paragraph(0, 1), paragraph(2, 3), paragraph(4, 5), paragraph(6, 7)]))
    assert [(block.start, block.end) for block in document.blocks] == [(0, 2), (3, 6), (7, 11), (12, 13)]


def test_a_heading_that_is_hidden_opens_no_section() -> None:
    heading = Part(Kind.HEADING, 0, 2, title="ab", level=1)
    assert len(assembled("ab cd", Found([heading, paragraph(3, 5)], [(0, 2)])).sections) == 1
    assert len(assembled("ab cd", Found([heading, paragraph(3, 5)])).sections) == 2


def test_a_heading_in_pieces_opens_one_section() -> None:
    document = assembled("ab cd ef", Found([Part(Kind.HEADING, 0, 8, title="ab ef", level=2)], [(3, 5)]))
    assert [(block.text, block.path, block.section) for block in document.blocks] == [
        ("ab", ("ab ef",), 1),
        ("ef", ("ab ef",), 1),
    ]


def test_what_a_cut_leaves_of_markers_alone_is_dropped() -> None:
    document = assembled("ab\n> cd\n> |", Found([paragraph(0, 11)], [(5, 7)]))
    assert [block.text for block in document.blocks] == ["ab\n>"]


def test_links_go_to_the_block_they_stand_in_or_nowhere() -> None:
    found = Found([paragraph(3, 5), paragraph(6, 8)], [], [(7, "d"), (0, "a"), (3, "b"), (5, "c"), (9, "e")])
    assert assembled("ab cd ef g", found).links == (Link("b", 0), Link("d", 1))


_ranges = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)).map(lambda each: (each[0], sum(each))), max_size=6)


@given(_ranges, st.integers(0, 30), st.integers(0, 30))
def test_outside_and_merged_agree_with_a_set_of_characters(hidden: list[tuple[int, int]], start: int, end: int) -> None:
    covered = {i for first, last in hidden for i in range(first, last)}
    left = list(outside(merged(hidden), start, end))
    assert [i for first, last in left for i in range(first, last)] == [i for i in range(start, end) if i not in covered]
    assert all(first < last for first, last in left)
