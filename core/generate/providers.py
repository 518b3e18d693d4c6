"""What a language model is to core: something that completes messages, and may know how it counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from core.errors import InvalidConfig
from core.model.answers import Usage


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user"]
    text: str


@dataclass(frozen=True, slots=True)
class Completion:
    """`usage` None: the provider does not say."""

    text: str
    usage: Usage | None = None


class LlmProvider(Protocol):
    """Any number of threads may call it. It is the `TokenAccounting` of its models too."""

    def complete(self, messages: Sequence[Message], model: str, max_tokens: int) -> Completion:
        """A whole answer of at most `max_tokens`. Raises GenerateUnavailable, without a word of the messages.

        `passing` is set where a later try may succeed: what costs something is not tried again for nothing.
        """

    def count(self, model: str, text: str) -> int | None:
        """The tokens of a text; None where they can only be guessed."""

    def context_window(self, model: str) -> int | None:
        """The most tokens that a prompt and its completion may have together; None where nobody knows."""


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A model of a provider, and the most that one answer may cost of it.

    `max_tokens`: of the completion. `budget_tokens`: of prompt and completion together.
    """

    provider: LlmProvider
    name: str
    max_tokens: int = 1000
    budget_tokens: int = 32_000

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise InvalidConfig("a language model needs its name, as the provider knows it")
        if not 0 < self.max_tokens < self.budget_tokens:
            raise InvalidConfig(
                f"max_tokens is {self.max_tokens}; it must be at least 1, and below budget_tokens, which is "
                f"{self.budget_tokens}: what is left of it is the prompt's"
            )
