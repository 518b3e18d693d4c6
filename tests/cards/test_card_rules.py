"""The rules that every card keeps, whatever it holds: few blocks, one thing to urge, short labels, a way to stop."""

import pytest
from hypothesis import given

from cards.actions import Button
from cards.gallery import gallery
from cards.limits import BLOCKS, ROWS
from cards.model import Card, with_outcome
from cards.plain import to_plain
from tests.strategies.card_content import (
    answers,
    answers_updated,
    briefs,
    built_cards,
    clarifications,
    memory_changes,
    patiently,
)

PAUSED = "Write “mute 1d” to pause every card for a day."
LIST = "Write “watching” to stop"


def buttons(card: Card) -> list[Button]:
    return [action for action in card.every_action if isinstance(action, Button)]


def stops(card: Card) -> bool:
    """Whether it says how to hear no more of it."""
    stop = {("watch_mute", "stop"), ("preference_set", "off")}
    return any((b.kind, b.arg) in stop for b in buttons(card)) or PAUSED in to_plain(card) or LIST in to_plain(card)


def check(card: Card, blocks: int) -> None:
    """Labels that people wrote are theirs: those of a clarification's options."""
    found = buttons(card)
    assert len(card.shown_blocks) <= blocks
    assert sum(b.style == "primary" for b in found) <= 1
    assert all(len(b.label.split()) <= 3 for b in found if b.kind != "clarify_vote")
    assert not any(b.kind == "answer_refresh" and not b.confirm for b in found)


@patiently
@given(built_cards)
def test_any_card_keeps_the_rules(card: Card) -> None:
    check(card, BLOCKS)


@patiently
@given(memory_changes | answers_updated)
def test_news_has_five_blocks_and_a_way_to_stop(card: Card) -> None:
    check(card, 5)
    assert stops(card)


@patiently
@given(briefs)
def test_a_brief_has_a_way_to_stop(card: Card) -> None:
    assert stops(card)


@patiently
@given(answers | clarifications)
def test_an_answer_and_a_question_have_five_blocks(card: Card) -> None:
    check(card, 5)


@patiently
@given(clarifications)
def test_nobody_has_to_know(card: Card) -> None:
    labels = [b.label for b in buttons(card)]
    assert not labels or labels.count("Don’t know") >= 1
    assert len(buttons(card)) <= ROWS + 1


@pytest.mark.parametrize(("state", "card"), gallery())
def test_every_state_keeps_the_rules(state: str, card: Card) -> None:
    check(card, BLOCKS if state.startswith("Brief") else 5)
    assert all(len(b.label.split()) <= 3 for b in buttons(card))
    assert len(buttons(card)) <= 6
    assert card.fallback_text


@pytest.mark.parametrize(("state", "card"), gallery())
def test_every_state_is_spaced_once(state: str, card: Card) -> None:
    for line in to_plain(with_outcome(card, "Done.")).splitlines():
        assert line == line.rstrip()
        assert "  " not in line.lstrip()
