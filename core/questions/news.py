"""What of a question is news, and which questions some words name. Pure."""

from collections.abc import Collection, Sequence
from uuid import UUID

from core.clarifications.conflicts import Statement, choices, same
from core.model.clarifying import ClarificationState
from core.model.notices import Stood
from core.text.terms import terms


def stood(
    state: ClarificationState,
    options: Sequence[Statement],
    bound: int | None,
    alive: Collection[int],
    readable: Collection[UUID] | None,
) -> Stood:
    """How a question stands for a reader of these sources; None: of all. `alive`: the options that may be chosen."""
    if state is ClarificationState.PENDING:
        numbers = distinct(options, [number for number in sorted(alive) if admits(options[number], readable)])
    elif state is ClarificationState.BOUND and bound is not None and admits(options[bound], readable):
        numbers = [bound]
    else:
        numbers = []
    return Stood(state, tuple(options[number].value for number in numbers))


def differs(before: Stood | None, after: Stood) -> bool:
    return before is None or before.state is not after.state or not same(list(before.said), list(after.said))


def admits(option: Statement, readable: Collection[UUID] | None) -> bool:
    """Whether an option may be read; `readable` None: by whoever reads all."""
    return readable is None or option.sources.issubset(readable)


def distinct(options: Sequence[Statement], numbers: Sequence[int]) -> list[int]:
    """One number for each thing that is said."""
    chosen_of = choices(options, numbers)
    return sorted({chosen_of[number] for number in numbers})


def named_by(words: str, *texts: str) -> bool:
    """Whether all that `words` speak of is spoken of in these texts."""
    wanted = set(terms(words))
    return bool(wanted) and wanted.issubset(term for text in texts for term in terms(text))
