"""Lists and notices are complete in themselves: what they are, what they hold, and what can be done."""

import pytest

from cards.model import Card
from cards.notices import (
    AnswerEntry,
    WatchChoice,
    WatchEntry,
    WhyContent,
    choose_watch,
    error,
    inactive,
    looking,
    redacted,
    refreshing,
    saved_list,
    unbound,
    watch_list,
    welcome,
    why,
)
from cards.plain import to_plain

DAY = 86_400_000_000


def test_a_list_of_watches_can_stop_each_and_counts_the_rest() -> None:
    watches = tuple(WatchEntry(f"w{number}", f"W{number}", "weekly", "muted until Friday") for number in range(7))
    text = to_plain(watch_list(watches, "n", more=2))
    assert text.startswith("You watch 9 things")
    assert text.count("[Stop watching]") == 5
    assert "and 4 more." in text
    assert "You hear once a week · muted until Friday" in text


def test_a_list_of_those_found_by_a_name_does_not_say_that_there_are_no_others() -> None:
    found = watch_list((WatchEntry("w1", "Meals", "weekly", ""),), "n", named="meals")
    assert to_plain(found).startswith("You watch 1 thing named “meals”")


def test_other_lists_say_what_they_hold() -> None:
    saved = to_plain(saved_list((AnswerEntry("How long?", "current", DAY),), more=2))
    assert "3 saved answers" in saved
    assert "Its sources still say what it says. Saved 2 Jan 1970" in saved
    choices = choose_watch("refunds", (WatchChoice("s1", "Refunds", "A section"),) * 6, "n")
    assert to_plain(choices).count("[Watch this]") == 5
    assert choices.fallback_text == "Choose what to watch: Refunds."


@pytest.mark.parametrize(
    ("card", "said"),
    [
        (watch_list((), "n"), "You watch nothing yet"),
        (saved_list(()), "You have saved nothing yet"),
        (choose_watch("moon", (), "n"), "Nothing you can read matches “moon”."),
        (redacted(), "is no longer yours to read"),
        (inactive(), "This card is no longer active"),
        (refreshing("How long?"), "You asked: How long?"),
        (looking(), "Looking it up…"),
        (error("It broke.", "Ask again."), "Ask again."),
        (welcome("Ada"), "Hello, Ada"),
        (welcome("\u200b"), "Hello\n"),
        (unbound("Ask Ada."), "I don’t know yet who you are"),
    ],
)
def test_notices_are_complete(card: Card, said: str) -> None:
    assert said in to_plain(card)
    assert card.actions == ()


def test_a_placeholder_tells_a_notification_what_comes() -> None:
    assert looking().fallback_text == "Looking it up… The answer comes here in a moment."


def test_why_says_what_happened_which_watch_matched_and_what_became_of_it() -> None:
    events = (*(f"Section {number} changed" for number in range(7)), "\u200b")
    card = why(WhyContent(1, ("Refunds", "Prices"), events, "Sent a minute later."))
    assert to_plain(card).split("\n") == [
        "Why you were notified",
        "",
        "When: 1 Jan 1970, 00:00 UTC",
        "Because you watch: Refunds and Prices",
        "The card: Sent a minute later.",
        "",
        "What happened",
        *(f"• Section {number} changed" for number in range(5)),
        "and 2 more",
        "",
        "Write “watching” to stop any of these.",
    ]
    assert card.fallback_text == "Why you were notified: you watch Refunds and Prices."
    assert card.actions == ()


def test_why_leaves_out_what_is_not_known() -> None:
    card = why(WhyContent(0, (), (), ""))
    assert to_plain(card).split("\n\n")[:2] == ["Why you were notified", "When: 1 Jan 1970"]
    assert card.fallback_text == "Why you were notified."
