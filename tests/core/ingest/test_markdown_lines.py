"""What the parser hands out without its place is found again, to the character."""

from typing import Any

import pytest
from hypothesis import given, settings

from core.ingest.lines import Content, Lines
from core.ingest.parser import parse_blocks
from tests.strategies.markdown_texts import known_texts, odd_texts


@pytest.mark.parametrize(
    ("text", "content", "lines", "found"),
    [
        ("abc", "abc", (0, 1), "abc"),
        ("> > abc  ", "abc", (0, 1), "abc"),
        ("- 1. abc\n     def  \n", "abc\ndef", (0, 2), "abc\n     def"),
        ("# a a ##", "a a", (0, 1), "a a"),
        ("> \x0c\n> abc", "abc", (0, 2), "abc"),
        ("abc\n> \x0c", "abc", (0, 2), "abc"),
        ("1. 1", "1", (0, 1), "1"),
        ("é\n漢 b\nc", "漢 b", (1, 2), "漢 b"),
    ],
)
def test_content_is_found_without_the_markers_around_it(
    text: str, content: str, lines: tuple[int, int], found: str
) -> None:
    place = Lines(text).find(content, *lines)
    assert text[place.start : place.end] == found


def test_places_count_what_stands_before_the_first_line() -> None:
    text = "+++\n+++\n# Title\nabc"
    assert Lines(text, 8).find("Title", 0, 1) == Content(10, 15, 0)
    assert Lines(text, 8).find("abc", 1, 2) == Content(16, 19, 1)


def test_lines_end_at_lf_alone() -> None:
    assert Lines("a\x0bb\x85c\u2028d\ne").starts == [0, 8, 10]


@pytest.mark.parametrize(
    ("text", "content"),
    [("> ab \n>  cd\nef", "ab \ncd\nef"), ("-\tab\n\n\tcd", "ab\n\ncd"), ("   ab\n\t cd  ", "ab\n cd")],
)
def test_characters_of_content_are_followed_to_the_text(text: str, content: str) -> None:
    lines = Lines(text)
    locate = lines.locator(content, lines.find(content, 0, text.count("\n") + 1))
    assert [text[locate(i)] for i, char in enumerate(content)] == list(content)


def assert_followed(text: str) -> None:
    env: dict[str, Any] = {}
    lines = Lines(text)
    for token in parse_blocks(text, env):
        content = token.content.strip()
        if token.type == "inline" and content and token.map and "|" not in content:
            place = lines.find(content, *token.map)
            locate = lines.locator(content, place)
            shown = [(i, char) for i, char in enumerate(content) if not char.isspace()]
            assert [text[locate(i)] for i, _ in shown] == [char for _, char in shown]
            assert place.start <= locate(0) <= locate(len(content)) == place.end


@settings(deadline=None)
@given(known_texts)
def test_every_character_of_every_nested_paragraph_is_followed(text: str) -> None:
    assert_followed(text)


@settings(deadline=None)
@given(odd_texts.map(lambda text: text.replace("\r", "\n")))
def test_every_character_of_any_paragraph_is_followed(text: str) -> None:
    assert_followed(text)
