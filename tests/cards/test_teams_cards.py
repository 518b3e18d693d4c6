"""Whatever a card holds, Teams accepts it, shows its text literally, and nothing in it is markup or a function."""

import json
import re
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft7Validator

from cards.actions import Button, Choice, LinkButton, Option
from cards.gallery import gallery
from cards.inline import Bold, Code, Date, Joined, Link, Plain
from cards.model import Card, Change, Context, Item, Quote, Rows, Text, with_outcome
from cards.teams import to_teams
from cards.teams_text import escape_markdown, literal
from cards.text import clean
from tests.strategies.card_content import INJECTIONS, cards, patiently, short_texts

Json = dict[str, Any]
SCHEMA = Draft7Validator(json.loads((files("adaptive_cards") / "schemas" / "schema-1.5.json").read_text()))
UNSEEN = str.maketrans("", "", "\u2060\u2068\u2069")


def elements(card: Json) -> list[Json]:
    """Every object in a card, outermost first."""
    found = [card]
    for value in card.values():
        for part in value if isinstance(value, list) else [value]:
            found += elements(part) if isinstance(part, dict) else []
    return found


def of_type(card: Json, kind: str) -> list[Json]:
    return [element for element in elements(card) if element.get("type") == kind]


def check(card: Json) -> None:
    SCHEMA.validate(card)
    assert card["version"] == "1.5"
    assert len(json.dumps(card, ensure_ascii=False).encode()) <= 20_000
    shown = len(card.get("actions", [])) + sum(len(part["actions"]) for part in card["body"] if "actions" in part)
    assert shown <= 6
    for block in of_type(card, "RichTextBlock"):
        assert block["inlines"]
        assert all(run["text"] for run in block["inlines"])


@patiently
@given(cards)
def test_any_card_is_a_valid_adaptive_card(card: Card) -> None:
    check(to_teams(card))


@pytest.mark.parametrize(("state", "card"), gallery())
def test_every_state_is_a_valid_adaptive_card(state: str, card: Card) -> None:
    check(to_teams(card))


def runs(card: Json) -> list[str]:
    return ["".join(run["text"] for run in block["inlines"]) for block in of_type(card, "RichTextBlock")]


@given(short_texts.filter(lambda text: len(clean(text)) < 200))
def test_runs_are_the_text_line_by_line(text: str) -> None:
    card = to_teams(Card((), (Text((Plain("| "), Plain(text))), Quote((Plain("| "), Plain(text)))), (), ()))
    lines = [line for line in ("| " + clean(text)).split("\n") if line.strip(" \t\u00a0\u2800\u3000")]
    read = [line.translate(UNSEEN) for line in runs(card)]
    visible = [line.translate(UNSEEN) for line in lines if clean(line).strip().strip("\u2800").strip()]
    assert read == visible * 2


@given(short_texts)
def test_escaping_markdown_is_exact(text: str) -> None:
    """Taking off the escapes gives the text back, and no bare control character is left."""
    escaped = escape_markdown(text)
    assert re.sub(r"\\([\\*_\[\]~`])", r"\1", escaped).translate(UNSEEN) == text.translate(UNSEEN)
    assert "{{" not in escaped
    assert not re.search(r"<[a-z/!?]|&[#a-z]", escaped, re.IGNORECASE)
    assert not re.search(r"(?<!\\)(?:\\\\)*[*_\[\]~`]", re.sub(r"\\[\\*_\[\]~`]", "", escaped))


@pytest.mark.parametrize("text", INJECTIONS)
def test_what_looks_like_markup_is_shown_literally(text: str) -> None:
    """In the title, body, dated line, button, confirmation, outcome and fallback text."""
    button = Button("answer_refresh", "a", "n", text, confirm=text)
    words = (Plain(text),)
    choice = Choice("preference_set", "p", "n", text, (Option("x", text),), "x")
    blocks = (Text(words), Context((*words, Date(1))), Rows((Item((), (), (choice,)),), words))
    card = to_teams(with_outcome(Card(words, blocks, (button,), words), text))
    check(card)
    one_line = " ".join(text.split())
    assert card["body"][0]["inlines"][0]["text"].translate(UNSEEN) == one_line
    whole = json.dumps(card, ensure_ascii=False).replace("{{DATE(1970-01-01T00:00:00Z,SHORT)}}", "")
    whole = whole.replace("{{TIME(1970-01-01T00:00:00Z)}}", "")
    assert "{{" not in whole
    assert "${" not in whole
    (shown,) = of_type(card, "Input.ChoiceSet")
    named = (shown["label"], shown["placeholder"], shown["choices"][0]["title"])
    assert {name.translate(UNSEEN) for name in named} == {one_line}
    (dated,) = of_type(card, "TextBlock")
    assert dated["text"].startswith(escape_markdown(text.rsplit("\n", maxsplit=1)[-1]))
    assert card["actions"][0]["title"].translate(UNSEEN).removesuffix("…") == one_line
    assert card["fallbackText"].translate(UNSEEN).removesuffix(".") == escape_markdown(one_line).translate(UNSEEN)


