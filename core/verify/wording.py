"""A text as the matcher reads it, each thing once: a claim is held against many spans, and asked several things.

What was read lives as long as its `Wording`, and that no longer than a request: nothing erased stays in the process.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from core.text.terms import terms
from core.verify.addresses import addresses, written
from core.verify.holding import Holding
from core.verify.negation import Clause, clauses
from core.verify.quantities import Quantity, articles, durations, quantities
from core.verify.tokens import prepared


@dataclass(frozen=True)
class Wording:
    text: str

    @cached_property
    def terms(self) -> list[str]:
        return terms(self.text)

    @cached_property
    def quantities(self) -> Sequence[Quantity]:
        return quantities(self.text, self._prepared)

    @cached_property
    def articles(self) -> Sequence[Quantity]:
        return tuple(dict.fromkeys(articles(self._prepared)))

    @cached_property
    def durations(self) -> Sequence[Quantity]:
        return durations(self._prepared)

    @cached_property
    def holding(self) -> Holding:
        return Holding.of(self.quantities)

    @cached_property
    def clauses(self) -> Sequence[Clause]:
        return clauses(self.text)

    @cached_property
    def addresses(self) -> Sequence[str]:
        return addresses(self.text)

    @cached_property
    def written(self) -> frozenset[str]:
        return written(self.text)

    @cached_property
    def _prepared(self) -> str:
        return prepared(self.text)
