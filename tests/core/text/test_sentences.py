"""Where sentences end, and where they do not."""

from itertools import pairwise

import pytest
import regex
from hypothesis import given, settings

from core.text.markup import BLANK, visible
from core.text.sentences import sentences
from tests.strategies.marked_texts import marked_texts


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


WHOLE = [
    "Use e.g. this, i.e. that, cf. Smith vs. Jones.",
    "Dr. Smith met Prof. Jones and Mrs. Ray.",
    "See No. 5, Fig. 3 and pp. 7 ff.",
    "It takes approx. Five days.",
    "The U.S. Government decided.",
    "J. R. R. Tolkien wrote it.",
    "Acme Inc. Paris pays.",
    "Run v1.30.2 at 10.0.0.1 for 1.5 h.",
    "See (v2) and v2) in http://a.example/b.c?d=e!f.",
    "Write to a.b@c.example or read [x](http://a.example/b.c 'No. Yes.') there.",
    'He said "really?" and left.',
    "Wait... what is it?",
    "Open 9 a.m. to 5 p.m. daily.",
    "A sentence\nover two\nlines.",
    "Read <!-- One. Two. --> more.",
    "On 5 Jan. 2026 it ends.",
    "1. First things first.",
    "期限は3.5日です。",
]


@pytest.mark.parametrize("text", WHOLE)
def test_one_sentence_stays_whole(text: str) -> None:
    assert split(text) == [text]


SPLIT = [
    ["One.", "Two!", "Three?", "Four"],
    ['"One."', "(Two.)", "[Three.]", "Four"],
    ["He left at 5 p.m.", "The door closed."],
    ["We moved to the U.S.", "The rest stayed."],
    ["There is no.", "We tried."],
    ["That was 2020.", "Then came 2021."],
    ["**One.**", "_Two._", "Three."],
    ["Is it 5?", "5 it is."],
    ["Go to a.example.", "Stay there."],
    ["What?!", "Yes…", "No."],
    ["هل هذا؟", "نعم."],
    ["यह है।", "वह है।"],
]


@pytest.mark.parametrize("parts", SPLIT)
def test_sentences_are_parted(parts: list[str]) -> None:
    assert split(" ".join(parts)) == parts


def test_wide_marks_end_a_sentence_without_a_space_and_keep_their_closing_marks() -> None:
    assert split("今日は。「明日！」（次？）終") == ["今日は。", "「明日！」", "（次？）", "終"]


def test_structure_ends_a_sentence() -> None:
    assert split("One\n\nTwo\n- three\n- four five\n2. six") == ["One", "Two", "- three", "- four five", "2. six"]
    assert split("# Title\nText goes on") == ["# Title", "Text goes on"]


def test_a_number_at_a_line_start_is_no_item_in_running_text() -> None:
    assert split("The number was\n12. It stayed") == ["The number was\n12.", "It stayed"]


def test_nothing_visible_is_no_sentence() -> None:
    assert split(" \n<!-- Hidden. Words. -->\n---\n") == []


@settings(deadline=None)
@given(marked_texts())
def test_sentences_are_trimmed_in_order_and_hold_all_that_is_visible(text: str) -> None:
    seen, found = visible(text).text, sentences(text)
    bare = seen.replace(BLANK, " ")
    assert all(start < end and bare[start:end].strip() for start, end in found)
    assert all(text[start:end] == text[start:end].strip() for start, end in found)
    assert all(one[1] <= other[0] for one, other in pairwise(found))
    assert "".join("".join(bare[start:end] for start, end in found).split()) == "".join(bare.split())


@settings(deadline=None)
@given(marked_texts())
def test_no_sentence_cuts_a_grapheme_cluster(text: str) -> None:
    edges = {0, *(found.end() for found in regex.finditer(r"\X", text))}
    assert all(start in edges and end in edges for start, end in sentences(text))


@pytest.mark.parametrize(
    "piece", [". ", "a.", ".", "A. ", "。", "?! ", "\n", "\n\n", "a. B ", "- a\n", '."', "\u0301. "]
)
def test_a_long_line_ends(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    found = sentences(text)
    assert all(start < end for start, end in found)
