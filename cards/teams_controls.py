"""What one can do with a card, as Adaptive Card actions: the verb is the kind, the data is the tap.

The choices of a list share one button that opens them all, so that they leave room for others. Inputs have ids of
their own in a card, and Teams sends all of them with every tap: the arg of a choice arrives under `kind:target`, is
empty or absent where nothing is chosen yet, and what comes under other names is not meant.
"""

from collections.abc import Iterable, Iterator

from cards import limits
from cards.actions import Action, Button, Choice, LinkButton, label, option_label, payload, question
from cards.inline import Plain, line
from cards.teams_text import Json, literal, runs
from cards.text import safe_link


def controls(actions: Iterable[Action]) -> list[Json]:
    """The buttons, then one for all the choices."""
    found = list(actions)
    choices = [action for action in found if isinstance(action, Choice)]
    return [element for action in found for element in _action(action)] + ([_change(choices)] if choices else [])


def _action(action: Action) -> Iterator[Json]:
    if isinstance(action, Button):
        asked = question(action)
        yield _execute(action) if asked is None else _confirmed(action, asked)
    elif isinstance(action, LinkButton) and safe_link(action.url):
        yield {"type": "Action.OpenUrl", "title": _title(action), "url": action.url}


def _title(action: Action) -> str:
    return _short(label(action), limits.TEAMS_BUTTON)


def _short(text: str, limit: int) -> str:
    return literal(line((Plain(text),), limit))


def _execute(button: Button) -> Json:
    style = {"style": "positive"} if button.style == "primary" else {}
    return {"type": "Action.Execute", "title": _title(button), "verb": button.kind, "data": payload(button)} | style


def _confirmed(button: Button, asked: str) -> Json:
    """A question with a second button; only that one carries the nonce."""
    body = [runs((Plain(line((Plain(asked),), limits.TEAMS_QUESTION)),), "Default")]
    return _opening(f"{_title(button)}…", {"body": body, "actions": [_execute(button)]})


def _opening(title: str, card: Json) -> Json:
    return {"type": "Action.ShowCard", "title": title, "card": {"type": "AdaptiveCard", **card}}


def _change(choices: list[Choice]) -> Json:
    once = {_input_id(choice): choice for choice in choices}
    return _opening("Change…", {"body": [_setting(choice) for choice in once.values()]})


def _input_id(choice: Choice) -> str:
    return f"{choice.kind}:{choice.target}"


def _setting(choice: Choice) -> Json:
    """The input and its button side by side."""
    columns = [
        {"type": "Column", "width": "stretch", "items": [_input(choice)]},
        {"type": "Column", "width": "auto", "verticalContentAlignment": "Bottom", "items": [_set(choice)]},
    ]
    return {"type": "ColumnSet", "columns": columns}


def _input(choice: Choice) -> Json:
    options = [{"title": _short(option_label(o), limits.TEAMS_BUTTON), "value": o.arg} for o in choice.options]
    shown = {"label": _title(choice), "placeholder": _title(choice), "choices": options}
    chosen = {} if choice.chosen is None else {"value": choice.chosen}
    return {"type": "Input.ChoiceSet", "id": _input_id(choice), "style": "compact", **shown, **chosen}


def _set(choice: Choice) -> Json:
    tap = {"type": "Action.Execute", "title": "Set", "tooltip": f"Set {_title(choice)}", "verb": choice.kind}
    return {"type": "ActionSet", "actions": [tap | {"data": payload(choice)}]}
