"""Words written as markup say exactly themselves."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.ingest.reading import read
from core.text.fold import fold, fold_words, plain
from core.text.literal import literal, literal_line
from tests.strategies.marked_texts import marked_texts

WORDS = st.one_of(marked_texts(), st.text("ab1 *_~`[]<>&;{%#\\!@|", max_size=30)).map(
    lambda text: " ".join(text.replace("|", "/").split())
)


@pytest.mark.parametrize(
    "words",
    [
        "You get 25 days.",
        "max_size = 5 * 3 - 2*4",
        "R&D, Q&A, AT&T, 5 < 6 > 4 and a -> b",
        "C:\\temp and ~5 days, #travel",
        "50% {x} (see 1.2) + more! 日本語。",
    ],
)
def test_ordinary_words_stay_as_they_are(words: str) -> None:
    assert literal(words) == words


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("a <-> b", r"a \<-> b"),
        ("*a* __b__ `c`", r"\*a\* \_\_b\_\_ \`c\`"),
        ("[draft] <b> &amp; {{ x }}", r"\[draft] \<b> \&amp; \{{ x }}"),
        ("~~old~~ <!-- x --> a\\*b", r"\~\~old\~\~ \<!-- x --> a\\\*b"),
    ],
)
def test_what_would_be_markup_is_escaped(words: str, written: str) -> None:
    assert literal(words) == written
    assert plain(written) == words


@given(WORDS)
@example("*a*")
@example("&lt;")
@example("\\")
def test_written_words_are_seen_as_they_are(words: str) -> None:
    assert plain("x " + literal(words) + " x") == " ".join(f"x {words} x".split())


@given(WORDS)
def test_written_words_fold_like_words_without_markup(words: str) -> None:
    assert fold("x " + literal(words) + " x") == fold_words(f"x {words} x")


@given(WORDS, WORDS)
def test_written_words_may_be_joined(one: str, other: str) -> None:
    one = one.rstrip("!")
    assert plain(f"x {literal(one)}[L](y){literal(other)} x") == " ".join(f"x {one}L{other} x".split())


@given(st.lists(st.one_of(WORDS, st.text("-=:|*_ \t#>+~1.)[]x", max_size=8)).map(str.strip), min_size=1, max_size=4))
@example(["a", "---"])
@example(["1.", "-", "+"])
@example(["a | b", "--- | ---"])
def test_written_lines_are_one_paragraph_without_links(lines: list[str]) -> None:
    said = [line for line in lines if line]
    text = "\n".join(literal_line(literal(line)) for line in said)
    document = read(text.encode(), media_type="text/markdown", uri="a.md")
    assert [block.text for block in document.blocks] == ([text] if said else [])
    assert {block.kind.value for block in document.blocks} <= {"paragraph"}
    assert all("://" in link.target for link in document.links)
