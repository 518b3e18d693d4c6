"""Whatever bytes arrive become a question, a tap, or a refusal with a sentence."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.inbox.backend import Tap
from bot.channels.inbox.wire import FIELD_LIMIT, TEXT_LIMIT, RefusalError, parse_ask, parse_tap

STORABLE = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=FIELD_LIMIT).filter(
    str.strip
)
TAP = {"event_id": "e", "message_id": "m", "nonce": "n", "kind": "answer_refresh", "target": "t"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*TAP, "text", "arg"]), inner),
)
PARSERS = [parse_ask, parse_tap]


@given(STORABLE)
def test_a_question_arrives_as_it_was_written(text: str) -> None:
    assert parse_ask(json.dumps({"event_id": "e", "text": text}).encode()) == ("e", text)


@given(st.fixed_dictionaries({**dict.fromkeys(TAP, STORABLE), "event_id": st.uuids().map(str)}), st.none() | STORABLE)
def test_a_tap_arrives_as_it_was_sent(fields: dict[str, str], arg: str | None) -> None:
    assert parse_tap(json.dumps({**fields, "arg": arg}).encode()) == Tap(**fields, arg=arg)


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("words", ["what may a meal cost", "ada@acme.example", "a.b", "昆汀", "e\n", "x" * 65])
def test_an_event_is_named_by_an_id_alone_which_stands_in_the_log(parse: Callable[[bytes], Any], words: str) -> None:
    body = {**TAP, "text": "Why?"}
    parse(json.dumps(body).encode())
    with pytest.raises(RefusalError, match="“event_id” is no id"):
        parse(json.dumps({**body, "event_id": words}).encode())


def test_a_tap_without_choice_has_no_arg() -> None:
    assert parse_tap(json.dumps(TAP).encode()).arg is None


@pytest.mark.parametrize("parse", PARSERS)
@given(raw=st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_give_a_value_or_a_refusal(parse: Callable[[bytes], Any], raw: bytes) -> None:
    with suppress(RefusalError):
        parse(raw)


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("raw", [b"[" * 30_000, b'{"a":' * 6_000, b"1" * 10_000, b"\xff", b"", b"null", b'"text"'])
def test_deep_long_and_broken_json_is_refused(parse: Callable[[bytes], Any], raw: bytes) -> None:
    with pytest.raises(RefusalError, match="JSON"):
        parse(raw)


@pytest.mark.parametrize("name", [*TAP, "arg"])
@pytest.mark.parametrize("value", [7, [], {}, True, "", " \n", "x" * (FIELD_LIMIT + 1), "a\0b", "\ud800"])
def test_a_field_that_is_no_storable_text_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(RefusalError, match=f"“{name}”"):
        parse_tap(json.dumps({**TAP, name: value}).encode())


@pytest.mark.parametrize("name", TAP)
def test_a_missing_field_is_refused_by_name(name: str) -> None:
    with pytest.raises(RefusalError, match=f"“{name}” is missing"):
        parse_tap(json.dumps({key: value for key, value in TAP.items() if key != name}).encode())


def test_a_question_may_be_as_long_as_the_composer_lets_it_be_and_no_longer() -> None:
    def body(length: int) -> bytes:
        return json.dumps({"event_id": "e", "text": "ä" * length}).encode()

    assert parse_ask(body(TEXT_LIMIT))[1] == "ä" * TEXT_LIMIT
    with pytest.raises(RefusalError, match=f"{TEXT_LIMIT + 1} characters; {TEXT_LIMIT} are allowed"):
        parse_ask(body(TEXT_LIMIT + 1))
