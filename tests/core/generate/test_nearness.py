"""How near the evidence comes to answering, and for which questions its words count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.generate.nearness import held, nearness
from tests.strategies.sentences import QUESTIONS, TEXTS

COSINES = st.floats(-1, 1)
SAID = ["Benefits\nThe dental plan covers cleaning.", "Paid leave\nEverybody has 28 days."]


@given(QUESTIONS, st.lists(TEXTS), COSINES)
def test_words_tell_for_or_against_an_answer_only_so_far(question, said, cosine):
    assert cosine - 0.3 - 1e-9 <= nearness(question, said, cosine) <= cosine + 0.2 + 1e-9


@given(QUESTIONS, st.lists(TEXTS), COSINES, COSINES)
def test_what_comes_nearer_is_never_refused_sooner(question, said, one, other):
    low, high = sorted((one, other))
    assert nearness(question, said, low) <= nearness(question, said, high)


@given(QUESTIONS, st.lists(TEXTS), st.lists(TEXTS), COSINES)
def test_further_sentences_never_make_it_further(question, said, more, cosine):
    assert nearness(question, [*said, *more], cosine) >= nearness(question, said, cosine)


@given(QUESTIONS, st.lists(TEXTS), st.randoms(use_true_random=False))
def test_the_order_of_the_sentences_decides_nothing(question, said, chance):
    assert nearness(question, chance.sample(said, len(said)), 0.5) == nearness(question, said, 0.5)


def test_a_whole_question_whose_words_no_sentence_holds_is_further_away():
    assert nearness("Does the dental plan pay for orthodontics for children?", SAID, 0.5) < 0.5
    assert nearness("Does the dental plan cover cleaning?", SAID, 0.5) > 0.5


def test_the_words_must_stand_in_one_sentence_and_under_its_headings():
    question = "Is there dental leave for children?"
    assert nearness(question, [*SAID, "Dental leave\nFor children."], 0.5) > nearness(question, SAID, 0.5)


def test_without_a_sentence_none_of_the_words_is_held():
    assert nearness("Does the dental plan cover cleaning?", [], 0.5) == pytest.approx(0.2)


@pytest.mark.parametrize(
    "question",
    [
        "does the dental plan cover orthodontics for children?",
        "Dental plan, orthodontics for children",
        "Can I get orthodontics for children?",
        "Do our benefits cover orthodontics for children?",
        "Which orthodontics did they tell us about?",
        "I'm looking for orthodontics, is there a list?",
        "I’ve lost the orthodontics list, where is it?",
        "子供の歯列矯正は保険で出ますか？",
        "Is it?",
        "",
    ],
)
def test_of_a_question_that_is_chat_or_has_no_case_or_no_words_only_the_meaning_counts(question):
    assert nearness(question, SAID, 0.5) == 0.5


@pytest.mark.parametrize("question", ["What is the U.S. Web orthodontics rate?", "  Is orthodontics covered? "])
def test_a_name_with_points_and_space_around_leave_a_question_whole(question):
    assert nearness(question, SAID, 0.5) < 0.5


@given(st.sets(st.sampled_from(["dental", "plan", "leav"])), TEXTS)
def test_a_share_lies_between_none_and_all(wanted, text):
    assert 0 <= held(wanted, text) <= 1
    assert held(wanted, f"{text} dental plan leave") == (1 if wanted else 0)
