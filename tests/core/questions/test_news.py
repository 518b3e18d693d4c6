"""What of a question is news to one reader, whatever its options are and whoever may read them."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from core.clarifications.conflicts import Statement
from core.model.clarifying import ClarificationState
from core.model.spans import SpanRef
from core.questions.news import differs, named_by, stood

SOURCES = [UUID(int=number) for number in range(4)]
values = st.one_of(st.integers(0, 3), st.booleans(), st.sampled_from(["noon", "Noon ", "one", ""]), st.none())
statements = st.builds(
    lambda value, of: Statement(value, tuple(SpanRef(one, 1, 0, 1) for one in sorted(of))),
    values,
    st.frozensets(st.sampled_from(SOURCES), max_size=2),
)
readers = st.frozensets(st.sampled_from(SOURCES))


@st.composite
def questions(draw):
    options = draw(st.lists(statements, min_size=1, max_size=5))
    state = draw(st.sampled_from(ClarificationState))
    bound = draw(st.integers(0, len(options) - 1)) if state is ClarificationState.BOUND else None
    return state, options, bound, draw(st.frozensets(st.integers(0, len(options) - 1)))


@given(questions(), readers)
def test_nothing_is_said_that_rests_on_what_may_not_be_read(question, readable):
    state, options, _, _ = question
    shown = stood(*question, readable)
    allowed = [option.value for option in options if option.sources <= readable]
    assert shown.state is state
    assert all(
        any(value is one or (value == one and type(value) is type(one)) for one in allowed) for value in shown.said
    )


@given(questions(), readers)
def test_what_a_reader_may_not_read_makes_no_difference_to_them(question, readable):
    state, options, bound, alive = question
    for number, option in enumerate(options):
        if not option.sources <= readable:
            other = [*options[:number], Statement("something else", option.spans), *options[number + 1 :]]
            assert not differs(stood(*question, readable), stood(state, other, bound, alive, readable))


@given(questions(), questions(), readers)
def test_a_question_differs_from_another_as_that_from_it_and_never_from_itself(one, other, readable):
    a, b = stood(*one, readable), stood(*other, readable)
    assert not differs(a, a)
    assert differs(a, b) == differs(b, a)
    assert differs(None, a), "what was not asked before is news"
    if a.state is not b.state:
        assert differs(a, b)


@given(questions())
def test_a_reader_of_everything_sees_what_an_operator_sees(question):
    assert stood(*question, frozenset(SOURCES)) == stood(*question, None)


def test_true_is_not_one_and_case_is_nothing_new():
    bound = ClarificationState.BOUND
    shown = [stood(bound, [Statement(value)], 0, (), None) for value in (1, True, "Noon", " noon")]
    assert differs(shown[0], shown[1])
    assert not differs(shown[2], shown[3])


def test_words_name_a_question_when_all_they_speak_of_is_in_it_or_in_what_it_is_about():
    assert named_by("the lunches", "When does lunch begin?", "Canteen")
    assert named_by("canteen lunch", "When does lunch begin?", "Canteen")
    assert not named_by("canteen dinner", "When does lunch begin?", "Canteen")
    assert not named_by("the", "When does the lunch begin?"), "such words speak of nothing"
