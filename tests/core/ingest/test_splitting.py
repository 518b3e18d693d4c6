"""Long blocks are cut where a reader would, and never over the limit."""

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ingest.splitting import MAX_TOKENS, split
from core.model.spans import Kind

KINDS = st.sampled_from([Kind.PARAGRAPH, Kind.CODE])


def pieces(text: str, kind: Kind = Kind.PARAGRAPH) -> list[str]:
    return [text[start:end] for start, end in split(text, kind)]


def tokens(text: str) -> float:
    ascii_bytes = sum(char.isascii() for char in text)
    return ascii_bytes / 3.6 + len(text) - ascii_bytes


@pytest.mark.parametrize("text", ["a", "A sentence. Another.", "x" * 4320, "漢" * 1200, "x\n\ny " * 800])
def test_a_block_within_the_limit_stays_whole(text: str) -> None:
    assert pieces(text) == [text.strip()]


@pytest.mark.parametrize("text", ["x" * 4321, "漢" * 1201])
def test_one_token_more_makes_two(text: str) -> None:
    assert len(pieces(text)) == 2


def test_white_space_around_a_block_is_no_part_of_it() -> None:
    assert pieces("  a b \n") == ["a b"]
    assert pieces(" \n\t") == []


@pytest.mark.parametrize("sentence", ["The limit is 5 days here. ", "年次有給休暇は20日です。", "Is it 3.5 or v2.1? "])
def test_cuts_fall_after_sentences(sentence: str) -> None:
    count = 6000 // len(sentence)
    found = pieces(sentence * count)
    assert len(found) > 1
    assert "".join(piece.count(sentence.strip()) * sentence for piece in found) == sentence * count
    assert all(piece.startswith(sentence.strip()) and piece.endswith(sentence.strip()) for piece in found)


def test_code_is_cut_after_lines() -> None:
    line = 'print("One. Two. Three.")'
    assert all(set(piece.split("\n")) == {line} for piece in pieces(f"{line}\n" * 400, Kind.CODE))


@pytest.mark.parametrize("at", range(4200, 4400, 7))
def test_a_number_keeps_the_words_around_it(at: int) -> None:
    words = "word " * 2000
    text = f"{words[:at]} the limit is 1 000 000 euros {words}"
    assert any("the limit is 1 000 000 euros" in piece for piece in pieces(text))


@pytest.mark.parametrize("at", range(1150, 1210, 3))
def test_a_number_is_whole_where_there_is_no_white_space(at: int) -> None:
    text = "漢" * at + "３，５００元" + "漢" * 2000
    assert any("３，５００元" in piece for piece in pieces(text))


@pytest.mark.parametrize("cluster", ["👩🏽\u200d💻", "e\u0301\u0302", "🇩🇪", "각", "3\ufe0f\u20e3"])
def test_no_cut_falls_inside_a_grapheme(cluster: str) -> None:
    found = pieces(cluster * 2500)
    assert len(found) > 1
    assert all(set(regex.findall(r"\X", piece)) == {cluster} for piece in found)


def test_a_space_with_a_mark_on_it_is_no_place_to_cut() -> None:
    assert all(not piece.startswith("\u0301") for piece in pieces("ab \u0301" * 2000))


def test_a_grapheme_over_the_limit_is_still_cut() -> None:
    assert all(tokens(piece) <= MAX_TOKENS for piece in pieces("a" + "\u0301" * 5000))


_chunks = st.sampled_from(
    ["word ", "5 ", "1 000", ". ", "。", "漢", "\n", "\n\n", "x", "👩🏽\u200d💻", "e\u0301", "| ", "`", "[a](b) "]
)
_long = st.lists(st.tuples(_chunks, st.integers(1, 1500)), min_size=1, max_size=6).map(
    lambda runs: "".join(chunk * times for chunk, times in runs)
)


@settings(deadline=None, max_examples=60)
@given(_long, KINDS)
def test_pieces_are_in_order_within_the_limit_and_lose_nothing(text: str, kind: Kind) -> None:
    last = 0
    for start, end in split(text, kind):
        assert last <= start < end
        assert not text[last:start].strip()
        assert tokens(text[start:end]) <= MAX_TOKENS + 1e-6
        last = end
    assert not text[last:].strip()
