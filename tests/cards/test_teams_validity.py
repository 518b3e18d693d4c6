"""Whatever documents and people wrote, each card is a message that Teams takes; and no rule that says so is asleep."""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.actions import Button, Choice, LinkButton, Option
from cards.gallery import gallery
from cards.inline import Date, Plain
from cards.model import Block, Card, Change, Context, Divider, Item, Rows, Text, with_outcome
from cards.teams import to_teams, to_teams_message
from tests.cards.test_slack_validity import BUILT, LONG, filled
from tests.fakes.teams_cards import card_faults, faults, parts, shown
from tests.strategies.card_content import cards, patiently, texts

Json = dict[str, Any]
ID = "a:1" + "x" * 120
ADDRESSED = {
    **{party: {"id": ID, "name": "n" * 60, "aadObjectId": ID} for party in ("from", "recipient")},
    "conversation": {"id": ID, "tenantId": ID},
    "channelId": "msteams",
    "serviceUrl": "https://smba.trafficmanager.net/emea/" + "t" * 60,
    "replyToId": ID,
}


def refused(card: Card) -> list[str]:
    """As it is sent: with whom it is for."""
    return faults(to_teams_message(card) | ADDRESSED)


def unclear(card: Json) -> list[str]:
    """What would leave people or a tap in doubt, and no card of a builder has."""
    primary = sum(part.get("style") == "positive" for part in shown(card))
    ids = [part["id"] for part in parts(card) if "id" in part]
    return ["two primary buttons"] * (primary > 1) + ["an input's id twice"] * (len(set(ids)) < len(ids))


@pytest.mark.parametrize(("state", "card"), gallery())
def test_row_32_no_card_refreshes_by_itself(state: str, card: Card) -> None:
    assert [part["type"] for part in parts(to_teams(card)) if "refresh" in part] == []


@pytest.mark.parametrize(("state", "card"), gallery())
def test_every_state_is_taken(state: str, card: Card) -> None:
    assert refused(card) + unclear(to_teams(card)) == []
    assert refused(with_outcome(card, "Done.")) == []


@pytest.mark.parametrize("name", BUILT)
@settings(patiently, max_examples=12)
@given(data=st.data())
def test_what_a_builder_makes_of_any_text_is_taken_before_and_after_a_tap(name: str, data: st.DataObject) -> None:
    card = data.draw(BUILT[name])
    assert refused(card) + unclear(to_teams(card)) == []
    assert refused(with_outcome(card, data.draw(texts))) == []


@settings(patiently, max_examples=25)
@given(cards)
def test_any_card_is_taken(card: Card) -> None:
    assert refused(card) == []


SIZES = [*((name, times) for name in LONG for times in (1, 5)), ("letters", 500)]


@pytest.mark.parametrize(("name", "times"), SIZES)
def test_row_33_the_longest_texts_and_lists_are_taken(name: str, times: int) -> None:
    for card in filled(LONG[name], times):
        assert refused(card) == []


@pytest.mark.parametrize("block", [Divider(), Text((Plain("x"),)), Rows((Item((Plain("x"),), (Plain("y"),)),))])
def test_many_small_parts_are_too_many_all_the_same(block: Block) -> None:
    assert refused(Card((), (block,) * 999, (), ())) == []


def counted(card: Card) -> dict[str, int]:
    """What is left of a card: its changes, and the bytes of their sides."""
    boxes = [part for part in shown(to_teams(card)) if part["type"] == "Container"]
    said = sum(len(run["text"].encode()) for box in boxes for side in box["items"] for run in side["inlines"])
    return {"changes": len(boxes), "bytes": said}


def changes(times: int, size: int) -> Card:
    """Each in characters of three bytes, which count as three."""
    row = Change((Plain("退" * size),), (Plain("货" * size),), (Plain("Refunds"),))
    return Card((Plain("News"),), (Rows((row,) * times),), (), ())


def test_a_card_gives_up_changes_then_the_length_of_quotes_then_quotes() -> None:
    assert counted(changes(5, 100))["changes"] == 5
    fewer = counted(changes(5, 1_000))
    assert fewer == {"changes": 2, "bytes": 2 * (6_000 + len("Before: Now: "))}
    shorter = counted(changes(5, 9_000))
    assert shorter["changes"] == 1
    assert 900 < shorter["bytes"] <= 1_000 + len("Before: Now: ")


def test_seven_buttons_are_too_many_and_six_are_not() -> None:
    """Not six of a row each: together."""
    row = Item((Plain("Refunds"),), (), (Button("watch_mute", "w", "n", "Stop watching", arg="stop"),))
    taps = [
        [part for part in shown(to_teams(Card((), (Rows((row,) * times),), (), ()))) if "verb" in part]
        for times in (6, 7)
    ]
    assert [len(found) for found in taps] == [6, 5]


def test_what_a_confirmation_or_a_list_of_choices_opens_takes_no_place() -> None:
    asked = tuple(Button("answer_refresh", f"a{n}", "n", "Refresh answer", confirm="Really?") for n in range(5))
    chosen = tuple(Choice("preference_set", f"t{n}", "n", "Hour", (Option("9", "09:00"),)) for n in range(9))
    card = Card((), (), (*asked, *chosen), ())
    assert refused(card) == []
    assert sum("verb" in part for part in parts(to_teams(card))) == 14


