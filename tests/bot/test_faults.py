"""What is written down of an error holds nothing that somebody said."""

import pytest
import structlog

from bot.faults import described
from core.errors import NotFound
from core.store.tables import Inbox
from tests.support.memories import rows

SECRET = "what is the salary of \ud800 Ada"


def raised(make):
    with pytest.raises(Exception) as caught:
        make()
    return caught.value


def test_an_error_is_told_by_its_kind_and_place_and_never_by_its_words():
    words = described(raised(SECRET.encode))
    assert words.startswith("UnicodeEncodeError at test_faults.py:")
    assert "salary" not in words


def test_an_error_of_core_is_told_by_its_code():
    def missing():
        raise NotFound(SECRET)

    assert described(raised(missing)).startswith("not_found at ")


def test_a_group_is_told_by_each_kind_in_it_once():
    group = ExceptionGroup(SECRET, [ValueError(SECRET), ValueError("b"), KeyError(SECRET)])
    assert described(group) == "ValueError, KeyError"


async def test_a_question_that_breaks_the_bot_is_in_no_log_and_in_no_row_but_its_own(memory, parts, adas, monkeypatch):
    def breaks(question, _principal, **_):
        raise ValueError(f"cannot make sense of {question}")

    monkeypatch.setattr(memory, "generate", breaks)
    with structlog.testing.capture_logs() as logs:
        adas.write("What is the salary of Ada?")
        await parts.worker.settle()
    [event] = rows(memory, Inbox)
    assert event.result.startswith("ValueError at ")
    assert any("ValueError" in str(entry) for entry in logs)
    assert "salary" not in str(logs)
