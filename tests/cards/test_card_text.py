"""Text is shown as it is, less what nobody sees, and is only ever cut between whole characters."""

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from cards.phrases import short
from cards.slack_text import escaped_length
from cards.text import (
    beginning_of_line,
    clean,
    clusters,
    ended,
    is_blank,
    isolate,
    one_line,
    safe_link,
    shown,
    truncate,
    utf16_length,
)
from tests.strategies.card_content import CLUSTERS, HIDDEN, SPACES, short_texts

FLAG = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u202eb\u202cc", "abc"),
        ("a\u2066b\u2069\u200fc", "abc"),
        ("zero\u200bwidth\ufeff\u00ad\u2060", "zerowidth"),
        ("\x1b[31mred\x1b[0m\x07\x00", "[31mred[0m"),
        ("\u009b31m", "31m"),
        ("tag\U000e0041\U000e0042s", "tags"),
        ("filler\u3164\u115f", "filler"),
        ("a\r\nb\rc\u2028d\u2029e\x0bf\x85g", "a\nb\nc\nd\ne\nf\ng"),
        ("tab\tstays", "tab\tstays"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("variation\ufe0f\ufe0f\ufe0f", "variation\ufe0f"),
        ("\u200dx\u200dy", "xy"),
        ("\x08\ufe0f\u200d❤", "❤"),
    ],
)
def test_what_cannot_be_seen_is_dropped(text: str, seen: str) -> None:
    assert clean(text) == seen


@pytest.mark.parametrize("text", [*CLUSTERS, "می\u200cخواهم", "क्\u200dष", "葛\U000e0100", "❤️", FLAG, "٣ ريال"])
def test_what_needs_an_invisible_character_keeps_it(text: str) -> None:
    assert clean(text) == text


@given(short_texts)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(short_texts)
def test_a_clean_text_has_no_control_and_can_be_encoded(text: str) -> None:
    assert not regex.search(r"[\p{Cc}--[\n\t]]|[\u202a-\u202e\u2066-\u2069\ufeff]", clean(text), regex.VERSION1)
    clean(text).encode()


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\u200d", "\u2800", "\u3164", "\ufeff ", "\u202e", "\u00a0"])
def test_text_of_nothing_visible_is_blank(text: str) -> None:
    assert is_blank(text)
    assert not is_blank(text + "x")


@given(short_texts, st.integers(0, 60), st.sampled_from((utf16_length, escaped_length)))
def test_a_cut_text_fits_and_is_a_start_of_whole_clusters(text: str, limit: int, measure: object) -> None:
    cut = truncate(text, limit, measure)
    assert measure(cut) <= limit
    if cut != text:
        kept = cut.removesuffix("…")
        clusters = regex.findall(r"\X", text)
        starts = {"".join(clusters[:count]).rstrip() for count in range(len(clusters) + 1)}
        assert kept in starts


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_no_cut_falls_inside_a_cluster(cluster: str) -> None:
    for limit in range(1, utf16_length(cluster) * 3 + 2):
        kept = truncate(cluster * 3, limit).removesuffix("…")
        assert kept == cluster * (len(kept) // len(cluster))


def test_no_cut_falls_inside_an_escape() -> None:
    assert [truncate("a&b", limit, escaped_length) for limit in range(8)] == [
        "", "…", "a…", "a…", "a…", "a…", "a…", "a&b",
    ]  # fmt: skip


@given(st.one_of(short_texts, st.text("🇩🇪e\u0301\u200d\ufe0f\u0903क्🏽", max_size=40)))
def test_clusters_are_those_of_the_standard(text: str) -> None:
    assert list(clusters(text)) == regex.findall(r"\X", text)


_SEEN = st.characters().filter(clean)


@given(st.lists(st.tuples(st.sampled_from(("", *HIDDEN)), _SEEN), max_size=300), st.integers(1, 60))
@example([("\u202e", " ")] * 20 + [("", "a")], 1)
@example([("", "\n")] * 20 + [("", "a")], 1)
def test_looking_only_at_the_beginning_changes_nothing_that_is_shown(pieces: list[tuple[str, str]], limit: int) -> None:
    text = "".join(hidden + seen * 2 for hidden, seen in pieces)
    assert short(text, limit) == truncate(one_line(text), limit)


@given(st.lists(st.sampled_from((*HIDDEN, *SPACES, "\x08", "\x1c", "❤", "a", "葛")), max_size=40).map("".join))
def test_with_its_gaps_closed_a_line_is_the_same(text: str) -> None:
    closed = beginning_of_line(text, len(text))
    assert one_line(closed) == one_line(text)
    assert not regex.search(r"\s\s", clean(closed))


def test_of_a_name_without_end_only_the_beginning_is_looked_at() -> None:
    assert short("\u200b" * 480 + "a") == ""
    assert short("a" + "\u200b" * 10_000) == "a"
    assert short("👩‍👩‍👧‍👦" * 1_428) == "👩‍👩‍👧‍👦" * 5 + "…"


@pytest.mark.parametrize("text", ["a.", "a…", "a…”", "a?)", "a…\u2069", "退货。", "a.”\u2069"])
def test_a_sentence_has_ended_where_its_last_mark_says_so(text: str) -> None:
    assert ended(text)
    assert not ended(text + "b")
    assert not ended("a”")


def test_right_to_left_text_is_isolated_and_other_text_is_not() -> None:
    assert isolate("שלום") == "\u2068שלום\u2069"
    assert shown("\u202eمرحبا") == "\u2068مرحبا\u2069"
    assert shown("hello") == "hello"


def test_one_line_has_single_spaces() -> None:
    assert one_line(" a\n\tb\u200b\u00a0 c ") == "a b c"


@pytest.mark.parametrize(
    "url", ["https://x.example", "HTTP://x.example/a?b=1&c=(2)#d", "https://x.example:8443/ä", "https://[::1]/x"]
)
def test_plain_web_addresses_are_links(url: str) -> None:
    assert safe_link(url) == url


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//x.example",
        "https://",
        "https:///path",
        "https://good.example@evil.example/",
        "https://x.example/ space",
        "https://x.example/\n",
        "https://x.example/\u202e",
        "https://x.example/|label",
        "https://x.example/<b>",
        'https://x.example/"onclick',
        "https://x.example\\@evil.example",
        "https://x.example:99999/",
        "https://[x/",
        "https://x.example/" + "a" * 1_500,
    ],
)
def test_everything_else_is_no_link(url: str | None) -> None:
    assert safe_link(url) is None
