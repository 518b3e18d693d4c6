"""The brief tells a week, a day or an hour in one short list, begins with what needs a look, and says how to end it."""

from dataclasses import replace

import pytest

from cards.actions import Button
from cards.inline import flat, leaves
from cards.model import Card
from cards.notices import AnswerEntry
from cards.phrases import ChangeLine
from cards.plain import to_plain
from cards.weekly_brief import BriefLine, WeeklyBriefContent, weekly_brief

DAY = 86_400_000_000
LINE = ChangeLine(
    ("Orders", "Refund window"),
    "Handbook",
    "https://x.example/h",
    "Return within 14 days.",
    "Return within 30 days.",
    "changed",
    DAY * 400 + 1,
    DAY * 410,
)


def title(card: Card) -> str:
    return flat(card.title)


def taps(card: Card) -> list[tuple[str, str, str | None]]:
    return [(b.label, b.target, b.arg) for b in card.actions if isinstance(b, Button)]


def test_a_brief_groups_by_source_and_counts_what_it_leaves_out() -> None:
    prices = replace(LINE, source_name="Prices", source_url=None, section_path=("Fees",))
    lines = (BriefLine(LINE, material=True), BriefLine(prices, watch_target="s1"), BriefLine(LINE, watch_target="s2"))
    card = weekly_brief(WeeklyBriefContent(lines, "n", more=4, watches=("Refunds",)))
    text = to_plain(card)
    assert title(card) == "Your week in memory: 7 changes"
    assert text.index("Handbook") < text.index("Prices")
    assert "• Important: Refund window: 14 days → 30 days\n" in text
    assert text.count("[Watch this]") == 2
    assert "and 4 more" in text
    assert "A number or a “not” changed in 1 of them. From your watches Refunds." in text
    assert taps(card) == [("Stop weekly brief", "brief_day", "off")]
    assert card.fallback_text == "Your week in memory: 7 changes. Refund window: 14 days → 30 days."


def test_a_brief_says_each_change_in_one_line_that_begins_with_what_matters() -> None:
    lines = (BriefLine(LINE, material=True, further=2), BriefLine(LINE, watch_target="s1"))
    (rows, *_) = weekly_brief(WeeklyBriefContent(lines, "n")).shown_blocks
    assert [flat(row.heading) for row in rows.rows] == [
        "Important: Refund window: 14 days → 30 days, and 2 more passages",
        "Refund window: 14 days → 30 days",
    ]
    assert [leaf.text for leaf, bold in leaves(rows.rows[0].heading) if bold] == ["Important:"]
    assert [row.note for row in rows.rows] == [(), ()]


def test_a_brief_of_sixty_changes_shows_fifteen() -> None:
    lines = tuple(BriefLine(LINE, watch_target=f"s{number}") for number in range(60))
    text = to_plain(weekly_brief(WeeklyBriefContent(lines, "n")))
    assert text.startswith("Your week in memory: 60 changes")
    assert text.count("14 days → 30 days") == 15
    assert text.count("[Watch this]") == 5
    assert "and 45 more" in text


def test_a_brief_from_many_sources_stays_within_twelve_blocks() -> None:
    lines = tuple(BriefLine(replace(LINE, source_name=f"Doc {number}")) for number in range(15))
    card = weekly_brief(WeeklyBriefContent(lines, "n"))
    assert len(card.shown_blocks) <= 12
    assert "and 6 more" in to_plain(card)


def test_a_brief_begins_with_the_saved_answers_that_need_a_look() -> None:
    answers = tuple(AnswerEntry(f"Question {number}?", "stale", DAY) for number in range(7))
    card = weekly_brief(WeeklyBriefContent((BriefLine(LINE),), "n", answers=answers))
    text = to_plain(card)
    assert text.startswith(
        "Your week in memory: 1 change\n\nSaved answers to look at\n• Question 0?\n  None of it matches"
    )
    assert "and 2 more. Write “saved” to see them all." in text
    assert text.index("Question 4?") < text.index("Refund window")
    assert "Question 5?" not in text


def test_a_brief_of_saved_answers_alone_says_so() -> None:
    card = weekly_brief(WeeklyBriefContent((), "n", answers=(AnswerEntry("How long?", "stale", DAY),)))
    assert card.fallback_text == "Your week in memory: 1 saved answer to look at."
    assert taps(card) == [("Stop weekly brief", "brief_day", "off")]


def test_a_brief_with_saved_answers_and_many_sources_stays_within_twelve_blocks() -> None:
    lines = tuple(BriefLine(replace(LINE, source_name=f"Doc {number}")) for number in range(15))
    content = WeeklyBriefContent(lines, "n", answers=(AnswerEntry("How long?", "stale", DAY),))
    assert len(weekly_brief(content).shown_blocks) <= 12
    assert "and 7 more" in to_plain(weekly_brief(content))


@pytest.mark.parametrize("period", ["hour", "day"])
def test_what_comes_more_often_ends_with_its_watch(period: str) -> None:
    """Turning off the weekly brief would not stop it, so its card does not offer that."""
    card = weekly_brief(WeeklyBriefContent((BriefLine(LINE),), "n", watches=("Refunds",), period=period))
    assert title(card) == f"Your {period} in memory: 1 change"
    assert card.actions == ()
    assert "From your watches Refunds. Write “watching” to stop one." in to_plain(card)
