"""Whatever a card holds, Slack accepts it, shows its text literally, and gets nothing it could act on."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator
from slack_sdk.models.blocks import Block

from cards.actions import Button, Choice, LinkButton, Option
from cards.gallery import gallery
from cards.inline import Bold, Code, Date, Link, Plain, when
from cards.model import Card, Change, Context, Item, Quote, Rows, Text, with_outcome
from cards.slack import to_slack
from cards.slack_text import context, escape
from cards.text import clean, utf16_length
from tests.strategies.card_content import INJECTIONS, cards, patiently, short_texts

Json = dict[str, Any]
SCHEMA = Draft202012Validator(json.loads((Path(__file__).parent / "slack_blocks.schema.json").read_text()))
TOKEN = "<!date^1^{date_short_pretty} at {time}|1 Jan 1970, 00:00 UTC>"
UNSEEN = str.maketrans("", "", "\u2060\u2068\u2069")


def check(message: Json) -> None:
    SCHEMA.validate(message)
    for block in message["blocks"]:
        parsed = Block.parse(block)
        assert parsed is not None
        parsed.validate_json()
    controls = [block["accessory"] for block in message["blocks"] if "accessory" in block]
    controls += [button for block in message["blocks"] if block["type"] == "actions" for button in block["elements"]]
    for ids in ([c["action_id"] for c in controls], [b["block_id"] for b in message["blocks"]]):
        assert len(ids) == len(set(ids))
    assert utf16_length(json.dumps(message["blocks"], ensure_ascii=False, separators=(",", ":"))) <= 10_000


def leaves_of(part: Json) -> list[Json]:
    return [leaf for found in part["elements"] for leaf in leaves_of(found)] if "elements" in part else [part]


def rich(block: Json) -> str:
    return "".join(leaf.get("text", leaf.get("fallback")) for leaf in leaves_of(block))


def seen(text: str) -> str:
    return html.unescape(text.replace("&quot;", "&amp;quot;")).translate(UNSEEN)


@patiently
@given(cards)
def test_any_card_is_a_valid_message(card: Card) -> None:
    message = to_slack(card)
    if message["blocks"]:
        check(message)
    assert message["text"].strip()


@pytest.mark.parametrize(("state", "card"), gallery())
def test_every_state_is_a_valid_message_of_few_blocks(state: str, card: Card) -> None:
    message = to_slack(card)
    check(message)
    assert len(card.shown_blocks) <= (12 if state.startswith("Brief") else 5)


@given(short_texts.filter(lambda text: len(clean(text)) < 200))
def test_rich_text_is_the_text(text: str) -> None:
    """Read back from the block, the text is what went in, less what nobody sees."""
    card = Card((), (Text((Plain("| "), Plain(text))), Quote((Plain("| "), Plain(text)))), (), ())
    for block in to_slack(card)["blocks"]:
        assert rich(block).translate(UNSEEN) == "| " + clean(text).translate(UNSEEN)


@given(short_texts)
def test_escaping_is_exact(text: str) -> None:
    escaped = escape(text)
    assert "<" not in escaped
    assert ">" not in escaped
    assert escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") == text


def one_line(text: str) -> str:
    return " ".join(text.split())


def strings(part: object) -> list[str]:
    """Every text that Slack reads as more than letters: of plain_text, mrkdwn and the message itself."""
    if isinstance(part, dict):
        own = [part["text"]] if isinstance(part.get("text"), str) and part.get("type") not in {"text", "link"} else []
        return own + [found for value in part.values() for found in strings(value)]
    return [found for value in part for found in strings(value)] if isinstance(part, list) else []


@pytest.mark.parametrize("text", INJECTIONS)
def test_what_looks_like_markup_is_shown_literally(text: str) -> None:
    """In the header, body, small print, rows, outcome, button, confirmation, select and fallback text."""
    words = (Plain(text),)
    button = Button("answer_refresh", "a", "n", text, confirm=text)
    choice = Choice("preference_set", "p", "n", text, (Option("x", text), Option("y", "other")), "x")
    rows = Rows((Item(words, (), (button,)), Item((), (), (choice,))), words)
    card = Card(words, (Text(words), Context(words), rows, Rows((Item(words, words),))), (button,), words)
    message = to_slack(with_outcome(card, text))
    check(message)
    header, body, small, title, beside, select, bullet, outcome, actions = message["blocks"]
    tap, chosen = actions["elements"][0], select["accessory"]
    shown = [header["text"], small["elements"][0], beside["text"], select["text"], chosen["placeholder"]]
    shown += [chosen["initial_option"]["text"], chosen["options"][0]["text"], tap["text"], tap["confirm"]["text"]]
    assert [one_line(seen(part["text"])) for part in shown] == [one_line(text)] * len(shown)
    assert seen(message["text"]).removesuffix(".") == one_line(text)
    assert not any("<" in found for found in strings(message))
    for block in (body, title, outcome):
        assert rich(block).translate(UNSEEN) == text
    for block in (body, title, bullet, outcome):
        assert {leaf["type"] for leaf in leaves_of(block)} == {"text"}
        assert not any(mark in rich(block) for mark in ("<!", "<@", "<#", "<http"))


@pytest.mark.parametrize("text", ["*x*", "_x_", "~x~", "`x`", "```\nx\n```", ":smile:", "a *b* c", "12:30:45"])
def test_the_text_of_a_notification_has_no_style_fence_or_emoji(text: str) -> None:
    """It is the one text that Slack reads as mrkdwn whatever one does: each mark stands after an unseen joiner."""
    shown = to_slack(Card((), (), (), (Plain(text),)))["text"]
    assert shown.translate(UNSEEN).removesuffix(".") == one_line(text)
    assert not re.search(r"(?<!\u2060)[*_~`]|(?<!\u2060):\w+:", shown)


def test_each_kind_of_word_has_its_element() -> None:
    words = (Plain("a"), Bold((Plain("b"),)), Code("c"), Link("d", "https://x.example"), Link("e", "ftp://x"))
    section = to_slack(Card((), (Text((*words, Date(1_000_000), when(0))),), (), ()))["blocks"][0]["elements"][0]
    assert section["elements"] == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b", "style": {"bold": True}},
        {"type": "text", "text": "c", "style": {"code": True}},
        {"type": "link", "url": "https://x.example", "text": "d"},
        {"type": "text", "text": "e"},
        {
            "type": "date",
            "timestamp": 1,
            "format": "{date_short_pretty} at {time}",
            "fallback": "1 Jan 1970, 00:00 UTC",
        },
        {"type": "text", "text": "1 Jan 1970"},
    ]


def test_small_print_shows_moments_in_the_readers_zone_and_people_s_words_as_plain_text() -> None:
    words = (Plain("Learned "), Date(1_000_000), Plain(" from *x*"))
    assert to_slack(Card((), (Context(words),), (), ()))["blocks"][0]["elements"] == [
        {"type": "plain_text", "text": "Learned", "emoji": False},
        {"type": "mrkdwn", "text": TOKEN},
        {"type": "plain_text", "text": "from *x*", "emoji": False},
    ]


def test_small_print_is_one_element_where_its_text_means_nothing_to_slack() -> None:
    """Between two elements Slack leaves a gap, even before a full stop."""
    words = (Plain("Learned "), Date(1_000_000), Date(1_000_000), Plain(". “x”"))
    assert to_slack(Card((), (Context(words),), (), ()))["blocks"][0]["elements"] == [
        {"type": "mrkdwn", "text": f"Learned {TOKEN}{TOKEN}. “x”"}
    ]


@given(short_texts)
def test_small_print_around_a_date_holds_no_mark_that_is_not_ours(text: str) -> None:
    for element in context((Plain(text), Date(1_000_000), Plain(text)))["elements"]:
        if element["type"] == "mrkdwn":
            assert not re.search(r"[<>&*_~`:@#|\\\n]|\.\w", element["text"].replace(TOKEN, ""))


def test_small_print_of_too_many_parts_still_fits() -> None:
    words = tuple(part for _ in range(20) for part in (Plain("*at* "), Date(0), Plain(" ")))
    (element,) = to_slack(Card((), (Context(words),), (), ()))["blocks"][0]["elements"]
    assert element["text"].count("1 Jan 1970") == 20


def test_both_sides_of_a_change_are_told_apart_by_words() -> None:
    change = Change(before=(Plain("in "), Bold((Plain("14"),))), after=(Plain("in "), Bold((Plain("30"),))))
    quote = to_slack(Card((), (Rows((change,)),), (), ()))["blocks"][0]["elements"][0]
    assert "".join(leaf["text"] for leaf in quote["elements"]) == "Before: in 14\nNow: in 30"
    assert [leaf.get("style") for leaf in quote["elements"] if "style" in leaf] == [{"strike": True}, {"bold": True}]


def test_an_outcome_and_the_title_of_a_part_stand_out() -> None:
    words = (Plain("said"),)
    title, text, outcome = to_slack(with_outcome(Card((), (Text(words, (Plain("titled"),)),), (), ()), "Done."))[
        "blocks"
    ]
    shown = [(leaf["text"], leaf.get("style")) for block in (title, text, outcome) for leaf in leaves_of(block)]
    assert shown == [("titled", {"bold": True}), ("said", None), ("Done.", {"bold": True})]


def test_rows_with_and_without_a_button_are_drawn_alike() -> None:
    """A bold word needs rich text, which can have nothing beside it."""
    stop = Button("watch_mute", "w", "n", "Stop watching", arg="stop")
    rows = (Item((Plain("a"),), (), (stop,)), Item((Plain("b"),)), Item((Bold((Plain("c"),)),)))
    first, second, third = to_slack(Card((), (Rows(rows),), (), ()))["blocks"]
    assert [first["type"], second["type"], third["type"]] == ["section", "section", "rich_text"]
    assert [block["text"]["text"] for block in (first, second)] == ["a", "b"]
    assert ["accessory" in block for block in (first, second)] == [True, False]


def test_a_tap_carries_ids_only() -> None:
    actions = (
        Button("watch_mute", "w", "n", "Mute", arg="1d", style="primary"),
        LinkButton("Open source", "https://x.example"),
        LinkButton("Bad", "javascript:alert(1)"),
    )
    mute, link = to_slack(Card((), (), actions, ()))["blocks"][0]["elements"]
    assert json.loads(mute["value"]) == {"kind": "watch_mute", "target": "w", "nonce": "n", "arg": "1d"}
    assert mute["style"] == "primary"
    assert mute["action_id"] == "watch_mute:1"
    assert (link["url"], "value" in link) == ("https://x.example", False)


def test_five_thousand_brackets_fit_after_escaping() -> None:
    """Each `<` is four characters for Slack: sizes count after escaping, and no cut falls inside an entity."""
    message = to_slack(Card((Plain("<" * 5_000),), (Text((Plain("<" * 5_000),)),), (), ()))
    check(message)
    header = message["blocks"][0]["text"]["text"]
    assert header == "&lt;" * 37 + "…"


def test_a_card_that_says_nothing_still_has_a_sentence() -> None:
    assert to_slack(Card((), (), (), ())) == {"blocks": [], "text": "There is news from your team’s memory."}
