"""Which words changed between two texts, with the little context that makes them readable.

Texts are split into grapheme clusters and these into tokens: a run of letters, a number with its separators and
per-cent sign, one ideograph or kana, a run of spaces, or any other single cluster. Equal ends are taken off first,
so the quadratic part sees only the middle. Changes that only a space or one short word separates are one change, and
a bare number takes its unit along: "14 days → 30 days" says more than "14 → 30".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

import regex

from cards.inline import Bold, Joined, Plain, Words
from cards.text import ELLIPSIS, clean, clusters, truncate, utf16_length

LONGEST_COMPARED = 600
CONTEXT_CHARS = 60
FAR_CHARS = 1_000

_EDGES = " \n\t,;"
_IDEOGRAPH = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_NUMBER = regex.compile(r"\p{N}")
_WORD = regex.compile(r"[\p{L}\p{M}_]")
_NUMERIC_TOKEN = regex.compile(r"[\p{Sc}]?\p{N}[\p{N}.,:/%'’]*")
_HAS_UNIT = regex.compile(r"[\p{Sc}%]")
_UNIT = regex.compile(r"[ \u00a0-]?(?!(?:a|and|at|by|for|from|in|of|on|or|per|the|to)$)[\p{L}\p{M}]+")
_GLUE = {"number": frozenset(".,:/"), "word": frozenset("'’-")}


@dataclass(frozen=True, slots=True)
class Region:
    """One change: the tokens [b0, b1) became the tokens [a0, a1)."""

    b0: int
    b1: int
    a0: int
    a1: int


@dataclass(frozen=True, slots=True)
class Diff:
    before: tuple[str, ...]
    after: tuple[str, ...]
    regions: tuple[Region, ...]

    def sides(self, region: Region) -> tuple[str, str]:
        """What stood there and what stands there now, less the commas and spaces around it."""
        return (
            "".join(self.before[region.b0 : region.b1]).strip(_EDGES),
            "".join(self.after[region.a0 : region.a1]).strip(_EDGES),
        )


def diff(before: str, after: str) -> Diff:
    old, new = tokens(clean(before)), tokens(clean(after))
    merged = _merge(_changed(old, new), old)
    return Diff(old, new, tuple(_with_unit(region, old, new) for region in merged))


def tokens(text: str) -> tuple[str, ...]:
    """`text` in pieces that are never cut; joined again they are `text`."""
    pieces: list[str] = []
    last = "start"
    found = list(clusters(text))
    for index, cluster in enumerate(found):
        kind = _kind(cluster)
        follower = _kind(found[index + 1]) if index + 1 < len(found) else "end"
        if _joins(last, kind, cluster, follower):
            pieces[-1] += cluster
        else:
            pieces.append(cluster)
            last = kind
    return tuple(pieces)


def _kind(cluster: str) -> str:
    if cluster.isspace():
        return "space"
    if _IDEOGRAPH.match(cluster):
        return "ideograph"
    if _NUMBER.match(cluster):
        return "number"
    return "word" if _WORD.match(cluster) else "other"


def _joins(last: str, kind: str, cluster: str, follower: str) -> bool:
    if last == kind and kind in {"space", "number", "word"}:
        return True
    if last == "number" and cluster == "%":
        return True
    return kind == "other" and last == follower and cluster in _GLUE.get(last, ())


def _changed(old: tuple[str, ...], new: tuple[str, ...]) -> list[Region]:
    start = _equal_start(old, new)
    tail = _equal_start(old[start:][::-1], new[start:][::-1])
    b1, a1 = len(old) - tail, len(new) - tail
    if max(b1, a1) - start > LONGEST_COMPARED:
        return [Region(start, b1, start, a1)]
    matcher = SequenceMatcher(None, old[start:b1], new[start:a1], autojunk=False)
    found = [op for op in matcher.get_opcodes() if op[0] != "equal"]
    return [Region(start + b0, start + b1, start + a0, start + a1) for _, b0, b1, a0, a1 in found]


def _equal_start(old: Sequence[str], new: Sequence[str]) -> int:
    pairs = zip(old, new, strict=False)
    return next((index for index, (left, right) in enumerate(pairs) if left != right), min(len(old), len(new)))


def _merge(regions: list[Region], old: tuple[str, ...]) -> list[Region]:
    merged: list[Region] = []
    for region in regions:
        if merged and _close("".join(old[merged[-1].b1 : region.b0])):
            region = Region(merged[-1].b0, region.b1, merged.pop().a0, region.a1)  # noqa: PLW2901 - the region grows
        merged.append(region)
    return merged


def _close(between: str) -> bool:
    words = between.split()
    return not words or (len(words) == 1 and len(between) <= 4)


def _with_unit(region: Region, old: tuple[str, ...], new: tuple[str, ...]) -> Region:
    """A bare number on both sides takes the currency before it and the unit after it, where both sides share them."""
    if not (_bare(old[region.b0 : region.b1]) and _bare(new[region.a0 : region.a1])):
        return region
    before = _currency(old[: region.b0], new[: region.a0])
    complete = before or _HAS_UNIT.search("".join(old[region.b0 : region.b1]))
    after = 0 if complete else _unit(old[region.b1 :], new[region.a1 :])
    return Region(region.b0 - before, region.b1 + after, region.a0 - before, region.a1 + after)


def _bare(side: tuple[str, ...]) -> bool:
    return _NUMERIC_TOKEN.fullmatch("".join(side)) is not None


def _currency(old: tuple[str, ...], new: tuple[str, ...]) -> int:
    return int(old[-1:] == new[-1:] and regex.fullmatch(r"\p{Sc}", "".join(old[-1:])) is not None)


def _unit(old: tuple[str, ...], new: tuple[str, ...]) -> int:
    for width in (1, 2):
        if old[:width] == new[:width] and _UNIT.fullmatch("".join(old[:width])):
            return width
    return 0


def marked(before: str, after: str, limit: int) -> tuple[Words, Words]:
    """Both texts with the changed words bold, each cut around its first change to at most `limit`.

    Where nearly everything is new, nothing is marked: a text struck out from end to end cannot be read.
    """
    found = diff(before, after)
    old = [(region.b0, region.b1) for region in found.regions]
    new = [(region.a0, region.a1) for region in found.regions]
    if _rewritten(found.before, old) and _rewritten(found.after, new):
        old, new = [], []
    return _excerpt(found.before, old, limit), _excerpt(found.after, new, limit)


def _rewritten(pieces: tuple[str, ...], changed: list[tuple[int, int]]) -> bool:
    whole = utf16_length("".join(pieces))
    return whole > 40 and sum(utf16_length("".join(pieces[start:end])) for start, end in changed) > 0.7 * whole


def _excerpt(pieces: tuple[str, ...], changed: list[tuple[int, int]], limit: int) -> Words:
    flags = [any(start <= index < end for start, end in changed) for index in range(len(pieces))]
    first = changed[0][0] if changed else 0
    begin = _context_start(pieces, first) if utf16_length("".join(pieces)) > limit else 0
    runs = groupby(zip(pieces[begin:], flags[begin:], strict=True), key=lambda pair: pair[1])
    texts = [("".join(piece for piece, _ in run), flag) for flag, run in runs]
    return (Joined(_cut_runs([(ELLIPSIS, False), *texts] if begin else texts, limit)),)


def _context_start(pieces: tuple[str, ...], first: int) -> int:
    room = CONTEXT_CHARS
    begin = first
    while begin > 0 and room >= len(pieces[begin - 1]):
        begin -= 1
        room -= len(pieces[begin])
    return begin


def _cut_runs(runs: list[tuple[str, bool]], limit: int) -> Words:
    words: list[Plain | Bold] = []
    for text, flag in runs:
        short = truncate(text, limit)
        limit -= utf16_length(short)
        words += _marked_run(short) if flag else (Plain(short),)
        if short != text or limit <= 0:
            break
    return tuple(words)


def _marked_run(text: str) -> tuple[Plain | Bold, ...]:
    """The mark stays off the spaces around the words."""
    words = text.strip()
    head, _, tail = text.partition(words) if words else (text, "", "")
    parts = (Plain(head), Bold((Plain(words),)), Plain(tail))
    return tuple(part for part in parts if part not in {Plain(""), Bold((Plain(""),))})


def change_in_words(before: str, after: str, limit: int = 32) -> tuple[str, str] | None:
    """The one change worth a title: both sides short, and either alone or the only one with numbers. Else None."""
    found = diff(*_around_changes(before, after))
    sides = [found.sides(region) for region in found.regions]
    numeric = [pair for pair in sides if all(_NUMBER.search(side) for side in pair)]
    chosen = sides if len(sides) == 1 else numeric
    if len(chosen) != 1 or any("\n" in side or utf16_length(side) > limit for side in chosen[0]):
        return None
    return chosen[0] if any(chosen[0]) else None


def _around_changes(before: str, after: str) -> tuple[str, str]:
    """Both texts without what is far from any change."""
    start = max(_equal_start(before, after) - FAR_CHARS, 0)
    old, new = before[start:], after[start:]
    end = max(_equal_start(old[::-1], new[::-1]) - FAR_CHARS, 0)
    return old[: len(old) - end], new[: len(new) - end]
