"""Inline text: dates, cuts and isolation keep their meaning."""

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from cards.inline import (
    DAY_US,
    Bold,
    Code,
    Date,
    Joined,
    Link,
    Plain,
    blank,
    cut,
    flat,
    leaves,
    line,
    name,
    say,
    sentence,
    spaced,
    when,
    zone_named,
)
from cards.text import clean, utf16_length
from tests.strategies.card_content import patiently, short_texts, times, words


def balanced(text: str) -> bool:
    return text.count("\u2068") == text.count("\u2069")


@patiently
@given(words, st.integers(0, 200))
def test_a_line_fits_has_no_newline_and_closes_what_it_opens(some: tuple, limit: int) -> None:
    text = line(some, limit)
    assert utf16_length(text) <= limit
    assert not regex.search(r"[\n\t]", text)


@patiently
@given(words, st.integers(1, 200))
def test_a_cut_never_shows_more_and_starts_the_same(some: tuple, limit: int) -> None:
    whole = clean(flat(some)).replace("\u2069", "").replace("\u2068", "")
    short = clean(flat(cut(some, limit))).removesuffix("…").rstrip()
    dates = sum(isinstance(leaf, Date) for leaf, _ in leaves(cut(some, limit)))
    assert utf16_length(short) <= limit + 30 * dates
    assert dates or whole.startswith(short) or short == ""


def test_a_name_in_another_direction_stays_closed_when_a_line_is_cut() -> None:
    text = line((Plain("You watch "), Plain("שלום " * 20), Plain(".")), 40)
    assert text.endswith("…\u2069")
    assert balanced(text)
    assert utf16_length(text) <= 40


def test_a_joined_text_is_isolated_as_a_whole() -> None:
    pieces = Joined((Plain("תוך "), Bold((Plain("14"),)), Plain(" ימים")))
    assert [(leaf.text, bold) for leaf, bold in leaves((pieces,))] == [
        ("\u2068תוך ", False),
        ("14", True),
        (" ימים\u2069", False),
    ]
    assert [leaf for leaf, _ in leaves((Joined((Plain("a"), Plain("b"))),))] == [Plain("a"), Plain("b")]


def test_midnight_is_a_day_and_any_other_time_a_moment() -> None:
    assert when(DAY_US * 3) == Date(DAY_US * 3, "day")
    assert when(DAY_US * 3 + 1) == Date(DAY_US * 3 + 1, "moment")


@pytest.mark.parametrize(
    ("date", "zone", "said"),
    [
        (Date(0), UTC, "1 Jan 1970, 00:00 UTC"),
        (Date(0), ZoneInfo("America/New_York"), "31 Dec 1969, 19:00"),
        (Date(0, "day"), ZoneInfo("America/New_York"), "1 Jan 1970"),
        (Date(1_792_890_000_000_000), ZoneInfo("Europe/Berlin"), "25 Oct 2026, 02:00"),
    ],
)
def test_dates_are_said_in_the_readers_zone(date: Date, zone: object, said: str) -> None:
    assert date.words(zone) == said


@given(times)
def test_any_time_can_be_said(ts: int) -> None:
    assert Date(ts).words(ZoneInfo("Pacific/Kiritimati"))


@pytest.mark.parametrize("unknown", ["", "Mars/Base", "../etc/passwd", "a\x00b", "/etc"])
def test_an_unknown_zone_is_utc(unknown: str) -> None:
    assert zone_named(unknown) is UTC


def test_an_unsafe_link_is_only_its_label() -> None:
    unsafe, safe = Link("here", "javascript:x"), Link("here", "https://x.example")
    assert list(leaves((unsafe,), True)) == [(Plain("here"), True)]
    assert list(leaves((safe,))) == [(safe, False)]


def test_blank_words_say_nothing() -> None:
    assert blank((Plain("\u200b"), Bold((Code(" "),)), Link("", "https://x.example")))
    assert not blank((Date(0),))
    assert say(" \u200b") == name("\n") == ()
    assert say(" a ") == (Plain("a"),)
    assert name("a\nb") == (Bold((Plain("a b"),)),)


def test_a_sentence_has_one_mark_at_its_end() -> None:
    for said, shown in (("a", "a."), ("a…", "a…"), ("Why?", "Why?"), ("שלום…", "\u2068שלום…\u2069"), (" ", " ")):
        assert flat(sentence((Plain(said),))) == shown


def test_parts_are_spaced_where_there_are_any() -> None:
    assert flat(spaced(((Plain("a"), Plain("b")), (), (Plain("c"),)))) == "ab c"
    assert spaced(((), ())) == ()
    assert flat(spaced((say("a"), say("b")), by="\n")) == "a\nb"


@given(short_texts)
def test_flat_words_are_the_text(text: str) -> None:
    assert flat((Plain(text),)).removeprefix("\u2068").removesuffix("\u2069") == clean(text)
