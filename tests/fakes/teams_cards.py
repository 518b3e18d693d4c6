"""What Teams takes as a message with a card: Microsoft's schema of Adaptive Cards 1.5, and the rules beside it."""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import regex
from jsonschema import Draft7Validator

from cards.teams_controls import read_tap

Json = dict[str, Any]
CARD = "application/vnd.microsoft.card.adaptive"
MOST_BYTES, MOST_ACTIONS = 20_000, 6
KINDS = {
    *("AdaptiveCard", "ActionSet", "ColumnSet", "Column", "Container", "RichTextBlock", "TextBlock", "TextRun"),
    *("Input.ChoiceSet", "Action.Execute", "Action.OpenUrl", "Action.ShowCard"),
}
_SCHEMA = Draft7Validator(json.loads((files("adaptive_cards") / "schemas" / "schema-1.5.json").read_text()))
_MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
_TOKEN = regex.compile(rf"\{{\{{(?:DATE\({_MOMENT},SHORT\)|TIME\({_MOMENT}\))\}}\}}")
_MARKUP = regex.compile(r"<[\p{L}/!?]|&#?\w+;")


def faults(activity: Json) -> list[str]:
    """Why Teams would refuse a message, or show what no card means; empty when it would not."""
    return list(_message_faults(activity)) or card_faults(activity["attachments"][0]["content"])


def card_faults(card: Json) -> list[str]:
    schema = [error.message for error in _SCHEMA.iter_errors(_without_msteams(card))]
    return schema or [*_of_card(card), *(fault for part in parts(card) for fault in _of_part(part))]


def parts(element: Any) -> Iterator[Json]:
    """Every object of a card that has a type, outermost first; what a tap carries is none."""
    if isinstance(element, list):
        for one in element:
            yield from parts(one)
    elif isinstance(element, dict):
        yield from [element] if "type" in element else []
        for name, value in element.items():
            yield from parts(value) if name != "data" else ()


def shown(card: Json) -> list[Json]:
    """The parts one sees before any tap."""
    return list(parts({**card, "body": [_closed(part) for part in card["body"]]}))


def _closed(element: Any) -> Any:
    if isinstance(element, list):
        return [_closed(one) for one in element]
    if not isinstance(element, dict):
        return element
    return {name: _closed(value) for name, value in element.items() if name != "card"}


def _message_faults(activity: Json) -> Iterator[str]:
    if len(json.dumps(activity, ensure_ascii=False).encode()) > MOST_BYTES:
        yield "the whole activity is too long"
    if activity["type"] != "message" or "text" in activity:
        yield "a message whose text is its card alone"
    summary = activity.get("summary", "")
    if not summary.strip() or "\n" in summary or _MARKUP.search(summary):
        yield "the summary: one plain line"
    if [attachment["contentType"] for attachment in activity["attachments"]] != [CARD]:
        yield "one Adaptive Card"


def _without_msteams(card: Json) -> Json:
    """The schema does not know what Teams adds to it."""
    return {name: value for name, value in card.items() if name != "msteams"}


def _of_card(card: Json) -> Iterator[str]:
    if card.get("version") != "1.5" or not card.get("fallbackText", "").strip():
        yield "the version or the fallback text is missing"
    for unwanted in ("refresh", "authentication", "actions"):
        if unwanted in card:
            yield f"{unwanted}: not in a direct message, or not in lines"
    actions = [action for part in shown(card) for action in part.get("actions", ())]
    if len(actions) > MOST_ACTIONS:
        yield f"{len(actions)} actions are shown at once"


def _of_part(part: Json) -> Iterator[str]:
    kind = part["type"]
    if kind not in KINDS:
        yield f"{kind}: no part of our cards"
    if len(part.get("actions", ())) > MOST_ACTIONS:
        yield "too many actions in a set"
    if kind == "Action.ShowCard" and not part.get("card", {}).get("body"):
        yield "nothing is opened"
    if kind == "Action.OpenUrl" and not regex.match(r"https?://[^\s/]", part["url"]):
        yield f"{part['url'][:40]!r}: no web address"
    if kind == "Action.Execute" and read_tap(part.get("verb", ""), part.get("data", {})) is None:
        yield "a tap that nobody can read"
    if kind == "RichTextBlock" and not all(run["text"] for run in part["inlines"] or [{"text": ""}]):
        yield "a line of nothing"
    if kind == "Input.ChoiceSet" and not _offers(part):
        yield "nothing to choose, or what is chosen is no option"
    yield from _of_texts(part)


def _offers(choice_set: Json) -> bool:
    options = [choice["value"] for choice in choice_set["choices"]]
    return bool(options) and choice_set.get("value", options[0]) in options


def _of_texts(part: Json) -> Iterator[str]:
    for name in ("text", "fallbackText", "title", "label", "placeholder", "tooltip"):
        text = part.get(name, "")
        plain = _TOKEN.sub("", text) if part["type"] == "TextBlock" else text
        if "{{" in plain or "${" in plain:
            yield f"{name}: a function that is none of ours"
        if (part["type"], name) in {("TextBlock", "text"), ("AdaptiveCard", "fallbackText")} and _MARKUP.search(plain):
            yield f"{name}: HTML"
