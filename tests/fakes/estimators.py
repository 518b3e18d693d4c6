"""Estimators of each sort: additive and saying so, additive and silent about it, not additive, and failing ones."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from core.contextplan import ByteEstimator, Message


class EstimateFailed(Exception):
    """The estimator was told to fail."""


@dataclass
class Figured:
    """Any rule, plus an overhead; fails for lists of certain lengths. Says nothing of being additive."""

    rule: Callable[[Sequence[Message]], int]
    overhead: int = 0
    fail_at_counts: Collection[int] = ()
    asked: list[int] = field(default_factory=list)
    """The length of every list that was asked about."""

    def estimate(self, messages: Sequence[Message]) -> int:
        self.asked.append(len(messages))
        if len(messages) in self.fail_at_counts:
            raise EstimateFailed(len(messages))
        return self.overhead + self.rule(messages)


@dataclass
class Costed:
    """Additive and saying so: any cost a message; a message with `poison` in it cannot be estimated."""

    price: Callable[[Message], int]
    overhead: int = 0
    poison: bytes | None = None
    asked: list[int] = field(default_factory=list)

    def cost(self, message: Message) -> int:
        if self.poison is not None and self.poison in message.content:
            raise EstimateFailed(message)
        return self.price(message)

    def estimate(self, messages: Sequence[Message]) -> int:
        self.asked.append(len(messages))
        return self.overhead + sum(map(self.cost, messages))

    def silent(self) -> Figured:
        """The same figures and failures, without a word of how they come about."""
        return Figured(lambda messages: sum(map(self.cost, messages)), self.overhead)


def size(message: Message) -> int:
    return len(message.content)


def std(messages: Sequence[Message]) -> int:
    return ByteEstimator().estimate(messages)


def in_bytes(messages: Sequence[Message]) -> int:
    return sum(map(size, messages))


def largest(messages: Sequence[Message]) -> int:
    return len(messages) + max(map(size, messages), default=0)


RULES = {"std": std, "bytes": in_bytes, "max": largest}
