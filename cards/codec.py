"""Neutral cards as JSON and back, so that a stored card can be rendered again with its outcome."""

from dataclasses import fields, is_dataclass
from typing import Any

from cards import actions, inline, model

_TYPES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        *(inline.Plain, inline.Bold, inline.Code, inline.Link, inline.Date, inline.Joined),
        *(model.Text, model.Quote, model.Change, model.Item, model.Rows, model.Fields, model.Citation),
        *(model.Citations, model.Context, model.Divider, model.Outcome, model.Card),
        *(actions.Button, actions.LinkButton, actions.Option, actions.Choice),
    )
}


def to_json(card: model.Card) -> dict[str, Any]:
    """`card` as objects that name their type; tuples are lists."""
    encoded: dict[str, Any] = _encode(card)
    return encoded


def from_json(stored: dict[str, Any]) -> model.Card:
    """Raises ValueError, saying where, when `stored` is not what `to_json` made."""
    card = _decode(stored, "card")
    if not isinstance(card, model.Card):
        raise ValueError(f"card: expected an object of type Card, found {stored.get('type')!r}")  # noqa: TRY004 - one error for any stored card that is off
    return card


def _encode(value: Any) -> Any:
    if is_dataclass(value):
        return {"type": type(value).__name__} | {f.name: _encode(getattr(value, f.name)) for f in fields(value)}
    return [_encode(part) for part in value] if isinstance(value, tuple) else value


def _decode(value: Any, place: str) -> Any:
    if isinstance(value, list):
        return tuple(_decode(part, f"{place}[{index}]") for index, part in enumerate(value))
    if not isinstance(value, dict):
        return value
    kind = _TYPES.get(str(value.get("type")))
    if kind is None:
        raise ValueError(f"{place}: unknown type {value.get('type')!r}; use one of {', '.join(_TYPES)}")
    try:
        return kind(**{key: _decode(part, f"{place}.{key}") for key, part in value.items() if key != "type"})
    except TypeError as error:
        raise ValueError(f"{place}: not the fields of a {kind.__name__}: {error}") from error
