"""What a model's server counts corrects what is estimated, for the tenant and the model, in every process."""

import pytest

from core.contextplan import ByteEstimator, Calibrated, Message
from core.model.threads import Line
from core.store.tables import TokenFactor
from tests.support.memories import rows
from tests.support.threads import at_once

PROMPT = [Line("system", "rules " * 40), Line("user", "question " * 60)]
BARE = ByteEstimator().estimate([Message(line.role, line.text.encode()) for line in PROMPT])


def factors(memory, tenant="default"):
    return {row.model: row.factor for row in rows(memory, TokenFactor, tenant)}


def test_a_factor_is_kept_for_a_tenant_and_a_model_and_outlives_the_process(memory, reopen):
    memory.people.ensure_tenant("other", "Other")
    memory.conversation.learn("default", "small", PROMPT, BARE * 2)
    memory.conversation.learn("other", "small", PROMPT, BARE // 2)
    expected = Calibrated(ByteEstimator())
    expected.observe(BARE, BARE * 2)
    assert factors(memory) == {"small": expected.factor}
    reopen().conversation.learn("default", "small", PROMPT, BARE * 2)
    expected.observe(int(BARE * expected.factor), BARE * 2)
    assert factors(memory) == {"small": expected.factor}
    assert factors(memory, "other")["small"] < 1


@pytest.mark.parametrize("tokens", [0, -5])
def test_a_count_that_is_none_teaches_nothing(memory, tokens):
    memory.conversation.learn("default", "small", PROMPT, tokens)
    assert factors(memory) == {"small": 1.0}


def test_a_count_beyond_any_window_leaves_the_factor_within_its_bounds(memory):
    memory.conversation.learn("default", "small", PROMPT, 10**400)
    assert factors(memory) == {"small": 2.0}


def test_answers_at_once_teach_one_after_the_other_and_do_not_all_correct_the_same_fault(memory, reopen):
    """Eight times as if they had been told one by one: none is lost, and none overshoots."""
    processes = [memory, reopen()]
    true = BARE * 3 // 2
    at_once(*(lambda n=n: processes[n % 2].conversation.learn("default", "small", PROMPT, true) for n in range(8)))
    expected = Calibrated(ByteEstimator())
    for _ in range(8):
        expected.observe(int(BARE * expected.factor), true)
    assert factors(memory) == {"small": expected.factor}
    assert 1.4 < expected.factor <= 1.51


def test_a_calibrated_estimator_goes_on_from_what_was_learnt_within_the_bounds():
    assert Calibrated(ByteEstimator(), factor=1.7).factor == 1.7
    assert Calibrated(ByteEstimator(), factor=9).factor == 2.0
    assert Calibrated(ByteEstimator(), factor=0).factor == 0.5
