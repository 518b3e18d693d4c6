"""Of an answer that went stale: whether asking again came out right."""

import pytest

from bot.evaluate.staleness import Change, refreshed_right
from core.ids import random_id
from core.model.answers import Answer, Claim
from core.model.evidence import Passage
from core.model.spans import SpanRef

EDIT = {
    "id": "x",
    "question_id": "q",
    "path": "leave.md",
    "from_version": 1,
    "to_version": 2,
    "fact_changed": True,
    "edit_kind": "number",
    "old": "28 days",
}


@pytest.mark.parametrize(
    ("new", "status", "refreshed", "right"),
    [
        ("30 days", "stale", "Everybody has 30 days.", True),
        ("30 days", "stale", "Everybody has 28 days.", False),
        ("30 days", "stale", None, False),
        (None, "stale", "Ask Robin.", True),
        (None, "stale", "Everybody has 28 days.", False),
        (None, "stale", None, True),
        (None, "current", None, False),
    ],
)
def test_a_refresh_is_right_with_the_new_words_or_without_those_that_went(new, status, refreshed, right):
    edit = Change.model_validate({**EDIT, "new": new})
    passage = Passage(SpanRef(random_id(), 1, 0, 1), refreshed or "", (), "", "")
    claims = (Claim(refreshed or "", (passage,), quoted=True),)
    answer = Answer(random_id(), "", "", claims, (), (), "", 1.0) if refreshed else None
    assert refreshed_right(edit, status, answer) is right
