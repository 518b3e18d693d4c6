"""A card as text says everything a card says, and cannot move a cursor."""

import re

import pytest
from hypothesis import given

from cards.actions import Button, LinkButton
from cards.gallery import gallery
from cards.inline import Bold, Date, Plain
from cards.model import (
    Card,
    Change,
    Citation,
    Citations,
    Context,
    Divider,
    Fields,
    Item,
    Quote,
    Rows,
    Text,
    with_outcome,
)
from cards.plain import to_plain
from tests.strategies.card_content import INJECTIONS, cards, patiently


@patiently
@given(cards)
def test_no_control_character_survives(card: Card) -> None:
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b\ufeff]", to_plain(card))


def test_a_whole_card_in_words() -> None:
    def words(text: str) -> tuple[Plain]:
        return (Plain(text),)

    mute = Button("watch_mute", "w", "n", "Stop watching", arg="stop")
    change = Change((Plain("in "), Bold(words("14"))), words("in 30"), words("Refunds"), words("learned today"))
    card = Card(
        words("Refunds changed"),
        (
            Text(words("Hello."), words("Greeting")),
            Quote(words("said"), words("Handbook")),
            Rows((change, Item(words("Prices"), (), (mute,))), words("Orders"), 3, "Ask."),
            Fields(((words("Zone"), words("UTC")), (words("None"), ()))),
            Citations((Citation(1, words("Handbook"), words("quoted")),), 2),
            Divider(),
            Context((Plain("at "), Date(0))),
        ),
        (LinkButton("Open source", "https://x.example"), LinkButton("Bad", "file:///x"), mute),
        (),
    )
    assert to_plain(with_outcome(card, "Muted.", target="other")).split("\n") == [
        "Refunds changed",
        "",
        "Greeting",
        "Hello.",
        "",
        "“said”",
        "Handbook",
        "",
        "Orders",
        "• Refunds",
        "  Before: in 14",
        "  Now: in 30",
        "  learned today",
        "• Prices",
        "  [Stop watching]",
        "and 3 more. Ask.",
        "",
        "Zone: UTC",
        "",
        "[1] Handbook",
        "    “quoted”",
        "and 2 more",
        "",
        "—",
        "",
        "at 1 Jan 1970, 00:00 UTC",
        "",
        "Muted.",
        "",
        "[Open source: https://x.example] [Stop watching]",
    ]


def test_moments_are_in_the_readers_zone() -> None:
    assert to_plain(Card((), (Context((Date(0),)),), (), ()), "Asia/Tokyo") == "1 Jan 1970, 09:00"


@pytest.mark.parametrize("text", INJECTIONS)
def test_markup_is_only_text(text: str) -> None:
    assert to_plain(Card((), (Text((Plain(text),)),), (), ())) == text


@pytest.mark.parametrize(("state", "card"), gallery())
def test_every_state_has_words(state: str, card: Card) -> None:
    assert to_plain(card).strip()
