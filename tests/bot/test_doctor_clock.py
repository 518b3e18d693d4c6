"""A clock that was ahead and is set back leaves work waiting: `doctor` tells."""

from bot.config import Settings
from bot.doctor.work import AHEAD, examine
from core.clock import DAY
from tests.support.memories import page, put


def on_the_clock(memory):
    return [finding for finding in examine(memory, Settings(embedder="hashing")) if finding.name == "clock"]


def test_a_clock_behind_what_was_written_is_found_until_it_has_caught_up(memory, clock):
    put(memory, "a.md", page("A", {"Meals": "A meal may cost 40 EUR."}))
    assert on_the_clock(memory) == []
    clock.advance(DAY)
    put(memory, "b.md", page("B", {"Meals": "A meal may cost 50 EUR."}))
    clock.advance(-DAY)
    [finding] = on_the_clock(memory)
    assert (finding.ok, "2026-09-22" in finding.words) == (False, True)
    clock.advance(DAY)
    assert on_the_clock(memory) == []


def test_clocks_that_differ_by_seconds_are_none_of_its_business(memory, clock):
    put(memory, "a.md", page("A", {"Meals": "A meal may cost 40 EUR."}))
    clock.advance(-AHEAD)
    assert on_the_clock(memory) == []
