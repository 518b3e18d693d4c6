"""The words of a text, and the terms by which passages are found and compared."""

from functools import lru_cache
from itertools import pairwise

import regex
from snowballstemmer import stemmer

from core.text.fold import STRUCK, fold
from core.text.vocabulary import STOP_WORDS

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = regex.compile(
    rf"(?P<run>[{_UNSPACED}](?:[{_UNSPACED}\p{{M}}ー]*+))"
    r"|(?P<number>\d++(?:[.,]\d++)*+(?![\p{L}\p{M}]))"
    r"|[\p{L}\p{N}](?:(?![" + _UNSPACED + r"])[\p{L}\p{M}\p{N}]|'(?=\p{L})|[.,](?<=\d[.,])(?=\d))*+(?:\+\+|\#)?"
)
_GROUPED = regex.compile(r"\d{1,3}(?:,\d{3})++(?:\.\d++)?+|\d{1,2}(?:,\d{2})*,\d{3}(?:\.\d++)?+")


def words(text: str) -> list[str]:
    """The folded words of the visible text, in order; numbers whole and without thousands separators."""
    return [_word(found) for found in _WORD.finditer(fold(text).replace(STRUCK, ""))]


def terms(text: str) -> list[str]:
    """Content terms in order, with repeats: words less stop words, stemmed; unspaced scripts as pairs of characters."""
    found: list[str] = []
    for match in _WORD.finditer(fold(text).replace(STRUCK, "")):
        if match["run"]:
            found += _pairs(match[0])
        elif (word := _word(match)) not in STOP_WORDS:
            found.append(_stem(word))
    return found


def _word(found: regex.Match[str]) -> str:
    number = found["number"]
    return number.replace(",", "") if number and _GROUPED.fullmatch(number) else found[0]


def _pairs(run: str) -> list[str]:
    clusters = regex.findall(r"\X", run)
    return ["".join(pair) for pair in pairwise(clusters)] or clusters


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    # A new stemmer each time: it keeps the word it works on, and threads share this function.
    return word if word[0].isdigit() else str(stemmer("english").stemWord(word))
