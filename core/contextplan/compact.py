"""A conversation made shorter: what must stay, and as much of the newest as the target allows.

What belongs together stays together: an assistant's tool calls and the answers right after them are one unit, any
other message is one by itself. Some units are kept in any case, even beyond the target; the rest is filled up from the
newest, without a hole: the first unit that would be too much ends it.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from operator import index

from core.contextplan.estimators import TokenEstimator
from core.contextplan.key import key_of
from core.contextplan.messages import Message
from core.contextplan.tally import Tally, tally
from core.contextplan.window import Window
from core.errors import ContextPlanError


@dataclass(frozen=True, slots=True)
class CompactResult:
    """`kept` and `dropped` in their original order; `compacted` is False where the trigger was not reached."""

    kept: tuple[Message, ...]
    dropped: tuple[Message, ...]
    before_tokens: int
    after_tokens: int
    trigger_tokens: int
    target_tokens: int
    compacted: bool
    key: str


def compact(messages: Sequence[Message], window: Window, estimator: TokenEstimator) -> CompactResult:
    """Compact what has reached the window's trigger (page: contextplan, Compact).

    Raises ContextPlanError: a window that is not valid, no messages, none of a user, an estimator that fails, or more
    that must stay than the budget holds.
    """
    window.validate()
    if not messages:
        raise ContextPlanError("no_messages", "there are no messages to compact")
    if not any(message.role == "user" for message in messages):
        raise ContextPlanError("no_objective", "none of the messages is a user's; one must say what is wanted")
    before = _asked(lambda: index(estimator.estimate(messages)))
    if before < window.compact_trigger:
        return _result(messages, (), before, before, window, compacted=False)
    choice = _Choice(messages, _units(messages), tally(estimator))
    after = _choose(choice, window)
    return _result(choice.kept(), choice.dropped(), before, after, window, compacted=True)


def _result(
    kept: Iterable[Message], dropped: Iterable[Message], before: int, after: int, window: Window, *, compacted: bool
) -> CompactResult:
    kept = tuple(kept)
    figures = before, after, window.compact_trigger, window.compact_target
    return CompactResult(kept, tuple(dropped), *figures, compacted, key_of(kept, window))


def _asked(estimate: Callable[[], int]) -> int:
    try:
        return estimate()
    except Exception as error:
        # The words of the error may be those of the conversation.
        raise ContextPlanError("estimate_failed", f"the token estimator failed: {type(error).__name__}") from error


# ── units ──


def _units(messages: Sequence[Message]) -> list[range]:
    units: list[range] = []
    start = 0
    while start < len(messages):
        end, ids = start + 1, _call_ids(messages[start])
        while end < len(messages) and messages[end].role == "tool" and messages[end].tool_call_id in ids:
            end += 1
        units.append(range(start, end))
        start = end
    return units


def _call_ids(message: Message) -> frozenset[str]:
    return frozenset(call.id for call in message.tool_calls) if message.role == "assistant" else frozenset()


def _is_complete(unit: Sequence[Message]) -> bool:
    """A unit of tool calls that has an answer to each."""
    ids = _call_ids(unit[0])
    return bool(ids) and ids == {message.tool_call_id for message in unit[1:]}


# ── the choice ──


@dataclass(slots=True)
class _Choice:
    messages: Sequence[Message]
    units: Sequence[range]
    tally: Tally
    chosen: set[int] = field(default_factory=set)
    """Numbers of units."""

    def tried(self, numbers: Collection[int]) -> int:
        """The estimate of what is chosen with these units among it."""
        return _asked(lambda: self.tally.tried(self._of(numbers), lambda _: self._of(self.chosen.union(numbers))))

    def take(self, numbers: Collection[int]) -> None:
        self.tally.take()
        self.chosen.update(numbers)

    def unit(self, number: int) -> Sequence[Message]:
        place = self.units[number]
        return self.messages[place.start : place.stop]

    def kept(self) -> list[Message]:
        return self._of(self.chosen)

    def dropped(self) -> list[Message]:
        return self._of(set(range(len(self.units))) - self.chosen)

    def _of(self, numbers: Collection[int]) -> list[Message]:
        return [message for number in sorted(numbers) for message in self.unit(number)]


def _choose(choice: _Choice, window: Window) -> int:
    """The estimate of what is chosen in the end."""
    needed = _mandatory(choice, frozenset(window.compaction.preserve_names))
    after = choice.tried(needed)
    if after > window.budget:
        words = f"what must be kept is estimated at {after} tokens, and the window has room for {window.budget}"
        raise ContextPlanError("retention_overflow", f"{words}; preserve fewer names, or use a model that holds more")
    choice.take(needed)
    return _fill_up(choice, after, window)


def _mandatory(choice: _Choice, names: Collection[str]) -> set[int]:
    """The system's word, who must be preserved, what is wanted, and the last tool calls that were all answered."""
    numbers = range(len(choice.units))
    firsts = [choice.messages[unit.start] for unit in choice.units]
    needed = {number for number in numbers if any(message.name in names for message in choice.unit(number))}
    if firsts[0].role == "system":
        needed.add(0)
    needed.add(next(number for number in reversed(numbers) if firsts[number].role == "user"))
    needed.update(next(([number] for number in reversed(numbers) if _is_complete(choice.unit(number))), []))
    return needed


def _fill_up(choice: _Choice, after: int, window: Window) -> int:
    room, target = window.compaction.tail, window.compact_target
    for number in reversed(range(len(choice.units))):
        if number in choice.chosen:
            continue
        room -= len(choice.units[number])
        if room < 0 or (grown := choice.tried([number])) > target:
            break
        choice.take([number])
        after = grown
    return after
