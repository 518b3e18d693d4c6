"""The Saved Answer Updated card: the evidence beneath something you saved has moved."""

from dataclasses import dataclass
from typing import Literal

from cards.actions import Action, Button
from cards.diff import marked
from cards.inline import Date, Plain, Words, blank, say, sentence, spaced
from cards.limits import ROWS
from cards.model import Block, Card, Change, Context, Item, Rows, Text
from cards.phrases import PAUSE, SIDE_CHARS, heading, plural, short, unmarked

Status = Literal["current", "partially_stale", "stale", "pending", "conflicted", "invalidated", "superseded"]
Verdict = Literal["supported", "partial", "unsupported", "gone", "pending", "conflicted", "decided", "unchecked"]

STATUS_WORDS: dict[Status, str] = {
    "current": "Its sources still say what it says.",
    "partially_stale": "Part of it no longer matches its sources.",
    "stale": "None of it matches its sources any more.",
    "pending": "It waits for an open question to be answered.",
    "conflicted": "A question it depends on has conflicting answers.",
    "invalidated": "Its source is gone, so it can no longer be checked.",
    "superseded": "You have a newer answer to this question.",
}
VERDICT_WORDS: dict[Verdict, str] = {
    "supported": "Supported by the wording",
    "partial": "Only partly supported by the wording",
    "unsupported": "No longer supported by the wording",
    "gone": "Its source was removed",
    "pending": "Waiting for an open question",
    "conflicted": "An open question has conflicting answers",
    "decided": "An open question about it has been answered",
    "unchecked": "The wording could not be checked",
}
_IMPLIED: dict[Status, frozenset[Verdict]] = {
    "current": frozenset({"supported"}),
    "partially_stale": frozenset({"partial", "unsupported"}),
    "stale": frozenset({"unsupported"}),
    "pending": frozenset({"pending"}),
    "conflicted": frozenset({"conflicted"}),
    "invalidated": frozenset({"gone"}),
    "superseded": frozenset(),
}
"""The verdicts that a status says already."""
_REFRESHABLE: frozenset[Status] = frozenset({"stale", "partially_stale"})
"""Statuses that asking again can mend."""
SETTLED: frozenset[Status] = frozenset({"current", "superseded"})
"""Statuses of an answer that needs no second look."""
REFRESH_QUESTION = (
    "This asks your question again with today’s documents and uses a little of your team’s answer budget. "
    "The answer you saved stays as it is."
)


@dataclass(frozen=True, slots=True)
class ChangedClaim:
    """What the answer said, and the passage that has replaced its evidence (empty when there is none)."""

    saved: str
    now: str
    verdict: Verdict
    section_path: tuple[str, ...] = ()
    source_name: str = ""
    source_url: str | None = None


@dataclass(frozen=True, slots=True)
class StaleAnswer:
    """`target` is the answer, `watch_target` its owner's watch on it."""

    target: str
    question: str
    status: Status
    material: bool
    claims: tuple[ChangedClaim, ...]
    saved_at: int
    watch_target: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerUpdatedContent:
    answers: tuple[StaleAnswer, ...]
    nonce: str
    more: int = 0


def answer_updated(content: AnswerUpdatedContent) -> Card:
    """One answer in full, or one row an answer where a change hit several."""
    if len(content.answers) == 1 and not content.more:
        return _single(content.answers[0], content.nonce)
    return _several(content)


def _title(answer: StaleAnswer) -> str:
    if answer.status == "invalidated":
        return "Your saved answer lost its source"
    return "Your saved answer may be wrong" if answer.material else "Your saved answer has changed"


def _single(answer: StaleAnswer, nonce: str) -> Card:
    title = _title(answer)
    rows = tuple(_claim_row(claim, answer.status) for claim in answer.claims[:ROWS])
    blocks: tuple[Block, ...] = (
        Text((Plain("You asked: "), *say(short(answer.question, 300)))),
        Rows(rows, more=len(answer.claims[ROWS:])),
        Text((Plain(STATUS_WORDS[answer.status]),)),
        Context(_why(answer)),
    )
    fallback = (Plain(f"{title}: "), Plain(short(answer.question, 100)))
    return Card((Plain(title),), blocks, _actions(answer, nonce), fallback, _severity((answer,)))


def _why(answer: StaleAnswer) -> Words:
    saved: Words = (Plain("You get this because you saved the answer on "), Date(answer.saved_at))
    if answer.watch_target is not None:
        return saved
    return spaced((sentence(saved), say(PAUSE)))


def _severity(answers: tuple[StaleAnswer, ...]) -> Literal["normal", "material"]:
    return "material" if any(answer.material for answer in answers) else "normal"


def _claim_row(claim: ChangedClaim, status: Status) -> Change:
    before, after = marked(claim.saved, claim.now, SIDE_CHARS)
    known = heading(claim.section_path, claim.source_name, claim.source_url) if claim.source_name else ()
    verdict = () if claim.verdict in _IMPLIED[status] else (Plain(VERDICT_WORDS[claim.verdict]),)
    return Change(
        before=unmarked(before) if blank(after) else before,
        after=after,
        heading=known,
        note=verdict,
        before_label="You saved",
        after_label="Source now says",
    )


def _actions(answer: StaleAnswer, nonce: str) -> tuple[Action, ...]:
    helps = answer.status in _REFRESHABLE
    refresh = () if answer.status == "superseded" else (refresh_button(answer.target, nonce, primary=helps),)
    if answer.watch_target is None:
        return refresh
    return (*refresh, Button("watch_mute", answer.watch_target, nonce, "Stop watching", arg="stop"))


def refresh_button(target: str, nonce: str, *, primary: bool = False) -> Button:
    style: Literal["primary", "normal"] = "primary" if primary else "normal"
    return Button("answer_refresh", target, nonce, "Refresh answer", style=style, confirm=REFRESH_QUESTION)


def _several(content: AnswerUpdatedContent) -> Card:
    total = len(content.answers) + content.more
    title = (Plain(f"{plural(total, 'saved answer')} may have changed"),)
    rows = tuple(_answer_row(answer, content.nonce) for answer in content.answers[:ROWS])
    more = content.more + len(content.answers[ROWS:])
    blocks: tuple[Block, ...] = (
        Rows(rows, more=more, more_hint="Write “saved” to see them all."),
        Context((Plain("One change reached all of these. Write “watching” to stop hearing about any of them."),)),
    )
    return Card(title, blocks, (), title, _severity(content.answers))


def _answer_row(answer: StaleAnswer, nonce: str) -> Item:
    heading: Words = say(short(answer.question, 150)) or (Plain("A saved answer"),)
    urgent = "It may be wrong: a number or a “not” differs. " if answer.material else ""
    note = (Plain(urgent + STATUS_WORDS[answer.status]),)
    return Item(heading, note, (refresh_button(answer.target, nonce),))
