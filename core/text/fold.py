"""Text reduced to the words it says, so that the same words compare equal however they are marked up or encoded."""

import unicodedata
from bisect import bisect_right
from dataclasses import replace
from itertools import takewhile

import regex

from core.text.markup import BLANK, Visible, visible

STRUCK = "\u0336"

_INVISIBLE = regex.compile(r"[\p{Cf}\p{Default_Ignorable_Code_Point}]+")
_BETWEEN_WIDE = regex.compile(
    r"(?<=[\p{Han}\p{Hiragana}\p{Katakana}\u3000-\u303f\uff00-\uff65])[ \t\n]++"
    r"(?=[\p{Han}\p{Hiragana}\p{Katakana}\u3000-\u303f\uff00-\uff65])"
)
_RAISED = regex.compile(r"(?<=\d)(?=[\u00b2\u00b3\u00b9\u2070\u2074-\u2079])")
_FRACTION = regex.compile(r"(?<=\d)(?=[\u00bc-\u00be\u2150-\u215e\u2189])")
_UNIFORM = {
    **dict.fromkeys(map(ord, "‘’‚‛′`´ʼ"), "'"),
    **dict.fromkeys(map(ord, "“”„‟″«»"), '"'),
    **dict.fromkeys(map(ord, "‐‑‒–—―−﹣"), "-"),
    ord("٬"): ",",
    ord("٫"): ".",
}
_DECIMAL = regex.compile(r"(?![0-9])\p{Nd}")
_CELL_EDGE = regex.compile(r"\s*+\|\s*+")
_LONG_DASH = regex.compile(r"(?<=\s)-{2,3}+(?=\s)")
_APART = regex.compile(r"(?<=\s)-\s++(?=\p{L})")
_CHANNEL = regex.compile(r"(?<![\w#&/])#(?=\p{L})")
_CLOSING = " .;,。"


def plain(text: str) -> str:
    """The visible words of a Markdown or plain block, white space collapsed, table cells set apart by ` | `."""
    return plain_slice(visible(text), 0, len(text))


def plain_slice(seen: Visible, start: int, end: int) -> str:
    """`plain` of a part, its markup read where it stands: a link may begin before the part does."""
    return _tidy(seen.text[start:end].replace(BLANK, ""))


def standing(text: str) -> str:
    """`plain`, without the words that are struck through."""
    return plain_slice(unstruck(visible(text)), 0, len(text))


def unstruck(seen: Visible) -> Visible:
    """The same text without the words that are struck through, each character in its place."""
    text = list(seen.text)
    for start, end in seen.struck:
        text[start:end] = BLANK * (end - start)
    return replace(seen, text="".join(text), struck=())


def fold(text: str) -> str:
    """The form in which words are compared: equal for the same words, however marked up, wrapped, cased or encoded.

    Digits, signs, currency and the punctuation inside numbers and names stay; a struck word carries `STRUCK`.
    """
    seen = visible(text)
    return fold_slice(seen, 0, len(text))


def fold_slice(seen: Visible, start: int, end: int) -> str:
    """`fold` of a part, its markup read where it stands: emphasis or a strike may begin before the part does."""
    return fold_words(_marked(seen, start, end).replace(BLANK, ""))


def fold_words(text: str) -> str:
    """`fold` for text that holds no markup."""
    text = normal(text)
    if "-" in text:
        text = _APART.sub("", _LONG_DASH.sub("-", text))
    if "#" in text:
        text = _CHANNEL.sub("", text)
    return _tidy(text).rstrip(_CLOSING)


def fold_code(text: str) -> str:
    """Code compares by its characters, case too: only encoding, invisible characters and white space are set aside."""
    return " ".join(_INVISIBLE.sub("", unicodedata.normalize("NFC", text)).split())


def normal(text: str) -> str:
    """NFKC and case folded, invisible characters dropped, quotes, dashes and digits of every script made uniform."""
    if text.isascii():
        return text.lower().replace("`", "'")
    text = _INVISIBLE.sub("", _BETWEEN_WIDE.sub("", text))
    text = _FRACTION.sub(" ", _RAISED.sub("^", text)).translate(_UNIFORM)
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_UNIFORM)
    return _DECIMAL.sub(lambda digit: str(unicodedata.decimal(digit[0], digit[0])), text)


def struck(text: str) -> tuple[tuple[int, int], ...]:
    """Character ranges of the words that are struck through (`~~…~~`, `<del>`, `<s>`, `<strike>`)."""
    return visible(text).struck


def _tidy(text: str) -> str:
    words = " ".join(text.split())
    return (_CELL_EDGE.sub(" | ", words) if "|" in words else words).strip("| ")


def _marked(seen: Visible, start: int, end: int) -> str:
    first = max(bisect_right(seen.struck, (start, start)) - 1, 0)
    parts, at = [], start
    for opened, closed in takewhile(lambda span: span[0] < end, seen.struck[first:]):
        begin, stop = max(opened, at), min(closed, end)
        if begin < stop:
            parts += [seen.text[at:begin], _strike(seen.text[begin:stop])]
            at = stop
    return "".join([*parts, seen.text[at:end]])


def _strike(words: str) -> str:
    return "".join(f" {STRUCK}{word} " for word in words.replace(BLANK, "").split())
