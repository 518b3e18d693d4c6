"""Which calls to a fake go wrong, and how: as words in a script, or at random."""

from collections import defaultdict
from collections.abc import Sequence
from random import Random

STORED = "-stored"
"""At the end of such a word: the call takes effect before it goes wrong."""


class Faults:
    """What goes wrong with calls: first as scripted, then at random if so asked."""

    def __init__(self) -> None:
        self._scripts: dict[str, list[str]] = defaultdict(list)
        self._random = Random(0)
        self._rates: dict[str, tuple[float, Sequence[str]]] = {}

    def script(self, method: str, *faults: str) -> None:
        self._scripts[method] += faults

    def at_random(self, method: str, rate: float, faults: Sequence[str], *, seed: int = 0) -> None:
        """From now on `rate` of a method's calls go wrong."""
        self._random = Random(seed)
        self._rates[method] = (rate, faults)

    def clear(self) -> None:
        self._scripts.clear()
        self._rates.clear()

    def next(self, method: str) -> str:
        if self._scripts[method]:
            return self._scripts[method].pop(0)
        rate, faults = self._rates.get(method, (0.0, ()))
        return self._random.choice(faults) if self._random.random() < rate else "ok"


def takes_effect(fault: str) -> bool:
    return fault == "ok" or fault.endswith(STORED)
