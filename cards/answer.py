"""The Answer card: what the documents say to a question, word for word where it can be."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from cards.actions import Action, Button
from cards.inline import Bold, Joined, Plain, Words, cut, say, sentence, spaced
from cards.model import Block, Card, Citation, Citations, Context, Text
from cards.phrases import enumerated, listed, place, short
from cards.text import beginning, clean, is_blank

ANSWER_CHARS, QUOTE_CHARS, DOUBTED_CHARS = 2_500, 280, 48
SentenceVerdict = Literal["quoted", "supported", "partial", "unsupported", "uncited"]

_DOUBTS: dict[SentenceVerdict, str] = {
    "partial": "only partly supported by the wording of the source",
    "unsupported": "not supported by the wording of the source",
    "uncited": "without a source",
}


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """`cites` are 1-based numbers of the citations that bear it."""

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
        text = clean(beginning(one.text, max(room, DOUBTED_CHARS))).strip()
        room -= len(text)
        if not is_blank(text):
            yield replace(one, text=text)


def _found(content: AnswerContent, said: tuple[AnswerSentence, ...]) -> Card:
    text = _text(said)
    shown, doubts, opened = cut(text, ANSWER_CHARS), _doubts(content, said), _still_open(content)
    quoted = "Quoted word for word." if all(one.verdict == "quoted" for one in said) else ""
    blocks: tuple[Block, ...] = (
        Text(shown),
        _citations(content, said if shown == text else ()),
        Text(spaced((_careful(doubts, content.note), *opened), by="\n")),
        Context(say(quoted)),
        Context(_watching(content), explains="watch_create"),
    )
    spoken = spaced((Plain(one.text),) for one in said)  # without the numbers, which lead nowhere in a notification
    return Card((), blocks, _actions(content, sure=not doubts and not opened), fallback=spoken)


def _not_found(content: AnswerContent) -> Card:
    text = (Plain("I couldn’t find an answer in the documents you can read."),)
    blocks: tuple[Block, ...] = (
        Text(text),
        Text((Plain("The nearest passages:"),) if content.citations else ()),
        _citations(content, ()),
        Context((Plain("Try other words, or name the document you have in mind."),)),
    )
    return Card((), blocks, (), fallback=text)


def _text(said: Iterable[AnswerSentence]) -> Words:
    return (Joined(spaced((Plain(one.text + "".join(f" [{number}]" for number in one.cites)),) for one in said)),)


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
    if content.ungrounded:
        return [(Plain("No document backs this answer: treat it as a guess."),)]
    found = {verdict: [one for one in said if one.verdict == verdict] for verdict in _DOUBTS}
    return [(*_which(found[verdict], said), Plain(f" {_DOUBTS[verdict]}.")) for verdict in _DOUBTS if found[verdict]]


def _which(doubted: list[AnswerSentence], said: tuple[AnswerSentence, ...]) -> Words:
    """“The beginning of it” is; where all is in doubt there is nothing to tell apart."""
    if len(doubted) == len(said):
        return (Plain("This is"),)
    begun = (short(one.text, DOUBTED_CHARS).removesuffix(".") for one in doubted)
    quotes = [(Plain("“"), Plain(words), Plain("”")) for words in begun]
    return (*enumerated(quotes), Plain(" is" if len(doubted) == 1 else " are"))


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
    """To keep what is in doubt is nothing to urge."""
    save = Button("answer_save", content.target, content.nonce, "Save answer", style="primary" if sure else "normal")
    watch = Button("watch_create", content.target, content.nonce, "Watch this")
    return (*(() if content.saved else (save,)), *((watch,) if content.watch_names else ()))
