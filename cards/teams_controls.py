"""What one can do with a card, as Adaptive Card actions: the verb is the kind, the data is the tap.

The choices of a list share one button that opens them all, so that they leave room for others. Inputs have ids of
their own in a card, and Teams sends all of them with every tap. So the button that sets a choice carries an empty arg;
what was chosen arrives under `kind:target`, empty or absent where nothing is, and what comes under other names is not
meant.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cards import limits
from cards.actions import Action, Button, Choice, Kind, LinkButton, label, option_label, payload, question
from cards.inline import Plain, Words, line
from cards.teams_text import Json, lines, literal
from cards.text import ELLIPSIS, safe_link


@dataclass(frozen=True, slots=True)
class Unchosen:
    """A tap that sets a choice of which nothing is chosen yet."""

    kind: Kind
    target: str
    nonce: str


def read_tap(verb: str, data: Mapping[str, Any]) -> Button | Unchosen | None:
    """What was tapped, as a card made it, less its label; None for what no card could have offered."""
    carried: Json = {name: data.get(name) for name in ("kind", "target", "nonce")}
    arg = data.get("arg")
    sets_choice = arg == ""
    if sets_choice:
        arg = data.get(f"{verb}:{carried['target']}") or None
    given = [*carried.values(), *([] if arg is None else [arg])]
    if carried["kind"] != verb or not all(isinstance(value, str) for value in given):
        return None
    try:
        button = Button(label="", arg=arg, **carried)
    except ValueError:
        return None
    return Unchosen(button.kind, button.target, button.nonce) if sets_choice and arg is None else button


def controls(actions: Iterable[Action]) -> list[Json]:
    """The buttons; choices are not among them."""
    return [element for action in actions for element in _action(action)]


def settings(choices: Iterable[tuple[Words, tuple[Choice, ...]]]) -> list[Json]:
    """One button for all choices, each given with the heading of its row, which says what it is about."""
    once = {_input_id(choice): _setting(heading, choice) for heading, many in choices for choice in many}
    return [_opening("Change…", {"body": list(once.values())})] if once else []


def sets(actions: Iterable[Json], spacing: str = "Small") -> Iterator[Json]:
    """The actions in sets that are no wider than a phone."""
    row: list[Json] = []
    for action in actions:
        if row and sum(map(_width, (*row, action))) > limits.TEAMS_LINE:
            yield {"type": "ActionSet", "spacing": spacing, "actions": row}
            row, spacing = [], "Small"
        row.append(action)
    if row:
        yield {"type": "ActionSet", "spacing": spacing, "actions": row}


def stands_beside(actions: list[Json]) -> bool:
    """Whether these are one button which leaves room for a heading and opens nothing beneath itself."""
    return [a["type"] != "Action.ShowCard" and _width(a) <= limits.TEAMS_LINE // 2 for a in actions] == [True]


def column(width: str, items: list[Json]) -> Json:
    return {"type": "Column", "width": width, "items": items}


def _width(action: Json) -> int:
    return limits.columns(action["title"]) + limits.TEAMS_BUTTON_EDGES


def _action(action: Action) -> Iterator[Json]:
    if isinstance(action, Button):
        asked = question(action)
        yield _execute(action) if asked is None else _confirmed(action, asked)
    elif isinstance(action, LinkButton) and safe_link(action.url):
        yield {"type": "Action.OpenUrl", "title": _title(action), "url": action.url}


def _title(button: Button | LinkButton) -> str:
    return literal(line((Plain(label(button)),), limits.TEAMS_BUTTON, limits.columns))


def _short(text: str, limit: int) -> str:
    return literal(line((Plain(text),), limit))


def _execute(button: Button) -> Json:
    tap = {"type": "Action.Execute", "title": _title(button), "verb": button.kind, "data": payload(button)}
    return tap | _style(button)


def _style(button: Button) -> Json:
    return {"style": "positive"} if button.style == "primary" else {}


def _confirmed(button: Button, asked: str) -> Json:
    """A question with a second button; only that one carries the nonce."""
    body = lines((Plain(line((Plain(asked),), limits.TEAMS_QUESTION)),))
    opened = {"body": list(body), "actions": [_execute(button)]}
    return _opening(f"{_title(button).removesuffix(ELLIPSIS)}{ELLIPSIS}", opened) | _style(button)


def _opening(title: str, card: Json) -> Json:
    return {"type": "Action.ShowCard", "title": title, "card": {"type": "AdaptiveCard", **card}}


def _input_id(choice: Choice) -> str:
    return f"{choice.kind}:{choice.target}"


def _setting(heading: Words, choice: Choice) -> Json:
    """The input and its button side by side."""
    about, what = literal(line(heading, limits.TEAMS_OPTION)), _short(label(choice), limits.TEAMS_OPTION)
    name = f"{about}: {what}" if about else what
    button = column("auto", [_set(name, choice)]) | {"verticalContentAlignment": "Bottom"}
    return {"type": "ColumnSet", "columns": [column("stretch", [_input(name, choice)]), button]}


def _input(name: str, choice: Choice) -> Json:
    options = [{"title": _short(option_label(o), limits.TEAMS_OPTION), "value": o.arg} for o in choice.options]
    shown = {"label": name, "placeholder": _short(label(choice), limits.TEAMS_OPTION), "choices": options}
    chosen = {} if choice.chosen is None else {"value": choice.chosen}
    return {"type": "Input.ChoiceSet", "id": _input_id(choice), "style": "compact", **shown, **chosen}


def _set(name: str, choice: Choice) -> Json:
    tap = {"type": "Action.Execute", "title": "Set", "tooltip": f"Set {name}", "verb": choice.kind}
    return {"type": "ActionSet", "actions": [tap | {"data": payload(choice, "")}]}
