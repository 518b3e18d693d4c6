"""Whatever a card holds, Teams shows its text as it was written, no markup and no function, and its buttons whole."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from cards.actions import Button, Choice, LinkButton, Option
from cards.gallery import gallery
from cards.inline import Bold, Code, Date, Joined, Link, Plain
from cards.model import Card, Change, Context, Fields, Item, Quote, Rows, Text, with_outcome
from cards.teams import to_teams, to_teams_message
from cards.teams_text import escape_markdown, literal
from cards.text import clean
from tests.strategies.card_content import INJECTIONS, short_texts

Json = dict[str, Any]
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
def test_row_39_what_looks_like_markup_is_shown_literally(text: str) -> None:
    """In the title, body, dated line, button, confirmation, outcome and fallback text."""
    button = Button("answer_refresh", "a", "n", text, confirm=text)
    words = (Plain(text),)
    choice = Choice("preference_set", "p", "n", text, (Option("x", text),), "x")
    blocks = (Text(words), Context((*words, Date(1))), Rows((Item((), (), (choice,)),), words))
    card = to_teams(with_outcome(Card(words, blocks, (button,), words), text))
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
    assert one_line.startswith(card["body"][-1]["actions"][0]["title"].translate(UNSEEN).rstrip("…"))
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
    (outer,) = to_teams(Card((), (), (button,), ()))["body"][0]["actions"]
    assert (outer["type"], outer["title"], outer["style"]) == ("Action.ShowCard", "Refresh answer…", "positive")
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


def sets(*labels: str) -> list[list[str]]:
    """The buttons with these labels, as they stand in lines."""
    card = to_teams(Card((), (), tuple(Button("watch_mute", "w", "n", label) for label in labels), ()))
    return [[action["title"] for action in found["actions"]] for found in card["body"]]


def test_no_line_of_buttons_is_wider_than_a_phone() -> None:
    """Clients cut off what is beyond, above all the last button, which is the way to stop."""
    assert sets("Save answer", "Watch this") == [["Save answer", "Watch this"]]
    assert sets("14 days", "30 days", "Don’t know") == [["14 days", "30 days", "Don’t know"]]
    four = ("Open source", "Mute a day", "Mute a week", "Stop watching")
    assert sets(*four) == [list(four[:2]), list(four[2:])]
    assert sets("客户手册客户手册", "客户手册客户手册") == [["客户手册客户手册"]] * 2


def test_a_label_is_cut_where_a_phone_would_cut_it_without_a_word() -> None:
    assert sets("x" * 33, "y") == [["x" * 33], ["y"]]
    assert sets("x" * 34) == [["x" * 32 + "…"]]
    assert sets("退" * 17, "क" * 33) == [["退" * 16 + "…"], ["क" * 33]]
    assert sets("e\u0301" * 33) == [["e\u0301" * 33]]
    asked = Button("answer_refresh", "a", "n", "x" * 40, confirm="Really?")
    assert to_teams(Card((), (), (asked,), ()))["body"][0]["actions"][0]["title"] == "x" * 32 + "…"


def test_row_40_a_text_of_several_lines_is_as_many_lines() -> None:
    """A newline inside a run is not kept by every client; also on both sides of a change, and in an outcome."""
    text = (Plain("one\n\ntwo"),)
    card = to_teams(with_outcome(Card((), (Rows((Change(text, text),)),), (), ()), "three\nfour"))
    assert runs(card) == ["Before: one", "two", "Now: one", "two", "three", "four"]


def texts_of(card: Card) -> list[str]:
    """Whatever a card has a client draw as text."""
    drawn = [part[name] for part in elements(to_teams(card)) for name in ("text", "title", "label") if name in part]
    return [text for text in drawn if isinstance(text, str)]


@pytest.mark.parametrize(("state", "card"), gallery())
def test_row_40_no_text_counts_on_what_old_clients_do_not_draw(state: str, card: Card) -> None:
    """No name of an emoji, no line within a text, no table; and where no card is drawn at all, a sentence says it."""
    for text in texts_of(card):
        assert not re.search(r":(100|[a-z][a-z0-9_+-]*):", text)
        assert not re.search(r"\n|\|.*\|", text)
    assert to_teams(card)["fallbackText"].strip()[-1] in ".?!…"


STOP = Button("watch_mute", "w", "n", "Stop watching", arg="stop")


def beside(*actions: Button, heading: str = "Refunds") -> bool:
    """Whether they stand in the line of a row's heading, which its note follows."""
    row = Item((Plain(heading),), (Plain("You hear at once"),), actions)
    card = to_teams(Card((), (Rows((row,)),), (), ()))
    assert runs(card) == [
        *([heading] if heading else []),
        "You hear at once",
        *(a.confirm for a in actions if a.confirm),
    ]
    return bool(card["body"][0]["type"] == "ColumnSet")


def test_the_one_button_of_a_row_stands_beside_its_heading_where_there_is_room() -> None:
    assert beside(STOP)
    assert not beside(STOP, STOP)
    assert not beside(STOP, heading="")
    assert not beside(replace(STOP, label="Everything about orders"))
    assert not beside(replace(STOP, confirm="Really?"))


def test_the_buttons_of_a_change_stand_under_it() -> None:
    change = Change((Plain("14"),), (Plain("30"),), (Plain("Refunds"),), buttons=(STOP,))
    kinds = [part["type"] for part in to_teams(Card((), (Rows((change,)),), (), ()))["body"]]
    assert kinds == ["RichTextBlock", "Container", "ActionSet"]


def test_fields_are_apart_from_what_is_before_and_close_to_one_another() -> None:
    fields = Fields((((Plain("When"),), (Plain("today"),)), ((Plain("Why"),), ()), ((Plain("Who"),), (Plain("Ada"),))))
    assert [part["spacing"] for part in to_teams(Card((), (fields,), (), ()))["body"]] == ["Medium", "Small"]


def test_the_message_is_the_card_in_an_attachment_and_what_a_notification_says() -> None:
    """No text of its own: that would be shown above the card."""
    card = Card((Plain("<b>News</b>"),), (), (STOP,), (Plain("14 → 30 &amp; *more*"),))
    message = to_teams_message(card)
    assert message["summary"].translate(UNSEEN) == "14 → 30 &amp; *more*."
    assert "&amp;" not in message["summary"]
    assert message["attachments"] == [
        {"contentType": "application/vnd.microsoft.card.adaptive", "content": to_teams(card)}
    ]
    assert message.keys() == {"type", "summary", "attachments"}
    assert message["type"] == "message"


def test_what_means_something_at_the_start_of_a_line_does_not_when_put_together_from_pieces() -> None:
    for pieces in (("1", ". x"), ("", "# x"), ("    ", "x"), ("\t", "x")):
        (block,) = to_teams(Card((), (Context((*map(Plain, pieces), Date(0))),), (), ()))["body"]
        assert block["text"].startswith("\u2060")


def test_an_address_that_somebody_wrote_is_no_link() -> None:
    """A renderer makes links of bare addresses too."""
    for text in ("https://evil.example", "www.evil.example", "WWW.evil.example", "a@evil.example"):
        assert escape_markdown(text).translate(UNSEEN) == text
        assert text not in escape_markdown(text)


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
