"""What kind of answer a question asks for."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.kinds import in_kind
from tests.strategies.sentences import QUESTIONS, TEXTS


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("How many days of leave are there?", "There are twenty-eight days.", "There are days of leave."),
        ("how long does it take", "It takes 45 minutes.", "It takes long."),
        ("What is the daily rate in Oslo?", "Oslo: $71.", "Oslo has a daily rate."),
        ("When does the office close?", "It closes on Fridays.", "It closes with a party."),
        ("By which date is it due?", "Due on 5 May.", "It is due."),
        ("until when may I send it", "The form is reviewed monthly.", "Send the form."),
        ("In which Slack channel do you ask?", "Ask in #travel.", "Ask in Slack."),
        ("who do i ping about it", "Try @travel-team first.", "Try the team first."),
        ("Find whom in Slack?", "Find us on Slack: travel-help", "Find us on Slack."),
        ("What is the e-mail address of the team?", "Team: team@example.org", "Team: by e-mail"),
        ("What is the address of the office?", "12 Market Street, 0150 Oslo", "Market Street, Oslo"),
        ("What is the phone number?", "Call 1-555-010-3456.", "Call the desk."),
    ],
)
def test_a_sentence_is_told_from_one_that_lacks_what_is_asked_for(question, answer, other):
    held = in_kind(question)
    assert held(answer)
    assert not held(other)


@pytest.mark.parametrize("question", ["Is tea served?", "Who sends the form?", "Wie viele Tage Urlaub gibt es?", ""])
def test_a_question_that_asks_for_no_such_kind_prefers_no_sentence(question):
    assert not in_kind(question)("Call 1-555-010-3456, ask in #travel or team@example.org on 5 May.")


def test_a_number_of_the_question_is_no_answer_to_it():
    held = in_kind("How much is paid at step 10 of grade 15?")
    assert not held("Grade 15 ends at step 10.")
    assert held("Grade 15, step 10: $160,300.")


@given(QUESTIONS, TEXTS)
def test_more_words_never_take_the_answer_away(question, text):
    held = in_kind(question)
    assert held(f"{text} by 7 May") or not held(text)


@pytest.mark.parametrize("word", ["slack ", "slack x", "x-", "@", "#"])
def test_a_word_a_hundred_thousand_times_is_read_through_once(word):
    """Tried again from each of them, that would be ten thousand million steps."""
    assert in_kind("In which Slack channel?")(word * 100_000) is False


@given(
    st.lists(st.sampled_from(["slack", "Slack", "slacks", " ", "\n", "a-b", "a", "-", "1"]), max_size=9).map("".join)
)
def test_a_hyphened_name_behind_slack_is_a_channel_on_the_same_line_alone(text):
    held = any(re.search(r"\bslack\b.*[a-z]-[a-z]", line, re.IGNORECASE) for line in text.split("\n"))
    assert in_kind("In which Slack channel?")(text) is held
