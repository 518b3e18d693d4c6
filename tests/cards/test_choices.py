"""Choosing one of several: one action, shown with its present option on every platform, that posts the same tap."""

import json
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given

from cards.actions import (
    Action,
    Button,
    Choice,
    LinkButton,
    Option,
    label,
    option_label,
    payload,
    renewed,
    stated,
    used,
)
from cards.gallery import gallery
from cards.html import to_html
from cards.inline import Plain, flat
from cards.limits import degraded, in_words
from cards.model import Card, Change, Item, Rows, with_nonce, with_outcome
from cards.plain import to_plain
from cards.slack import to_slack
from cards.teams import to_teams
from tests.strategies.card_content import cards, choices, patiently

Json = dict[str, Any]
DAYS = (Option("off", "Off"), Option("monday", "Monday"), Option("friday", "Friday"))
BRIEF = Choice("preference_set", "brief_day", "n1", "Weekly brief", DAYS, "monday")
HOURS = tuple(Option(str(hour), f"{hour:02}:00") for hour in range(24))
HOUR = Choice("preference_set", "brief_hour", "n1", "Weekly brief at", HOURS)
STOP = Button("watch_mute", "w1", "n1", "Stop watching", arg="stop")


def words(text: str) -> tuple[Plain]:
    return (Plain(text),)


def rows_of(*actions: Action, heading: str = "") -> Card:
    """A card with one row an action."""
    items = tuple(Item(words(heading), words("In Lisbon."), (action,)) for action in actions)
    return Card(words("Preferences"), (Rows(items),), (), ())


def every_choice(card: Card) -> list[Choice]:
    rows = [action for block in card.blocks if isinstance(block, Rows) for row in block.rows for action in row.buttons]
    return [action for action in (*card.actions, *rows) if isinstance(action, Choice)]


def inside(part: object) -> list[Json]:
    """Every object in a rendered card, outermost first."""
    if isinstance(part, dict):
        return [part, *(found for value in part.values() for found in inside(value))]
    return [found for value in part for found in inside(value)] if isinstance(part, list) else []


