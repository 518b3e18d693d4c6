"""From core's values to card contents: the only place where the two meet. Pure."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from cards.actions import Option
from cards.answer import AnswerCitation, AnswerContent, AnswerSentence, SentenceVerdict, answer
from cards.answer_updated import AnswerUpdatedContent, ChangedClaim, StaleAnswer, Status, Verdict, answer_updated
from cards.clarification import ClarificationContent, OptionWords, clarification
from cards.codec import from_json, to_json
from cards.memory_change import MatchedWatch, MemoryChangeContent, memory_change
from cards.model import Card
from cards.notices import AnswerEntry, RestEntry, WatchChoice, WatchEntry, WhyContent, redacted, resting, why
from cards.phrases import ChangeKind, ChangeLine, plural
from cards.questions import Line, QuestionLine, Stood
from cards.weekly_brief import BriefLine, Period, WeeklyBriefContent, weekly_brief
from core.answers.recheck import DECIDED
from core.model import evidence, notices
from core.model.answers import Answer, Claim, SavedAnswer
from core.model.clarifying import ClarificationState, OpenQuestion
from core.model.grants import PACES, PermittedAction
from core.model.notices import (
    AnswerMoved,
    AnswersNotice,
    BriefNotice,
    ChangeNotice,
    ClaimDiff,
    Notice,
    QuestionNotice,
    Resting,
    RestNotice,
)
from core.model.preferences import OFF, WEEKDAYS, Preferences
from core.model.verdicts import Support
from core.model.watching import Cadence, EventKind, FireView, ScopeType, Suspension, WatchView
from core.model.work import Offer
from core.text.fold import plain

_HEARD = {
    EventKind.FACT_CHANGED: "{count} in its words",
    EventKind.FACT_TOMBSTONED: "{count}: it was removed",
    EventKind.NEW_SOURCE_VERSION: "{count}: a new version of the document",
    EventKind.QUERY_RESULTS_CHANGED: "{count} in what a query finds",
    EventKind.CLARIFICATION_OPENED: "{count}: a question was asked again",
    EventKind.CLARIFICATION_BOUND: "{count}: a question was settled",
    EventKind.CLARIFICATION_CONFLICTED: "{count}: people could not agree on a question",
    EventKind.ANSWER_STALE: "{count} in what a saved answer rests on",
}
_BECAME = {
    "sent": "It was sent to you.",
    "pending": "It waits to be sent.",
    "fired": "It waits to be sent.",
    "carried": "Your next card or brief tells it.",
    "skipped": "It was not sent.",
    "delivered": "It was sent to you.",
}

_RESTS: dict[str, tuple[str, str]] = {
    Suspension.NOT_READABLE: (
        "you may no longer read what it is on",
        "When you may again, it goes on with the next change.",
    ),
    Suspension.UNREACHABLE: ("it could not be delivered", "It goes on as soon as that can be done again."),
    Suspension.BROKEN: ("its query no longer works", "Stop it, and make it anew with a query that does."),
}
"""Why a watch rests, and what brings it back."""
_GONE = "what it is on is gone, or has another heading: stop it, and watch what stands there now"
_UNSAID = ("it was switched off", "Watch it again to have it back.")
_PERIODS: dict[Cadence, Period] = {Cadence.HOURLY: "hour", Cadence.DAILY: "day", Cadence.WEEKLY: "week"}

_BORNE: dict[Support, SentenceVerdict] = {
    Support.SUPPORTED: "supported",
    Support.PARTIAL: "partial",
    Support.UNSUPPORTED: "unsupported",
}


def present(notice: Notice, nonce: str) -> dict[str, Any]:
    """The card of a notice, as stored."""
    return to_json(notice_card(notice, nonce))


def withdrawn(card: dict[str, Any]) -> dict[str, Any]:
    """What is left of a stored card whose words may not be shown any more: what came of its taps, if not erased."""
    return to_json(replace(redacted(), outcomes=from_json(card).outcomes if card else ()))


def notice_card(notice: Notice, nonce: str) -> Card:
    match notice:
        case AnswersNotice(answers):
            return answer_updated(AnswerUpdatedContent(tuple(map(_stale, answers)), nonce))
        case BriefNotice():
            return _brief(notice, nonce)
        case QuestionNotice():
            return _question(notice, nonce)
        case RestNotice():
            return _resting(notice, nonce)
        case ChangeNotice():
            return _memory_change(notice, nonce)


def _memory_change(notice: ChangeNotice, nonce: str) -> Card:
    found = [line for changed in notice.lines for line in _lines(changed)]
    changes = sorted(_once(found), key=lambda line: line.kind != "changed")
    lines: list[Line] = [*map(_question_line, notice.questions), *changes]
    watches = tuple(MatchedWatch(one.name, str(one.watch_id), shared=not one.own) for one in notice.reasons)
    return memory_change(MemoryChangeContent(tuple(lines), watches, nonce, more=notice.more))


def _resting(notice: RestNotice, nonce: str) -> Card:
    return resting(tuple(map(_rest_entry, notice.watches)), nonce)


def _rest_entry(rest: Resting) -> RestEntry:
    if rest.reason is None:
        why, way_back = "It could not tell you anything for a while.", "It goes on by now."
        return RestEntry(str(rest.watch_id), rest.name, why, way_back, goes_on=True)
    why, way_back = _RESTS.get(rest.reason, _UNSAID)
    return RestEntry(str(rest.watch_id), rest.name, f"It rests, since {why}.", way_back)


def _brief(notice: BriefNotice, nonce: str) -> Card:
    lines = tuple(map(_brief_line, notice.lines))
    answers = tuple(map(answer_entry, notice.answers))
    period = _PERIODS[notice.period]
    return weekly_brief(WeeklyBriefContent(lines, nonce, notice.more, notice.watches, period, answers))


def _question(notice: QuestionNotice, nonce: str) -> Card:
    options = tuple(Option(str(option.number), _said(option.value)) for option in notice.options)
    words = tuple(
        OptionWords(_said(option.value), _citation(passage)) for option in notice.options for passage in option.passages
    )
    chosen = _said(notice.voted_for.value) if notice.voted_for else None
    settled = _said(notice.settled.value) if notice.settled else None
    return clarification(
        ClarificationContent(
            str(notice.clarification_id),
            notice.question,
            f"somebody on your team asks about “{notice.about}”." if notice.about else "documents differ.",
            options,
            nonce,
            notice.state.value,
            may_vote=notice.may_vote,
            words=words,
            voted=notice.voted,
            chosen=chosen,
            withheld=notice.withheld,
            settled=settled,
        )
    )


def _said(value: Any) -> str:
    """A JSON value in words."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _brief_line(line: evidence.BriefLine | notices.QuestionLine) -> BriefLine:
    target = str(line.watch_target) if line.watch_target else None
    if isinstance(line, notices.QuestionLine):
        return BriefLine(_question_line(line), line.material, target, watch_arg=ScopeType.CLARIFICATION.value)
    first, *further = _lines(line.change)
    return BriefLine(first, line.material, target, len(further))


