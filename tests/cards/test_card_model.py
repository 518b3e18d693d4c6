"""A stored card comes back as it was; a tap changes only what it should; a button carries ids only."""

import json

import pytest
from hypothesis import given

from cards.actions import Button, LinkButton, label, payload, question
from cards.codec import from_json, to_json
from cards.inline import Plain
from cards.limits import ROWS, clipped, fewer, shorter, smallest
from cards.model import (
    Card,
    Change,
    Citation,
    Citations,
    Context,
    Item,
    Outcome,
    Quote,
    Rows,
    Text,
    more_words,
    with_nonce,
    with_outcome,
)
from tests.strategies.card_content import cards, patiently, short_texts


def words(text: str) -> tuple[Plain]:
    return (Plain(text),)


def button(target: str, kind: str = "watch_mute", nonce: str = "n") -> Button:
    return Button(kind, target, nonce, "Do it")


def every_button(card: Card) -> list[Button]:
    return [action for action in card.every_action if isinstance(action, Button)]


CARD = Card(
    words("t"),
    (Rows((Item(words("a"), (), (button("1"), button("1", "watch_create"))), Item(words("b"), (), (button("2"),)))),),
    (button("1"), LinkButton("Open source", "https://x.example")),
    words("f"),
)


@patiently
@given(cards)
def test_a_stored_card_is_the_same_card(card: Card) -> None:
    text = json.dumps(to_json(card))
    assert from_json(json.loads(text)) == card


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ({}, "card: unknown type None"),
        ({"type": "Plain", "text": "x"}, "card: expected an object of type Card, found 'Plain'"),
        (to_json(CARD) | {"title": [{"type": "Spell"}]}, r"card.title\[0\]: unknown type 'Spell'"),
        (to_json(CARD) | {"blocks": [{"type": "Text", "wrods": []}]}, r"card.blocks\[0\]: not the fields of a Text"),
        (
            to_json(CARD) | {"actions": [to_json(CARD)["actions"][0] | {"kind": "post_channel"}]},
            "button kind 'post_channel'",
        ),
    ],
)
def test_a_stored_card_that_is_off_says_where(stored: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_json(stored)


def test_a_new_nonce_reaches_every_button() -> None:
    assert {found.nonce for found in every_button(with_nonce(CARD, "new"))} == {"new"}
    assert with_nonce(CARD, "n") == CARD


def test_an_outcome_takes_the_used_buttons_of_its_target_only() -> None:
    after = with_outcome(CARD, "Muted.", target="1", remove_kinds=frozenset({"watch_mute"}))
    assert [(b.kind, b.target) for b in every_button(after)] == [("watch_create", "1"), ("watch_mute", "2")]
    assert after.outcomes == (Outcome("1", "Muted."),)
    assert after.actions == (LinkButton("Open source", "https://x.example"),)


def test_an_outcome_without_a_target_takes_the_kind_everywhere() -> None:
    after = with_outcome(CARD, "Done.", remove_kinds=frozenset({"watch_mute"}), actions=(button("3"),))
    assert [(b.kind, b.target) for b in every_button(after)] == [("watch_mute", "3"), ("watch_create", "1")]


def test_a_later_outcome_of_one_target_replaces_the_first_and_others_stay() -> None:
    after = with_outcome(CARD, "Refreshing…", target="1")
    after = with_outcome(after, "Stopped.", target="2")
    after = with_outcome(after, "Here is the new answer.", target="1")
    assert after.outcomes == (Outcome("2", "Stopped."), Outcome("1", "Here is the new answer."))


def test_what_explains_a_button_goes_with_the_last_of_its_kind() -> None:
    hint = Context(words("Mutes it."), explains="watch_mute")
    card = Card((), (*CARD.blocks, hint), CARD.actions, ())
    kinds = frozenset({"watch_mute"})
    assert hint in with_outcome(card, "Muted.", target="1", remove_kinds=kinds).shown_blocks
    assert hint not in (gone := with_outcome(card, "Muted.", remove_kinds=kinds)).shown_blocks
    assert hint in with_outcome(gone, "Not now.", actions=(button("1"),)).shown_blocks


@given(short_texts)
def test_blank_text_makes_no_block(text: str) -> None:
    blank = words("\u200b \n")
    empty = (Text(blank), Context(()), Quote(blank), Rows((Change(blank, blank), Item(blank))), Citations(()))
    kept = Text(words(text + "x"))
    assert Card((), (*empty, kept), (), ()).shown_blocks == (kept,)


@patiently
@given(cards)
def test_the_fallback_is_short_one_line_and_never_empty(card: Card) -> None:
    text = card.fallback_text
    assert 0 < len(text) <= 150
    assert "\n" not in text


@pytest.mark.parametrize(
    ("field", "value"), [("target", "two words"), ("target", ""), ("nonce", "n" * 129), ("arg", "é"), ("arg", "a\nb")]
)
def test_a_button_refuses_text_where_an_id_belongs(field: str, value: str) -> None:
    fields = {"kind": "watch_mute", "target": "t", "nonce": "n", "label": "l", field: value}
    with pytest.raises(ValueError, match=f"button {field}"):
        Button(**fields)


def test_a_payload_has_an_argument_only_where_there_is_a_choice() -> None:
    assert payload(button("t")) == {"kind": "watch_mute", "target": "t", "nonce": "n"}
    assert payload(Button("watch_mute", "t", "n", "l", arg="1d"))["arg"] == "1d"


def test_a_blank_label_or_question_still_says_something() -> None:
    silent = Button("watch_mute", "t", "n", "\u200b", confirm=" ")
    assert (label(silent), question(silent)) == ("Choose", "Continue?")
    assert question(button("t")) is None


def long_card() -> Card:
    change = Change(words("b" * 900), words("a" * 900), words("h" * 300), words("n" * 300), buttons=(button("1"),))
    cited = Citation(1, words("s" * 300), words("q" * 900))
    blocks = (
        Text(words("t" * 900)),
        Quote(words("q" * 900), words("src")),
        Rows((change,) * 9),
        Citations((cited,) * 9),
    )
    return Card(words("title " * 100), blocks, (button("2"),) * 9, words("f"))


def test_fewer_rows_are_counted() -> None:
    _, _, rows, citations = fewer(long_card(), ROWS).blocks
    assert (len(rows.rows), rows.more, len(citations.items), citations.more) == (5, 4, 5, 4)
    assert more_words(rows) == words("and 4 more")
    assert fewer(CARD, ROWS) == CARD


def test_shorter_quotes_leave_other_text_alone() -> None:
    text, quote, rows, citations = shorter(long_card(), 80).blocks
    assert len(text.words[0].text) == 900
    shortened = (quote.words, rows.rows[0].before, rows.rows[0].after, citations.items[0].quote)
    assert all(len(part[0].text.encode()) <= 80 for part in shortened)
    assert len(rows.rows[0].heading[0].text) == 300


def test_the_last_steps_shorten_all_and_keep_six_buttons() -> None:
    small = clipped(long_card(), 80)
    assert len(small.title[0].text) <= 80
    assert len(small.blocks[2].rows[0].note[0].text.encode()) <= 80
    assert len(smallest(long_card()).actions) == 6


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("Refund window: 14 days → 30 days", "Refund window: 14 days → 30 days."),
        ("Which one?", "Which one?"),
        ("It changed!", "It changed!"),
        ("Looking…", "Looking…"),
        ("退货期限。", "退货期限。"),
        ("He said “no.”", "He said “no.”"),
        ("(See below.)", "(See below.)"),
        ("a" * 200, "a" * 148 + "…"),
        ("", "There is news from your team’s memory."),
    ],
)
def test_the_fallback_is_a_whole_sentence(said: str, sentence: str) -> None:
    assert Card((), (), (), words(said)).fallback_text == sentence
