"""Whatever documents and people wrote, each card is a message that Slack takes; and no rule that says so is asleep.

Slack counts in UTF-16 units, a schema in characters: each message is measured as it is and with every character
beyond the first plane counted twice.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from cards.actions import Choice, Option
from cards.answer import AnswerCitation, AnswerContent, AnswerSentence, answer
from cards.answer_updated import AnswerUpdatedContent, ChangedClaim, StaleAnswer, answer_updated
from cards.inline import Plain
from cards.memory_change import MatchedWatch, MemoryChangeContent, memory_change
from cards.model import Block, Card, Divider, Item, Rows, Text, with_outcome
from cards.notices import error, inactive, redacted, refreshing, unbound, welcome
from cards.phrases import ChangeLine
from cards.slack import to_slack, to_slack_home
from cards.text import utf16_length
from cards.weekly_brief import BriefLine, WeeklyBriefContent, weekly_brief
from tests.fakes.slack_blocks import MOST_IN_HOME, MOST_IN_MESSAGE, elements, problems
from tests.strategies import card_content
from tests.strategies.card_content import patiently, texts

Json = dict[str, Any]
SCHEMA = json.loads((Path(__file__).parent / "slack_blocks.schema.json").read_text())
MESSAGE = Draft202012Validator(SCHEMA)
HOME = Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": "#/$defs/home"})
MOST_IN_ALL, MOST_IN_RICH_TEXT = 10_000, 3_000  # ours; Slack tells no limit, and refused 11,000
BEYOND = regex.compile("[\U00010000-\U0010ffff]")


def faults(message: Json) -> list[str]:
    """Why Slack would refuse a message, or do what no card asks for; empty when it would not."""
    blocks = message["blocks"]
    return _unlike(MESSAGE, message) or [*problems(blocks, MOST_IN_MESSAGE), *_choices(blocks), *_sizes(blocks)]


def faults_at_home(view: Json) -> list[str]:
    """The same of a Home tab's view, which may be longer."""
    return _unlike(HOME, view) or [*problems(view["blocks"], MOST_IN_HOME), *_choices(view["blocks"])]


def _unlike(schema: Draft202012Validator, drawn: Json) -> list[str]:
    wide = json.loads(BEYOND.sub("··", json.dumps(drawn, ensure_ascii=False)))
    return [error.message for one in (drawn, wide) for error in schema.iter_errors(one)]


def _choices(blocks: list[Json]) -> Iterator[str]:
    inner = [element for _, element in elements(blocks)]
    if sum(element.get("style") == "primary" for element in inner) > 1:
        yield "two buttons are primary"
    for element in inner:
        if "initial_option" in element and element["initial_option"] not in element["options"]:
            yield f"{element['action_id']}: what is chosen is no option"


def _sizes(blocks: list[Json]) -> Iterator[str]:
    if utf16_length(json.dumps(blocks, ensure_ascii=False, separators=(",", ":"))) > MOST_IN_ALL:
        yield "the whole message is too long"
    for block in blocks:
        if block["type"] == "rich_text" and utf16_length(_said(block)) > MOST_IN_RICH_TEXT:
            yield f"{block['block_id']}: the text is too long"


def _said(part: Json) -> str:
    return "".join(map(_said, part.get("elements", ()))) or part.get("text", part.get("fallback", ""))


BUILT = {
    "memory change": card_content.memory_changes,
    "answer updated": card_content.answers_updated,
    "weekly brief": card_content.briefs,
    "answer": card_content.answers,
    "clarification": card_content.clarifications,
    "home": card_content.homes,
    "lists and notices": card_content.lists,
    "plain notices": st.one_of(
        *(st.builds(build, texts) for build in (welcome, unbound, refreshing)),
        *(st.builds(build) for build in (redacted, inactive)),
        st.builds(error, texts, texts),
    ),
}


def refused(card: Card) -> list[str]:
    """A card of which nothing can be seen is its text alone, which Slack takes without any block."""
    message = to_slack(card)
    return faults(message) if message["blocks"] or not message["text"].strip() else []


@pytest.mark.parametrize("name", BUILT)
@settings(patiently, max_examples=15)
@given(data=st.data())
def test_what_a_builder_makes_of_any_text_is_taken_before_and_after_a_tap(name: str, data: st.DataObject) -> None:
    card = data.draw(BUILT[name])
    assert refused(card) == []
    assert refused(with_outcome(card, data.draw(texts))) == []


