"""What went wrong in the messages of bots like this one, replayed: sizes, counts, cuts, marks and silent texts."""

import html
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from cards.actions import Button, Choice, LinkButton, Option
from cards.gallery import gallery
from cards.inline import Link, Plain
from cards.limits import degraded
from cards.memory_change import MatchedWatch, MemoryChangeContent, memory_change
from cards.model import Card, Citations, Context, Item, Quote, Rows, Text
from cards.phrases import ChangeLine
from cards.slack import to_slack
from cards.text import clean, is_blank, utf16_length
from cards.weekly_brief import BriefLine, WeeklyBriefContent, weekly_brief
from tests.strategies.card_content import CLUSTERS, cards, patiently, urls

Json = dict[str, Any]
UNSEEN = str.maketrans("", "", "\u2060\u2068\u2069")
CUT = {"header": 150, "section": 3_000, "button": 75, "option": 75, "placeholder": 150, "question": 300}


def objects(part: object) -> Iterator[Json]:
    if isinstance(part, dict):
        yield part
    for value in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from objects(value)


def everywhere(text: str) -> dict[str, str]:
    """`text` as Slack gets it in each place that has a limit, by the place's name."""
    words = (Plain(text),)
    choice = Choice("preference_set", "p", "n", text, (Option("x", text),))
    rows = Rows((Item(words, (), (Button("watch_mute", "w", "n", "Stop"),)),))
    confirmed = Button("answer_refresh", "a", "n", text, confirm=text)
    header, section = _blocks(Card(words, (rows,), (), ()))
    select, actions = _blocks(Card((), (), (choice, confirmed), ()))
    (small,) = _blocks(Card((), (Context(words),), (), ()))
    tap = actions["elements"][0]
    return {
        "header": header["text"]["text"],
        "section": section["text"]["text"],
        "option": select["accessory"]["options"][0]["text"]["text"],
        "placeholder": select["accessory"]["placeholder"]["text"],
        "button": tap["text"]["text"],
        "question": tap["confirm"]["text"]["text"],
        "title": tap["confirm"]["title"]["text"],
        "yes": tap["confirm"]["confirm"]["text"],
        "small print": small["elements"][0]["text"],
        "notification": to_slack(Card((), (), (), words))["text"],
    }


def _blocks(card: Card) -> list[Json]:
    return to_slack(card)["blocks"]


@pytest.mark.parametrize("mark", ["<", ">", "&"])
def test_five_thousand_characters_that_grow_when_escaped_fit_everywhere(mark: str) -> None:
    """Sizes are Slack's own: counted after each became four or five characters."""
    shown = everywhere(mark * 5_000)
    assert {name: len(shown[name]) <= most for name, most in CUT.items()} == dict.fromkeys(CUT, True)
    assert all(len(shown[name]) > most - 6 for name, most in CUT.items())


@pytest.mark.parametrize("text", ["x" * 3_001, "<" * 5_000, "😀" * 3_000])
def test_a_body_longer_than_a_block_is_cut_to_fit(text: str) -> None:
    for block in (Text((Plain(text),)), Quote((Plain(text),))):
        (shown,) = _blocks(Card((), (block,), (), ()))
        (leaf,) = [found for found in objects(shown) if found.get("type") == "text"]
        assert 200 < utf16_length(leaf["text"]) <= 3_000
        assert leaf["text"].endswith("…")


LINE = ChangeLine(("Orders", "⁂"), "Handbook", None, "in 14 days", "in 30 days", "changed", 1)
FAR = "Donaudampfschifffahrt " * 40
LONG = ChangeLine((FAR, "⁂"), FAR, None, "in 14 days", f"in 30 days {FAR}", "changed", 1)


def counted(message: Json) -> int:
    """The changes shown (a mark stands in each once) and those that “and N more” counts."""
    texts = [found["text"] for found in objects(message["blocks"]) if isinstance(found.get("text"), str)]
    left_out = [int(number) for text in texts for number in re.findall(r"^and (\d+) more", text)]
    return sum(text.count("⁂") for text in texts) + sum(left_out)


@pytest.mark.parametrize("line", [LINE, LONG])
@pytest.mark.parametrize(("total", "more"), [(1, 0), (5, 0), (6, 0), (60, 0), (60, 40)])
def test_a_brief_of_sixty_changes_counts_what_it_leaves_out(line: ChangeLine, total: int, more: int) -> None:
    brief = weekly_brief(WeeklyBriefContent((BriefLine(line, watch_target="s"),) * total, "n", more))
    message = to_slack(brief)
    assert message["text"].startswith(f"Your week in memory: {total + more} change")
    assert counted(message) == total + more


def test_a_brief_of_sixty_changes_shows_fifteen_and_45_more() -> None:
    brief = to_slack(weekly_brief(WeeklyBriefContent((BriefLine(LINE),) * 60, "n")))
    texts = [found["text"] for found in objects(brief["blocks"]) if isinstance(found.get("text"), str)]
    assert (texts.count("⁂"), texts.count("and 45 more")) == (15, 1)


def test_a_card_of_sixty_changes_shows_five_and_55_more() -> None:
    card = memory_change(MemoryChangeContent((LINE,) * 60, (MatchedWatch("Refunds", "w"),), "n"))
    message = json.dumps(to_slack(card), ensure_ascii=False)
    assert message.count("Before: ") == 5
    assert '"and 55 more"' in message
    assert to_slack(card)["text"].endswith("and 59 more changes.")


