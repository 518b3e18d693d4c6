"""An estimator that says that it is additive is asked less, and everything comes out as if it had said nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contextplan import (
    ByteEstimator,
    Calibrated,
    Compaction,
    ContextPlanError,
    ContextPlanner,
    Event,
    Message,
    Session,
    TokenEstimator,
    Window,
    compact,
)
from tests.fakes.estimators import Costed, Figured, largest, size
from tests.fakes.payloads import FakePayloads, FakeSpool
from tests.strategies.conversations import (
    POISON,
    additive_estimators,
    calibrated,
    conversations,
    held,
    messages,
    talks,
    windows,
)

poisoned = messages.map(lambda message: Message("user", message.content + POISON))


def planned(talk, window, estimator):
    payloads, session = held(talk)
    return ContextPlanner(payloads, FakeSpool(60, 200)).plan(session, window, estimator)


def compacted(conversation, window, estimator):
    try:
        return compact(conversation, window, estimator)
    except ContextPlanError as error:
        return error.kind


@given(talks(), windows(), additive_estimators())
def test_a_plan_is_the_same(talk, window, estimator):
    assert planned(talk, window, estimator) == planned(talk, window, estimator.silent())


@given(talks(), windows(), additive_estimators(), st.integers(20, 300))
def test_a_plan_by_a_calibrated_estimator_is_the_same(talk, window, estimator, actual):
    by_costs, by_lists = (calibrated(each, actual) for each in (estimator, estimator.silent()))
    assert planned(talk, window, by_costs) == planned(talk, window, by_lists)


@given(conversations(), windows(), additive_estimators())
def test_a_compaction_is_the_same(conversation, window, estimator):
    assert compacted(conversation, window, estimator) == compacted(conversation, window, estimator.silent())


@given(conversations(), windows(), additive_estimators(), st.integers(20, 300))
def test_a_compaction_by_a_calibrated_estimator_is_the_same(conversation, window, estimator, actual):
    by_costs, by_lists = (calibrated(each, actual) for each in (estimator, estimator.silent()))
    assert compacted(conversation, window, by_costs) == compacted(conversation, window, by_lists)


@given(conversations(), windows(), poisoned)
def test_a_compaction_fails_the_same_where_one_message_cannot_be_estimated(conversation, window, message):
    estimator = Costed(size, poison=POISON)
    spoilt = [*conversation, message]
    assert compacted(spoilt, window, estimator) == compacted(spoilt, window, estimator.silent()) == "estimate_failed"


def test_an_overhead_that_fails_fails_every_estimate_and_no_plan():
    class NoOverhead:
        @property
        def overhead(self) -> int:
            raise RuntimeError

        def cost(self, message: Message) -> int:
            return 1

        def estimate(self, messages) -> int:
            return self.overhead

    result = session_plan(3, Window(99, 0), NoOverhead())
    assert (result.messages, len(result.elisions), result.estimated_tokens) == ((), 3, 0)


# ── what it is asked ──


def session_plan(events: int, window: Window, estimator: TokenEstimator):
    payloads = FakePayloads()
    refs = [payloads.put(b"%06d" % number) for number in range(events)]
    return ContextPlanner(payloads).plan(Session([Event(ref, "user", "message") for ref in refs]), window, estimator)


def test_a_long_session_is_estimated_as_a_whole_once():
    for kept in (3_000, 50):
        estimator = Costed(size)
        assert len(session_plan(3_000, Window(6 * kept, 0), estimator).messages) == kept
        assert estimator.asked == [kept]


def test_a_calibrated_one_is_asked_no_more():
    estimator = Costed(size)
    assert len(session_plan(3_000, Window(6 * 2_000, 0), Calibrated(estimator)).messages) == 2_000
    assert estimator.asked == [2_000]


def test_a_compaction_estimates_a_whole_once():
    conversation = [Message("user", b"%06d" % number) for number in range(500)]
    estimator = Costed(size)
    result = compact(conversation, Window(2_000, 0, Compaction(target_tokens=150, recent_tail=64)), estimator)
    assert (len(result.kept), result.after_tokens, estimator.asked) == (25, 150, [500])


def test_one_that_is_not_additive_is_asked_of_every_list_and_of_none_after_the_overflow():
    estimator = Figured(largest)
    assert len(session_plan(20, Window(11, 0), estimator).messages) == 5
    assert estimator.asked == [1, 2, 3, 4, 5, 6, 5]


def test_one_that_offers_a_cost_without_an_overhead_is_not_additive():
    class Half:
        def cost(self, message: Message) -> int:
            return 0

        def estimate(self, messages) -> int:
            return largest(messages)

    assert len(session_plan(20, Window(11, 0), Half()).messages) == 5


class Dearer(ByteEstimator):
    """An estimate of its own beside a cost that it only inherits."""

    def estimate(self, messages) -> int:
        return 1000 * len(messages)


class Priced:
    """Offers what is called like a cost, and is the price of a token."""

    overhead, cost = 3, 0.002

    def estimate(self, messages) -> int:
        return largest(messages)


class Vague:
    """An overhead that is no number."""

    overhead = "3 %"

    def cost(self, message: Message) -> int:
        return 1

    def estimate(self, messages) -> int:
        return largest(messages)


@pytest.mark.parametrize("estimator", [Dearer(), Priced(), Vague()], ids=["Dearer", "Priced", "Vague"])
def test_what_is_no_claim_to_be_additive_is_not_taken_for_one(estimator):
    window = Window(2_500, 0)
    asked = Figured(estimator.estimate)
    assert session_plan(20, window, estimator) == session_plan(20, window, asked)
    assert session_plan(20, window, Calibrated(estimator)) == session_plan(20, window, Calibrated(asked))


def test_a_class_that_says_another_cost_of_what_it_inherits_is_additive_still():
    class Double(Costed):
        def cost(self, message: Message) -> int:
            return 2 * super().cost(message)

    estimator = Double(size)
    assert len(session_plan(3_000, Window(12 * 50, 0), estimator).messages) == 50
    assert estimator.asked == [50]


@pytest.mark.parametrize("odd", [None, "7", 7.0, float("nan")], ids=str)
def test_an_estimate_that_is_no_whole_number_is_none(odd):
    class Odd:
        overhead = 0

        def cost(self, message: Message) -> int:
            return odd

        def estimate(self, messages) -> int:
            return odd

    for estimator in (Odd(), Figured(lambda _: odd), Calibrated(Odd())):
        assert compacted([Message("user", b"hi")], Window(100, 0), estimator) == "estimate_failed"
        result = session_plan(3, Window(99, 0), estimator)
        assert (result.messages, len(result.elisions), result.estimated_tokens) == ((), 3, 0)


@given(st.lists(messages), st.integers(0, 9))
def test_the_byte_estimator_adds_up(some, overhead):
    estimator = ByteEstimator(overhead)
    assert estimator.estimate(some) == overhead + sum(4 + (len(each.content) + 3) // 4 for each in some)
