"""The Answer card: what the documents say to a question, word for word where it can be.

What is not a quote says beside it how far its source bears it. That is said of the wording, never of the truth: it is
the wording that was measured.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from cards.actions import Action, Button
from cards.inline import Bold, Joined, Plain, Words, cut, flat, say, sentence, spaced
from cards.model import Block, Card, Citation, Citations, Context, Text
from cards.phrases import listed, place, short
from cards.text import beginning, clean, is_blank, utf16_length

ANSWER_CHARS, QUOTE_CHARS, BEYOND_CHARS = 2_500, 280, 48
SentenceVerdict = Literal["quoted", "supported", "partial", "unsupported", "differs", "unchecked", "uncited"]

MARKS: dict[SentenceVerdict, str] = {
    "supported": "supported by the wording",
    "partial": "partly supported by the wording",
    "unsupported": "not supported by the wording",
    "differs": "not supported by the wording: a number, a date or a “not” differs",
    "unchecked": "not checked against the wording",
    "uncited": "no source",
}
"""What stands beside a sentence; beside a quote, nothing."""
_DOUBTS: dict[SentenceVerdict, str] = {
    "differs": "A number, a date or a “not” differs from the source in {which}.",
    "unsupported": "The wording of the source does not support {which}.",
    "unchecked": "Nothing could check {which} against the source.",
    "uncited": "There is no source for {which}.",
}
_SURE: tuple[SentenceVerdict, ...] = ("quoted", "supported")


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """`cites` are 1-based numbers of the citations that bear it. `differs`: unsupported, and by more than its words."""

    text: str
    cites: tuple[int, ...]
    verdict: SentenceVerdict


@dataclass(frozen=True, slots=True)
class AnswerCitation:
    source_name: str
    source_url: str | None
    section_path: tuple[str, ...]
    quote: str


@dataclass(frozen=True, slots=True)
class AnswerContent:
    """No sentences: nothing was close enough, and the citations are the nearest passages.

    `target` is the generation; `watch_names` the sections that [Watch this] will watch; `note` what else to know.
    """

    question: str
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[AnswerCitation, ...]
    target: str
    nonce: str
    watch_names: tuple[str, ...] = ()
    ungrounded: bool = False
    open_questions: tuple[str, ...] = ()
    saved: bool = False
    note: str = ""


def answer(content: AnswerContent) -> Card:
    said = tuple(_visible(content.sentences))
    return _found(content, said) if said else _not_found(content)


def _visible(sentences: Iterable[AnswerSentence]) -> Iterator[AnswerSentence]:
    """Those with something to see; of one beyond the part that is shown, only how it begins."""
    room = ANSWER_CHARS
    for one in sentences:
        text = clean(beginning(one.text, max(room, BEYOND_CHARS))).strip()
        room -= len(text)
        if not is_blank(text):
            yield replace(one, text=text)


def _found(content: AnswerContent, said: tuple[AnswerSentence, ...]) -> Card:
    shown, doubts, opened = _text(content, said, ANSWER_CHARS), _doubts(content, said), _still_open(content)
    is_whole = shown == _text(content, said, sys.maxsize)
    is_sure = not content.ungrounded and not opened and all(one.verdict in _SURE for one in said)
    blocks: tuple[Block, ...] = (
        Text(shown),
        _citations(content, said if is_whole else ()),
        Text(spaced((_careful(doubts, content.note), *opened), by="\n")),
        Context(say(_quoted(said))),
        Context(_watching(content), explains="watch_create"),
    )
    spoken = spaced((Plain(one.text),) for one in said)  # without the numbers, which lead nowhere in a notification
    return Card((), blocks, _actions(content, sure=is_sure), fallback=spaced((_warning(content, doubts), spoken)))


def _warning(content: AnswerContent, doubts: list[Words]) -> Words:
    """What a notification must not leave out."""
    if content.ungrounded:
        return (Plain("A guess:"),)
    return (Plain("Careful, in part without support:"),) if doubts else ()


def _not_found(content: AnswerContent) -> Card:
    text = (Plain("I couldn’t find an answer in the documents you can read."),)
    blocks: tuple[Block, ...] = (
        Text(text),
        Text((Plain("The nearest passages:"),) if content.citations else ()),
        _citations(content, ()),
        Context((Plain("Try other words, or name the document you have in mind."),)),
    )
    return Card((), blocks, (), fallback=text)


def _text(content: AnswerContent, said: tuple[AnswerSentence, ...], room: int) -> Words:
    """One text where all is quoted, or nothing is and that is said once; else a line a sentence, with its mark."""
    if content.ungrounded or all(one.verdict == "quoted" for one in said):
        return cut((Joined(spaced((Plain(_numbered(one)),) for one in said)),), room)
    return spaced(_lines(said, room), by="\n")


def _lines(said: tuple[AnswerSentence, ...], room: int) -> Iterator[Words]:
    """As many as there is room for; of the last perhaps how it begins, but with its mark: it may be no quote."""
    for one in said:
        text, mark = (Joined((Plain(_numbered(one)),)),), _mark(one)
        left = room - utf16_length(flat(mark))
        whole = utf16_length(flat(text))
        if left < min(whole, BEYOND_CHARS):
            yield (Plain("…"),)
            return
        yield (*cut(text, left), *mark)
        room = left - whole - 1


def _numbered(one: AnswerSentence) -> str:
    return one.text + "".join(f" [{number}]" for number in one.cites)


def _mark(one: AnswerSentence) -> Words:
    """In words; bold where nothing bears the sentence."""
    if one.verdict not in MARKS:
        return ()
    words = (Plain(f"({MARKS[one.verdict]})"),)
    return (Plain(" "), Bold(words)) if one.verdict in _DOUBTS else (Plain(" "), *words)


def _quoted(said: tuple[AnswerSentence, ...]) -> str:
    quotes = sum(one.verdict == "quoted" for one in said)
    if quotes == len(said):
        return "Quoted word for word."
    return "What has no mark is quoted word for word." if quotes else ""


def _citations(content: AnswerContent, said: tuple[AnswerSentence, ...]) -> Citations:
    return Citations(tuple(_citation(number, cited, said) for number, cited in enumerate(content.citations, start=1)))


def _citation(number: int, cited: AnswerCitation, said: tuple[AnswerSentence, ...]) -> Citation:
    """A source, with its words where the answer has not said just these of it."""
    own = [_letters(one.text) for one in said if number in one.cites]
    repeated = own and _letters(clean(beginning(cited.quote, ANSWER_CHARS))) in {*own, "".join(own)}
    source = place(cited.section_path, cited.source_name, cited.source_url)
    return Citation(number, source, () if repeated else cut(say(beginning(cited.quote, QUOTE_CHARS)), QUOTE_CHARS))


def _letters(text: str) -> str:
    return "".join(text.split())


def _doubts(content: AnswerContent, said: tuple[AnswerSentence, ...]) -> list[Words]:
    """Of how many sentences what is doubtful, wherever the text was cut."""
    if content.ungrounded:
        return [(Plain("No document backs this answer: treat it as a guess."),)]
    times = Counter(one.verdict for one in said)
    return [
        (Plain(_counted(words, times[verdict], len(said))),) for verdict, words in _DOUBTS.items() if times[verdict]
    ]


def _counted(words: str, doubted: int, of_all: int) -> str:
    if doubted == of_all:
        return words.format(which="this")
    return words.format(which="one sentence" if doubted == 1 else f"{doubted} sentences")


def _careful(doubts: list[Words], note: str) -> Words:
    warning = (Bold((Plain("Careful."),)),) if doubts else ()
    return spaced((warning, *doubts, say(note)))


def _still_open(content: AnswerContent) -> list[Words]:
    asked = (say(short(question, 150)) for question in content.open_questions)
    return [(Plain("Still open: "), *question) for question in asked if question][:2]


def _watching(content: AnswerContent) -> Words:
    names = listed(content.watch_names)
    return sentence((Plain("“Watch this” follows "), *names)) if names else ()


def _actions(content: AnswerContent, *, sure: bool) -> tuple[Action, ...]:
    """To keep what is in doubt is nothing to urge; what rests on nothing cannot be kept up to date."""
    save = Button("answer_save", content.target, content.nonce, "Save answer", style="primary" if sure else "normal")
    watch = Button("watch_create", content.target, content.nonce, "Watch this")
    return (*(() if content.saved or not content.citations else (save,)), *((watch,) if content.watch_names else ()))
