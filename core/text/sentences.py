"""Where sentences begin and end.

Boundaries are sought in the visible text (core.text.markup), so no link target, tag or comment ever holds one. A blank
line and the start of an item or heading always end a sentence; `。！？` end one without a space; other marks need white
space after them. A full stop then still has to show that it is none of an abbreviation, an initial or an ordinal.
Every look behind is short and bounded, so time is linear in the text.
"""

from collections.abc import Iterator

import regex

from core.text.markup import BLANK, Visible, visible
from core.text.vocabulary import (
    ABBREVIATIONS,
    ABBREVIATIONS_AT_END,
    ABBREVIATIONS_BEFORE_NUMBERS,
    SENTENCE_STARTERS,
)

_EXTEND = r"\p{Grapheme_Cluster_Break=Extend}\p{Grapheme_Cluster_Break=SpacingMark}\p{Grapheme_Cluster_Break=ZWJ}"
_CLOSERS = (
    rf"[\"'”’»›)\]}}\u3001-\u3003\u3009\u300b\u300d\u300f\u3011\u3015\uff02\uff09\uff3d\uff5d\uff63{BLANK}{_EXTEND}]*+"
)
_END = regex.compile(
    rf"(?P<blank>\n[ \t{BLANK}]*+\n)"
    rf"|(?P<wide>[。！？｡]++){_CLOSERS}"
    rf"|(?P<mark>[.!?…؟۔।॥։።‼⁇⁈⁉]++){_CLOSERS}(?=[\s{BLANK}](?![{_EXTEND}])|\Z)"
)
_NEXT = regex.compile(r"[\s\0\p{Ps}\p{Pi}\"'*_]*+(?P<word>[\p{L}\p{M}\p{N}]++)?")
_LAST = regex.compile(r"(?:(?<=[^\w.])|(?<=^))(?:\p{L}\p{M}*\.)+$|[\p{L}\p{M}]+\.$|\d+\.$")
_REACH = 24


def sentences(text: str) -> list[tuple[int, int]]:
    """Character ranges of the sentences of `text`, trimmed, in order, together holding everything visible."""
    return sentence_spans(visible(text))


def sentence_spans(seen: Visible) -> list[tuple[int, int]]:
    """`sentences` of a text whose markup is already known."""
    spans, start = [], 0
    for end in [*_ends(seen), len(seen.text)]:
        if (span := _trim(seen.text, start, end)) is not None:
            spans.append(span)
        start = max(start, end)
    return spans


def _ends(seen: Visible) -> Iterator[int]:
    """Every end, in order: where the text itself ends a sentence, and where its structure does."""
    breaks = iter([*seen.breaks, len(seen.text)])
    upcoming = next(breaks)
    for found in _END.finditer(seen.text):
        while upcoming < found.end():
            yield upcoming
            upcoming = next(breaks)
        if _is_end(seen.text, found):
            yield found.end()
    yield upcoming
    yield from breaks


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Without white space at its ends; nothing when only markup is left. Markup at the ends belongs to the words."""
    if not text[start:end].replace(BLANK, " ").strip():
        return None
    while text[start].isspace():
        start += 1
    while text[end - 1].isspace():
        end -= 1
    return start, end


def _is_end(text: str, found: regex.Match[str]) -> bool:
    if found["mark"] is None:
        return True
    following = _NEXT.match(text, found.end())
    word = (following["word"] or "") if following else ""
    if word[:1].islower():
        return False
    return found["mark"] != "." or _stops(text, found.start("mark") + 1, word)


def _stops(text: str, after: int, word: str) -> bool:
    """Whether the full stop before `after` ends a sentence that `word` follows."""
    tail = _LAST.search(text[max(after - _REACH, 0) : after].replace(BLANK, ""))
    if tail is None or tail[0][:-1].isdigit():
        return True
    last = tail[0][:-1].casefold()
    if last in ABBREVIATIONS:
        return not word
    if last in ABBREVIATIONS_BEFORE_NUMBERS:
        return not word[:1].isdigit()
    if last in ABBREVIATIONS_AT_END or "." in last or (len(last) == 1 and tail[0][0].isupper()):
        return not word or word.casefold() in SENTENCE_STARTERS
    return True
