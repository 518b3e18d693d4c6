"""How many tokens messages have, by whoever is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import getattr_static, isdatadescriptor
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
    """Whether it has a `cost` to call and a whole `overhead`, and its `estimate` is of no nearer class than its `cost`.

    So an estimator with an estimate of its own makes no claim by a cost that it inherits. Nothing is called here: an
    overhead that fails does so where a failure is expected.
    """
    overhead, cost = (getattr_static(estimator, name, None) for name in ("overhead", "cost"))
    is_offered = callable(cost) and (isinstance(overhead, int) or isdatadescriptor(overhead))
    return is_offered and _distance(estimator, "cost") <= _distance(estimator, "estimate")


def _distance(estimator: object, name: str) -> int:
    """To where a name is defined: the estimator itself, its class, the class before."""
    holders = (estimator, *type(estimator).__mro__)
    return next((at for at, holder in enumerate(holders) if name in getattr(holder, "__dict__", ())), len(holders))


@dataclass(frozen=True, slots=True)
class ByteEstimator:
    """Four bytes a token, rounded up, and four tokens around each message."""

    overhead: int = 0

    def cost(self, message: Message) -> int:
        return _FRAMING - (-len(message.content) // _BYTES_A_TOKEN)

    def estimate(self, messages: Sequence[Message]) -> int:
        return self.overhead + sum(map(self.cost, messages))
