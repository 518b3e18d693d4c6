"""Which texts say the same words, and which do not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text.fold import STRUCK, fold, fold_code, fold_slice, plain, struck
from core.text.markup import BLANK, visible
from tests.strategies.marked_texts import marked_texts

SAME = {
    "emphasis": ("the **limit** is _5_", "the limit is 5"),
    "nested emphasis": ("***the** limit* is", "the limit is"),
    "emphasis of unequal runs": ("***a** b*", "a b"),
    "heading": ("## Limits ##", "Limits"),
    "setext heading": ("Limits\n======", "Limits"),
    "ordinal": ("1. Go home", "2) Go home"),
    "bullet": ("- Go home", "* Go home"),
    "bullet in a quote": ("> - Go home", "Go home"),
    "task": ("- [ ] Go home", "- [x] Go home"),
    "numbered lines": ("1. Go\n2. Home", "3. Go\n4. Home"),
    "quote over lines": ("> Go\n> home", "Go home"),
    "table row": ("| a | b |", "|a|b|"),
    "open table row": ("a | b", "| a | b |"),
    "delimiter row": ("a | b\n---|---\n1 | 2", "a | b\n1 | 2"),
    "tags": ("<p class='x > y'>Go <b>home</b></p>", "Go home"),
    "line break": ("Go<br>home", "Go\\\nhome"),
    "comment": ("Go <!-- 9999 -->home", "Go home"),
    "unseen tags": ("<style>a { b: 1 }</style>Go", "Go"),
    "entity": ("Go &amp; stay&nbsp;home &#x41;", "Go & stay home A"),
    "escape": (r"Go \*home\*", "Go *home*".replace("*", "&ast;")),
    "link": ("[Go](https://a.example/(x)_y 'title') home", "Go home"),
    "reference link": ("[Go][1] home", "Go home"),
    "shortcut link": ("[Go] home", "Go home"),
    "picture": ("![Go](a.png) home", "Go home"),
    "no picture": ("Go\\![home](a.md)", "Go!home"),
    "linked picture": ("[![Go](a.png)](b)", "Go"),
    "autolink": ("<https://a.example>", "https://a.example"),
    "footnote": ("Go home[^1].", "Go home[^note]."),
    "footnote text": ("[^1]: Go home", "[^2]: Go home"),
    "definition": ("Go\n[1]: https://a.example", "Go"),
    "template tag": ("{% if x %}Go{% endif %} {{ site.url }}home", "Go home"),
    "template comment": ("{% comment %}9{% endcomment %}Go", "Go"),
    "scriptlet": ("<%= x %>Go", "Go"),
    "attributes": ("Go home {: .lead}", "Go home"),
    "named tag": ('ask in {% slack_channel "travel" %}', "ask in [#travel](https://chat.example)"),
    "code": ("`go home`", "go home"),
    "code holding a tick": ("`` a ` b ``", "a ` b".replace("`", "&#96;")),
    "ticks cut short by an escape": ("\\``` go", "&#96;`` go"),
    "fence": ("```sh\ngo_home *now*\n```", "`go_home *now*`"),
    "white space": ("Go \t\n home", "Go home"),
    "composition": ("cafe\u0301", "caf\u00e9"),
    "width": ("３，５００", "3,500"),
    "digits": ("٢٥", "25"),
    "arabic separators": ("٥٬٠٠٠", "5,000"),
    "case": ("STRASSE", "straße"),
    "invisible": ("li\u00admit\u200b \ufeffis\u202e 5\U000e0041", "limit is 5"),
    "quotes": ("“don’t”", '"don\'t"'),
    "dashes": ("2–3 — good", "2-3 good"),
    "minus": ("−5", "-5"),
    "wide wrap": ("期限は\n三日です", "期限は三日です"),
    "full stop": ("Go home.", "Go home"),
    "struck in both ways": ("<del>a b</del> c", "~~a~~ ~~b~~ c"),
}
DIFFERENT = {
    "decimal": ("1.5", "15"),
    "version": ("v1.30", "v1.3"),
    "sign": ("-5", "5"),
    "percent": ("5%", "5"),
    "currency": ("$5", "€5"),
    "name with signs": ("C++", "C"),
    "sharp": ("C#", "C"),
    "snake case": ("max_size", "maxsize"),
    "product": ("2*3", "23"),
    "index": ("list[0]", "list0"),
    "power": ("10²", "102"),
    "power in tags": ("10<sup>2</sup>", "102"),
    "fraction": ("1½", "11/2"),
    "placeholder": ("run <name>", "run <path>"),
    "flags": ("--all", "-all"),
    "question": ("Go home?", "Go home."),
    "year at a line start": ("The year was\n2020. Then", "The year was\n2021. Then"),
    "lone tildes": ("~15", "15"),
    "look-alike": ("аdmin", "admin"),
    "struck": ("~~Go home~~", "Go home"),
    "struck in part": ("Go ~~home~~", "Go home"),
    "del": ("<del>Go</del> home", "Go home"),
    "s": ("<s>Go</s> home", "Go home"),
    "strike, never closed": ("<strike>Go home", "Go home"),
    "cells": ("| a | b |", "| b | a |"),
    "less than": ("a < 5", "a > 5"),
    "raw template": ("{% raw %}{{ x }}{% endraw %}", ""),
    "comment never closed": ("<!-- Go home", ""),
    "fence never closed": ("```\nGo home", ""),
    "path in a template tag": ('{% include "a.html" %}go', "a.html go"),
}


@pytest.mark.parametrize("case", SAME)
def test_the_same_words_fold_equal(case: str) -> None:
    one, other = SAME[case]
    assert fold(one) == fold(other)
    assert fold(one)


@pytest.mark.parametrize("case", DIFFERENT)
def test_other_words_do_not(case: str) -> None:
    one, other = DIFFERENT[case]
    assert fold(one) != fold(other)


def test_plain_keeps_case_and_struck_words() -> None:
    assert plain("- **Go** ~~Home~~ [Now](x)\n| A |B|") == "Go Home Now | A | B"
    assert plain("> # Title #\n> `x_y`  <!-- no -->&lt;b&gt;") == "Title x_y <b>"


def test_struck_names_the_ranges() -> None:
    text = "a ~~b~~ <del>c <s>d</s></del> e"
    assert [text[start:end] for start, end in struck(text)] == ["b", "c <s>d</s>"]


def test_a_strike_of_an_earlier_block_reaches_its_closing_tag() -> None:
    seen = visible("a</s> b", struck="s")
    assert (seen.struck, seen.unclosed) == (((0, 1),), False)
    assert visible("a", struck="del").unclosed


def test_a_part_is_folded_with_the_markup_around_it() -> None:
    text = "**One. Two** ~~three. Four~~ five"
    seen = visible(text)
    assert fold_slice(seen, 0, 6) == "one"
    assert fold_slice(seen, text.index("Four"), len(text)) == f"{STRUCK}four five"


def test_code_keeps_its_case_and_marks() -> None:
    assert fold_code("  Run  -D *x*\u200b") == "Run -D *x*"


def test_link_targets_are_told_in_order() -> None:
    assert visible("[a](1) <https://c.example> ![d](3) [e][4]").targets == ("1", "https://c.example", "3")


@settings(deadline=None)
@given(marked_texts())
def test_visible_text_keeps_every_character_in_its_place(text: str) -> None:
    seen = visible(text)
    assert len(seen.text) == len(text)
    assert all(0 <= start <= end <= len(text) for start, end in seen.struck)


@settings(deadline=None)
@given(st.text())
def test_any_text_can_be_folded(text: str) -> None:
    assert BLANK not in plain(text.replace(BLANK, ""))
    assert fold(text) == " ".join(fold(text).split())


@settings(deadline=None)
@given(st.lists(st.sampled_from(["go", "home", "5", "v1.30", "日本"]), min_size=1))
def test_wrapping_changes_nothing(words: list[str]) -> None:
    assert fold("\n".join(words)) == fold(" ".join(words))


@settings(deadline=None)
@given(st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), min_size=1, max_size=6))
def test_emphasis_on_any_word_changes_nothing_and_a_strike_does(words: list[str]) -> None:
    text = " ".join(words)
    assert fold(" ".join(f"**{word}**" for word in words)) == fold(f"_{text}_") == fold(text) == text
    assert fold(f"~~{words[0]}~~ " + " ".join(words[1:])) != text


HOSTILE = [
    *(
        "<a ",
        '<a b="',
        "<!-- ",
        "{% ",
        "{{ ",
        "<% ",
        "[",
        "[a](",
        "[a](b(c ",
        "*a ",
        "**a*",
        "_a",
        "~~a ",
        "&a",
        "<style>",
    ),
    *(
        "{% comment %}",
        "```\n",
        "> ",
        "<del>a",
        "\\",
        "*",
        "`a``b",
        "](",
        "| ",
        "1. ",
        "漢 \n",
        '"',
        "<a b c ",
        "[^a",
        "][",
    ),
]


@pytest.mark.parametrize("opener", HOSTILE)
def test_a_hundred_thousand_unclosed_openers_end(opener: str) -> None:
    """Anything worse than linear would meet the time limit of the suite."""
    text = opener * (300_000 // len(opener))
    assert len(visible(text).text) == len(text)
    assert fold(text) is not None


def test_runs_of_ticks_of_every_length_end() -> None:
    text = "".join("`" * size + " a\n" for size in range(1, 700))
    assert len(visible(text).text) == len(text)


def test_a_digit_younger_than_the_standard_library_stays_itself() -> None:
    """The two Unicode tables in use are of different years: what one calls a digit the other may not know."""
    assert fold("\U00011bf0") == "\U00011bf0"
