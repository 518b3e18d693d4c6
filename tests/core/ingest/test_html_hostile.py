"""Pages made to hurt: nothing recurses, nothing is lost, and work grows with the page and no faster."""

import sys
from collections.abc import Callable, Mapping
from itertools import count

import pytest

from core.ingest.html import _CHUNK, _DEEPEST_ELEMENT, _Page, _read, page_markdown
from core.ingest.reading import read

PAGES: dict[str, Callable[[int], str]] = {
    "deep blocks": lambda n: "<div>" * n + "limit",
    "deep and closed": lambda n: "<div>" * n + "limit" + "</div>" * n,
    "deep lists": lambda n: "<ul><li>a" * n + "limit",
    "deep numbered lists": lambda n: "<ol><li>a" * n + "limit",
    "deep quotes": lambda n: "<blockquote>a" * n + "limit",
    "deep definitions": lambda n: "<dl><dt>a<dd>" * n + "limit",
    "deep tables": lambda n: "<table><tr><td>a" * n + "limit",
    "deep tables of two cells": lambda n: "<table><tr><td>a<td>b" * n + "limit",
    "deep emphasis": lambda n: "<b>" * n + "limit",
    "emphasis to be formed anew": lambda n: "".join(f"<b id={i}>" for i in range(n)) + "<p>a" * n + "limit",
    "ends of nothing": lambda n: "<div>" * n + "</b>" * n + "limit",
    "ends that are blocked": lambda n: "<b>" * n + "<div>" * n + "</b>" * n + "limit",
    "headings": lambda n: "<h1>a<h2>b" * n + "limit",
    "items": lambda n: "<li>a" * n + "limit",
    "links": lambda n: "<a href=x>a</a>!" * n + "limit",
    "breaks": lambda n: "a<br><br>" * n + "limit",
    "struck": lambda n: "<del>a" * n + "limit",
    "spans of rows": lambda n: "<table><tr>" + "<td rowspan=9999>abcdefgh" * 50 + "<tr><td>a" * n + "limit</table>",
    "spans of columns": lambda n: "<table>" + "<tr><th colspan=9999>abcdefgh<td>1" * n + "limit</table>",
    "a wide table": lambda n: "<table><tr>" + "<th>a" * n + "<tr><td>b" * n + "limit</table>",
    "a table of headers": lambda n: "<table><thead>" + "<tr><th>a" * n + "</thead><tr><td>b<td>limit</table>",
    "signs of markup": lambda n: "<p>" + "[*_`&lt;!--{{" * n + "limit",
    "ticks": lambda n: "<pre>" + "`" * n + "\nlimit",
    "drawings": lambda n: "<svg>" + "<title>a</title>" * n + "limit",
    "attributes": lambda n: "<p " + " ".join(f"a{i}=1" for i in range(n)) + ">limit",
    "declarations": lambda n: f"<p style='{'text-decoration:' * n}'>limit",
}
hostile = pytest.mark.parametrize("make", PAGES.values(), ids=PAGES)


def calls(text: str) -> int:
    """How many functions are called to write a page as Markdown: work counted, not timed."""
    counted = count()

    def profile(_frame: object, event: str, _argument: object) -> None:
        if event in {"call", "c_call"}:
            next(counted)

    sys.setprofile(profile)
    try:
        page_markdown(text)
    finally:
        sys.setprofile(None)
    return next(counted)


@hostile
def test_ten_thousand_of_anything_are_read_and_nothing_is_lost(make: Callable[[int], str]) -> None:
    text = page_markdown(make(10_000))
    assert text.count("limit") == 1
    assert len(text) < 30 * len(make(10_000))


@hostile
def test_a_page_twice_as_long_is_twice_the_work(make: Callable[[int], str]) -> None:
    once, twice = calls(make(1000)), calls(make(2000))
    assert twice < 2.2 * once + 100


@pytest.mark.parametrize("name", ["deep lists", "deep quotes", "deep tables", "deep definitions", "deep blocks"])
def test_deep_nesting_leaves_every_word_citable(name: str) -> None:
    document = read(PAGES[name](1500).encode(), media_type="text/html", uri="a.html")
    said = " ".join(block.text for block in document.blocks)
    assert said.count("a") == PAGES[name](1500).count("a") - PAGES[name](1500).count("table")
    assert any("limit" in block.text for block in document.blocks)


def test_what_follows_what_is_too_deep_is_read_as_ever() -> None:
    deep = "<ul><li>a" * 1000 + "</ul>" * 1000
    document = read(f"<h1>A</h1>{deep}<h2>B</h2><p>b".encode(), media_type="text/html", uri="a.html")
    assert [(block.kind.value, block.text) for block in document.blocks[-2:]] == [("heading", "B"), ("paragraph", "b")]


class Watching(_Page):
    deepest = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        super().start(tag, attributes)
        self.deepest = max(self.deepest, len(self._opened))


@hostile
def test_no_more_elements_stay_open_than_the_bound_and_a_chunk(make: Callable[[int], str]) -> None:
    """Each end tag makes the parser look through all of them."""
    page = Watching()
    text = make(10_000)
    assert _read(text, page) == page_markdown(text)
    assert page.deepest < _DEEPEST_ELEMENT + _CHUNK / len("<b>")


def test_what_is_hidden_deep_down_stays_hidden() -> None:
    text = page_markdown("<div>" * 300 + "<div hidden>" + "<b>no" * 100 + "</b>" * 100 + "</div>" + "<p>limit")
    assert text == "limit\n"
