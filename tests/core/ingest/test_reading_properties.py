"""What must hold for any text whatever."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.errors import UnreadableDocument
from core.ingest.canonical import Errors
from core.ingest.reading import read
from core.model.documents import Document
from tests.strategies.markdown_texts import known_texts, odd_texts, seen_words

MEDIA_TYPES = st.sampled_from(
    ["text/markdown", "text/plain", "text/html", "text/csv", "text/tab-separated-values", "application/x-unknown"]
)


def markdown(text: str) -> Document:
    return read(text.encode(), media_type="text/markdown", uri="a.md")


def assert_exact(document: Document) -> None:
    raw, last = document.text.encode(), 0
    for block in document.blocks:
        assert raw[block.start : block.end].decode() == block.text
        assert block.text.strip() == block.text != ""
        assert last <= block.start < block.end
        assert document.sections[block.section].path == block.path
        last = block.end
    assert all(0 <= link.block < len(document.blocks) for link in document.links)


@settings(deadline=None)
@given(odd_texts, MEDIA_TYPES)
@example("> \x0c\n> a", "text/markdown")
@example("\x0c\nfoo\n===", "text/markdown")
@example("1. 1 | 2\n   --|--\n   3 | 4", "text/markdown")
@example("-\ta\n\n\t b\n>\tc", "text/markdown")
def test_slices_are_exact_ordered_and_apart(text: str, media_type: str) -> None:
    assert_exact(read(text.encode(), media_type=media_type, uri="x"))


@settings(deadline=None)
@given(known_texts)
def test_blocks_of_nested_markdown_are_exact(text: str) -> None:
    assert_exact(markdown(text))


@settings(deadline=None, max_examples=300)
@given(known_texts)
@example("<div><!-- gone0q\n\n- <!-- gone1q -->\n\nseen0q")
@example("> seen0q\n> <!-- gone0q\n> gone1q --> seen1q")
@example("- seen0q\n\n  <!-- gone0q -->\n\n  seen1q")
@example("> > - seen0q\n> >\n> >   seen1q <!-- gone0q -->")
def test_every_visible_word_is_in_one_block_and_no_hidden_word_anywhere(text: str) -> None:
    document = markdown(text)
    cited = [word for block in document.blocks for word in seen_words(block.text)]
    assert sorted(cited) == sorted(seen_words(text))
    carried = [document.title, *(part for b in document.blocks for part in (b.text, b.header, *b.path, *b.lead))]
    assert not any("gone" in words for words in carried)


@settings(deadline=None)
@given(
    st.text("ab1 \n\t#*_()!-|:=.\\&+>\x0b\x85漢。", max_size=120).filter(
        lambda text: not text.startswith(("---", "+++"))
    )
)
def test_no_letter_is_lost_where_nothing_can_hide_it(text: str) -> None:
    document = markdown(text)
    letters = re.findall(r"[ab漢]", document.text)
    assert [letter for block in document.blocks for letter in re.findall(r"[ab漢]", block.text)] == letters


@settings(deadline=None)
@given(odd_texts)
def test_plain_text_covers_every_character_that_is_not_white_space(text: str) -> None:
    document = read(text.encode(), media_type="text/plain", uri="a.txt")
    assert "".join("".join(block.text.split()) for block in document.blocks) == "".join(document.text.split())


@settings(deadline=None)
@given(st.one_of(odd_texts, known_texts), MEDIA_TYPES)
def test_the_same_bytes_give_the_same_document(text: str, media_type: str) -> None:
    first, second = (read(text.encode(), media_type=media_type, uri="x") for _ in range(2))
    assert first == second


@settings(deadline=None)
@given(known_texts, st.sampled_from(["\r\n", "\r"]))
def test_newlines_of_other_systems_and_a_bom_change_nothing(text: str, newline: str) -> None:
    twin = b"\xef\xbb\xbf" + text.replace("\n", newline).encode()
    assert read(twin, media_type="text/markdown", uri="a.md") == markdown(text)


@settings(deadline=None)
@given(known_texts)
def test_a_final_newline_changes_no_block(text: str) -> None:
    assert [b.text for b in markdown(text).blocks] == [b.text for b in markdown(text + "\n").blocks]


@settings(deadline=None)
@given(st.binary(max_size=80), st.one_of(st.none(), MEDIA_TYPES))
def test_any_bytes_are_read_or_refused_with_the_name_of_the_document(data: bytes, media_type: str | None) -> None:
    for errors in ("strict", "replace"):
        document = read_or_refuse(data, media_type, errors)
        if document is not None:
            assert_exact(document)


def read_or_refuse(data: bytes, media_type: str | None, errors: Errors) -> Document | None:
    try:
        return read(data, media_type=media_type, uri="data.bin", errors=errors)
    except UnreadableDocument as refusal:
        return None if "data.bin" in str(refusal) else pytest.fail(str(refusal))
