"""How many tokens a text costs, and how many a plan may spend."""

from typing import Protocol


class TokenAccounting(Protocol):
    """What a language model can say of itself; None where it cannot."""

    def count(self, model: str, text: str) -> int | None: ...
    def context_window(self, model: str) -> int | None: ...


def estimate_tokens(text: str) -> int:
    """ASCII bytes / 3.6 + other characters, rounded up, in whole numbers: a / 3.6 = 5a / 18.

    One token for each character beyond ASCII, so that text in Chinese, Japanese or Korean never costs more than that.
    """
    ascii_bytes = len(text.encode("ascii", "ignore"))
    return len(text) - ascii_bytes + (5 * ascii_bytes + 17) // 18


def tokens_of(text: str, *, model: str | None, accounting: TokenAccounting | None) -> tuple[int, bool]:
    """The tokens of `text`, and whether they are an estimate."""
    exact = accounting.count(model, text) if accounting and model else None
    return (estimate_tokens(text), True) if exact is None else (exact, False)


def budget_of(requested: int, *, model: str | None, accounting: TokenAccounting | None, estimated: bool) -> int:
    """The effective budget: at most half the model's window where known, and a tenth less where tokens were guessed."""
    window = accounting.context_window(model) if accounting and model else None
    budget = requested if window is None else min(requested, window // 2)
    return budget * 9 // 10 if estimated else budget
