"""The Answer card: what the documents say to a question, word for word where it can be."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from cards.actions import Action, Button
from cards.inline import Bold, Inline, Joined, Plain, Words, cut, say
from cards.model import Block, Card, Citation, Citations, Context, Text
from cards.phrases import listed, place, plural, short
from cards.text import is_blank

ANSWER_CHARS, QUOTE_CHARS = 2_500, 280
SentenceVerdict = Literal["quoted", "supported", "partial", "unsupported", "uncited"]


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
    said = _text(content.sentences)
    text = said or (Plain("I couldn’t find an answer in the documents you can read."),)
    blocks: tuple[Block, ...] = (
        Text(cut(text, ANSWER_CHARS)),
        Text((Plain("The nearest passages:"),) if content.citations and not said else ()),
        Citations(tuple(_citation(number, cited) for number, cited in enumerate(content.citations, start=1))),
        Text(_caveats(content)),
        Context(_watching(content) if said else (Plain("Try other words, or name the document you have in mind."),)),
    )
    return Card((), blocks, _actions(content) if said else (), fallback=_spoken(content.sentences) or text)


def _text(sentences: tuple[AnswerSentence, ...]) -> Words:
    words: list[Inline] = []
    for sentence in sentences:
        if not is_blank(sentence.text):
            marks = "".join(f" [{number}]" for number in sentence.cites)
            words += [*say(sentence.text), Plain(f"{marks} ")]
    return (Joined(tuple(words)),) if words else ()


def _spoken(sentences: tuple[AnswerSentence, ...]) -> Words:
    """Without the numbers, which lead nowhere in a notification."""
    return _spaced(say(sentence.text) for sentence in sentences)


def _citation(number: int, cited: AnswerCitation) -> Citation:
    source = place(cited.section_path, cited.source_name, cited.source_url)
    return Citation(number, source, cut(say(cited.quote), QUOTE_CHARS))


def _caveats(content: AnswerContent) -> Words:
    doubts = ["No document backs this answer: treat it as a guess."] if content.ungrounded else []
    doubts += _unverified(content.sentences)
    said: list[Words] = [(Bold((Plain("Careful."),)),)] if doubts else []
    said += [say(" ".join([*doubts, content.note]))]
    said += [(Plain("Still open: "), *say(short(question, 150))) for question in content.open_questions[:2]]
    return _spaced(said)


def _spaced(sentences: Iterable[Words]) -> Words:
    return tuple(part for words in sentences if words for part in (Plain(" "), *words))[1:]


def _unverified(sentences: tuple[AnswerSentence, ...]) -> list[str]:
    counts = {
        "partial": "only partly supported by the wording of its source",
        "unsupported": "not supported by the wording of its source",
        "uncited": "without a source",
    }
    found = {verdict: sum(s.verdict == verdict for s in sentences) for verdict in counts}
    return [f"{plural(found[verdict], 'sentence')} {words}." for verdict, words in counts.items() if found[verdict]]


def _watching(content: AnswerContent) -> Words:
    quoted = content.sentences and all(sentence.verdict == "quoted" for sentence in content.sentences)
    start = "Quoted word for word. " if quoted else ""
    names = listed(content.watch_names)
    return (Plain(start), *((Plain("“Watch this” follows "), *names, Plain(".")) if names else ()))


def _actions(content: AnswerContent) -> tuple[Action, ...]:
    save = Button("answer_save", content.target, content.nonce, "Save answer", style="primary")
    watch = Button("watch_create", content.target, content.nonce, "Watch this")
    return (*(() if content.saved else (save,)), *((watch,) if content.watch_names else ()))
