"""Every card as Teams draws it, on a desktop and on a phone, by Microsoft's renderer in headless Chromium.

Letters are as wide as those of Liberation Sans, which Debian recommends with Chromium; Teams' own are about as wide.
The pictures are left in pytest's folder for who wants to look: `pytest tests/cards/test_teams_looks.py --basetemp=DIR`.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from cards.actions import Action, Button, Choice, LinkButton, Option
from cards.codec import to_json
from cards.gallery import gallery
from cards.inline import Date, Link, Plain
from cards.memory_change import MatchedWatch, MemoryChangeContent, memory_change
from cards.model import Card, Change, Citation, Citations, Context, Fields, Item, Quote, Rows, Text, with_outcome
from cards.phrases import ChangeLine
from cards.teams import to_teams
from cards.teams_controls import Unchosen, read_tap
from cards.text import clean
from tests.strategies.card_content import CLUSTERS, INJECTIONS
from tests.support.looks import needs_chromium, opened, pictures, words
from tests.support.node import needs_node, run

pytestmark = [*needs_node, *needs_chromium]

Json = dict[str, Any]
WIDTHS = (600, 360)
HOSTILE = (
    *INJECTIONS,
    *CLUSTERS,
    '[Approve](https://evil.example "Approve") [x]: https://evil.example',
    "https://evil.example, www.evil.example or a@evil.example",
    "**bold** __bold__ *x* _y_ `code` ~~gone~~ \\",
    "{{DATE(2026-01-01T00:00:00Z)}} {{ DATE(2026-01-01T00:00:00Z, LONG) }}",
    "<at>x</at> <b>b</b> <!-- x --> &lt;b&gt; &#60; &amp;",
    ":100: :) (y)",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "one\ntwo\n\nthree\\nfour",
    "x\n===\ny\n---\n***\n    code",
    "1) one\n+ two\n- [ ] three",
    "החזרות: 14 ימים, abc [30] <ימים>",
    "退货期限为30天。「客户」",
    "अनुच्छेद क्षत्रिय",
    "&" + "<" * 30 + "\\" * 9 + "{" * 9,
)
LOOK = """() => [...document.querySelectorAll(".column")].map(column => {
  const edge = column.getBoundingClientRect().right
  const parts = [...column.querySelectorAll("*")].filter(part => part.offsetParent)
  const clips = part => getComputedStyle(part).overflowX == "hidden" && part.scrollWidth > part.clientWidth + 1
  return {
    name: column.closest("article").dataset.name,
    width: +column.dataset.width,
    text: column.innerText,
    buttons: parts.filter(part => part.tagName == "BUTTON").map(button => button.innerText),
    tags: [...new Set(parts.map(part => part.tagName))],
    links: parts.filter(part => part.tagName == "A").map(link => link.getAttribute("href")),
    outside: parts.filter(part => part.getBoundingClientRect().right > edge).map(part => part.innerText),
    cut: parts.filter(clips).map(part => part.innerText),
  }
})"""
TAP = """last => [...document.querySelectorAll(".column")].map(column => {
  const visible = () => [...column.querySelectorAll("button")].filter(button => button.offsetParent)
  const tap = buttons => buttons.forEach(button => {
    const before = new Set(visible())
    button.click()
    tap(visible().filter(other => !before.has(other)))
  })
  column.querySelectorAll("select").forEach(select => {
    if (last) select.selectedIndex = select.options.length - 1
    select.dispatchEvent(new Event("change"))
  })
  tap(visible())
  return column.taps.splice(0)
})"""


@dataclass(frozen=True)
class Seen:
    """One card in one column, as Chromium laid it out."""

    name: str
    width: int
    text: str
    buttons: list[str]
    tags: list[str]
    links: list[str]
    outside: list[str]
    cut: list[str]


@dataclass(frozen=True)
class Looks:
    """`taps`: what all buttons of each column sent, as it was drawn and with the last option of every choice."""

    closed: list[Seen]
    opened: list[Seen]
    taps: tuple[list[list[Json]], list[list[Json]]]
    complaints: list[str]


def everywhere(text: str) -> Card:
    """The text in every place where a text can stand."""
    said = (Plain(text),)
    button = Button("watch_mute", "w1", "n", text)
    choice = Choice("preference_set", "p1", "n", text, (Option("a", text), Option("b", "B")), "a")
    rows = (
        Change(said, said, said, said, buttons=(replace(button, confirm=text),)),
        Item(said, said, (button, choice)),
    )
    blocks = (
        Text((*said, Date(0)), said),
        Quote(said, said),
        Rows(rows, said, 3),
        Fields(((said, said),)),
        Citations((Citation(1, said, said),)),
        Context((Date(0), *said, Plain(" "), *said)),
    )
    return with_outcome(Card(said, blocks, (LinkButton(text, "https://x.example/"),), said), text)


def long_words() -> Card:
    """Words that do not break, in more changes than there is room for."""
    word = "Donaudampfschifffahrtsgesellschaft" * 30
    line = ChangeLine((word, word), word, f"https://wiki.example.org/{word[:500]}", word, f"{word}e", "changed", 0)
    return memory_change(MemoryChangeContent((line,) * 500, (MatchedWatch(word, "w1"),), "n"))


STATES = dict(gallery())
AFTER_STATES = f"article:nth-of-type({len(STATES) + 1})"
CARDS = {**STATES, **{text: everywhere(text) for text in HOSTILE}, "Long words": long_words()}


@pytest.fixture(scope="module")
def looks(tmp_path_factory: pytest.TempPathFactory) -> Looks:
    page = tmp_path_factory.mktemp("teams-looks") / "page.html"
    drawn = [{"name": name, "card": to_teams(card)} for name, card in CARDS.items()]
    page.write_text(run("teams_page.mjs", json.dumps(drawn)), encoding="utf-8")
    return asyncio.run(look(page))


async def look(file: Path) -> Looks:
    """Open the page, look at it, tap everything, and look at what that opened."""
    complaints: list[str] = []
    async with opened(file, complaints, timezone_id="Asia/Tokyo", locale="en-US") as page:
        closed = await columns(page)
        await pictures(page, file.parent, "closed", before=AFTER_STATES)
        taps = await page.evaluate(TAP, False), await page.evaluate(TAP, True)
        after = await columns(page)
        await pictures(page, file.parent, "opened", before=AFTER_STATES)
    return Looks(closed, after, taps, complaints)


async def columns(page: Page) -> list[Seen]:
    return [Seen(**column) for column in await page.evaluate(LOOK)]


def test_every_card_is_drawn_in_both_columns(looks: Looks) -> None:
    assert [(seen.name, seen.width) for seen in looks.closed] == [(name, px) for name in CARDS for px in WIDTHS]


def test_nothing_sticks_out_of_its_column(looks: Looks) -> None:
    seen = [*looks.closed, *looks.opened]
    assert [(one.name, one.width, one.outside[0][:60]) for one in seen if one.outside] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_no_button_of_a_state_is_cut_off(looks: Looks, width: int) -> None:
    for seen in [*looks.closed, *looks.opened]:
        if seen.name in STATES and seen.width == width:
            assert (seen.name, seen.cut) == (seen.name, [])


def said(card: Card) -> Iterator[str]:
    """Every text of a card that is to be seen, in no order."""
    stack: list[Any] = [to_json(replace(card, fallback=(), blocks=card.shown_blocks, actions=()))]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            yield from (
                [part["text" if "text" in part else "label"]] if part["type"] in {"Plain", "Code", "Link"} else []
            )
            stack += [value for name, value in part.items() if name != "buttons"]
        elif isinstance(part, list):
            stack += part
    yield from (outcome.words for outcome in card.outcomes)


@pytest.mark.parametrize(("name", "card"), STATES.items())
def test_no_word_of_a_state_is_lost(looks: Looks, name: str, card: Card) -> None:
    for seen in looks.closed:
        if seen.name == name:
            text = words(seen.text)
            assert [one for one in said(card) if words(one) not in text] == []


@pytest.mark.parametrize("text", HOSTILE)
def test_what_people_wrote_is_drawn_as_they_wrote_it(looks: Looks, text: str) -> None:
    """Line by line; in a title, a quote, a change, a note, a dated line, an outcome, a choice and on buttons."""
    lines = [words(line) for line in clean(text).split("\n") if words(line)]
    whole = words(clean(text))
    for seen in [one for one in looks.closed if one.name == text]:
        drawn = words(seen.text)
        assert all(drawn.count(line) >= 10 for line in lines)
        labels = [words(button).rstrip("…") for button in seen.buttons]
        assert sum(whole.startswith(label) and len(label) > min(len(whole), 16) - 1 for label in labels) == 3
    for seen in [one for one in looks.opened if one.name == text]:
        assert words(seen.text).count(whole) > 4


DRAWN_BY_CARDS = {"DIV", "SPAN", "P", "A", "BUTTON", "SELECT", "OPTION", "LABEL"}


def test_nothing_people_wrote_becomes_a_link_a_picture_or_bold(looks: Looks) -> None:
    """A dated line, the only one whose markup is read, is paragraphs of plain text."""
    for seen in [*looks.closed, *looks.opened]:
        assert (seen.name, set(seen.tags) - DRAWN_BY_CARDS) == (seen.name, set())


def test_the_only_links_are_those_of_the_card(looks: Looks) -> None:
    for seen in looks.closed:
        card = to_json(CARDS[seen.name])
        assert all(f'"{link}"' in json.dumps(card, ensure_ascii=False) for link in seen.links)
        assert seen.links == [] or seen.name not in HOSTILE


def test_a_link_in_a_line_leads_where_its_source_is(looks: Looks) -> None:
    shown = {seen.name: seen.links for seen in looks.closed}
    card = STATES["Change: one"]
    assert isinstance(card.blocks[0], Rows)
    assert shown["Change: one"] == [part.url for part in card.blocks[0].rows[0].heading if isinstance(part, Link)] != []


def test_moments_are_shown_in_the_zone_of_who_reads(looks: Looks) -> None:
    """It was 09:04 UTC; the page is read in Tokyo."""
    shown = {seen.name: words(seen.text) for seen in looks.closed}
    assert "Learned Mon, Nov 23, 2026, 6:04 PM" in shown["Change: one"]
    assert not any("{{" in shown[name] for name in STATES)


Read = tuple[str, str, str, str | None]


def expected(card: Card, last: bool) -> Counter[Read | Unchosen]:
    """What the buttons of a card are to send, with its choices as they are or each at its last option."""
    return Counter(_read(action, last) for action in card.every_action if not isinstance(action, LinkButton))


def _read(action: Action, last: bool) -> Read | Unchosen:
    assert not isinstance(action, LinkButton)
    if isinstance(action, Button):
        return action.kind, action.target, action.nonce, action.arg
    chosen = action.options[-1].arg if last else action.chosen
    no = Unchosen(action.kind, action.target, action.nonce)
    return no if chosen is None else (action.kind, action.target, action.nonce, chosen)


def received(taps: list[Json]) -> Counter[Read | Unchosen | None]:
    read = [read_tap(tap["verb"], tap["data"]) for tap in taps if "verb" in tap]
    return Counter((b.kind, b.target, b.nonce, b.arg) if isinstance(b, Button) else b for b in read)


@pytest.mark.parametrize("last", [False, True])
def test_every_button_sends_a_tap_that_is_read_as_what_it_is(looks: Looks, last: bool) -> None:
    """Also behind a question, and each choice with what is chosen."""
    for seen, taps in zip(looks.closed, looks.taps[last], strict=True):
        if seen.name in STATES:
            assert (seen.name, received(taps)) == (seen.name, expected(STATES[seen.name], last))


def test_a_tap_sends_its_own_data_and_the_inputs_beside_it_alone(looks: Looks) -> None:
    for seen, taps in zip(looks.closed, looks.taps[0], strict=True):
        card = CARDS[seen.name]
        inputs = {f"{a.kind}:{a.target}" for a in card.every_action if isinstance(a, Choice)}
        for tap in taps:
            assert tap.keys() == {"url"} or tap["data"].keys() <= {"kind", "target", "nonce", "arg", *inputs}


def test_the_page_fetches_nothing_and_complains_of_nothing(looks: Looks) -> None:
    assert looks.complaints == []
