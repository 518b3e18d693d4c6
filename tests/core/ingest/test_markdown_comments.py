"""No block holds a comment's text, and nothing else is lost to comments."""

import pytest

from core.ingest.comments import comments, merged, outside
from core.ingest.reading import read
from core.model.documents import Document


def markdown(text: str) -> Document:
    return read(text.encode(), media_type="text/markdown", uri="a.md")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!-- room 9999 -->", []),
        ("<!--\n# room\n\n9999\n-->\n\na", ["a"]),
        ("<!-- x --> a", ["a"]),
        ("a <!-- x --> b", ["a", "b"]),
        ("a <!-- x\ny --> b\nc", ["a", "b\nc"]),
        ("> a <!-- x\n> y -->\n> b", ["a", "> b"]),
        ("> a\n> <!-- x -->", ["a"]),
        ("- a <!-- x -->\n- b", ["a", "b"]),
        ("- a\n\n  <!-- x -->\n\n  b", ["a", "b"]),
        ("# A <!-- x -->\n\nb", ["A", "b"]),
        ("A <!-- x -->\n===\n", ["A"]),
        ("| a <!-- x --> | b |\n|--|--|\n| c | d <!-- y | z --> |", ["| a", "| b |", "| c | d"]),
        ("<div>\na\n<!-- x -->\nb\n</div>", ["<div>\na", "b\n</div>"]),
        ("<div><!-- x\n\n# x\n\n- x --> a\n\nb", ["<div>", "a", "b"]),
        ("![a <!-- x --> b](c)", ["![a", "b](c)"]),
        ("[a <!-- x --> b](c)", ["[a", "b](c)"]),
        ("a <!-- x -->\x1c", ["a"]),
        ("\x0c\n> a\n> <i><!-- x --></i>\x85", ["a\n> <i>", "</i>"]),
        ("<!-->a-->", ["a-->"]),
        ("x <!--> a -->", ["x", "a -->"]),
    ],
)
def test_a_block_is_cut_around_a_comment(text: str, expected: list[str]) -> None:
    assert [block.text for block in markdown(text).blocks] == expected


@pytest.mark.parametrize(
    "text", ["`<!-- a -->`", "```\n<!-- a -->\n```", "    <!-- a -->", "\\<!-- a -->", "&lt;!-- a -->", "a <! -- b -->"]
)
def test_what_only_shows_a_comment_is_text(text: str) -> None:
    assert "a" in "".join(block.text for block in markdown(text).blocks)
    assert len(markdown(text).blocks) == 1


@pytest.mark.parametrize(
    "text", ["<!-- a\n\n# B\n\nc", "- <!-- a\n\n# B\n\nc", "<div><!-- a\n</div>\n\n# B\n\nc", "a <!-- b\n\n# B\n\nc"]
)
def test_a_comment_that_is_never_closed_hides_nothing(text: str) -> None:
    document = markdown(text)
    assert "a" in document.blocks[0].text
    assert [(b.kind.value, b.text) for b in document.blocks[-2:]] == [("heading", "B"), ("paragraph", "c")]


def test_a_hidden_heading_opens_no_section_and_names_nothing() -> None:
    document = markdown("# A\n\n<!-- # B\n\n# C -->\n\n<div><!--\n\n# D\n\n--></div>\n\n### E <!-- F -->\n\n- g")
    assert [section.path for section in document.sections] == [(), ("A",), ("A", "E")]
    assert document.title == "A"


def test_hidden_words_lead_nothing() -> None:
    document = markdown("a <!-- x -->\n\n- b <!-- y -->\n  - c\n\n| d <!-- z --> |\n|--|\n| e |")
    assert [block.lead for block in document.blocks if block.lead] == [("a",), ("a", "b")]
    assert document.blocks[-1].header == "d"


def test_a_link_in_a_comment_is_none() -> None:
    assert markdown("<div><!--\n\n[a](b)\n\n--></div>\n\nc <!-- [d](e) -->").links == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("<!-- a", []),
        ("-->", []),
        ("<!---->", [(0, 7)]),
        ("<!-->", [(0, 5)]),
        ("<!--->", [(0, 6)]),
        ("a<!--b-->c<!--d-->", [(1, 9), (10, 18)]),
        ("<!-- <!-- --> -->", [(0, 13)]),
    ],
)
def test_comments_end_at_the_first_closing(text: str, found: list[tuple[int, int]]) -> None:
    assert list(comments(text)) == found


def test_merged_ranges_cover_the_same() -> None:
    assert merged([(5, 7), (1, 3), (2, 4), (7, 8), (1, 2)]) == [(1, 4), (5, 8)]


@pytest.mark.parametrize(
    ("start", "end", "left"),
    [(0, 12, [(0, 2), (4, 6), (9, 12)]), (3, 7, [(4, 6)]), (2, 4, []), (4, 6, [(4, 6)]), (10, 12, [(10, 12)])],
)
def test_outside_is_what_no_range_covers(start: int, end: int, left: list[tuple[int, int]]) -> None:
    assert list(outside([(2, 4), (6, 9)], start, end)) == left