def _question_line(line: notices.QuestionLine) -> QuestionLine:
    path = below((line.about,) if line.about else (), line.source_name)
    before = _stood(line.before) if line.before else None
    url = web_address(line.source_uri)
    return QuestionLine(line.question, path, line.source_name, url, before, _stood(line.after), line.change_tx)


def _stood(found: notices.Stood) -> Stood:
    return Stood(found.state.value, tuple(map(_said, found.said)))


def _once(lines: Sequence[ChangeLine]) -> list[ChangeLine]:
    """Each changed passage once, though a watch on its section and one on its document both found it."""
    return list({(line.source_name, line.section_path, line.before, line.after): line for line in lines}.values())


def _lines(changed: evidence.ChangeLine) -> list[ChangeLine]:
    return [
        ChangeLine(
            section_path=below(change.path, changed.source_name),
            source_name=changed.source_name,
            source_url=web_address(changed.source_uri),
            before=change.before,
            after=change.after,
            kind=_kind(change.before, change.after),
            learned=changed.learned,
            valid_from=changed.valid_from,
        )
        for change in changed.changes
    ]


def _kind(before: str, after: str) -> ChangeKind:
    if not before:
        return "added"
    return "changed" if after else "removed"


def _stale(moved: AnswerMoved) -> StaleAnswer:
    status: Status = moved.status  # type: ignore[assignment]  # core's own statuses, by the same names
    return StaleAnswer(
        target=str(moved.answer_id),
        question=moved.question,
        status=status,
        material=moved.severity is not None,
        claims=tuple(ChangedClaim(claim.before, claim.after, _verdict(claim)) for claim in moved.claims),
        saved_at=moved.saved_at,
        watch_target=str(moved.watch_id),
    )


def _verdict(claim: ClaimDiff) -> Verdict:
    if claim.caveat:
        return "decided" if claim.caveat == DECIDED else "unchecked"
    known: dict[str, Verdict] = {"invalidated": "gone", "pending": "pending", "conflicted": "conflicted"}
    return known.get(claim.state, "unsupported")


def answer_card(found: Answer, nonce: str, *, saved: bool = False, note: str = "") -> Card:
    """The card that answers a question; with the nearest passages where nothing is close enough."""
    cited = _distinct(found.claims) if found.known else list(found.nearest)
    content = AnswerContent(
        question=found.question,
        sentences=tuple(_sentence(claim, cited) for claim in found.claims),
        citations=tuple(_citation(passage) for passage in cited),
        target=str(found.trace_id),
        nonce=nonce,
        watch_names=tuple(section.title for section in found.sections),
        ungrounded=not found.grounded,
        open_questions=tuple(dict.fromkeys(q.question for claim in found.claims for q in claim.questions)),
        saved=saved,
        note=note,
    )
    return answer(content)


