"""A window that is not valid says what is wrong, where, and what would be right; its figures hold in any case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contextplan import Compaction, ContextPlanError, Window
from tests.strategies.conversations import windows

whole = st.integers(-300, 300)


@pytest.mark.parametrize(
    ("window", "words"),
    [
        (Window(0, -1), "max_tokens is 0; it must be above 0"),
        (Window(9, -1), "reserve is -1; it must be 0 or more"),
        (Window(9, 9), "reserve is 9; it must be below max_tokens, 9"),
        (Window(9, 0, Compaction(101)), "trigger_percent is 101; it must be 0 to 100"),
        (Window(9, 0, Compaction(0, -1)), "target_percent is -1; it must be 0 to 100"),
        (Window(9, 0, Compaction(10)), "target_percent comes to 10; it must be below trigger_percent, 10"),
        (Window(9, 0, Compaction(target_tokens=-1)), "target_tokens is -1; it must be 0 or more"),
        (Window(9, 0, Compaction(recent_tail=-1)), "recent_tail is -1; it must be 0 or more"),
        (Window(9, 0, Compaction(recent_tail=65)), "recent_tail is 65; it must be 64 or less"),
        (Window(9, 0, Compaction(preserve_names=("a", ""))), "preserve_names[1] is empty; leave it out"),
        (Window(9, 0, Compaction(preserve_names=("a", "a"))), "preserve_names[1] repeats 'a'; name it once"),
        (Window(9, 1, Compaction(target_tokens=8)), "target_tokens is 8; it must be below max_tokens less reserve, 8"),
    ],
)
def test_the_rule_that_is_broken_is_said(window, words):
    with pytest.raises(ContextPlanError) as caught:
        window.validate()
    assert str(caught.value) == words


@given(windows())
def test_a_valid_window_compacts_within_its_budget(window):
    window.validate()
    assert 0 <= window.compact_trigger <= window.budget
    assert 0 <= window.compact_target < window.budget


@given(whole, whole, whole, whole)
def test_figures_are_cut_towards_zero_and_are_there_for_any_window(most, reserve, trigger, target):
    window, opposite = (Window(sign * most, sign * reserve, Compaction(trigger, target)) for sign in (1, -1))
    assert window.compact_trigger == -opposite.compact_trigger
    assert window.compact_target == -opposite.compact_target
    share = trigger if trigger > 0 else 100
    assert abs(window.compact_trigger) == abs(most - reserve) * share // 100


def test_zero_is_the_default_of_each():
    assert (Compaction().trigger, Compaction().target, Compaction().tail) == (100, 10, 8)
    assert Window(1000, 0).compact_target == 100
