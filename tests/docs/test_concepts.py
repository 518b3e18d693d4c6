"""The page of words is true: its tables are the code's, and its example is what the memory says."""

import re
from datetime import UTC, datetime

import pytest

from core.answers.status import AnswerStatus
from core.clock import ManualClock, from_datetime
from core.errors import InsufficientEvidence
from core.model.card_states import CardState
from core.model.principals import ADMIN, STEWARD
from core.model.verdicts import Support
from core.planner.request import PlanRequest
from core.retention.periods import KEPT, Spent
from tests.support.guides import Guide
from tests.support.memories import add_person, open_memory

PAGE = Guide.of("concepts.md")


def day(words):
    return from_datetime(datetime.strptime(words, "%Y-%m-%d").replace(tzinfo=UTC))


@pytest.fixture
def told(sqlite_url):
    """A memory that has read what the page says, and somebody who may ask it."""
    memory = open_memory(sqlite_url, clock := ManualClock(0))
    memory.people.ensure_tenant("default", "Words")
    for read_on, says, since in PAGE.table("**Two kinds of time.**"):
        clock.ts = day(read_on)
        memory.ingest("meals.md", says.encode(), readers=["everyone"], valid_start=day(since))
    yield memory, add_person(memory, "Ada")
    memory.close()


ASKED = PAGE.table("Then there are two questions")


@pytest.mark.parametrize(("so_on", "known_on", "answer"), ASKED)
def test_the_memory_says_what_the_example_says(told, so_on, known_on, answer):
    memory, ada = told
    request = PlanRequest(question="What may a meal cost?", valid_time=day(so_on), tx_time=day(known_on))
    if answer:
        assert [span.text for span in memory.plan(request, ada).spans] == [answer]
    else:
        with pytest.raises(InsufficientEvidence):
            memory.plan(request, ada)


def test_the_example_shows_both_kinds_of_time():
    assert {answer for *_, answer in ASKED} == {"", "A meal may cost 40 EUR.", "A meal may cost 45 EUR."}


def test_every_status_of_an_answer_is_explained_best_first():
    assert [status for status, _ in PAGE.table("**Save** an answer")] == list(AnswerStatus)


def test_every_state_of_a_card_is_named():
    step = PAGE.text.partition("4. The card is sent once.")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", step)) == set(CardState)


def test_every_role_that_means_more_than_reading_is_explained():
    assert {role for role, _ in PAGE.table("`--role` says otherwise")} == {ADMIN, STEWARD}


def test_every_verdict_is_named():
    row = next(line for line in PAGE.text.splitlines() if line.startswith("| **verification** |"))
    assert set(re.findall(r"`(\w+)`", row)) == set(Support)


def test_it_says_how_long_what_is_kept():
    says = " ".join(PAGE.text.split())
    days = {what: KEPT[what] // (day("1970-01-02")) for what in Spent}
    assert days[Spent.TRACES] == days[Spent.SAID]
    for words in (
        f"go after {days[Spent.EVENTS]} days",
        f"done after {days[Spent.JOBS]}",
        f"saved after {days[Spent.TRACES]}",
    ):
        assert words in says
