"""How many tokens messages have, by whoever is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import getattr_static
from typing import Protocol, TypeGuard

from core.contextplan.messages import Message

_FRAMING = 4
_BYTES_A_TOKEN = 4


class TokenEstimator(Protocol):
    def estimate(self, messages: Sequence[Message]) -> int:
        """May raise whatever it likes."""


class AdditiveEstimator(TokenEstimator, Protocol):
    """A list's estimate is `overhead` and the costs of its messages, and fails only where one of these does.

    So a list grows by one addition (core.contextplan.tally).
    """

    @property
    def overhead(self) -> int: ...
    def cost(self, message: Message) -> int: ...


def is_additive(estimator: TokenEstimator) -> TypeGuard[AdditiveEstimator]:
    """Asked of the class, so that an overhead that fails does so where a failure is expected."""
    return all(getattr_static(estimator, name, None) is not None for name in ("overhead", "cost"))


@dataclass(frozen=True, slots=True)
class ByteEstimator:
    """Four bytes a token, rounded up, and four tokens around each message."""

    overhead: int = 0

    def cost(self, message: Message) -> int:
        return _FRAMING - (-len(message.content) // _BYTES_A_TOKEN)

    def estimate(self, messages: Sequence[Message]) -> int:
        return self.overhead + sum(map(self.cost, messages))
