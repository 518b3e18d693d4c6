"""The Home card shows what one watches, saved and prefers, and how to stop it, as a view and as a message."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from cards.actions import Button, Choice
from cards.answer_updated import REFRESH_QUESTION
from cards.home import HOME_ROWS, HomeContent, home
from cards.inline import flat
from cards.model import Card, Rows
from cards.notices import AnswerEntry, WatchEntry
from cards.plain import to_plain
from cards.slack import to_slack, to_slack_home
from cards.teams import to_teams
from tests.strategies.card_content import homes, patiently

Json = dict[str, Any]
WATCHES = tuple(WatchEntry(f"w{number}", f"Watch {number}") for number in range(HOME_ROWS))
STALE = tuple(AnswerEntry(f"Question {number}?", "stale", 0, f"a{number}") for number in range(HOME_ROWS))
NEW = HomeContent("Ada", (), 0, (), 0, "monday", "9", "off", "off", "", "Europe/Lisbon", "n", "I remember 3 documents.")
BUSY = replace(NEW, watches=WATCHES, more_watches=30, answers=STALE, more_answers=2, quiet_from="20", quiet_until="8")


def actions(card: Card) -> list[Any]:
    return [action for block in card.blocks if isinstance(block, Rows) for row in block.rows for action in row.buttons]


def chosen(content: HomeContent) -> dict[str, str | None]:
    return {action.target: action.chosen for action in actions(home(content)) if isinstance(action, Choice)}


def selects(view: Json) -> list[Json]:
    accessories = [block["accessory"] for block in view["blocks"] if "accessory" in block]
    return [accessory for accessory in accessories if accessory["type"] == "static_select"]


def test_somebody_new_is_told_kindly_what_to_do_first() -> None:
    text = to_plain(home(NEW))
    assert text.startswith("Hello, Ada\n\nSend me a message to ask anything your team has written down.")
    assert "I remember 3 documents." in text
    assert "You watch nothing yet\nTap “Watch this” under an answer, or write “watch” and a few words." in text
    assert "You have saved nothing yet\nTap “Save answer” under an answer." in text
    assert "0 things" not in text
    assert "0 answers" not in text


def test_a_nameless_person_is_greeted_too() -> None:
    assert flat(home(replace(NEW, name="\u200b")).title) == "Hello"


def test_each_watch_says_how_it_is_heard_and_can_be_stopped() -> None:
    entries = (WatchEntry("w1", "Refunds", "weekly", "muted until Friday"), WatchEntry("w2", "Prices"))
    card = home(replace(NEW, watches=entries, more_watches=4))
    text = to_plain(card)
    assert "You watch 6 things\n• Refunds\n  You hear once a week · muted until Friday\n  [Stop watching]" in text
    assert "and 4 more. Write “watching” and a word of its name to find one." in text
    stops = [(b.target, b.arg) for b in actions(card) if isinstance(b, Button)]
    assert stops == [("w1", "stop"), ("w2", "stop")]


@pytest.mark.parametrize(
    ("status", "target", "offered"),
    [
        ("stale", "a1", True),
        ("partially_stale", "a1", True),
        ("invalidated", "a1", True),
        ("current", "a1", False),
        ("superseded", "a1", False),
        ("stale", None, False),
    ],
)
def test_an_answer_that_needs_it_can_be_refreshed_and_asks_first(status: str, target: str, offered: bool) -> None:
    card = home(replace(NEW, answers=(AnswerEntry("How long?", status, 0, target),)))
    refresh = [(b.kind, b.target, b.confirm) for b in actions(card) if isinstance(b, Button)]
    assert refresh == ([("answer_refresh", "a1", REFRESH_QUESTION)] if offered else [])
    assert "You saved 1 answer\n• How long?" in to_plain(card)


def test_the_present_preferences_are_the_chosen_ones() -> None:
    assert chosen(BUSY) == {
        "brief_day": "monday",
        "brief_hour": "9",
        "quiet_from": "20",
        "quiet_until": "8",
        "mute": "off",
    }
    assert "In your time zone, Europe/Lisbon." in to_plain(home(BUSY))


def test_whoever_is_muted_reads_until_when_and_can_choose_anything() -> None:
    muted = replace(NEW, muted="Muted until Friday, 09:00.")
    assert chosen(muted)["mute"] is None
    assert "Muted until Friday, 09:00." in to_plain(home(muted))


def test_every_preference_can_be_set_to_all_that_the_bot_knows() -> None:
    args = {c.target: [option.arg for option in c.options] for c in actions(home(NEW)) if isinstance(c, Choice)}
    hours = [str(hour) for hour in range(24)]
    days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    assert args == {
        "brief_day": ["off", *days],
        "brief_hour": hours,
        "quiet_from": ["off", *hours],
        "quiet_until": ["off", *hours],
        "mute": ["off", "1h", "tomorrow", "1d", "1w"],
    }


@pytest.mark.parametrize("wrong", [{"brief_day": "someday"}, {"brief_hour": "24"}, {"quiet_from": ""}])
def test_a_preference_that_is_none_of_them_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="is chosen; use one of"):
        home(replace(NEW, **wrong))


def test_it_says_how_to_pause_and_how_to_stop_everything() -> None:
    assert "To pause everything, mute all cards. To stop everything, turn the weekly brief off" in to_plain(home(NEW))


def test_the_home_view_holds_everything_in_fifty_blocks() -> None:
    view = to_slack_home(home(BUSY))
    assert list(view) == ["type", "blocks"]
    assert view["type"] == "home"
    assert len(view["blocks"]) <= 50
    assert len(selects(view)) == 5
    texts = [block["text"]["text"] for block in view["blocks"] if "text" in block]
    assert {"Watch 7", "Question 7?"} <= set(texts)
    titles = [block["text"]["text"] for block in view["blocks"] if block["type"] == "header"]
    assert titles == ["Hello, Ada", "You watch 38 things", "You saved 10 answers", "Your preferences"]


def test_what_one_has_none_of_is_a_header_as_well() -> None:
    titles = [block["text"]["text"] for block in to_slack_home(home(NEW))["blocks"] if block["type"] == "header"]
    assert titles == ["Hello, Ada", "You watch nothing yet", "You have saved nothing yet", "Your preferences"]


def test_as_a_slack_message_its_preferences_are_words() -> None:
    """Five selects of hours are more than a message may hold."""
    message = to_slack(home(BUSY))
    assert selects(message) == []
    shown = [leaf["text"] for block in message["blocks"] for part in block.get("elements", []) for leaf in _texts(part)]
    assert {"Quiet from: 20:00", "Quiet until: 08:00", "Mute all cards: Not muted"} <= set(shown)


def _texts(part: Json) -> list[Json]:
    if "elements" in part:
        return [leaf for inner in part["elements"] for leaf in _texts(inner)]
    return [part] if part.get("type") == "text" else []


def test_in_teams_it_keeps_its_preferences_and_some_of_its_lists() -> None:
    card = to_teams(home(BUSY))
    titles = [action["title"] for part in card["body"] for action in _actions(part)]
    assert titles == ["Stop watching"] * 2 + ["Refresh answer…"] * 2 + ["Change…"]


def _actions(part: Json) -> list[Json]:
    """Also of a button beside a heading."""
    inner = [item for column in part.get("columns", []) for item in column["items"]]
    return part.get("actions", []) + [action for item in inner for action in _actions(item)]


@patiently
@given(homes)
def test_any_home_is_a_view_of_fifty_blocks_with_all_preferences(card: Card) -> None:
    view = to_slack_home(card)
    assert 0 < len(view["blocks"]) <= 50
    assert len(selects(view)) == 5


def test_a_home_that_says_nothing_still_has_a_block() -> None:
    (block,) = to_slack_home(Card((), (), (), ()))["blocks"]
    assert block["text"]["text"] == "There is news from your team’s memory."