@patiently
@given(cards)
def test_a_list_that_gets_shorter_counts_every_row_it_loses(card: Card) -> None:
    whole = [_size(block) for block in card.blocks if isinstance(block, Rows | Citations)]
    for smaller in degraded(card):
        sizes = [_size(block) for block in smaller.blocks if isinstance(block, Rows | Citations)]
        assert sizes[: len(whole)] == whole[: len(sizes)]


def _size(block: Rows | Citations) -> int:
    return block.more + len(block.rows if isinstance(block, Rows) else block.items)


@patiently
@given(cards)
def test_no_text_of_a_message_is_empty_blank_or_unseen(card: Card) -> None:
    message = to_slack(card)
    assert not is_blank(message["text"])
    for found in objects(message["blocks"]):
        if found.get("type") in {"plain_text", "mrkdwn"}:
            assert not is_blank(found["text"])
        if found.get("type") in {"rich_text_section", "rich_text_quote"} and "elements" in found:
            shown = "".join(leaf.get("text") or leaf.get("fallback") for leaf in found["elements"])
            assert not is_blank(shown)


@pytest.mark.parametrize("nothing", ["", " ", "\n\t", "\u200b", "\u2060\ufeff", "\u3164", "\u2800"])
def test_a_block_of_nothing_is_no_block(nothing: str) -> None:
    words = (Plain(nothing),)
    blocks = (Text(words), Context(words), Quote(words), Rows((Item(words, words),), words))
    assert _blocks(Card(words, blocks, (), words)) == []


@pytest.mark.parametrize("cluster", [*CLUSTERS, "&", "<", "&amp;", "क्षि", "שָׁ", "🇵🇹🇩🇪"])
@pytest.mark.parametrize("lead", range(8))
def test_no_cut_falls_inside_a_character_or_an_escape(cluster: str, lead: int) -> None:
    """Whatever comes before, each text ends after a whole cluster, and every `&` begins a whole escape."""
    parts = regex.findall(r"\X", cluster)
    for shown in everywhere("x" * lead + cluster * 4_000).values():
        assert not re.search(r"&(?!(?:amp|lt|gt);)", shown)
        kept = html.unescape(shown).translate(UNSEEN).removesuffix("…")
        rest = regex.findall(r"\X", kept[lead:])
        assert shown.endswith(("…", "…\u2069"))
        assert all(part == parts[index % len(parts)] for index, part in enumerate(rest))


@pytest.mark.parametrize(
    "url", ["https://x.example/a?b=1&amp;c=2", "https://x.example/a?b=1&c=2", "https://x.example/%26"]
)
def test_an_address_stays_as_it_is(url: str) -> None:
    body, actions = _blocks(Card((), (Text((Link("here & there", url),)),), (LinkButton("Open", url),), ()))
    (link,) = [found for found in objects(body) if found.get("type") == "link"]
    assert (link["url"], link["text"]) == (url, "here & there")
    assert actions["elements"][0]["url"] == url


@pytest.mark.parametrize(
    "text", ["&lt;!here&gt;", "&amp;", "&amp;lt;", "<!channel>", "a<b&&b>c", "*x*", "<https://e|A>"]
)
def test_what_was_escaped_already_is_shown_as_it_was_written(text: str) -> None:
    """One escaper: what Slack unescapes once is the text, letter by letter, in every place."""
    for shown in everywhere(text).values():
        assert "<" not in shown
        once = shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").translate(UNSEEN)
        assert once.rstrip("?.").startswith(text.rstrip("?."))


@pytest.mark.parametrize("fence", ["```", "```python\nx = 1", "~~~", "`", "a ``` b"])
def test_no_fence_opens_and_none_is_left_open(fence: str) -> None:
    """Blocks hold none at all, wherever a cut falls; in the notification each mark is held apart."""
    text = f"{fence}\n{'word ' * 2_000}"
    message = to_slack(Card((Plain(fence),), (Text((Plain(text),)), Quote((Plain(text),))), (), (Plain(text),)))
    kinds = {found["type"] for found in objects(message["blocks"]) if "type" in found}
    assert kinds <= {"header", "plain_text", "rich_text", "rich_text_section", "rich_text_quote", "text"}
    assert not any("style" in found for found in objects(message["blocks"]))
    assert "``" not in message["text"]
    assert "~~" not in message["text"]


@given(urls.filter(bool), st.sampled_from(("Approve", "https://bank.example", "<!here>")))
def test_a_link_leads_where_it_says_or_is_only_its_label(url: str, label: str) -> None:
    (block,) = _blocks(Card((), (Text((Link(label, url),)),), (), ()))
    (leaf,) = block["elements"][0]["elements"]
    assert leaf.get("url", url) == url
    assert leaf["text"].translate(UNSEEN) == clean(label)


SENTENCE = re.compile(r"[.!?…。！？][)\]}”’»\"'\u2069]*$")


@patiently
@given(cards)
def test_the_top_level_text_is_always_a_whole_sentence(card: Card) -> None:
    text = html.unescape(to_slack(card)["text"])
    assert SENTENCE.search(text)
    assert "\n" not in text
    assert len(text.translate(UNSEEN)) <= 150


@pytest.mark.parametrize(("state", "card"), gallery())
def test_the_top_level_text_of_every_state_can_be_read_alone(state: str, card: Card) -> None:
    text = to_slack(card)["text"].translate(UNSEEN)
    assert len(text.split()) >= 3
    assert text[0].isupper() or text[0].isdigit() or not text[0].isascii()
    assert not re.search(r"[:,;–·→(\[]\W*$", text)
