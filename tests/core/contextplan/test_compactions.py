"""What a compaction keeps: what must stay, the newest of the rest without a hole, and what belongs together."""

from collections.abc import Sequence
from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contextplan import (
    ByteEstimator,
    Compaction,
    CompactResult,
    ContextPlanError,
    Message,
    ToolCall,
    Window,
    compact,
)
from tests.fakes.estimators import Figured, in_bytes, size
from tests.strategies.conversations import additive_estimators, conversations, windows

ESTIMATOR = ByteEstimator()


def outcome(messages: Sequence[Message], window: Window, estimator=ESTIMATOR) -> CompactResult | str:
    """The result, or the kind of the error."""
    try:
        return compact(messages, window, estimator)
    except ContextPlanError as error:
        return error.kind


def done(result: CompactResult | str) -> bool:
    return not isinstance(result, str) and result.compacted


def groups(messages: Sequence[Message]) -> list[list[Message]]:
    """What belongs together, found by going through it once."""
    found: list[list[Message]] = []
    ids: set[str] = set()
    for message in messages:
        if message.role == "tool" and message.tool_call_id in ids:
            found[-1].append(message)
        else:
            ids = {call.id for call in message.tool_calls} if message.role == "assistant" else set()
            found.append([message])
    return found


def identities(messages: Sequence[Message]) -> list[int]:
    return [id(message) for message in messages]


def mandatory(messages: Sequence[Message], names: Sequence[str]) -> list[list[Message]]:
    found = groups(messages)
    complete = [
        group
        for group in found
        if len(group) > 1 and {call.id for call in group[0].tool_calls} == {each.tool_call_id for each in group[1:]}
    ]
    wanted = [group for group in found if group[0].role == "user"]
    needed = [group for group in found if any(message.name in names for message in group)]
    return [*needed, *complete[-1:], *wanted[-1:], *([found[0]] if messages[0].role == "system" else [])]


# ── always ──


@given(conversations(), windows(), additive_estimators())
def test_whatever_is_kept_is_in_its_order_and_so_is_what_is_dropped(messages, window, estimator):
    result = outcome(messages, window, estimator)
    if not isinstance(result, str):
        kept, dropped = set(identities(result.kept)), set(identities(result.dropped))
        assert identities(result.kept) == [each for each in identities(messages) if each in kept]
        assert identities(result.dropped) == [each for each in identities(messages) if each in dropped]
        assert len(kept) + len(dropped) == len(messages)


@given(conversations(), windows(), additive_estimators())
def test_the_figures_are_those_of_the_estimator(messages, window, estimator):
    result = outcome(messages, window, estimator)
    if not isinstance(result, str):
        assert result.before_tokens == estimator.estimate(messages)
        assert result.after_tokens == estimator.estimate(result.kept)
        assert result.after_tokens <= window.budget
        assert (result.trigger_tokens, result.target_tokens) == (window.compact_trigger, window.compact_target)
        assert result.compacted == (result.before_tokens >= window.compact_trigger)


@given(conversations(), windows())
def test_below_the_trigger_everything_passes_through_and_at_it_nothing_does(messages, window):
    before, names = ESTIMATOR.estimate(messages), window.compaction.preserve_names
    result = outcome(messages, Window(before + 1, 0, Compaction(preserve_names=names)))
    assert (result.kept, result.dropped, result.compacted) == (tuple(messages), (), False)
    assert outcome(messages, Window(before, 0, Compaction(preserve_names=names))).compacted


# ── what stays ──


@given(conversations(), windows())
def test_calls_and_their_answers_stay_or_go_together(messages, window):
    result = outcome(messages, window)
    if done(result):
        kept = set(identities(result.kept))
        assert all(len({each in kept for each in identities(group)}) == 1 for group in groups(messages))


@given(conversations(), windows())
def test_what_must_stay_stays_or_is_more_than_the_budget(messages, window):
    needed = [id(each) for group in mandatory(messages, window.compaction.preserve_names) for each in group]
    result = outcome(messages, window)
    if done(result):
        assert set(needed) <= set(identities(result.kept))
    if result == "retention_overflow":
        assert ESTIMATOR.estimate([each for each in messages if id(each) in needed]) > window.budget