def of_type(card: Json, kind: str) -> list[Json]:
    return [found for found in inside(card) if found.get("type") == kind]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kind": "shout"}, "choice kind 'shout': use one of watch_create"),
        ({"target": "two words"}, "choice target 'two words': use 1 to 128"),
        ({"nonce": ""}, "choice nonce ''"),
        ({"options": (Option("é", "É"),), "chosen": None}, "option arg 'é'"),
        ({"options": (), "chosen": None}, "choice 'brief_day': give 1 to 100 options"),
        ({"options": tuple(Option(str(n), "") for n in range(101)), "chosen": None}, "give 1 to 100 options"),
        ({"options": DAYS + DAYS[:1]}, "each with an arg of its own"),
        ({"chosen": "sunday"}, "'sunday' is chosen; use one of off, monday, friday"),
        ({"nonce": "n" * 76}, "target, nonce and arg are 91 long; use at most 90"),
    ],
)
def test_a_choice_that_could_not_be_made_is_refused_with_what_would_be_right(wrong: Json, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(BRIEF, **wrong)


def test_a_tap_carries_what_was_chosen_and_ids_only() -> None:
    assert payload(BRIEF, "friday") == {
        "kind": "preference_set",
        "target": "brief_day",
        "nonce": "n1",
        "arg": "friday",
    }
    assert "arg" not in payload(BRIEF)


def test_a_choice_in_words_names_its_present_option_where_there_is_one() -> None:
    assert (stated(BRIEF), stated(HOUR)) == ("Weekly brief: Monday", "Weekly brief at")
    silent = Choice("preference_set", "t", "n", "\u200b", (Option("a", " "),), "a")
    assert (label(silent), stated(silent)) == ("Choose", "Choose: a")


def test_a_choice_is_renewed_and_used_as_a_button_is() -> None:
    card = with_nonce(Card((), rows_of(BRIEF).blocks, (HOUR,), ()), "new")
    assert [choice.nonce for choice in every_choice(card)] == ["new", "new"]
    after = with_outcome(card, "Set.", target="brief_day", remove_kinds=frozenset({"preference_set"}))
    assert [choice.target for choice in every_choice(after)] == ["brief_hour"]
    link = LinkButton("Open", "https://x.example")
    assert renewed(link, "new") == link
    assert not used(link, frozenset({"preference_set"}), None)


def test_in_slack_the_name_stands_beside_a_select_that_shows_the_present_option() -> None:
    """A select hides its placeholder once something is chosen, so the section's text names it."""
    _, section, note = to_slack(rows_of(BRIEF))["blocks"]
    select = section["accessory"]
    assert section["text"] == {"type": "plain_text", "text": "Weekly brief", "emoji": False}
    assert (select["type"], select["action_id"]) == ("static_select", "preference_set:1")
    assert [option["text"]["text"] for option in select["options"]] == ["Off", "Monday", "Friday"]
    assert json.loads(select["options"][2]["value"]) == payload(BRIEF, "friday")
    assert select["initial_option"] == select["options"][1]
    assert note["elements"][0]["text"] == "In Lisbon."


def test_in_slack_nothing_chosen_shows_the_name_in_the_select_too() -> None:
    (section,) = to_slack(Card((), (), (HOUR,), ()))["blocks"]
    assert "initial_option" not in section["accessory"]
    assert section["accessory"]["placeholder"]["text"] == section["text"]["text"] == "Weekly brief at"


def test_in_slack_a_row_keeps_its_heading_choices_and_buttons() -> None:
    row = Item(words("Brief"), (), (STOP, BRIEF, HOUR))
    heading, day, hour, actions = to_slack(Card((), (Rows((row,)),), (), ()))["blocks"]
    assert heading["elements"][0]["elements"][0]["text"] == "Brief"
    ids = [day["accessory"]["action_id"], hour["accessory"]["action_id"], actions["elements"][0]["action_id"]]
    assert ids == ["preference_set:1", "preference_set:2", "watch_mute:3"]


@patiently
@given(choices())
def test_in_slack_any_option_fits_and_carries_its_tap(choice: Choice) -> None:
    selects = of_type(to_slack(rows_of(choice)), "static_select")
    for option in [option for select in selects for option in select["options"]]:
        assert len(option["value"]) <= 150
        assert len(option["text"]["text"]) <= 75
        tap = json.loads(option["value"])
        assert tap == payload(choice, tap["arg"])


def test_in_teams_all_choices_of_a_list_open_with_one_button_and_say_what_they_are() -> None:
    card = to_teams(rows_of(BRIEF, HOUR))
    (opening,) = of_type(card, "Action.ShowCard")
    assert opening["title"] == "Change…"
    said = ["".join(run["text"] for run in block["inlines"]) for block in of_type(card, "RichTextBlock")]
    assert said == ["Preferences", "Weekly brief: Monday", "In Lisbon.", "Weekly brief at", "In Lisbon."]
    assert "n1" not in json.dumps([part for part in card["body"] if part["type"] != "ActionSet"])
    assert [found["label"] for found in of_type(opening, "Input.ChoiceSet")] == ["Weekly brief", "Weekly brief at"]


def test_in_teams_each_choice_has_its_own_input_and_its_own_button() -> None:
    """The arg comes under the input's id, `kind:target`, since Teams sends all of them: its own is empty."""
    card = to_teams(rows_of(BRIEF, HOUR))
    day, hour = of_type(card, "Input.ChoiceSet")
    assert (day["id"], day["value"], day["style"]) == ("preference_set:brief_day", "monday", "compact")
    assert day["choices"][2] == {"title": "Friday", "value": "friday"}
    assert (hour["id"], "value" in hour) == ("preference_set:brief_hour", False)
    taps = of_type(card, "Action.Execute")
    assert [(tap["title"], tap["verb"], tap["data"]) for tap in taps] == [
        ("Set", "preference_set", payload(BRIEF, "")),
        ("Set", "preference_set", payload(HOUR, "")),
    ]
    assert [tap["tooltip"] for tap in taps] == ["Set Weekly brief", "Set Weekly brief at"]


def test_in_teams_a_choice_of_the_whole_card_stands_among_its_buttons() -> None:
    (shown,) = to_teams(Card((), (), (BRIEF, STOP), ()))["body"]
    assert [action["title"] for action in shown["actions"]] == ["Stop watching", "Change…"]


def test_in_teams_a_choice_says_which_row_it_is_of() -> None:
    """They are all apart from their rows, where several may have the same label."""
    rows = (Item(words("Refunds"), words("At once"), (BRIEF,)), Item(words("Prices"), (), (HOUR,)))
    card = rows_in_teams(*rows)
    labels = [found["label"] for found in of_type(card, "Input.ChoiceSet")]
    assert labels == ["Refunds: Weekly brief", "Prices: Weekly brief at"]
    assert of_type(card, "Action.Execute")[0]["tooltip"] == "Set Refunds: Weekly brief"


def test_in_teams_the_present_option_is_said_once() -> None:
    """By the note of a row that has a name and one, else beside the name."""
    rows = tuple(Item(words("Refunds"), words(note), (BRIEF,)) for note in ("You hear on Mondays", ""))
    said = [
        "".join(run["text"] for run in block["inlines"]) for block in of_type(rows_in_teams(*rows), "RichTextBlock")
    ]
    assert said == ["Refunds", "You hear on Mondays", "Refunds · Weekly brief: Monday"]


def rows_in_teams(*rows: Item) -> Json:
    return to_teams(Card((), (Rows(rows),), (), ()))


@pytest.mark.parametrize(("state", "card"), gallery())
def test_in_teams_no_two_inputs_share_an_id(state: str, card: Card) -> None:
    ids = [found["id"] for found in of_type(to_teams(card), "Input.ChoiceSet")]
    assert len(ids) == len(set(ids)) == len(every_choice(card))


class Controls(HTMLParser):
    """The labels, selects and buttons of a fragment, in their order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += f"{data}|"

    def every(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def test_in_html_a_choice_is_a_named_select_with_a_button_that_carries_its_tap() -> None:
    controls = Controls(to_html(rows_of(BRIEF)))
    assert "Weekly brief| |Off|Monday|Friday| |Set|" in controls.text
    (select,), (button,) = controls.every("select"), controls.every("button")
    assert (select["data-kind"], select["data-target"], "data-nonce" in select) == (
        "preference_set",
        "brief_day",
        False,
    )
    assert [(option["value"], "selected" in option) for option in controls.every("option")] == [
        ("off", False),
        ("monday", True),
        ("friday", False),
    ]
    carried = {key.removeprefix("data-"): value for key, value in button.items() if key.startswith("data-")}
    assert (carried, button["aria-label"], button["type"]) == (payload(BRIEF), "Set Weekly brief", "button")
    tags = [tag for tag, _ in controls.found]
    assert tags.index("label") < tags.index("select") < tags.index("button")


def test_in_html_nothing_chosen_is_an_empty_option_that_cannot_be_chosen_again() -> None:
    first = Controls(to_html(rows_of(HOUR))).every("option")[0]
    assert first == {"value": "", "selected": None, "disabled": None}


def test_in_plain_text_a_choice_says_what_it_is_and_what_it_could_be() -> None:
    lines = to_plain(rows_of(BRIEF, HOUR)).split("\n")
    assert "  [Weekly brief: Monday (Off, Monday, Friday)]" in lines
    assert "  [Weekly brief at (00:00, 01:00 … 23:00)]" in lines
    assert lines.index("  In Lisbon.") == lines.index("  [Weekly brief: Monday (Off, Monday, Friday)]") + 1
    assert to_plain(Card((), (), (BRIEF, STOP), ())).split("\n\n") == [
        "[Weekly brief: Monday (Off, Monday, Friday)]",
        "[Stop watching]",
    ]


def test_choices_too_many_for_a_message_are_said_in_words_and_none_is_dropped() -> None:
    many = tuple(replace(HOUR, target=f"t{number}", label=f"Hour {number}", chosen="9") for number in range(6))
    message = to_slack(rows_of(*many))
    assert of_type(message, "static_select") == []
    said = json.dumps(message["blocks"], ensure_ascii=False)
    assert all(f"Hour {number}: 09:00" in said for number in range(6))


def test_choices_in_words_stay_where_they_were() -> None:
    change = Change(words("old"), words("new"), words("Hours"), buttons=(BRIEF, STOP))
    said = in_words(Card((), (Rows((change, Item((), (), (HOUR,)))),), (BRIEF, STOP), ()))
    rows, last = said.blocks
    assert [flat(row.heading) for row in rows.rows] == ["Hours · Weekly brief: Monday", "Weekly brief at"]
    assert (rows.rows[0].buttons, said.actions) == ((STOP,), (STOP,))
    assert last == Rows((Item(words("Weekly brief: Monday")),))


@patiently
@given(cards)
def test_a_smaller_card_never_keeps_a_part_of_a_list_of_choices(card: Card) -> None:
    """They are all there, or all said in words."""
    whole = every_choice(card)
    assert every_choice(in_words(card)) == []
    assert all(every_choice(smaller) in (whole, []) for smaller in degraded(card))


@given(choices())
def test_the_words_of_a_choice_hold_its_present_option(choice: Choice) -> None:
    present = [option_label(option) for option in choice.options if option.arg == choice.chosen]
    assert all(stated(choice).endswith(found) for found in present)
    assert stated(choice).startswith(label(choice))
