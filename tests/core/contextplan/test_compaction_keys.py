"""The key of a compaction: equal for equal input, another for one byte more, and JSON whatever the words are."""

import json
import re
from base64 import b64decode
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contextplan import ByteEstimator, Compaction, Message, ToolCall, Window, compact
from core.contextplan.key import key_of, preimage
from tests.strategies.conversations import conversations, windows

WINDOW = Window(1000, 0)
CALL = ToolCall("call", b"\x00{}", "search")
ASKED = Message("assistant", b"words", "ada", "id", (CALL,))


def without(content: bytes) -> bytes:
    """What is valid UTF-8 of it."""
    return content.decode("utf-8", "ignore").encode()


# ── stable and sensitive ──


@given(conversations(max_size=6), windows())
def test_equal_input_has_an_equal_key(messages, window):
    again = [replace(message, tool_calls=tuple(map(replace, message.tool_calls))) for message in messages]
    assert key_of(again, replace(window)) == key_of(messages, window)
    assert re.fullmatch(r"context-compact-v1:sha256:[0-9a-f]{64}", key_of(messages, window))


@given(st.binary(min_size=1, max_size=40), st.integers(0), st.integers(1, 255))
def test_one_byte_of_an_argument_makes_another_key(arguments, place, change):
    other = bytearray(arguments)
    other[place % len(arguments)] ^= change
    keys = {key_of([with_arguments(each)], WINDOW) for each in (arguments, bytes(other))}
    assert len(keys) == 2


def with_arguments(arguments: bytes | None) -> Message:
    return Message("assistant", b"", tool_calls=(ToolCall("a", arguments),))


def test_no_arguments_are_not_empty_ones():
    assert key_of([with_arguments(None)], WINDOW) != key_of([with_arguments(b"")], WINDOW)


@pytest.mark.parametrize(
    "other",
    [
        replace(ASKED, role="user"),
        replace(ASKED, content=b"word"),
        replace(ASKED, name="bob"),
        replace(ASKED, tool_call_id="ID"),
        replace(ASKED, tool_calls=()),
        replace(ASKED, tool_calls=(CALL, CALL)),
        replace(ASKED, tool_calls=(replace(CALL, id="other"),)),
        replace(ASKED, name=ASKED.tool_call_id, tool_call_id=ASKED.name),
    ],
)
def test_whatever_is_different_makes_another_key(other):
    assert key_of([other], WINDOW) != key_of([ASKED], WINDOW)


def test_the_name_of_a_call_says_nothing_that_its_id_does_not():
    renamed = replace(ASKED, tool_calls=(replace(CALL, name="read"),))
    assert key_of([renamed], WINDOW) == key_of([ASKED], WINDOW)


@pytest.mark.parametrize(
    "window", [Window(1001, 0), Window(1000, 1), Window(1000, 0, Compaction(99)), Window(1000, 0, Compaction(0, 11))]
)
def test_other_figures_of_the_window_make_another_key(window):
    assert key_of([ASKED], window) != key_of([ASKED], WINDOW)


def test_order_is_part_of_it():
    one, other = Message("user", b"a"), Message("user", b"b")
    assert key_of([one, other], WINDOW) != key_of([other, one], WINDOW)


@given(conversations(), windows())
def test_the_key_is_that_of_what_was_kept(messages, window):
    fitting = Window(max(window.max_tokens, 9_999), window.reserve, window.compaction)
    result = compact(messages, fitting, ByteEstimator())
    assert result.key == key_of(result.kept, fitting)


# ── what it is made of ──


@given(st.lists(st.one_of(st.text(max_size=20), st.sampled_from(["<", "\u2028", "&\u2029>"])), max_size=4))
def test_words_come_out_of_it_as_they_went_in_and_nothing_in_it_ends_a_script(words):
    made = preimage([Message("user", word.encode()) for word in words], WINDOW).decode()
    assert [message["content"] for message in json.loads(made)["messages"]] == words
    assert not set("<>&\u2028\u2029") & set(made)
    assert not re.search(r"\s", re.sub(r'"(\\.|[^"\\])*"', "", made))


@given(
    st.one_of(
        st.binary(),
        st.lists(st.sampled_from([b"\xf0\x9f", b"\xe6\xbc", b"\xff", b"\xed\xa0\x80", "é".encode()])).map(b"".join),
    )
)
def test_each_byte_that_is_no_text_counts_by_itself(content):
    made = preimage([Message("user", content)], WINDOW).decode()
    assert made.count(r"\ufffd") == len(content) - len(without(content))
    [message] = json.loads(made)["messages"]
    assert message["content"].replace("\ufffd", "") == without(content).decode().replace("\ufffd", "")


def test_a_replacement_character_that_was_written_is_not_one_that_was_made():
    assert key_of([Message("user", "\ufffd".encode())], WINDOW) != key_of([Message("user", b"\xff")], WINDOW)


@given(st.text(st.characters(categories=["Cs", "L"])))
def test_a_surrogate_in_a_name_or_an_id_is_no_text_either(text):
    made = preimage([Message(text, b"", text, text, (ToolCall(text, b""),))], WINDOW).decode()
    surrogates = sum("\ud800" <= character <= "\udfff" for character in text)
    assert made.count(r"\ufffd") == 4 * 3 * surrogates


@given(st.binary())
def test_arguments_are_base64(arguments):
    [message] = json.loads(preimage([with_arguments(arguments)], WINDOW))["messages"]
    assert b64decode(message["tool_calls"][0]["arguments"], validate=True) == arguments


def test_its_fields_come_in_their_order():
    made = json.loads(preimage([ASKED, Message("user", b"")], WINDOW))
    assert list(made) == ["algorithm", "budget", "trigger_tokens", "target_tokens", "messages"]
    assert [list(message) for message in made["messages"]] == [
        ["role", "content", "tool_call_id", "name", "tool_calls"],
        ["role", "content", "tool_call_id", "name"],
    ]
    assert list(made["messages"][0]["tool_calls"][0]) == ["id", "arguments"]
