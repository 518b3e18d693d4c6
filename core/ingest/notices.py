"""What the text around a sentence says about whether it holds.

Three kinds count: the qualifiers of the sentence before; those of the sentence after, when it refers back ("This ended
in May."); and notices, which govern all that follows them under their heading: a short label ("Draft."), a sentence
about the whole ("This policy is no longer in force."), one that points ahead ("The following applied until 2023."), and
the same said by the document's title or properties.
"""

import re
from collections import Counter

from core.model.documents import Document
from core.model.spans import Kind
from core.text.numbers import numbers, polarity, qualifiers, statuses

Words = tuple[str, ...]

_LABEL_WORDS = 4
_KEPT = 8
"""Notices that count at one place: a page full of them must not be copied to each of its sentences."""

_WHOLE = (
    r"(?:pages?|polic(?:y|ies)|sections?|documents?|documentation|docs?|guides?|guidance|guidelines?|handbook"
    r"|process(?:es)?|procedures?|rules?|information|content|instructions?|articles?|tables?|lists?|chapters?|wiki"
    r"|offers?|program(?:me)?s?|benefits?|texts?|steps|limits|values|figures|numbers|terms|rates)"
)
_ABOUT_WHOLE = re.compile(
    r"\bthe following\b(?! (?:day|morning|evening|night|week|month|quarter|year|calendar|fiscal|business)\b)"
    r"|\b(?:what follows|everything (?:here|below))\b"
    rf"|\b(?:all|these|this|the|our)(?: [\w'-]+){{0,3}}? {_WHOLE}\b|\b{_WHOLE}(?: [\w'-]+)? below\b"
)
_APPLIES = re.compile(
    r"\b(?:appl(?:y|ies|ied)|holds?|held|valid|effective|in (?:force|effect|use)|true|correct|accurate|up to date"
    r"|updated|maintained|supported|binding|counts?|counted|takes? effect|took effect)\b"
)
_BACK = re.compile(r"^(?:this|that|these|those|it|they|both|however|but|all of (?:this|these|them))\b")
_LIMITS = re.compile(r"^(?:except|exceptions?|excepting|excluding|unless|only|not|until)\b")
_DESCRIBES_STATE = frozenset(("status", "state", "stage", "lifecycle"))


def said(kind: Kind, sentence: str) -> Words:
    """What a sentence says about the one after it in its block; a heading or a table row says nothing."""
    if kind in {Kind.CELL, Kind.HEADING}:
        return ()
    found = statuses(sentence)
    if kind is not Kind.CODE and (_is_label(sentence) or _APPLIES.search(sentence) or _ABOUT_WHOLE.search(sentence)):
        found = _all(sentence)
    return tuple(found)


def follow_up(sentence: str, *, same_block: bool) -> Words:
    """What a sentence says back about the one before it."""
    if same_block and (_LIMITS.match(sentence) or (_BACK.match(sentence) and _APPLIES.search(sentence))):
        return tuple(sorted(_all(sentence)))
    return tuple(sorted(statuses(sentence))) if _BACK.match(sentence) else ()


def _is_label(sentence: str) -> bool:
    return len(sentence.split()) <= _LABEL_WORDS


def _all(sentence: str) -> Counter[str]:
    """Qualifiers and negations, with the numbers and dates they may bear on."""
    found = qualifiers(sentence) + polarity(sentence)
    return found + numbers(sentence) if found else found


class Notices:
    """Reads the units of a document in order and knows which notices govern a heading path."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._data = document.text.encode()
        self._open: list[tuple[Words, Words]] = [((), _of_document(document))]

    def over(self, path: Words) -> Words:
        while self._open and self._open[-1][0] != path[: len(self._open[-1][0])]:
            self._open.pop()
        return tuple(word for _, words in self._open[-_KEPT:] for word in words)

    def read(self, block: int, sentence: str) -> None:
        """Take up `sentence` of that block, if it is a notice."""
        place = self._document.blocks[block]
        stands_alone = place.kind in {Kind.PARAGRAPH, Kind.BODY} and not place.lead
        if stands_alone and (words := _notice(sentence)) and not self._is_item(place.start):
            self._open.append((place.path, words))

    def _is_item(self, start: int) -> bool:
        line = self._data[self._data.rfind(b"\n", 0, start) + 1 : start]
        return bool(line.strip(b" \t>"))


def _of_document(document: Document) -> Words:
    found = statuses(document.title)
    for name, value in document.properties.items():
        if value is True:
            found += statuses(name)
        elif isinstance(value, str) and name.lower() in _DESCRIBES_STATE:
            found += statuses(value)
    return tuple(found)


def _notice(sentence: str) -> Words:
    """What a notice says; nothing if the sentence is none."""
    whole = _ABOUT_WHOLE.search(sentence)
    if whole and _APPLIES.search(sentence):
        return tuple(_all(sentence))
    found = statuses(sentence)
    return tuple(found + numbers(sentence)) if found and (whole or _is_label(sentence)) else ()