def answer_offer(found: Answer) -> Offer:
    """What an answer's card permits: to save it, and to watch what it cites; nothing where it cites nothing."""
    if not _distinct(found.claims):
        return Offer()
    target = str(found.trace_id)
    return Offer((PermittedAction("answer_save", target), PermittedAction("watch_create", target)), target)


def answer_sources(found: Answer) -> list[UUID]:
    """The sources whose words the card may hold."""
    shown = [passage.span.source_id for passage in _distinct(found.claims) or found.nearest]
    return list(dict.fromkeys([*shown, *sorted(found.read)]))


def _distinct(claims: Sequence[Claim]) -> list[evidence.Passage]:
    return list({passage.span: passage for claim in claims for passage in claim.citations}.values())


def _sentence(claim: Claim, cited: Sequence[evidence.Passage]) -> AnswerSentence:
    numbers = tuple(cited.index(passage) + 1 for passage in claim.citations)
    return AnswerSentence(claim.text, numbers, sentence_verdict(claim))


def sentence_verdict(claim: Claim) -> SentenceVerdict:
    """What is said beside a claim; of one without a source there is nothing more to say."""
    if claim.quoted:
        return "quoted"
    if not claim.citations:
        return "uncited"
    if claim.verdict is None:
        return "unchecked"
    return "differs" if claim.severity else _BORNE[claim.verdict.verdict]


def _citation(passage: evidence.Passage) -> AnswerCitation:
    return AnswerCitation(
        passage.source_name,
        web_address(passage.source_uri),
        below(passage.path, passage.source_name),
        plain(passage.text),
    )


def below(path: tuple[str, ...], title: str) -> tuple[str, ...]:
    """The heading path beneath a document's title: a page that begins with its own title says it once."""
    return path[1:] if path and path[0] == title else path


def web_address(uri: str) -> str | None:
    """A source's own address, where a browser can open it."""
    return uri if uri.startswith(("https://", "http://")) else None


def why_card(fire: FireView, person_id: UUID) -> Card:
    """Why a person was told: what their watch heard, and what became of the card."""
    kinds = Counter(event.kind for event in fire.events)
    events = tuple(_HEARD[kind].format(count=plural(times, "change")) for kind, times in kinds.items())
    mine = next((outcome for outcome in fire.recipients if outcome.person_id == person_id), None)
    state, reason = (mine.state, mine.reason) if mine else (fire.status, fire.reason)
    delivered = _BECAME.get(state, state) + (f" ({reason.replace('_', ' ')})" if reason else "")
    return why(WhyContent(fire.window[1], (fire.watch_name,), events, delivered, shared=not fire.own))


def watch_entry(view: WatchView, now: int) -> WatchEntry:
    """A watch in a list, with why it is quiet where it is."""
    muted = view.muted_until > now
    quiet = "muted for now" if muted else _GONE if view.gone else ""
    state = f"rests, since {_RESTS.get(view.suspended, _UNSAID)[0]}" if view.suspended else quiet
    return WatchEntry(str(view.watch_id), view.name, view.cadence.value, state, muted=muted)


def watch_offer(views: Sequence[WatchView], now: int, *, paces: bool = True) -> tuple[PermittedAction, ...]:
    """What a list of watches permits: to end each, or its mute; and, with `paces`, to choose how often it tells."""
    ends = [(view, (OFF, "stop") if view.muted_until > now else ("stop",)) for view in views]
    mute = [PermittedAction("watch_mute", str(view.watch_id), args) for view, args in ends]
    return (*mute, *(PermittedAction("watch_pace", str(view.watch_id), PACES) for view in views if paces))


def answer_entry(saved: SavedAnswer | AnswerMoved) -> AnswerEntry:
    status: Status = saved.status  # type: ignore[assignment]  # core's own statuses, by the same names
    return AnswerEntry(saved.question, status, saved.saved_at, str(saved.answer_id))


def question_choice(question: OpenQuestion) -> WatchChoice:
    """A question among what can be watched."""
    disputed = question.state is ClarificationState.CONFLICTED
    state = "A question on which people could not agree." if disputed else "A question that is open."
    return WatchChoice(str(question.clarification_id), question.question, state, ScopeType.CLARIFICATION.value)


def brief_words(chosen: Preferences, zone: str) -> str:
    """When a person's brief comes."""
    if chosen.brief_day is None:
        return "It is off."
    day = WEEKDAYS[chosen.brief_day].capitalize()
    return f"It comes on {day}s at {chosen.brief_minute // 60}:00, {zone} time, if anything has changed."
