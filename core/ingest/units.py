"""The pieces of a document that can be cited, each with the context that gives its words their meaning.

A unit is a sentence, a heading, a table row or a line of code; a line of code is led by the lines it is indented under.
Its key is its folded words. Whether they still say what they said depends on what surrounds them, which is `Context`.
Headings, table header and lead come with the block; a line in bold leads like a heading. Of what sentences nearby say,
only their qualifiers are kept, so that any other edit to them changes nothing (core.ingest.notices).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise

from core.ingest.notices import Notices, follow_up, said
from core.model.documents import Block, Document
from core.model.spans import Kind
from core.text.fold import STRUCK, fold, fold_code, fold_slice
from core.text.markup import Visible, visible
from core.text.numbers import qualifiers
from core.text.sentences import sentence_spans, sentences
from core.text.vocabulary import NUMBER_WORDS

Words = tuple[str, ...]

_CLOSING_STRIKE = re.compile(rb"</(del|s|strike)\s*>", re.IGNORECASE)
_INI_SECTION = re.compile(r"\[[^\]]+\]\s*")
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(NUMBER_WORDS)})\b")
_BOLD = re.compile(r"\s*(\*\*|__)(?=\S)[^\n]*[^\s.!?]\1:?\s*")
_RULE = re.compile(rb"\n[ \t]*\n {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*\n")
"""Below a blank line: directly below words it would make a heading of them."""
_LABEL_WORDS = 8
_DEEPEST = 8
"""Enclosing lines of code that count as context."""


@dataclass(frozen=True, slots=True)
class Context:
    """`struck`: the words of the unit that are struck through. `before`, `after`: qualifiers said nearby, sorted.

    `apart`: a rule parts its last heading from what stands above. That is no difference by itself.
    """

    path: Words
    header: str = ""
    lead: Words = ()
    struck: str = ""
    before: Words = ()
    after: Words = ()
    apart: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Unit:
    """`start` and `end` are UTF-8 byte offsets in the canonical text, within the block of index `block`."""

    block: int
    start: int
    end: int
    key: str
    context: Context


def units(document: Document) -> tuple[Unit, ...]:
    """Citable units in document order, in time linear in the size of the document."""
    return tuple(_in_company(document, list(_alone(document))))


def _alone(document: Document) -> Iterator[Unit]:
    strikes, contexts = _Strikes(document.text.encode()), _Contexts(document)
    for place, block in enumerate(document.blocks):
        context = contexts.of(block)
        if block.kind is Kind.CODE:
            yield from _lines(place, block, context)
        else:
            yield from _sentences(place, block, context, strikes)


def _title(document: Document) -> Words:
    """A title given in the properties heads what no heading does; the name of the file says nothing."""
    title = document.properties.get("title")
    return (fold(title),) if isinstance(title, str) else ()


def _in_company(document: Document, alone: list[Unit]) -> Iterator[Unit]:
    """The same units, with what their neighbours and the notices above them say."""
    notices = Notices(document)
    words = [said(document.blocks[unit.block].kind, unit.key) for unit in alone]
    for i, unit in enumerate(alone):
        block = document.blocks[unit.block]
        before = set(notices.over(block.path))
        if i and alone[i - 1].block == unit.block:
            before.update(words[i - 1])
        after = _after(document, alone[i : i + 2])
        context = replace(unit.context, before=tuple(sorted(before)), after=after) if before or after else unit.context
        yield replace(unit, context=context) if before or after else unit
        notices.read(unit.block, unit.key)


def _after(document: Document, pair: list[Unit]) -> Words:
    """What the next unit says back about this one."""
    if len(pair) < 2:
        return ()
    block, following = (document.blocks[unit.block] for unit in pair)
    same = pair[0].block == pair[1].block
    if not same and (block.section != following.section or following.kind is not Kind.PARAGRAPH or following.lead):
        return ()
    return follow_up(pair[1].key, same_block=same)


def _label(block: Block) -> Words:
    """A short paragraph all in bold heads what follows it in its section, up to the next."""
    found = _BOLD.fullmatch(block.text) if block.kind is Kind.PARAGRAPH and not block.lead else None
    return (fold(found[0]),) if found and len(found[0].split()) <= _LABEL_WORDS else ()


def _lead(text: str) -> str:
    """Of a long lead-in, how it begins and what its colon ends; of the rest only the qualifiers."""
    parts = [text[start:end] for start, end in sentences(text)]
    if len(parts) < 3 or not text.rstrip().endswith((":", "：")):
        return fold(text)
    return " ".join((fold(parts[0]), *sorted(qualifiers(" ".join(parts[1:-1]))), fold(parts[-1])))


def _sentences(place: int, block: Block, context: Context, strikes: "_Strikes") -> Iterator[Unit]:
    seen = visible(block.markup, struck=strikes.open_at(block.start))
    if seen.unclosed:
        strikes.follow(block.end)
    for start, end, first, last in _places(block, seen):
        words = fold_slice(seen, start, end)
        if words:
            struck = _struck(words)
            yield Unit(place, first, last, _key(words), replace(context, struck=struck) if struck else context)


def _places(block: Block, seen: Visible) -> Iterator[tuple[int, int, int, int]]:
    """Each piece in characters of what the block says, and in bytes of the text; a heading or a row is one piece."""
    if block.kind in {Kind.HEADING, Kind.CELL}:
        yield 0, len(block.markup), block.start, block.end
        return
    at, byte = 0, block.start
    for start, end in sentence_spans(seen):
        first = byte + len(block.text[at:start].encode())
        byte, at = first + len(block.text[start:end].encode()), end
        yield start, end, first, byte


def _key(words: str) -> str:
    """Compared by value: `five` and `5` are one number."""
    return _NUMBER_WORD.sub(lambda word: str(NUMBER_WORDS[word[0]]), words.replace(STRUCK, ""))


def _struck(words: str) -> str:
    return " ".join(word for word in words.split() if word.startswith(STRUCK)) if STRUCK in words else ""


def _lines(place: int, block: Block, context: Context) -> Iterator[Unit]:
    byte = block.start
    enclosing: list[tuple[int, str]] = []
    for line in block.text.split("\n"):
        shown, size = line.strip(), len(line.encode())
        if shown:
            indent = -1 if _INI_SECTION.fullmatch(line) else len(line) - len(line.lstrip())
            while enclosing and enclosing[-1][0] >= indent:
                enclosing.pop()
            start = byte + len(line[: len(line) - len(line.lstrip())].encode())
            lead = (*context.lead, *(words for _, words in enclosing[-_DEEPEST:]))
            yield Unit(place, start, start + len(shown.encode()), fold_code(line), replace(context, lead=lead))
            enclosing.append((indent, fold_code(line)))
        byte += size + 1


class _Contexts:
    """The context of each block, read in order. Titles, headers and leads, which many blocks share, are folded once."""

    def __init__(self, document: Document) -> None:
        self._title = _title(document)
        self._apart = set(_parted(document))
        self._labels: dict[int, Words] = {}
        self._fold, self._lead = cache(fold), cache(_lead)

    def of(self, block: Block) -> Context:
        label = _label(block)
        lead = () if label else (*self._labels.get(block.section, ()), *map(self._lead, block.lead))
        if label:
            self._labels[block.section] = label
        titles = block.path[:-1] if block.kind is Kind.HEADING else block.path
        path = tuple(map(self._fold, titles)) or self._title
        return Context(path, self._fold(block.header), lead, apart=block.section in self._apart)


def _parted(document: Document) -> Iterator[int]:
    """Sections whose heading a rule parts from what stands above it."""
    data = document.text.encode()
    for above, block in pairwise(document.blocks):
        if block.kind is Kind.HEADING and _RULE.search(data, above.end, block.start):
            yield block.section


class _Strikes:
    """A striking tag left open in one block reaches over those that follow, up to where it is closed."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._until, self._name = 0, ""

    def open_at(self, start: int) -> str:
        return self._name if start < self._until else ""

    def follow(self, end: int) -> None:
        if end >= self._until < len(self._data):
            found = _CLOSING_STRIKE.search(self._data, end)
            self._until = found.start() if found else len(self._data)
            self._name = found[1].decode().lower() if found else ""
