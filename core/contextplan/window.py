"""How much fits: a model's window, what is held back of it for the answer, and when a conversation is compacted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.errors import ContextPlanError

DEFAULT_TRIGGER_PERCENT, DEFAULT_TARGET_PERCENT, DEFAULT_RECENT_TAIL = 100, 10, 8
MOST_RECENT_TAIL = 64

_Rule = tuple[str, bool, str]
"""The kind of the error, whether it is one, and what to say."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """Compact at `trigger_percent` of the budget, down to `target_tokens`, or else to `target_percent` of it.

    `recent_tail`: how many messages may be kept for being recent; `preserve_names`: those kept in any case. Zero means
    the default of each: 100 %, 10 %, 8.
    """

    trigger_percent: int = 0
    target_percent: int = 0
    target_tokens: int = 0
    recent_tail: int = 0
    preserve_names: Sequence[str] = ()

    @property
    def trigger(self) -> int:
        return self.trigger_percent if self.trigger_percent > 0 else DEFAULT_TRIGGER_PERCENT

    @property
    def target(self) -> int:
        return self.target_percent if self.target_percent > 0 else DEFAULT_TARGET_PERCENT

    @property
    def tail(self) -> int:
        return self.recent_tail if self.recent_tail > 0 else DEFAULT_RECENT_TAIL


@dataclass(frozen=True, slots=True)
class Window:
    """`max_tokens` is what a model can hold, `reserve` what is held back for its answer.

    The figures are there for a window that is not valid too; whoever plans or compacts validates first.
    """

    max_tokens: int
    reserve: int
    compaction: Compaction = Compaction()

    @property
    def budget(self) -> int:
        return self.max_tokens - self.reserve

    @property
    def compact_trigger(self) -> int:
        return _percent(self.budget, self.compaction.trigger)

    @property
    def compact_target(self) -> int:
        tokens = self.compaction.target_tokens
        return tokens if tokens > 0 else _percent(self.budget, self.compaction.target)

    def validate(self) -> None:
        """Raises ContextPlanError for the first rule that is broken, in the order of the page (contextplan, Window)."""
        for kind, broken, words in (*self._own_rules(), *_rules_of(self.compaction), self._last_rule()):
            if broken:
                raise ContextPlanError(kind, words)

    def _own_rules(self) -> Iterator[_Rule]:
        most, reserve = self.max_tokens, self.reserve
        yield "max_tokens_not_positive", most <= 0, f"max_tokens is {most}; it must be above 0"
        yield "reserve_negative", reserve < 0, f"reserve is {reserve}; it must be 0 or more"
        yield "reserve_too_large", reserve >= most, f"reserve is {reserve}; it must be below max_tokens, {most}"

    def _last_rule(self) -> _Rule:
        tokens = self.compaction.target_tokens
        words = f"target_tokens is {tokens}; it must be below max_tokens less reserve, {self.budget}"
        return "target_tokens_not_below_budget", tokens > 0 and tokens >= self.budget, words


def _percent(tokens: int, percent: int) -> int:
    """Truncated towards zero, where // would round a negative budget down."""
    share = abs(tokens) * percent // 100
    return share if tokens >= 0 else -share


def _rules_of(compaction: Compaction) -> Iterator[_Rule]:
    tokens, tail = compaction.target_tokens, compaction.recent_tail
    yield _percent_rule("trigger_percent", compaction.trigger_percent)
    yield _percent_rule("target_percent", compaction.target_percent)
    words = f"target_percent comes to {compaction.target}; it must be below trigger_percent, {compaction.trigger}"
    yield "target_percent_not_below_trigger", tokens == 0 and compaction.target >= compaction.trigger, words
    yield "target_tokens_negative", tokens < 0, f"target_tokens is {tokens}; it must be 0 or more"
    yield "recent_tail_negative", tail < 0, f"recent_tail is {tail}; it must be 0 or more"
    words = f"recent_tail is {tail}; it must be {MOST_RECENT_TAIL} or less"
    yield "recent_tail_too_large", tail > MOST_RECENT_TAIL, words
    yield from _name_rules(compaction.preserve_names)


def _percent_rule(name: str, percent: int) -> _Rule:
    return f"{name}_range", not 0 <= percent <= 100, f"{name} is {percent}; it must be 0 to 100"


def _name_rules(names: Sequence[str]) -> Iterator[_Rule]:
    seen: set[str] = set()
    for place, name in enumerate(names):
        yield "preserve_name_empty", not name, f"preserve_names[{place}] is empty; leave it out"
        yield "preserve_name_duplicate", name in seen, f"preserve_names[{place}] repeats {name!r}; name it once"
        seen.add(name)