@settings(patiently, max_examples=15)
@given(card_content.homes)
def test_the_home_tab_of_anybody_is_taken(card: Card) -> None:
    assert faults_at_home(to_slack_home(card)) == []


LONG = {
    "letters": "x" * 10_000,
    "brackets": "<" * 10_000,
    "ampersands": "&" * 10_000,
    "beyond the first plane": "𝒳" * 10_000,
    "one grapheme": "e" + "\u0301" * 9_999,
    "families": "👩‍👩‍👧‍👦" * 900,
    "right to left": "שלום " * 2_000,
    "lines": "a\n" * 5_000,
    "nothing to see": "\u200b" * 10_000,
    "nothing": "",
}


def filled(text: str, times: int) -> list[Card]:
    """The cards that hold lists, each text of them `text` and each list `times` long, or once where one is needed."""
    line = ChangeLine((text,) * 3, text, "https://wiki.example.org/" + "p" * 500, text, f"{text}!", "changed", 1)
    claim = ChangedClaim(text, f"{text}!", "unsupported", (text,), text, "https://wiki.example.org/")
    stale = StaleAnswer("a1", text, "stale", True, (claim,) * times, 1, "w1")
    sentence, cited = AnswerSentence(text, (1,), "quoted"), AnswerCitation(text, None, (text,), text)
    return [
        memory_change(MemoryChangeContent((line,) * times, (MatchedWatch(text, "w1"),) * min(times, 30), "n")),
        answer_updated(AnswerUpdatedContent((stale,) * max(times, 1), "n")),
        weekly_brief(WeeklyBriefContent((BriefLine(line, True, "s1"),) * times, "n", watches=(text,) * times)),
        answer(AnswerContent(text, (sentence,) * times, (cited,) * times, "g1", "n", (text,) * times)),
    ]


SIZES = [*((name, times) for name in LONG for times in (0, 1, 5)), *((name, 500) for name in ("letters", "brackets"))]


@pytest.mark.parametrize(("name", "times"), SIZES)
def test_the_longest_texts_and_lists_are_taken(name: str, times: int) -> None:
    for card in filled(LONG[name], times):
        assert faults(to_slack(card)) == []


@pytest.mark.parametrize("block", [Divider(), Text((Plain("x"),)), Rows((Item((Plain("x"),), (Plain("y"),)),))])
def test_many_small_parts_are_too_many_all_the_same(block: Block) -> None:
    """They are short, so that only their number can be refused."""
    assert faults(to_slack(Card((), (block,) * 60, (), ()))) == []


def test_a_choice_is_cut_and_stays_a_choice() -> None:
    options = (Option("a", "x" * 80), Option("b", "<" * 80), Option("c" * 80, "𝒳" * 80))
    card = Card((), (), (Choice("preference_set", "t", "n", "<" * 200, options, "b"),), ())
    assert faults(to_slack(card)) == []
    assert [element["type"] for _, element in elements(to_slack(card)["blocks"])] == ["static_select"]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": False}


def runs(*texts: str) -> list[Json]:
    return [{"type": "text", "text": text} for text in texts]