SAMPLE = to_teams_message(
    Card(
        (Plain("Refund window"),),
        (
            Rows((Item((Plain("Refunds"),), (), (Button("watch_mute", "w1", "n", "Stop watching", arg="stop"),)),)),
            Context((Plain("Learned "), Date(1_795_424_643_000_000))),
        ),
        (
            Button("answer_refresh", "a1", "n", "Refresh answer", style="primary", confirm="It costs a little."),
            LinkButton("Open source", "https://wiki.example.org/"),
            Choice(
                "preference_set", "brief_day", "n", "Brief", (Option("mon", "Mondays"), Option("off", "Off")), "mon"
            ),
        ),
        (),
    )
)
CONTENT = "attachments.0.content"
TITLE, ROW, DATED = f"{CONTENT}.body.0", f"{CONTENT}.body.1", f"{CONTENT}.body.2"
ASK, LINK, CHANGE = f"{CONTENT}.body.3.actions.0", f"{CONTENT}.body.3.actions.1", f"{CONTENT}.body.4.actions.0"
TAP, INPUT = f"{ASK}.card.actions.0", f"{CHANGE}.card.body.0.columns.0.items.0"
EXECUTE = {"type": "Action.Execute", "title": "x", "verb": "watch_mute"} | {
    "data": {"kind": "watch_mute", "target": "w", "nonce": "n", "arg": "1d"}
}
SETTING = {"type": "Input.ChoiceSet", "id": "preference_set:brief_day", "choices": [{"title": "Off", "value": "off"}]}
GONE = object()
WRONG = {
    "no summary": ("summary", " "),
    "a summary with a tag": ("summary", "<at>all</at>"),
    "a text above the card": ("text", "News"),
    "two cards": ("attachments", SAMPLE["attachments"] * 2),
    "too long a whole": ("channelData", "货" * 7_000),
    "no version": (f"{CONTENT}.version", GONE),
    "a later version": (f"{CONTENT}.version", "1.6"),
    "no fallback": (f"{CONTENT}.fallbackText", ""),
    "a card that renews itself": (f"{CONTENT}.refresh", {"action": EXECUTE}),
    "buttons that may be cut off": (f"{CONTENT}.actions", [EXECUTE]),
    "a sound": (TITLE, {"type": "Media", "sources": [{"mimeType": "audio/mp3", "url": "https://x.example/a"}]}),
    "a picture": (TITLE, {"type": "Image", "url": "https://x.example/a.png"}),
    "facts, which are Markdown": (TITLE, {"type": "FactSet", "facts": [{"title": "x", "value": "*y*"}]}),
    "a part that nobody knows": (f"{TITLE}.type", "Headline"),
    "a line of nothing": (f"{TITLE}.inlines", []),
    "a date in a run, where it is not expanded": (f"{TITLE}.inlines.0.text", "{{DATE(2026-11-29T21:00:00Z,SHORT)}}"),
    "a date with a space": (f"{DATED}.text", "{{DATE(2026-11-29T21:00:00Z, SHORT)}}"),
    "a date in small letters": (f"{DATED}.text", "{{date(2026-11-29T21:00:00Z,SHORT)}}"),
    "a date with fractions": (f"{DATED}.text", "{{TIME(2026-11-29T21:00:00.5Z)}}"),
    "a template": (f"{DATED}.text", "${x}"),
    "a tag": (f"{DATED}.text", "<at>x</at>"),
    "an entity": (f"{DATED}.text", "&lt;"),
    "seven buttons in a set": (f"{ROW}.columns.1.items.0.actions", [EXECUTE] * 7),
    "seven buttons in all": (f"{ROW}.columns.1.items.0.actions", [EXECUTE] * 4),
    "a second primary button": (f"{LINK}.style", "positive"),
    "a question that asks nothing": (f"{ASK}.card", GONE),
    "a question without words": (f"{ASK}.card.body", []),
    "a tap without a verb": (f"{TAP}.verb", GONE),
    "a tap of another verb": (f"{TAP}.verb", "watch_mute"),
    "a tap that carries nothing": (f"{TAP}.data", GONE),
    "a tap without a nonce": (f"{TAP}.data.nonce", GONE),
    "a link that runs": (f"{LINK}.url", "javascript:alert(1)"),
    "a choice of nothing": (f"{INPUT}.choices", []),
    "chosen and no option": (f"{INPUT}.value", "sunday"),
    "an input's id twice": (f"{ASK}.card.body.1", SETTING),
}


def broken(path: str, value: Any) -> Json:
    """The sample with `value` at `path`: keys and indexes with dots between; at an index beyond the end, added."""
    message: Any = deepcopy(SAMPLE)
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    at = message
    for step in steps:
        at = at[step]
    if value is GONE:
        del at[last]
    elif isinstance(last, int) and last == len(at):
        at.append(value)
    else:
        at[last] = value
    return dict(message)


def test_the_sample_of_every_kind_of_part_is_taken() -> None:
    assert faults(deepcopy(SAMPLE)) == []


@pytest.mark.parametrize("wrong", WRONG)
def test_each_rule_refuses_what_breaks_it(wrong: str) -> None:
    message = broken(*WRONG[wrong])
    assert faults(message) or unclear(message["attachments"][0]["content"])


def test_what_teams_adds_to_the_schema_is_no_fault() -> None:
    assert card_faults(SAMPLE["attachments"][0]["content"] | {"msteams": {"width": "Full"}}) == []


def test_only_the_button_that_acts_carries_the_nonce() -> None:
    """What opens a question or a list of choices does not."""
    card = to_teams(Card((), (), (Button("answer_refresh", "a", "secret", "Refresh", confirm="Really?"),), ()))
    assert "secret" not in json.dumps(shown(card))
    assert [part["data"]["nonce"] for part in parts(card) if "data" in part] == ["secret"]
