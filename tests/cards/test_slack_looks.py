"""Every card as Slack draws it, in a wide column and in a phone's, in headless Chromium.

The pictures are left in pytest's folder for who wants to look: `pytest tests/cards/test_slack_looks.py --basetemp=DIR`.
"""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cards.actions import Action, Choice, label
from cards.gallery import gallery
from cards.inline import Plain, flat
from cards.memory_change import MatchedWatch, MemoryChangeContent, memory_change
from cards.model import Card, Rows, Text
from cards.phrases import ChangeLine
from cards.slack import to_slack, to_slack_home
from tests.strategies.card_content import INJECTIONS
from tests.support.looks import needs_chromium, opened, pictures, words
from tests.support.node import needs_node, run

pytestmark = [*needs_node, *needs_chromium]
MEASURE = """() => [...document.querySelectorAll(".column")].map(column => {
  const right = column.getBoundingClientRect().right
  const parts = [...column.querySelectorAll("*")]
  return {
    name: column.closest("article").dataset.name,
    width: +column.dataset.width,
    text: column.innerText,
    buttons: [...column.querySelectorAll("button")].map(button => button.innerText).filter(label => label),
    outside: parts.filter(part => part.getBoundingClientRect().right > right).map(part => part.innerText),
  }
})"""


@dataclass(frozen=True)
class Seen:
    """One card in one column, as Chromium laid it out."""

    name: str
    width: int
    text: str
    buttons: list[str]
    outside: list[str]


@dataclass(frozen=True)
class Looks:
    columns: list[Seen]
    complaints: list[str]


def hostile() -> list[tuple[str, Card]]:
    """Cards of words that do not break, and of everything that looks like markup."""
    word = "Donaudampfschifffahrtsgesellschaft" * 300
    line = ChangeLine((word, word), word, f"https://wiki.example.org/{word[:500]}", word, f"{word}e", "changed", 0)
    changes = memory_change(MemoryChangeContent((line,) * 500, (MatchedWatch(word, "w1"),), "n"))
    text = tuple(Text((Plain(injection),)) for injection in INJECTIONS)
    return [("Long words", changes), ("Markup", Card((Plain("Markup"),), text, (), ()))]


CARDS = [*gallery(), *hostile()]


def messages(cards: Iterable[tuple[str, Card]]) -> list[dict[str, Any]]:
    return [{"name": name, "blocks": drawn(name, card)["blocks"]} for name, card in cards]


def drawn(name: str, card: Card) -> dict[str, Any]:
    return to_slack_home(card) if name.startswith("Home") else to_slack(card)


@pytest.fixture(scope="module")
def looks(tmp_path_factory: pytest.TempPathFactory) -> Looks:
    folder = tmp_path_factory.mktemp("slack-looks")
    page = folder / "page.html"
    page.write_text(run("slack_page.mjs", json.dumps(messages(CARDS))), encoding="utf-8")
    return asyncio.run(look(page))


async def look(file: Path) -> Looks:
    """Open the page, measure it, and leave its pictures beside it."""
    complaints: list[str] = []
    async with opened(file, complaints) as page:
        columns = [Seen(**column) for column in await page.evaluate(MEASURE)]
        await pictures(page, file.parent, "cards")
    return Looks(columns, complaints)


def opening(card: Card) -> str:
    """The title; of a card without one, its first words."""
    block = card.shown_blocks[0]
    return words(flat(card.title) or (flat(block.words) if isinstance(block, Text) else ""))


def actions(card: Card) -> list[Action]:
    rows = [row for block in card.shown_blocks if isinstance(block, Rows) for row in block.rows]
    return [*(action for row in rows for action in row.buttons), *card.actions]


def test_every_card_is_drawn_in_both_columns(looks: Looks) -> None:
    assert [(seen.name, seen.width) for seen in looks.columns] == [(name, px) for name, _ in CARDS for px in (600, 360)]


def test_every_card_opens_with_its_title_or_its_first_words(looks: Looks) -> None:
    shown = {(seen.name, seen.width): words(seen.text) for seen in looks.columns}
    for (name, width), text in shown.items():
        first = opening(dict(CARDS)[name])
        assert first, name
        assert first[:100] in text, (name, width)


@pytest.mark.parametrize(("name", "card"), gallery())
def test_everything_that_can_be_tapped_shows_its_whole_label(looks: Looks, name: str, card: Card) -> None:
    """A button its own, a choice beside it; what is chosen is put in by the browser of whoever looks."""
    taps = [label(action) for action in actions(card) if not isinstance(action, Choice)]
    chosen = {label(action) for action in actions(card) if isinstance(action, Choice)}
    for seen in looks.columns:
        if seen.name == name:
            assert [words(button) for button in seen.buttons] == taps
            assert chosen <= set(seen.text.splitlines())


def test_each_line_of_a_card_is_a_line_in_slack(looks: Looks) -> None:
    """A row's note never runs on from its heading, nor a list's title into its rows."""
    shown = {seen.name: seen.text.splitlines() for seen in looks.columns if seen.width == 600}
    assert {"Refunds", "You hear at once"} <= set(shown["Watching"])
    assert {"Quiet until", "While it is quiet, cards wait."} <= set(shown["Home"])


def test_nothing_sticks_out_of_its_column(looks: Looks) -> None:
    assert [(seen.name, seen.width, seen.outside[0][:60]) for seen in looks.columns if seen.outside] == []


def test_markup_that_people_wrote_is_drawn_as_they_wrote_it(looks: Looks) -> None:
    text = next(words(seen.text) for seen in looks.columns if seen.name == "Markup")
    for injection in INJECTIONS:
        assert words(injection) in text


def test_the_page_fetches_nothing_and_complains_of_nothing(looks: Looks) -> None:
    """No picture, font or script of a card comes from anywhere else."""
    assert looks.complaints == []
