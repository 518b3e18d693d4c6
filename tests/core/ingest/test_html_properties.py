"""What must hold for any page whatever."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from core.ingest.reading import read, read_text
from core.model.documents import Document
from core.model.spans import Kind
from core.text.fold import plain
from tests.strategies.html_pages import known_pages, odd_pages
from tests.strategies.markdown_texts import seen_words

WORDS = st.text(
    st.one_of(st.sampled_from("*_`[]<>&;{}%#-+=:|~.!\\ 1ax"), st.characters(exclude_categories=("C", "Z"))), max_size=25
).map(lambda text: " ".join(text.replace("|", "/").split()))


def page(text: str) -> Document:
    return read(text.encode(), media_type="text/html", uri="a.html")


def escaped(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;")


@given(known_pages)
@example("<table><tr><td>seen0q<table><tr><td>seen1q<td>seen2q")
@example("<pre><table><tr><td>seen0q</table></pre>seen1q")
def test_every_word_that_is_shown_is_in_one_block_and_no_other_anywhere(text: str) -> None:
    document = page(text)
    cited = [word for block in document.blocks for word in seen_words(block.text)]
    assert sorted(cited) == sorted(seen_words(text))
    assert "gone" not in document.text
    assert set(re.findall(r"</?[a-z][^>]*>", document.text)) <= {"<del>", "</del>"}


@given(known_pages.filter(lambda text: "<b>" * 700 not in text))
def test_other_attributes_change_nothing(text: str) -> None:
    """A page that was exported anew has other classes, ids and colours, and nothing moves.

    Except where elements nest by the hundred: they are closed between two chunks, and those lie elsewhere then.
    """
    anew = re.sub(r"<([a-z]+\d?)(?=[ />])", r"<\1 class='x y' data-z=1 id=i9", text)
    assert page(anew).text == page(text).text


@given(st.one_of(known_pages, odd_pages))
@example("&#13;<pre>a&#13;&#10;b")
@example("<title>---\n'\"</title>a")
@example("<ul><li><hr>a")
def test_blocks_are_exact_and_a_stored_page_is_read_as_the_page_was(text: str) -> None:
    document = page(text)
    raw, last = document.text.encode(), 0
    for block in document.blocks:
        assert raw[block.start : block.end].decode() == block.text
        assert block.text.strip() == block.text != ""
        assert last <= block.start < block.end
        last = block.end
    assert not re.search(r"[\r\0]", document.text)
    assert read_text(document.text, media_type=document.media_type, uri="a.html") == document == page(text)


@given(WORDS, st.sampled_from(["p", "div", "li", "h2", "blockquote", "dd", "b"]))
@example("1. a", "p")
@example("#", "h2")
@example("a #", "h2")
@example("***", "li")
@example("&lt;", "p")
def test_words_are_said_as_they_are_shown(words: str, tag: str) -> None:
    document = page(f"<{tag}>{escaped(words)}</{tag}>")
    assert [plain(block.text) for block in document.blocks] == ([words] if words else [])
    assert [path[-1] for block in document.blocks if (path := block.path)] == ([words] if words and tag == "h2" else [])


@given(st.lists(st.lists(WORDS, min_size=2, max_size=4), min_size=1, max_size=4))
def test_each_row_of_a_table_is_one_cell(rows: list[list[str]]) -> None:
    document = page("<table>" + "".join("<tr>" + "".join(f"<td>{escaped(w)}" for w in row) for row in rows))
    said = [" ".join(" ".join(row).split()) for row in rows]
    assert {block.kind for block in document.blocks} <= {Kind.CELL}
    assert len(document.blocks) == sum(map(bool, said))


@given(odd_pages)
def test_no_letter_is_lost_where_nothing_can_hide_it(text: str) -> None:
    shown = re.sub(r"<!--|-->|<!\[CDATA\[|<\?x|<(?![a-z/])|[\"']|</?(?:span|title)[^>]*>", " ", text)
    shown = re.sub(r"<(?!/?[a-z0-9 =]+>)|/(?![a-z0-9]+>)|rowspan=2|colspan=3", " ", shown)
    bare = re.sub(r"<[^>]*>|&[#a-z0-9]*;", "", shown)
    letters = [char for block in page(shown).blocks for char in plain(block.text) if char in "ab1漢"]
    assert sorted(letters) == sorted(char for char in bare if char in "ab1漢")
