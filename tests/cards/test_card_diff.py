"""The words that changed are found, marked, and said in a title only when they can be said truly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.diff import LONGEST_COMPARED, change_in_words, diff, marked, tokens
from cards.inline import Bold, Joined, leaves
from cards.text import clean, utf16_length
from tests.strategies.card_content import patiently, short_texts, texts


@given(short_texts)
def test_tokens_joined_are_the_text(text: str) -> None:
    assert "".join(tokens(text)) == text


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("14 days", ("14", " ", "days")),
        ("€5,000.50 now", ("€", "5,000.50", " ", "now")),
        ("don't re-use", ("don't", " ", "re-use")),
        ("5% at 12:30.", ("5%", " ", "at", " ", "12:30", ".")),
        ("退货14天", ("退", "货", "14", "天")),
        ("क्षि 👩‍👩‍👧‍👦🇩🇪", ("क्षि", " ", "👩‍👩‍👧‍👦", "🇩🇪")),
    ],
)
def test_tokens_are_what_a_reader_sees_as_one(text: str, pieces: tuple[str, ...]) -> None:
    assert tokens(text) == pieces


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("Return within 14 days.", "Return within 30 days.", ("14 days", "30 days")),
        ("A 14-day window", "A 30-day window", ("14-day", "30-day")),
        ("退货期限为14天。", "退货期限为30天。", ("14天", "30天")),
        ("The cap is €5,000,000 per year", "The cap is €7,500,000 per year", ("€5,000,000", "€7,500,000")),
        ("It costs 5% now", "It costs 7% now", ("5%", "7%")),
        ("Up to 14 of them", "Up to 30 of them", ("14", "30")),
        ("Until 1 March 2026", "Until 15 April 2027", ("1 March 2026", "15 April 2027")),
        ("We ship to Malta", "We do not ship to Malta", ("", "do not")),
        ("We do not ship", "We ship", ("do not", "")),
        ("Ask Ada", "Ask Grace", ("Ada", "Grace")),
        ("Ask Ada within 3 days or leave a note", "Tell Ada within 5 days or write a note", ("3 days", "5 days")),
        ("same", "same", None),
        ("a b c d e f g h i j k l m n o p q", "r s t u v w x y z 1 2 3 4 5 6 7 8", None),
        ("one\ntwo", "one\nthree\nfour", None),
        ("5 of 10 and so on it goes with 7", "6 of 10 and so on it goes with 8", None),
    ],
)
def test_a_change_is_said_in_words_when_it_can_be(before: str, after: str, change: tuple[str, str] | None) -> None:
    assert change_in_words(before, after) == change


@patiently
@given(texts, texts)
def test_what_is_not_marked_is_the_same_on_both_sides(before: str, after: str) -> None:
    found = diff(before, after)
    old, new = list(found.before), list(found.after)
    for region in reversed(found.regions):
        old[region.b0 : region.b1] = []
        new[region.a0 : region.a1] = []
    assert old == new
    assert "".join(found.before) == clean(before)


@patiently
@given(texts, texts, st.integers(1, 300))
def test_marked_sides_fit(before: str, after: str, limit: int) -> None:
    for side in marked(before, after, limit):
        text = "".join(leaf.text for leaf, _ in leaves(side))
        assert utf16_length(text.replace("\u2068", "").replace("\u2069", "")) <= limit


def test_a_long_text_is_shown_around_its_change() -> None:
    before, after = ("word " * 300 + number + " days" + " word" * 300 for number in ("14", "30"))
    (old,), (new,) = marked(before, after, 200)
    assert isinstance(old, Joined)
    assert old.children[0].text == "…"
    assert [part.children[0].text for part in (*old.children, *new.children) if isinstance(part, Bold)] == [
        "14 days",
        "30 days",
    ]


@pytest.mark.parametrize("far", ["word " * 2_000, "👩‍👩‍👧‍👦" * 1_428, "\u200b" * 10_000])
def test_a_change_in_a_long_text_is_said_as_in_a_short_one(far: str) -> None:
    def said(*changed: str) -> tuple[str, str] | None:
        return change_in_words(*(f"{far}Return within {days}.{far}" for days in changed))

    assert said("14 days", "30 days") == ("14 days", "30 days")
    assert said("14 days", "14 days, unopened") == ("", "unopened")
    assert said("14 days", "14 days") is None


def test_two_changes_far_apart_are_not_said_as_one() -> None:
    far = "word " * 100
    assert change_in_words(f"1 day {far} 2 days", f"3 days {far} 4 days") is None
    assert change_in_words(f"1 day {far * 20} 2 days", f"3 days {far * 20} 4 days") is None


@patiently
@given(short_texts, short_texts, short_texts, st.integers(300, 900))
def test_equal_ends_do_not_change_how_a_change_is_said(before: str, after: str, end: str, times: int) -> None:
    head, tail = f"{'word ' * times}{end} ", f" {end}{' word' * times}"
    assert change_in_words(f"{head}{before}{tail}", f"{head}{after}{tail}") == change_in_words(
        f"{head[-600:]}{before}{tail[:600]}", f"{head[-600:]}{after}{tail[:600]}"
    )


def test_marks_stay_off_the_spaces_around_words() -> None:
    _, (new,) = marked("We ship.", "We ship now.", 100)
    assert [part.children[0].text for part in new.children if isinstance(part, Bold)] == ["now"]


def test_a_rewritten_text_is_not_marked() -> None:
    old, new = marked(
        "Everything here will be said in another way.", "Nothing from above can stay as it once was.", 300
    )
    assert not [bold for side in (old, new) for _, bold in leaves(side) if bold]


def test_very_long_texts_are_compared_as_a_whole() -> None:
    many = LONGEST_COMPARED + 1
    before, after = (" ".join(f"{start}{index}" for index in range(many)) for start in "ab")
    assert len(diff(before, after).regions) == 1