def test_a_moment_shows_in_the_readers_zone_and_a_day_is_a_day() -> None:
    words = (Plain("at "), Date(1_795_424_643_000_000), Plain(" or "), Date(0, "day"))
    (block,) = to_teams(Card((), (Context(words),), (), ()))["body"]
    assert block["type"] == "TextBlock"
    stamp = "2026-11-23T09:04:03Z"
    assert block["text"] == f"at {{{{DATE({stamp},SHORT)}}}}, {{{{TIME({stamp})}}}} or 1 Jan 1970"


def test_each_kind_of_word_has_its_run() -> None:
    words = (Plain("a"), Bold((Plain("b"),)), Code("c"), Link("d", "https://x.example"), Link("e", "ftp://x"))
    (block,) = to_teams(Card((), (Text(words),), (), ()))["body"]
    assert block["inlines"] == [
        {"type": "TextRun", "text": "a"},
        {"type": "TextRun", "text": "b", "weight": "Bolder"},
        {"type": "TextRun", "text": "c", "fontType": "Monospace"},
        {"type": "TextRun", "text": "d", "selectAction": {"type": "Action.OpenUrl", "url": "https://x.example"}},
        {"type": "TextRun", "text": "e"},
    ]


def test_an_outcome_and_the_title_of_a_part_stand_out() -> None:
    card = to_teams(with_outcome(Card((), (Text((Plain("said"),), (Plain("titled"),)),), (), ()), "Done."))
    shown = [(run["text"], run.get("weight")) for block in card["body"] for run in block["inlines"]]
    assert shown == [("titled", "Bolder"), ("said", None), ("Done.", "Bolder")]


def test_both_sides_of_a_change_are_told_apart_by_words() -> None:
    change = Change(before=(Plain("in "), Bold((Plain("14"),))), after=(Plain("in "), Bold((Plain("30"),))))
    card = to_teams(Card((), (Rows((change,)),), (), ()))
    assert runs(card) == ["Before: in 14", "Now: in 30"]
    marked = [run for block in of_type(card, "RichTextBlock") for run in block["inlines"][1:] if len(run) > 2]
    assert [(run.get("strikethrough"), run.get("weight")) for run in marked] == [(True, None), (None, "Bolder")]


def test_a_confirmed_tap_asks_first_and_only_the_second_button_carries_the_nonce() -> None:
    button = Button("answer_refresh", "a", "secret", "Refresh answer", style="primary", confirm="Really?")
    (outer,) = to_teams(Card((), (), (button,), ()))["actions"]
    assert outer["type"] == "Action.ShowCard"
    inner = outer.pop("card")
    assert "secret" not in json.dumps(outer)
    assert runs(inner) == ["Really?"]
    assert inner["actions"] == [
        {
            "type": "Action.Execute",
            "title": "Refresh answer",
            "verb": "answer_refresh",
            "data": {"kind": "answer_refresh", "target": "a", "nonce": "secret"},
            "style": "positive",
        }
    ]


def test_rows_keep_their_buttons_and_unsafe_links_have_none() -> None:
    row = Item((Plain("x"),), (), (Button("watch_mute", "w", "n", "Stop watching", arg="stop"),))
    card = to_teams(Card((), (Rows((row,)),), (LinkButton("Bad", "javascript:alert(1)"),), ()))
    (found,) = of_type(card, "ActionSet")
    assert [action["data"]["target"] for action in found["actions"]] == ["w"]
    assert "actions" not in card


def test_a_right_to_left_text_in_pieces_is_isolated_once() -> None:
    card = to_teams(Card((), (Text((Joined((Plain("תוך "), Bold((Plain("30"),)), Plain(" ימים"))),)),), (), ()))
    assert runs(card) == ["\u2068תוך 30 ימים\u2069"]


def test_a_function_or_tag_cannot_be_put_together_from_pieces() -> None:
    pieces = ("{", "{DATE(2026-01-01T00:00:00Z)}}", "<", "at>x</at>", "&", "lt;")
    (block,) = to_teams(Card((), (Context((*map(Plain, pieces), Date(0))),), (), ()))["body"]
    text = block["text"].partition("{{DATE(1970")[0]
    assert not any(whole in text for whole in ("{{", "<at", "&lt;"))
    assert text.translate(UNSEEN).replace("\\", "") == "".join(pieces)


def test_functions_are_broken_by_something_unseen() -> None:
    assert literal("{{DATE(x)}} ${y}") == "{\u2060{DATE(x)}} $\u2060{y}"