@given(conversations(), windows())
def test_the_rest_is_filled_from_the_newest_without_a_hole_and_until_it_is_full(messages, window):
    result = outcome(messages, window)
    if not done(result):
        return
    kept = set(identities(result.kept))
    needed = {id(group[0]) for group in mandatory(messages, window.compaction.preserve_names)}
    rest = [group for group in reversed(groups(messages)) if id(group[0]) not in needed]
    tail = list(takewhile(lambda group: id(group[0]) in kept, rest))
    assert not any(id(group[0]) in kept for group in rest[len(tail) :])
    long = sum(map(len, tail))
    assert long <= window.compaction.tail
    if tail:
        assert result.after_tokens <= window.compact_target
    if len(tail) < len(rest):
        more = rest[len(tail)]
        grown = result.after_tokens + sum(map(ESTIMATOR.cost, more))
        assert long + len(more) > window.compaction.tail or grown > window.compact_target


@given(conversations(), windows(), st.randoms(use_true_random=False))
def test_the_order_of_independent_answers_decides_nothing(messages, window, dice):
    shuffled = [each for group in groups(messages) for each in [group[0], *dice.sample(group[1:], len(group) - 1)]]
    one, other = outcome(messages, window), outcome(shuffled, window)
    if isinstance(one, str):
        assert other == one
    else:
        assert set(identities(other.kept)) == set(identities(one.kept))
        assert other.after_tokens == one.after_tokens


@given(conversations(), windows(), st.integers(0, 5))
def test_the_same_input_gives_the_same_compaction_whatever_was_compacted_before(messages, window, others):
    first = outcome(messages, window)
    for length in range(others):
        outcome(messages[:length], window)
    assert outcome(list(messages), window) == first


# ── errors ──


def turn(text: str, role: str = "user") -> Message:
    return Message(role, text.encode())


@pytest.mark.parametrize(
    ("messages", "window", "kind"),
    [
        ([], Window(0, 0), "max_tokens_not_positive"),
        ([], Window(9, 0), "no_messages"),
        ([turn("a", "system"), turn("b", "assistant")], Window(9, 0), "no_objective"),
        ([turn("a" * 10), turn("b" * 10)], Window(9, 0), "retention_overflow"),
    ],
)
def test_an_error_is_of_its_kind_and_leaves_nothing(messages, window, kind):
    with pytest.raises(ContextPlanError) as caught:
        compact(messages, window, Figured(in_bytes))
    assert caught.value.kind == kind


def test_the_first_rule_that_is_broken_is_named_before_the_estimator_is_asked():
    estimator = Figured(in_bytes, fail_at_counts=[1])
    assert outcome([turn("a", "assistant")], Window(9, 0), estimator) == "no_objective"
    assert estimator.asked == []


@given(conversations(max_size=8), st.integers(0, 10))
def test_an_estimator_that_fails_at_any_step_fails_the_compaction_and_quotes_nobody(messages, count):
    window = Window(10_000, 0, Compaction(1, target_tokens=9_000, recent_tail=64))
    estimator = Figured(lambda some: 100 + sum(map(size, some)), fail_at_counts=[count])
    result = outcome(messages, window, estimator)
    assert (result == "estimate_failed") == (count in estimator.asked)


def test_why_an_estimator_failed_is_the_cause_and_none_of_its_words():
    with pytest.raises(ContextPlanError) as caught:
        compact([turn("secret")], Window(9, 0), Figured(lambda some: int(some[0].content)))
    assert isinstance(caught.value.__cause__, ValueError)
    assert "secret" not in str(caught.value)


# ── by hand ──


def test_a_call_that_was_not_answered_is_no_answered_one_and_an_older_one_is_kept_for_it():
    def call(name: str) -> Message:
        return Message("assistant", b"", tool_calls=(ToolCall(name, b"{}"),))

    answered = [call("a"), Message("tool", b"found", tool_call_id="a")]
    messages = [turn("old"), *answered, turn("w" * 99, "assistant"), call("b"), turn("new")]
    result = compact(messages, Window(200, 0, Compaction(10, target_tokens=1)), ESTIMATOR)
    assert result.kept == (*answered, turn("new"))
    assert result.dropped == (turn("old"), turn("w" * 99, "assistant"), call("b"))
