"""What one can do with a card, as Slack's interactive elements. Action ids are made unique by a number.

The value of a button or an option is the tap as compact JSON. A select hides its placeholder once something is chosen,
so a choice's label stands beside it as the text of its section.
"""

import json
from collections.abc import Iterable, Iterator

from cards import limits
from cards.actions import Action, Button, Choice, LinkButton, Option, label, option_label, payload, question
from cards.inline import Plain, Words
from cards.slack_text import Json, cut_text, plain_text, said
from cards.text import safe_link


def selects(actions: Iterable[Action], numbers: Iterator[int]) -> Iterator[Json]:
    """Every choice in a section of its own."""
    for action in actions:
        if isinstance(action, Choice):
            yield beside((Plain(label(action)),), _select(action, numbers))


def buttons(actions: Iterable[Action], numbers: Iterator[int]) -> Iterator[Json]:
    """All buttons side by side."""
    elements = [element for action in actions for element in button(action, numbers)]
    for start in range(0, len(elements), limits.SLACK_ACTIONS):
        yield {"type": "actions", "elements": elements[start : start + limits.SLACK_ACTIONS]}


def beside(words: Words, *accessory: Json) -> Json:
    """One line of text with what can be done about it, if anything, at its side."""
    section: Json = {"type": "section", "text": cut_text(words, limits.SLACK_SECTION)}
    return section | {"accessory": accessory[0]} if accessory else section


def button(action: Action, numbers: Iterator[int]) -> Iterator[Json]:
    common = {"type": "button", "text": said(label(action), limits.SLACK_BUTTON)}
    if isinstance(action, Button):
        yield common | {"action_id": f"{action.kind}:{next(numbers)}", **_tap(action)}
    elif isinstance(action, LinkButton) and safe_link(action.url):
        yield common | {"action_id": f"open_link:{next(numbers)}", "url": action.url}


def _tap(button: Button) -> Json:
    asked = question(button)
    tap: Json = {"value": _compact(payload(button))}
    if button.style == "primary":
        tap["style"] = "primary"
    return tap if asked is None else tap | {"confirm": _confirm(asked, label(button))}


def _compact(carried: dict[str, str]) -> str:
    return json.dumps(carried, separators=(",", ":"))


def _confirm(asked: str, yes: str) -> Json:
    return {
        "title": said(f"{yes}?", limits.SLACK_CONFIRM_TITLE),
        "text": said(asked, limits.SLACK_CONFIRM_TEXT),
        "confirm": said(yes, limits.SLACK_CONFIRM_BUTTON),
        "deny": plain_text("Not now"),
    }


def _select(choice: Choice, numbers: Iterator[int]) -> Json:
    options = {option.arg: _option(choice, option) for option in choice.options}
    select = {
        "type": "static_select",
        "action_id": f"{choice.kind}:{next(numbers)}",
        "placeholder": said(label(choice), limits.SLACK_PLACEHOLDER),
        "options": list(options.values()),
    }
    return select if choice.chosen is None else select | {"initial_option": options[choice.chosen]}


def _option(choice: Choice, option: Option) -> Json:
    return {
        "text": said(option_label(option), limits.SLACK_OPTION),
        "value": _compact(payload(choice, option.arg)),
    }
