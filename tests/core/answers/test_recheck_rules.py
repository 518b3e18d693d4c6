"""The four rules, apart from any store: the first that applies decides."""

from itertools import product
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answers.cadence import next_check
from core.answers.recheck import (
    DECIDED,
    UNAVAILABLE,
    Judged,
    Reading,
    evidence_state,
    in_question,
    quoted_as,
    reread,
    same_matter,
)
from core.answers.saved import changed
from core.answers.status import ClaimState, Severity
from core.clock import DAY
from core.model.clarifying import ClarificationState
from core.model.evidence import Resolution, Standing

BOUND, CONFLICTED, PENDING = ClarificationState.BOUND, ClarificationState.CONFLICTED, ClarificationState.PENDING
OK = Judged(ClaimState.OK)


@pytest.mark.parametrize(
    ("standings", "state"),
    [
        ([], "ok"),
        (["current", "current"], "ok"),
        (["current", "superseded"], "affected"),
        (["tombstoned"], "invalidated"),
        (["current", "tombstoned"], "invalidated"),
        (["superseded", "tombstoned", "current"], "invalidated"),
    ],
)
def test_a_tombstone_goes_before_another_version(standings, state):
    assert evidence_state([Resolution(Standing(standing)) for standing in standings]) == state


@pytest.mark.parametrize(
    ("questions", "judged"),
    [
        ([], OK),
        ([PENDING], Judged(ClaimState.PENDING)),
        ([CONFLICTED], Judged(ClaimState.CONFLICTED)),
        ([BOUND], Judged(ClaimState.AFFECTED, caveat=DECIDED)),
        ([None], Judged(ClaimState.AFFECTED, caveat=DECIDED)),
        ([BOUND, PENDING], Judged(ClaimState.PENDING)),
        ([PENDING, CONFLICTED, BOUND], Judged(ClaimState.CONFLICTED)),
    ],
)
def test_a_question_decides_over_a_claim_that_is_well_otherwise(questions, judged):
    assert in_question(OK, questions) == judged


def test_a_question_changes_nothing_of_a_claim_whose_words_moved_or_went():
    moved = [Judged(ClaimState.AFFECTED, Severity.MATERIAL, "now"), Judged(ClaimState.INVALIDATED)]
    for judged, state in product(moved, [*ClarificationState, None]):
        assert in_question(judged, [state]) is judged


@pytest.mark.parametrize(
    ("questions", "state"),
    [
        ([], "ok"),
        ([PENDING], "pending"),
        ([BOUND], "pending"),
        ([None], "pending"),
        ([PENDING, CONFLICTED], "conflicted"),
    ],
)
def test_a_claim_saved_while_in_question_is_never_ok_at_first(questions, state):
    assert quoted_as(questions).state == state


@pytest.mark.parametrize(
    ("reading", "judged"),
    [
        (None, Judged(ClaimState.AFFECTED, after="near", caveat=UNAVAILABLE)),
        (Reading(says=True, numbers_differ=False, nearest=""), OK),
        (Reading(says=False, numbers_differ=False, nearest="x"), Judged(ClaimState.AFFECTED, after="x")),
        (Reading(says=False, numbers_differ=True, nearest="x"), Judged(ClaimState.AFFECTED, Severity.MATERIAL, "x")),
    ],
)
def test_only_what_still_says_it_clears_and_only_a_number_or_a_not_is_material(reading, judged):
    assert reread(reading, "near") == judged


@pytest.mark.parametrize(
    ("context", "same"),
    [
        ("", True),
        ("Travel\nMeals", True),
        ("Travel\nThe meals", True),
        ("Travel\nMeals\nContractors", False),
        ("Munich office", False),
        ("Travel\nMeals\nUntil 2024", False),
        ("Archive", False),
    ],
)
def test_words_elsewhere_count_under_what_the_claim_or_its_evidence_names(context, same):
    assert same_matter(context, "Meals cost 40 EUR. Travel") is same


@given(st.uuids(), st.integers(1, 10**16), st.integers(1, 365), st.integers(0, 10**16))
def test_one_check_lies_ahead_however_often_an_answer_is_checked(answer_id, now, days, later):
    period = days * DAY
    due = next_check(answer_id, now, period)
    assert now < due <= now + period
    assert next_check(answer_id, min(now + later, due - 1), period) == due
    assert next_check(answer_id, due, period) == due + period


def test_answers_do_not_all_fall_due_at_once():
    dues = {next_check(UUID(int=number * 10**30), 10**15, 7 * DAY) for number in range(100)}
    assert len(dues) == 100


def test_which_claims_changed_is_said_by_their_place():
    old = [{"text": "a", "state": "ok"}, {"text": "b", "state": "ok"}, {"text": "c", "state": "ok"}]
    assert changed(old, [old[0], {**old[1], "state": "affected"}, {**old[2], "after": "x"}]) == (1, 2)
