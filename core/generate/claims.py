"""What an answer claims: a claim for each sentence that asserts something, with the passages that it names. Pure."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from core.generate.markers import Marker, without_markers
from core.generate.pieces import Piece, pieces
from core.generate.prompt import UNKNOWN
from core.text.fold import plain
from core.text.rows import spoken
from core.text.sentences import sentences

_UNKNOWN = regex.compile(UNKNOWN.replace("_", r"[_ \\-]{1,2}"), regex.IGNORECASE)
_CLOSERS = "\"'”’»)]}*_`"
_ASKS_OR_LEADS = tuple("?？؟:：")
_WORD = regex.compile(r"[\p{L}\p{N}]")
_LOOSE = regex.compile(r"\s++(?=[.,;!。，；！](?:\s|$))")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence without its markers; `cites` are the numbers of passages that it names, each once."""

    text: str
    cites: tuple[int, ...]


def said(answer: str, passages: int) -> list[Said]:
    """The sentences of an answer that assert something; none where the model says that the passages do not answer."""
    found = [one for piece in pieces(answer) for one in _of(piece, passages)]
    if found and _UNKNOWN.match(found[0].text):
        return []
    return [one for one in found if not _UNKNOWN.search(one.text)]


def _of(piece: Piece, passages: int) -> Iterator[Said]:
    if piece.kind == "prose":
        yield from _sentences(piece.text, passages)
        return
    text, markers = (piece.text, []) if piece.kind == "code" else without_markers(piece.text, passages)
    words = spoken(text, piece.header) if piece.kind == "row" else text.strip()
    if _asserts(words):
        yield _said(words, markers)


def _sentences(prose: str, passages: int) -> Iterator[Said]:
    text, markers = without_markers(prose, passages)
    spans = sentences(text)
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    named: dict[int, list[Marker]] = defaultdict(list)
    for marker in markers:
        # A marker belongs to the sentence it stands in or behind; one that leads a line, to what follows it.
        place = bisect_right(ends, marker.at) if marker.leads else bisect_left(starts, marker.at) - 1
        named[min(max(place, 0), len(spans) - 1)].append(marker)
    for place, (start, end) in enumerate(spans):
        words = _LOOSE.sub("", plain(text[start:end]))
        if _asserts(words):
            yield _said(words, named[place])


def _said(words: str, markers: Sequence[Marker]) -> Said:
    return Said(words, tuple(dict.fromkeys(number for marker in markers for number in marker.cites)))


def _asserts(text: str) -> bool:
    return bool(_WORD.search(text)) and not text.rstrip(_CLOSERS).endswith(_ASKS_OR_LEADS)
