"""The parser says where links, code and comments stand inside a block."""

import pytest
from hypothesis import given, settings

from core.ingest.inline import Inline, inline
from core.ingest.parser import Mark, parse_blocks, parse_inline
from tests.strategies.markdown_texts import odd_texts


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("a [b](c) d", [Mark(2, 8, "link", "c")]),
        ("`a` [b](c)", [Mark(0, 3, "backticks"), Mark(4, 10, "link", "c")]),
        ("[a `b` <i>](c)", [Mark(0, 14, "link", "c"), Mark(3, 6, "backticks"), Mark(7, 10, "tag")]),
        ("<http://a>", [Mark(0, 10, "autolink", "http://a")]),
        ("a <!-- b --> c", [Mark(2, 12, "comment")]),
        ("![a <!-- b --> c](d)", [Mark(0, 20, "picture"), Mark(4, 14, "comment")]),
        ("[![a](b)](c)", [Mark(0, 12, "link", "c"), Mark(1, 8, "picture")]),
        ("\\[a](b) *c*", []),
    ],
)
def test_constructs_are_marked_where_they_stand(text: str, marks: list[Mark]) -> None:
    assert parse_inline(text, {}) == marks


def test_references_are_those_of_the_same_text() -> None:
    env: dict[str, object] = {}
    parse_blocks("[a]: one\n\n[A]: two\n", env)
    assert inline("[x][a]", env).links == ((0, "one"),)
    assert inline("[x][a]", {}).links == ()


def test_links_and_comments_come_with_their_places() -> None:
    assert inline("x <!-- [a](b) --> [c](d) https://e.example.", {}) == Inline(
        ((18, "d"), (25, "https://e.example")), ((2, 17),)
    )


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://a.example/x_(y)", "https://a.example/x_(y)"),
        ("(https://a.example/x_(y))", "https://a.example/x_(y)"),
        ("https://a.example)))).", "https://a.example"),
        ("https://a.example/?q=1&b=2!", "https://a.example/?q=1&b=2"),
        ("| https://a.example|b |", "https://a.example"),
        ("“https://a.example/ü”", "https://a.example/ü”"),
    ],
)
def test_a_bare_url_ends_before_the_punctuation_around_it(text: str, url: str) -> None:
    assert [target for _, target in inline(text, {}).links] == [url]


@pytest.mark.parametrize(
    "text", ["xhttps://a.example", "`https://a.example`", "[https://a.example](b)", "https://", "://x"]
)
def test_what_is_no_bare_url_is_none(text: str) -> None:
    assert "https://a.example" not in [target for _, target in inline(text, {}).links]


@pytest.mark.parametrize("opening", ["[", "![", "<", "`", "[a](", "<!--", "*", "](", "![[`<"])
def test_openings_without_end_are_read_to_the_end(opening: str) -> None:
    assert inline(opening * 3000 + " https://a.example", {}).comments == ()


@settings(deadline=None)
@given(odd_texts)
def test_marks_lie_within_the_text_in_order(text: str) -> None:
    marks = parse_inline(text, {})
    assert all(0 <= mark.start < mark.end <= len(text) for mark in marks)
    assert [mark.start for mark in marks] == sorted(mark.start for mark in marks)
    for mark in marks:
        if mark.rule == "comment":
            assert text.startswith("<!--", mark.start)
            assert text.endswith("-->", 0, mark.end) or text[mark.start : mark.end] in {"<!-->", "<!--->"}