BUTTON = {"type": "button", "action_id": "a:1", "text": plain("Refresh"), "value": "{}", "style": "primary"}
ASKING = {"title": plain("Refresh?"), "text": plain("It takes long."), "confirm": plain("Yes"), "deny": plain("No")}
LINK = {"type": "button", "action_id": "a:2", "text": plain("Open"), "url": "https://wiki.example.org/"}
MONDAYS, NEVER = {"text": plain("Mondays"), "value": "mon"}, {"text": plain("Never"), "value": "off"}
SELECT = {"type": "static_select", "action_id": "a:3", "options": [MONDAYS, NEVER], "initial_option": MONDAYS}
SAMPLE = {
    "text": "Refund window: 14 days → 30 days",
    "blocks": [
        {"type": "header", "block_id": "b0", "text": plain("Refund window")},
        {
            "type": "rich_text",
            "block_id": "b1",
            "elements": [
                {"type": "rich_text_section", "elements": runs("It says")},
                {
                    "type": "rich_text_list",
                    "style": "bullet",
                    "elements": [
                        {"type": "rich_text_section", "elements": runs("30 days")},
                    ],
                },
            ],
        },
        {"type": "context", "block_id": "b2", "elements": [plain("You watch Refunds.")]},
        {
            "type": "section",
            "block_id": "b3",
            "text": plain("Brief"),
            "accessory": SELECT | {"placeholder": plain("Brief")},
        },
        {"type": "divider", "block_id": "b4"},
        {"type": "actions", "block_id": "b5", "elements": [BUTTON | {"confirm": ASKING}, LINK]},
    ],
}
HEADER, LINE, BULLETS = "blocks.0", "blocks.1.elements.0.elements", "blocks.1.elements.1"
SMALL, SECTION, CHOICE, TAP = "blocks.2", "blocks.3", "blocks.3.accessory", "blocks.5.elements.0"
WRONG = {
    "no fallback": ("text", ""),
    "a ping": ("text", "<!channel>"),
    "an unescaped ampersand": (f"{HEADER}.text.text", "a & b"),
    "a long header": (f"{HEADER}.text.text", "x" * 151),
    "a header that is long in UTF-16": (f"{HEADER}.text.text", "𝒳" * 76),
    "an emoji where a person wrote :smile:": (f"{HEADER}.text.emoji", True),
    "markup where text belongs": (f"{HEADER}.text.type", "mrkdwn"),
    "a block that nobody knows": (f"{HEADER}.type", "headline"),
    "a block with something more": (f"{HEADER}.level", 2),
    "a block's id twice": (f"{HEADER}.block_id", "b1"),
    "a mention": (f"{LINE}.0", {"type": "user", "user_id": "U1"}),
    "a broadcast": (f"{LINE}.0", {"type": "broadcast", "range": "channel"}),
    "an empty text": (f"{LINE}.0.text", ""),
    "a line of nothing": (LINE, []),
    "a long rich text": (LINE, runs("x" * 1_500, "x" * 1_500)),
    "a list of nothing": (f"{BULLETS}.elements", []),
    "a quote for a bullet": (f"{BULLETS}.elements.0.type", "rich_text_quote"),
    "too much small print": (f"{SMALL}.elements", [plain("x")] * 11),
    "markup in small print": (f"{SMALL}.elements.0", {"type": "mrkdwn", "text": "*x*"}),
    "a long section": (f"{SECTION}.text.text", "x" * 3_001),
    "a picture beside it": (CHOICE, {"type": "image", "image_url": "https://x.example", "alt_text": "x"}),
    "a choice of nothing": (f"{CHOICE}.options", []),
    "a choice of too much": (f"{CHOICE}.options", [MONDAYS] * 101),
    "a long option": (f"{CHOICE}.options.1.text.text", "x" * 76),
    "an option's long value": (f"{CHOICE}.options.1.value", "x" * 151),
    "a long placeholder": (f"{CHOICE}.placeholder.text", "x" * 151),
    "chosen and no option": (f"{CHOICE}.options", [NEVER]),
    "a long label": (f"{TAP}.text.text", "x" * 76),
    "a label that is long when escaped": (f"{TAP}.text.text", "&amp;" * 16),
    "a long value": (f"{TAP}.value", "x" * 2_001),
    "a button that does nothing": (f"{TAP}.value", ""),
    "a long question": (f"{TAP}.confirm.text.text", "x" * 301),
    "a long yes": (f"{TAP}.confirm.confirm.text", "x" * 31),
    "a tap's id twice": (f"{TAP}.action_id", "a:3"),
    "a second primary button": ("blocks.5.elements.1.style", "primary"),
    "a link that runs": ("blocks.5.elements.1.url", "javascript:alert(1)"),
    "no blocks": ("blocks", []),
    "too many blocks": ("blocks", [{"type": "divider", "block_id": f"b{n}"} for n in range(51)]),
    "too long a whole": (
        "blocks",
        [{"type": "section", "block_id": f"b{n}", "text": plain("x" * 2_600)} for n in range(4)],
    ),
}


def broken(path: str, value: Any) -> Json:
    """The sample with `value` at `path`: keys and indexes with dots between."""
    message: Any = deepcopy(SAMPLE)
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    at = message
    for step in steps:
        at = at[step]
    at[last] = value
    return message


def test_the_sample_of_every_kind_of_block_is_taken() -> None:
    assert faults(deepcopy(SAMPLE)) == []


@pytest.mark.parametrize("wrong", WRONG)
def test_each_rule_refuses_what_breaks_it(wrong: str) -> None:
    assert faults(broken(*WRONG[wrong])) != []
