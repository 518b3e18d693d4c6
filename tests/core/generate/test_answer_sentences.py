"""What a model wrote, taken apart: its sentences, what each names, and nothing that was not meant for the reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.generate.claims import Said, said
from core.generate.markers import without_markers
from core.generate.prompt import UNKNOWN
from core.generate.thoughts import without_thoughts


def cited(answer: str, passages: int = 3) -> list[tuple[str, tuple[int, ...]]]:
    return [(one.text, one.cites) for one in said(answer, passages)]


@pytest.mark.parametrize(
    ("answer", "cites"),
    [
        ("It is 40 [1].", (1,)),
        ("It is 40. [1]", (1,)),
        ("It is 40.[1]", (1,)),
        ("It is 40. [1].", (1,)),
        ("It is 40.\n\n[1]", (1,)),
        ("[1] It is 40.", (1,)),
        ("It is 40 [1, 2].", (1, 2)),
        ("It is 40 [1][2].", (1, 2)),
        ("It is 40 [1] and [3].", (1, 3)),
        ("It is 40 [1-3].", (1, 2, 3)),
        ("It is 40 [3–1].", (3, 1)),
        ("It is 40 【2】.", (2,)),
        ("It is 40 【2†travel.md】.", (2,)),
        ("It is 40 ［３］.", (3,)),
        ("It is 40 〔1、2〕.", (1, 2)),
        ("It is 40 [^2].", (2,)),
        ("It is 40 [Passage 2].", (2,)),
        ("It is 40 [passages 1 and 2].", (1, 2)),
        ("It is 40 \\[1\\].", (1,)),
        ("It is 40 [[1]].", (1,)),
        ("It is 40 [1](https://evil.example/x).", (1,)),
        ("It is 40 ([1], [2]).", (1, 2)),
        ("It is 40 (see [2]).", (2,)),
        ("It is 40 [2][2][1].", (2, 1)),
        ("It is 40 [0][4][2024][999999].", ()),
        ("It is 40 [2-99].", (2, 3)),
        ("It is 40 [99-1].", (1,)),
    ],
)
def test_a_citation_is_known_however_it_is_written(answer, cites):
    assert cited(answer) == [("It is 40.", cites)]


@pytest.mark.parametrize("text", ["[x]", "[12a]", "(1)", "[]", "[1", "1]", "a[b]c", "[1.5]", "x² [½]"])
def test_what_is_no_citation_stays(text):
    assert without_markers(f"See {text} there", 9) == (f"See {text} there", [])


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("A is one [1]. B is two [2].", [("A is one.", (1,)), ("B is two.", (2,))]),
        ("A is one. [1] B is two. [2]", [("A is one.", (1,)), ("B is two.", (2,))]),
        ("[1] A is one.\n[2] B is two.", [("A is one.", (1,)), ("B is two.", (2,))]),
        ("退货期限为30天【1】。请联系我们。[2]", [("退货期限为30天。", (1,)), ("请联系我们。", (2,))]),
        ("- A is one [1]\n- B is two\n  [2]\n* C", [("A is one", (1,)), ("B is two", (2,)), ("C", ())]),
        ("1. A is one [1]\n2) B is two", [("A is one", (1,)), ("B is two", ())]),
        ("> A is **one** [1].", [("A is one.", (1,))]),
        ("A is\none [1].", [("A is one.", (1,))]),
        ("Mr. A has e.g. one [1].", [("Mr. A has e.g. one.", (1,))]),
        (
            "| What | Most |\n|---|:-:|\n| Meals | 40 EUR [1] |\n| Hotels [2] | 90 EUR |\n\nDone.",
            [("Meals — Most: 40 EUR", (1,)), ("Hotels — Most: 90 EUR", (2,)), ("Done.", ())],
        ),
        (
            "Run this [1].\n```sh\nrm x[1]\nls\n```\nDone [2].",
            [("Run this.", (1,)), ("rm x[1]\nls", ()), ("Done.", (2,))],
        ),
        ("```\nA is one [1].\n```", [("A is one.", (1,))]),
        ("~~~markdown\nA is one [1].\n~~~", [("A is one.", (1,))]),
        ("A is one [1].\n\nSources:\n[1] Travel\n[2] Board", [("A is one.", (1,))]),
        ("A is one.\n\n**References**\n- [1] Travel", [("A is one.", ())]),
        ("A is one.\nSources: [1], [2]", [("A is one.", ())]),
    ],
)
def test_a_marker_belongs_to_its_sentence_in_prose_lists_tables_and_code(answer, expected):
    assert cited(answer) == expected


@pytest.mark.parametrize(
    "answer",
    ["# Meals", "**Meals**", "Here is what I found:", "Is that so?", "Was ist das？", "---", "", "...", "[1]", "🙂 !",
     "Wirklich：", 'Why ("really?")'],
)  # fmt: skip
def test_what_asserts_nothing_is_no_claim(answer):
    assert cited(answer) == []


@pytest.mark.parametrize(
    "answer",
    [
        "<think>SECRET [2].</think>It is 40 [1].",
        "<think>\nSECRET\n\n</think>\n\nIt is 40 [1].",
        "SECRET, the template began it.</think>It is 40 [1].",
        "<thinking a='b'>SECRET</thinking>It is 40 [1].<THINK>SECRET without end",
        "<think><think>SECRET</think>SECRET</think>It is 40 [1].",
        "<Reasoning>SECRET</reasoning >It is 40 [1].",
        "It is 40 [1].\n<reason>SECRET without end",
        "SECRET</reasoning>\nIt is 40 [1].",
        "<seed:think>SECRET</seed:think>It is 40 [1].",
        "SECRET</thinking>It is 40 [1].",
        "[THINK]SECRET is far.[/THINK]It is 40 [1].",
        "[THINK]SECRET[/THINK][THINK]SECRET[/THINK]\nIt is 40 [1].",
        "SECRET.[/THINK]It is 40 [1].",
        "◁think▷SECRET is far.◁/think▷It is 40 [1].",
        "&lt;think&gt;SECRET is far.&lt;/think&gt; It is 40 [1].",
        "<|begin_of_thought|>SECRET<|end_of_thought|>It is 40 [1].",
        "<|START_THINKING|>SECRET<|END_THINKING|>It is 40 [1].",
        "It is 40 [1].<|start_thinking|>SECRET without end",
        "<|channel|>analysis<|message|>SECRET.<|end|><|start|>assistant<|channel|>final<|message|>It is 40 [1].",
        "<|channel|>commentary<|message|>SECRET<|end|><|channel|>final<|constrain|>x<|message|>It is 40 [1].<|return|>",
        "SECRET.<|end|><|start|>assistant<|channel|>final<|message|>It is 40 [1].<|end|>",
        "<think>SECRET</think><analysis>SECRET</analysis>It is 40 [1].",
    ],
)
def test_what_a_model_thinks_is_never_shown(answer):
    assert cited(answer) == [("It is 40.", (1,))]


@pytest.mark.parametrize(
    "answer",
    ["<think>\nSECRET", "[THINK]SECRET", "◁think▷SECRET", "<|channel|>analysis<|message|>SECRET", "<thought>S"],
)
def test_an_answer_that_is_all_thought_says_nothing(answer):
    assert cited(answer) == []


@pytest.mark.parametrize(
    "words",
    [
        "Write <reason>late</reason> into the form",
        "Its <analysis> is due in May, says </analysis> too",
        "The [Reason] column is for 40 [Think] cards",
        "The tag `<think>` opens and `</think>` ends it",
        "The marks `[THINK]` and `[/THINK]` are those of one kind",
        "A reply holds `<|channel|>` and `<|message|>` marks",
        "A <thinker> and an <analysis-run> think of 5 < 6 and 7 > 6",
    ],
)
def test_what_documents_say_of_thoughts_is_no_thought(words):
    answer = f"First, it is 40 [1]. {words} [2]. Last, it is 50 [1]."
    assert without_thoughts(answer) == answer


@pytest.mark.parametrize(
    "answer",
    [UNKNOWN, f"`{UNKNOWN}`", f"**{UNKNOWN}**.", "not in passages", f"<think>x</think>{UNKNOWN}",
     f"{UNKNOWN}. The sky is blue [1]."],
)  # fmt: skip
def test_a_model_may_say_that_it_does_not_know(answer):
    assert cited(answer) == []


def test_the_word_for_not_knowing_is_shown_nowhere():
    assert cited(f"A is one [1]. {UNKNOWN}") == [("A is one.", (1,))]


# ── whatever is written ──

bits = st.sampled_from(
    ["[1]", "[2, 3]", "【1】", "[99]", "<think>", "</think>", "```", "~~~", "\n", "\n\n", "|", "|---|", "- ", "# ",
     "> ", ". ", "。", "? ", ": ", "**", "word ", "40 EUR ", UNKNOWN, "Sources:\n", "(see ", ")", "\\[", "<b>", "](x)",
     "\0", "\ud800", "   "]
)  # fmt: skip
answers = st.lists(bits | st.text(max_size=5), max_size=40).map("".join)


@given(answers, st.integers(0, 5))
def test_any_answer_comes_apart_into_sentences_that_name_only_passages_there_are(answer: str, passages: int) -> None:
    for one in said(answer, passages):
        assert one.text.strip()
        assert set(one.cites) <= set(range(1, passages + 1))
        assert len(set(one.cites)) == len(one.cites)


marks = st.sampled_from([
    ("<think>", "</think>"), ("<a:thinking>", "</a:thinking>"), ("<reason>", "</reason>"), ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"), ("<|begin_of_thought|>", "<|end_of_thought|>"),
])  # fmt: skip


@given(answers, answers, marks)
def test_no_word_of_a_thought_is_said(before: str, after: str, marked: tuple[str, str]) -> None:
    begun, ended = marked
    shown = said(f"{before.replace('<', '')}\n\n{begun}quokka{ended}\n\n{after.replace('<', '')}", 3)
    assert not any("quokka" in one.text for one in shown)


@given(st.lists(st.sampled_from(["Cats purr", "Dogs bark", "Birds sing"]), min_size=1, max_size=5), st.data())
def test_each_sentence_keeps_its_own_citations(sentences: list[str], data: st.DataObject) -> None:
    cites = [tuple(data.draw(st.lists(st.integers(1, 3), max_size=3, unique=True))) for _ in sentences]
    for form in ("{0} {1}. ", "{0}.{1} ", "{0}. {1}\n", "- {0} {1}\n"):
        written = "".join(form.format(s, "".join(f"[{n}]" for n in c)) for s, c in zip(sentences, cites, strict=True))
        assert [Said(one.text.rstrip("."), one.cites) for one in said(written, 3)] == [
            Said(s, c) for s, c in zip(sentences, cites, strict=True)
        ]


@given(answers)
def test_without_markers_nothing_else_is_lost(text: str) -> None:
    kept, markers = without_markers(text, 9)
    assert all(0 <= marker.at <= len(kept) for marker in markers)
    rest = iter(text)
    assert all(letter in rest for letter in kept), "only markers are taken out, and nothing is moved"
    if not markers:
        assert kept == text


@pytest.mark.parametrize(
    "bit", ["[1", "[1]", "<think>", "a|b\n", "```\n", "|", "|-", "- ", "(", "*", " ", "[1] x. ", "x", "[1-", "【1†"]
)
def test_an_answer_of_any_length_is_read_in_one_go(bit):
    """What takes time quadratic in it would run into the limit of a test."""
    answer = bit * (100_000 // len(bit))
    assert len(said(answer, 30)) <= 2 * len(answer)
