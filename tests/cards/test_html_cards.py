"""The HTML of any card is well formed, holds the text exactly, and can run nothing."""

from html.parser import HTMLParser

import pytest
from hypothesis import given

from cards.actions import Button, Choice, LinkButton, Option
from cards.gallery import gallery, preview_page
from cards.html import card_css, to_html
from cards.inline import Bold, Date, Plain
from cards.model import Card, Change, Context, Divider, Fields, Rows, Text, with_outcome
from cards.text import clean
from tests.strategies.card_content import INJECTIONS, cards, patiently, short_texts

UNSEEN = str.maketrans("", "", "\u2060\u2068\u2069")
VOID = {"br", "hr"}
TEXT_TAGS = {"h2", "h3", "p", "span", "strong", "code", "a", "time", "del", "ins", "button", "label", "option"}
TAGS = VOID | TEXT_TAGS | {"article", "blockquote", "ul", "ol", "li", "dl", "dt", "dd", "div", "select"}
DATA = {"data-kind", "data-target", "data-nonce", "data-arg", "data-confirm"}
ATTRIBUTES = DATA | {
    "class",
    "aria-label",
    "role",
    "type",
    "href",
    "target",
    "rel",
    "datetime",
    "value",
    "selected",
    "disabled",
}


class Reader(HTMLParser):
    """Reads a fragment as a browser would and refuses what the contract does not name."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text = ""
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        assert {name for name, _ in attrs} <= ATTRIBUTES
        self.tags.append((tag, dict(attrs)))
        if tag == "br":
            self.text += "\n"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@patiently
@given(cards)
def test_any_card_is_well_formed_and_within_the_contract(card: Card) -> None:
    reader = read(to_html(card, "Europe/Lisbon"))
    assert [tag for tag, _ in reader.tags].count("article") == 1
    for tag, attributes in reader.tags:
        if tag == "a":
            assert str(attributes["href"]).lower().startswith(("http://", "https://"))
            assert attributes["rel"] == "noopener noreferrer"
        if tag == "button":
            assert attributes["type"] == "button"
            assert {"data-kind", "data-target", "data-nonce"} <= set(attributes)


@given(short_texts)
def test_text_reads_back_exactly(text: str) -> None:
    html = to_html(Card((), (Text((Plain("| "), Plain(text))),), (), ()))
    assert read(html).text.translate(UNSEEN) == ("| " + clean(text)).translate(UNSEEN)


@pytest.mark.parametrize("text", INJECTIONS)
def test_what_looks_like_markup_is_shown_literally(text: str) -> None:
    words = (Plain(text),)
    button = Button("answer_refresh", "a", "n", text, confirm=text)
    choice = Choice("preference_set", "p", "n", text, (Option("x", text), Option("y", "other")), "x")
    html = to_html(with_outcome(Card(words, (Text(words), Context(words)), (button, choice), words), text))
    reader = read(html)
    shown, one_line = reader.text.translate(UNSEEN), " ".join(text.split())
    assert shown.count(text) >= 4
    assert shown.endswith(f"{one_line} {one_line}other Set{one_line}")
    setting, tap = (attributes for tag, attributes in reader.tags if tag == "button")
    assert str(setting["aria-label"]).translate(UNSEEN) == f"Set {one_line}"
    assert tap["data-confirm"] == text


def test_a_button_carries_its_contract() -> None:
    actions = (
        Button("watch_mute", "w", "n", "Mute a day", arg="1d"),
        Button("answer_refresh", "a", "n", "Refresh answer", style="primary", confirm="Really?"),
        LinkButton("Bad", "javascript:alert(1)"),
    )
    buttons = [attributes for tag, attributes in read(to_html(Card((), (), actions, ()))).tags if tag == "button"]
    assert buttons == [
        {
            "type": "button",
            "class": "card-button",
            "data-kind": "watch_mute",
            "data-target": "w",
            "data-nonce": "n",
            "data-arg": "1d",
        },
        {
            "type": "button",
            "class": "card-button card-button-primary",
            "data-kind": "answer_refresh",
            "data-target": "a",
            "data-nonce": "n",
            "data-confirm": "Really?",
        },
    ]


def test_before_and_after_are_said_in_words_and_in_elements() -> None:
    change = Change(before=(Plain("in "), Bold((Plain("14"),))), after=(Plain("in "), Bold((Plain("30"),))))
    html = to_html(Card((), (Rows((change,)),), (), ()))
    assert '<span class="card-label">Before: </span>in <del>14</del>' in html
    assert '<span class="card-label">Now: </span>in <ins>30</ins>' in html


@pytest.mark.parametrize(
    ("date", "zone", "html"),
    [
        (
            Date(1_795_424_643_000_000),
            "Asia/Kolkata",
            '<time datetime="2026-11-23T14:34:03+05:30">23 Nov 2026, 14:34</time>',
        ),
        (
            Date(1_795_424_643_000_000),
            "Nowhere/Land",
            '<time datetime="2026-11-23T09:04:03+00:00">23 Nov 2026, 09:04 UTC',
        ),
        (Date(0, "day"), "America/Lima", '<time datetime="1970-01-01">1 Jan 1970</time>'),
    ],
)
def test_dates_are_in_the_readers_zone(date: Date, zone: str, html: str) -> None:
    assert html in to_html(Card((), (Context((date,)),), (), ()), zone)


def test_the_title_of_a_part_is_a_heading() -> None:
    html = to_html(Card((), (Text((Plain("said"),), (Plain("titled"),)),), (), ()))
    assert '<h3 class="card-list-title">titled</h3><p class="card-text">said</p>' in html


def test_empty_parts_leave_no_element() -> None:
    blank = (Plain(" \u200b\n"),)
    fields = Fields(((blank, blank), ((Plain("a"),), (Plain("b"),))))
    card = Card(blank, (Text(blank), Context(()), Rows((Change(blank, blank),)), fields, Divider()), (), ())
    assert [tag for tag, _ in read(to_html(card)).tags] == ["article", "dl", "dt", "dd", "hr"]


def test_severity_is_a_class_and_the_outcome_a_status() -> None:
    html = to_html(with_outcome(Card((Plain("t"),), (), (), (), "material"), "Done."))
    assert '<article class="card card-material" aria-label="t">' in html
    assert '<p class="card-outcome" role="status">Done.</p>' in html


def test_every_class_of_a_card_has_its_look() -> None:
    """The stylesheet knows each class that the gallery uses, except those that only inherit."""
    used = {
        name
        for _, card in gallery()
        for _, attributes in read(to_html(card)).tags
        for name in str(attributes.get("class", "")).split()
    }
    assert {name for name in used if f".{name}" not in card_css()} <= {"card-text", "card-item-title"}


def test_the_preview_is_one_page_without_scripts() -> None:
    page = preview_page([("a <state>", to_html(card)) for _, card in gallery()])
    assert page.startswith("<!doctype html>")
    assert "a &lt;state&gt;" in page
    assert "<script" not in page
    assert page.count("<article") == len(gallery())
