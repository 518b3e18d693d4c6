"""The sentences of an answer that is quoted: which, in which order, and nothing but the evidence."""

from dataclasses import replace
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.generate.extractive import MAX_SENTENCES, Sentence, choose
from core.model.spans import SpanRef
from core.text.fold import fold
from tests.strategies.sentences import QUESTIONS, sentences

ANY_WEIGHT = sentences(st.sampled_from([0.0, 0.5, 0.75, 1.0]))
SAME_WEIGHT = sentences(st.just(1.0))


def sentence(text, place=0, *, cosine=0.5, context="", weight=1.0):
    return Sentence(SpanRef(UUID(int=1), 1, place, place + 1), text, context, cosine, weight)


def said(question, *found):
    return [one.text for one in choose(question, found)]


@given(QUESTIONS, ANY_WEIGHT)
def test_an_answer_is_at_most_four_sentences_of_the_evidence_as_they_stand(question, found):
    chosen = choose(question, found)
    assert len(chosen) <= MAX_SENTENCES
    assert all(any(one is given for given in found) for one in chosen)


@given(QUESTIONS, ANY_WEIGHT, st.randoms(use_true_random=False))
def test_the_order_in_which_the_evidence_comes_decides_nothing(question, found, chance):
    shuffled = chance.sample(found, len(found))
    assert choose(question, shuffled) == choose(question, found)


@given(QUESTIONS, ANY_WEIGHT)
def test_nothing_is_said_twice(question, found):
    chosen = [fold(one.text) for one in choose(question, found)]
    assert len(set(chosen)) == len(chosen)


@given(QUESTIONS, SAME_WEIGHT)
def test_the_first_sentence_beats_each_of_the_others_alone(question, found):
    for best in choose(question, found)[:1]:
        assert all(choose(question, [other, best])[0] == best for other in found)


@given(QUESTIONS, SAME_WEIGHT)
def test_each_sentence_comes_before_those_that_it_beats(question, found):
    chosen = choose(question, found)
    assert all(choose(question, pair)[0] == pair[0] for pair in pairwise(chosen))


@given(QUESTIONS, SAME_WEIGHT)
def test_the_first_sentence_stays_first_when_it_comes_nearer(question, found):
    for best in choose(question, found)[:1]:
        nearer = replace(best, cosine=1.0)
        assert choose(question, [nearer if one == best else one for one in found])[0] == nearer


@given(QUESTIONS, ANY_WEIGHT)
def test_something_is_said_as_soon_as_one_sentence_asserts_something(question, found):
    assert choose(question, [*found, sentence("the office opens daily", 99)])


@pytest.mark.parametrize("text", ["", "Zoom", "Ask in Slack:", "How do I join?", "你需要：", "何時ですか？"])
def test_what_asserts_nothing_is_no_answer(text):
    assert choose("How do I join?", [sentence(text, cosine=1.0)]) == []


def test_an_item_of_a_list_says_what_its_lead_in_announces():
    item = sentence("Passport", 1, context="Travel\nYou need:")
    assert choose("What is needed to travel?", [item]) == [item]
    assert choose("What is needed to travel?", [sentence("Passport", 1, context="Travel")]) == []


def test_a_sentence_that_holds_what_is_asked_for_is_said_before_one_that_is_a_little_nearer():
    found = sentence("The travel training is long.", 1, cosine=0.5), sentence("It takes 60 minutes.", 2, cosine=0.4)
    assert said("How long is the travel training?", *found)[0] == "It takes 60 minutes."
    assert said("Is the travel training worth it?", *found)[0] == "The travel training is long."


def test_the_words_of_the_heading_count_as_the_sentences_own():
    under = sentence("Ask the team early.", 2, context="Parental leave")
    assert said("Is there parental leave?", sentence("Ask the team early, too.", 1), under)[0] == under.text


def test_a_heavier_passage_is_quoted_first():
    found = sentence("Robin sends the form.", 1, weight=0.6), sentence("Sam sends the form.", 2, weight=0.9)
    assert said("Is the form sent?", *found)[0] == "Sam sends the form."


def test_a_sentence_far_behind_the_best_is_not_said():
    found = sentence("The form goes to Robin.", 1, cosine=0.9), sentence("Desks are grey and old.", 2, cosine=0.1)
    assert said("Where does the form go?", *found) == ["The form goes to Robin."]


def test_of_the_same_words_twice_the_better_place_is_quoted():
    found = sentence("Ask **Robin** first.", 1, weight=0.5), sentence("Ask Robin first.", 2, weight=1.0)
    assert [one.span.start for one in choose("Is it clear?", found)] == [2]
