"""A question that goes on is asked with what it goes on from; one that stands alone never is."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.generate.follow_ups import bears_out, goes_on, gone_on_from, together
from core.model.threads import Before

WHOLE = "What may a meal cost at most?"
GOES_ON = [
    "and in Berlin?", "In Berlin?", "What about interns?", "how about hotels", "And for how long?", "Und in Berlin?",
    "Who approves that?", "Does it hold for contractors?", "et à Paris ?", "¿y en Madrid?", "那柏林呢？",
    "ベルリンでは？", "",
]  # fmt: skip
ALONE = [
    WHOLE, "Who approves a new laptop?", "Wie hoch ist die Pauschale?", "¿Cuánto cuesta un hotel?",
    "Where is the office?",
    "the notice period for contractors in Spain and Portugal during probation",
]  # fmt: skip


def joined(question, before):
    """The question with what it goes on from; None where it goes on from nothing."""
    found = gone_on_from(question, [Before(UUID(int=number), text) for number, text in enumerate(before)])
    assert all(before[one.ref.int] == one.text for one in found)
    return together(question, found) if found else None


@pytest.mark.parametrize("question", GOES_ON)
def test_what_does_not_say_what_it_asks_goes_on(question):
    assert goes_on(question)
    assert joined(question, [WHOLE]) == f"{WHOLE} {question}"


@pytest.mark.parametrize("question", ALONE)
def test_a_whole_question_stands_alone_whatever_was_asked_before(question):
    assert not goes_on(question)
    assert joined(question, [WHOLE, "and in Berlin?"]) is None


def test_without_anything_asked_before_there_is_nothing_to_go_on_from():
    assert joined("and in Berlin?", []) is None


def test_it_goes_on_from_the_question_that_said_what_all_are_about_and_from_the_last():
    before = ["and hotels?", "and in Rome?", WHOLE, "Where is the office?"]
    assert joined("and in Berlin?", before) == f"{WHOLE} and hotels? and in Berlin?"
    assert joined("and in Berlin?", ["and hotels?", "in Rome?"]) == "in Rome? and hotels? and in Berlin?"


@pytest.mark.parametrize(
    ("question", "found", "held"),
    [
        ("and in Berlin?", ["Meals in Berlin cost 50 EUR."], True),
        ("and in Berlin?", ["Meals cost 40 EUR."], False),
        ("Capital of France?", ["Meals in France cost 50 EUR."], False),
        ("dinner for contractors?", ["Contractors are paid", "a dinner of 30 EUR."], True),
        ("and for how long?", [], True),
        ("那柏林呢？", ["柏林的餐费是五十欧元。"], True),
    ],
)
def test_what_was_found_must_speak_of_all_that_is_new(question, found, held):
    assert bears_out(question, found) is held


@given(st.text(max_size=40), st.lists(st.text(max_size=20), max_size=4))
def test_whatever_is_asked_it_is_asked_whole_and_at_the_end(question: str, before: list[str]) -> None:
    both = joined(question, before)
    assert both is None or both.endswith(question)
    assert both is None or any(both.startswith(asked) for asked in before)
