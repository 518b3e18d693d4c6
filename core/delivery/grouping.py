"""Which cards a person's waiting deliveries make, what was different, and what a card permits. Pure."""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from core.model.clarifying import DONT_KNOW, ClarificationState
from core.model.evidence import BriefLine, SectionChange
from core.model.grants import MUTES, PermittedAction
from core.model.notices import AnswersNotice, BriefNotice, Notice, QuestionLine, QuestionNotice, RestNotice
from core.model.ports import Piece
from core.model.preferences import settable
from core.model.watching import Cadence, ScopeType
from core.model.work import Offer
from core.text.fold import fold

CHANGES, ANSWERS, BRIEF, QUESTION = "memory_change", "answer_updated", "brief", "clarification"
"""Kinds of card that the bot sends by itself: of changes as they come, of saved answers, of a period; and to ask."""
RESTING = "resting"
"""And of watches that rest."""


def offered(notice: Notice) -> Offer:
    """What a card permits: to vote, to refresh answers, to begin, mute or stop watches, to set a brief’s day."""
    if isinstance(notice, QuestionNotice):
        numbers = tuple(str(option.number) for option in notice.options)
        vote = PermittedAction("clarify_vote", str(notice.clarification_id), (*numbers, DONT_KNOW))
        return Offer((vote,) if notice.may_vote else ())
    if isinstance(notice, BriefNotice):
        watchable = dict.fromkeys(_to_watch(line) for line in notice.lines if line.watch_target)
        ends = (settable("brief_day"),) if notice.period is Cadence.WEEKLY else ()
        return Offer((*ends, *watchable))
    if isinstance(notice, RestNotice):
        return Offer(tuple(PermittedAction("watch_mute", str(one.watch_id), ("stop",)) for one in notice.watches))
    if isinstance(notice, AnswersNotice):
        refresh = [PermittedAction("answer_refresh", str(answer.answer_id)) for answer in notice.answers]
        stop = [PermittedAction("watch_mute", str(answer.watch_id), MUTES) for answer in notice.answers]
        return Offer((*refresh, *stop))
    return Offer(tuple(PermittedAction("watch_mute", str(reason.watch_id), MUTES) for reason in notice.reasons))


def _to_watch(line: BriefLine | QuestionLine) -> PermittedAction:
    target = str(line.watch_target)
    return question_watched(target) if isinstance(line, QuestionLine) else PermittedAction("watch_create", target)


def question_watched(clarification_id: str) -> PermittedAction:
    """To watch a question: the argument says what kind of thing it is, for else it would be looked for as a section."""
    return PermittedAction("watch_create", clarification_id, (ScopeType.CLARIFICATION.value,))


def withheld(notice: Notice) -> str | None:
    """Why somebody is not asked after all; None where they are to be."""
    if not isinstance(notice, QuestionNotice):
        return None
    if notice.state is not ClarificationState.PENDING:
        return "settled"
    if not notice.may_vote:
        return "not_authorised"
    return None if notice.options else "nothing_visible"


def changes(before: Sequence[Piece], after: Sequence[Piece]) -> list[SectionChange]:
    """What was replaced, removed or added between two readings of the same place, in document order."""
    matcher = SequenceMatcher(None, [_key(piece) for piece in before], [_key(piece) for piece in after], autojunk=False)
    found: list[SectionChange] = []
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag != "equal":
            found += _pairs(before[a1:a2], after[b1:b2])
    return found


def _pairs(removed: Sequence[Piece], added: Sequence[Piece]) -> Iterable[SectionChange]:
    """Pair what was removed with what stands in its place, in order; the rest was only removed, or only added."""
    for i in range(max(len(removed), len(added))):
        old = removed[i] if i < len(removed) else None
        new = added[i] if i < len(added) else None
        before, after = (piece[1] if piece else "" for piece in (old, new))
        if old and new and before == after:
            before, after = (f"{' › '.join(piece[0])}: {piece[1]}" for piece in (old, new))
        yield SectionChange((new or old or ((), ""))[0], before, after)


def _key(piece: Piece) -> tuple[tuple[str, ...], str]:
    """Words and where they stand: a passage that moved under another heading says something else."""
    return piece[0], fold(piece[1])
