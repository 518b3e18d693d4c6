"""What Slack sends is read strictly: what is off in any way has no effect, and is no error."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.slack import payloads
from bot.channels.slack.payloads import Heard
from bot.ingress import Tap
from cards.gallery import gallery
from cards.slack import to_slack
from core.model.grants import CardAction
from tests.fakes.slack_blocks import elements

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
TAPPED = {"kind": "watch_mute", "target": "w1", "nonce": "n1"}

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["U1", "D1", "1.1", "im", "view"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
FIELDS = (
    *("event", "event_id", "user", "container", "actions", "view", "tokens", "user_id", "channel_id", "trigger_id"),
    *("text", "type", "ts", "channel", "channel_type", "id", "value", "action_id", "selected_option", "message_ts"),
)
bodies = st.recursive(
    st.dictionaries(st.sampled_from(FIELDS), anything, max_size=8),
    lambda inner: st.dictionaries(st.sampled_from(FIELDS), inner | anything | st.lists(inner, max_size=2), max_size=8),
    max_leaves=6,
)
READERS = (
    *(payloads.message, payloads.is_for_others, payloads.kind, payloads.is_event, payloads.opened_home),
    *(payloads.command, payloads.changed_user, payloads.revokes_bots),
    *(payloads.tapping, payloads.at_home, payloads.taps),
)


@given(bodies)
def test_no_shape_is_an_error(body):
    for read in READERS:
        read(body)


@given(st.binary(max_size=60), st.sampled_from([JSON, FORM, "", "text/plain"]))
def test_no_bytes_are_an_error(body, content_type):
    assert isinstance(payloads.parsed(body, content_type), dict | None)


@given(st.dictionaries(st.text(), st.text() | st.integers(), max_size=4))
def test_an_object_in_json_is_read_as_it_is(said):
    assert payloads.parsed(json.dumps(said).encode(), JSON) == said


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"", JSON),
        (b"{", JSON),
        (b"[]", JSON),
        (b'"text"', JSON),
        (b"null", JSON),
        (b'{"a": "\xff"}', JSON),
        (b"[" * 100_000, JSON),
        (b"payload", FORM),
        (b"payload={", FORM),
        (b"payload=[]", FORM),
        (b"payload=" + b"[" * 100_000, FORM),
        (b"text=%FF", FORM),
        (b"a", FORM),
        (b"&".join(b"a=1" for _ in range(101)), FORM),
        (b"", FORM),
        (b'{"type": "event_callback"}', FORM),
    ],
)
def test_what_is_neither_an_object_nor_a_form_is_none(body, content_type):
    assert payloads.parsed(body, content_type) is None


def test_a_form_is_a_command_or_holds_a_payload():
    """Also where the word `payload` is only typed."""
    assert payloads.parsed(b"command=%2Fmemory&text=", FORM) == {"command": "/memory", "text": ""}
    assert payloads.parsed(b"command=%2Fmemory&text=a+payload", FORM) == {"command": "/memory", "text": "a payload"}
    assert payloads.parsed(b"payload=%7B%22type%22%3A%22x%22%7D", FORM) == {"type": "x"}


def said(**changed):
    event = {"type": "message", "channel_type": "im", "channel": "D1", "user": "U1", "text": "hi", "ts": "17.000001"}
    body = {"event_id": "Ev1", "event": event | changed}
    return body | {"event": {key: value for key, value in body["event"].items() if value is not None}}


def test_a_message_is_told_by_its_place_and_time_and_begins_a_thread():
    assert payloads.message(said()) == Heard("U1", "D1", "D1:17.000001", "hi", "17.000001")
    assert payloads.message(said(thread_ts="16.5")) == Heard("U1", "D1", "D1:17.000001", "hi", "16.5")
    assert payloads.message(said(subtype="thread_broadcast", thread_ts="16.5")).thread == "16.5"
    assert payloads.message(said(text="a &amp; <https://x.example|b>\x00")).text == "a & b"


@pytest.mark.parametrize("more", [{"subtype": "file_share", "files": [{"id": "F1"}]}, {"subtype": "me_message"}])
def test_what_is_written_beside_a_file_or_after_me_is_said_like_anything_else(more):
    assert payloads.message(said(**more)) == payloads.message(said())


@pytest.mark.parametrize(
    "changed",
    [
        {"channel_type": "channel", "channel": "C1"},
        {"channel_type": "mpim", "channel": "G1"},
        {"channel_type": "group", "channel": "G1"},
        {"channel_type": None},
        {"channel": "C1"},
        {"channel": None},
        {"bot_id": "B1"},
        {"subtype": "bot_message"},
        {"subtype": "message_changed"},
        {"subtype": "message_deleted"},
        {"subtype": "channel_join"},
        {"text": ""},
        {"text": " \n\u200b"},
        {"text": None},
        {"text": 5},
        {"user": None},
        {"user": "U1\x00"},
        {"user": "u1'; --"},
        {"ts": None},
        {"ts": "now"},
        {"thread_ts": "1790000000"},
        {"thread_ts": ["17.1"]},
        {"ts": None, "thread_ts": "16.5"},
        {"text": "", "files": []},
    ],
)
def test_what_no_person_said_to_the_bot_is_none(changed):
    assert payloads.message(said(**changed)) is None


@pytest.mark.parametrize("event_id", [None, "", 7, "Ev2", "Ev\x001"])
def test_a_message_is_the_same_in_whichever_event_it_comes(event_id):
    assert payloads.message(said() | {"event_id": event_id}) == payloads.message(said())


@pytest.mark.parametrize("event_id", [None, "", 7, "Ev 1", "Ev\x001", "E" * 201])
def test_a_look_at_the_page_without_a_key_of_its_own_is_none(event_id):
    body = {"event": {"type": "app_home_opened", "user": "U1", "channel": "D1"}}
    assert payloads.opened_home(body | {"event_id": "Ev1"}) == Heard("U1", "D1", "Ev1")
    assert payloads.opened_home(body | {"event_id": event_id}) is None


@pytest.mark.parametrize(
    "shared",
    [
        {"subtype": "file_share", "text": "", "files": [{"id": "F1"}]},
        {"subtype": "file_share", "text": " \n", "files": [{}, {}]},
        {"text": None, "files": [{"id": "F1"}]},
        {"text": "", "attachments": [{"is_share": True}]},
    ],
)
def test_what_is_shared_without_words_is_heard_as_no_words(shared):
    assert payloads.message(said(**shared)).text == ""


@pytest.mark.parametrize(
    ("changed", "for_others"),
    [
        ({}, False),
        ({"channel_type": "channel"}, True),
        ({"bot_id": "B1"}, True),
        ({"subtype": "message_changed"}, True),
        ({"subtype": "file_share"}, False),
        ({"channel_type": None}, False),
        ({"channel_type": ["im"]}, False),
        ({"subtype": {}}, False),
    ],
)
def test_only_what_plainly_is_for_others_is_passed_over(changed, for_others):
    assert payloads.is_for_others(said(**changed)) is for_others


@pytest.mark.parametrize(
    ("typed", "words"), [("watching", "watching"), ("a &lt; b", "a < b"), ("", "help"), (" ", "help")]
)
def test_a_command_is_what_is_typed_and_nothing_asks_for_help(typed, words):
    body = {"command": "/memory", "text": typed, "user_id": "U1", "channel_id": "C1", "trigger_id": "1.2.ab"}
    assert payloads.command(body) == Heard("U1", "C1", "1.2.ab", words)


def tapped(value=None, *, action_id="watch_mute:1", **place):
    at = {"type": "message", "channel_id": "D1", "message_ts": "17.000001"} | place
    action = {"action_id": action_id, "value": json.dumps(TAPPED) if value is None else value}
    return {"container": at, "user": {"id": "U1"}, "trigger_id": "1.2.ab", "actions": [action]}


def test_a_tap_names_its_message():
    assert payloads.taps(tapped()) == [Tap("n1", CardAction("watch_mute", "w1"), "D1/17.000001")]
    assert payloads.tapping(tapped()) == Heard("U1", "D1", "1.2.ab")


def test_in_the_home_view_there_is_no_message():
    body = tapped(type="view", view_id="V1") | {"view": {"type": "home"}}
    assert payloads.taps(body) == [Tap("n1", CardAction("watch_mute", "w1"), None, at_home=True)]
    assert payloads.at_home(body)
    assert not payloads.at_home(tapped())


def test_a_choice_is_told_by_what_is_chosen():
    body, option = tapped(), {"value": json.dumps(TAPPED | {"arg": "1w"})}
    body["actions"] = [{"action_id": "watch_mute:1", "selected_option": option}]
    assert payloads.taps(body)[0].action == CardAction("watch_mute", "w1", "1w")


def test_each_of_several_actions_is_read_and_links_are_left_out():
    body = tapped()
    link, other = {"action_id": "open_link:2"}, {"action_id": "watch_mute:3", "value": "?"}
    body["actions"] = [link, *body["actions"], other]
    assert [tap is None for tap in payloads.taps(body)] == [False, True]


@pytest.mark.parametrize(
    "value",
    [
        "",
        "?",
        "null",
        "[]",
        "[" * 5_000,
        json.dumps(TAPPED | {"label": "x"}),
        json.dumps(TAPPED | {"style": "primary"}),
        json.dumps(TAPPED | {"person": "U2"}),
        json.dumps(TAPPED | {"kind": "erase"}),
        json.dumps(TAPPED | {"kind": ["watch_mute"]}),
        json.dumps(TAPPED | {"target": "w 1"}),
        json.dumps(TAPPED | {"target": 1}),
        json.dumps(TAPPED | {"nonce": ""}),
        json.dumps(TAPPED | {"nonce": "\x00"}),
        json.dumps(TAPPED | {"arg": "é"}),
        json.dumps({"kind": "watch_mute", "target": "w1"}),
        7,
    ],
)
def test_a_value_that_no_card_makes_is_none(value):
    assert payloads.taps(tapped(value)) == [None]


@pytest.mark.parametrize(
    "place",
    [
        {"channel_id": "C1"},
        {"channel_id": None},
        {"message_ts": "x"},
        {"type": "message_attachment"},
        {"type": "view", "view_id": "V1"},
    ],
)
def test_what_stands_nowhere_of_ours_is_none(place):
    assert payloads.taps(tapped(**place)) == [None]


def test_the_kind_must_be_the_control_s_own():
    assert payloads.taps(tapped(action_id="answer_save:1")) == [None]
    assert payloads.taps(tapped(action_id="")) == [None]


@pytest.mark.parametrize(("name", "card"), gallery())
def test_everything_a_card_offers_can_be_tapped(name, card):
    for _, element in elements(to_slack(card)["blocks"]):
        options = element.get("options", [element])
        for option in options:
            body = tapped() | {"actions": [element | ({"selected_option": option} if option is not element else {})]}
            is_link = element["action_id"].startswith("open_link:")
            assert [tap is not None for tap in payloads.taps(body)] == ([] if is_link else [True])


@pytest.mark.parametrize(
    ("tokens", "revoked"),
    [
        ({"bot": ["U1"], "oauth": []}, True),
        ({"bot": [], "oauth": ["U2"]}, False),
        ({}, False),
        (None, False),
        ({"bot": "U1"}, None),
    ],
)
def test_only_the_bot_s_own_token_matters(tokens, revoked):
    assert payloads.revokes_bots({"event": {"type": "tokens_revoked", "tokens": tokens}}) is revoked
