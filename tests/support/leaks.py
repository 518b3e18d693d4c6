"""What may not be written down, and whether it was: secrets, addresses, and the words of documents and people.

A secret is known by its shape or because settings were given it. Words are known because a test put them in: any run of
three words that was in a document, a question, a claim or a message is a leak. A name or an id, which has no space in
it, is none.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate

SHAPES = {
    "an API key": r"clarify_[\w-]{20}",
    "a JWT": r"eyJ[\w-]{8,}\.[\w-]{8,}",
    "a Slack token": r"xox[a-z]-\w|xapp-\w",
    "a webhook's secret": r"whsec_\w",
    "a key of a language model": r"\bsk-\w",
    "a bearer token": r"[Bb]earer [\w.~+/-]{6}",
    "an inbox link": r"/enter/\w|\b[0-9a-f]{64}\b",
    "a password in an address": r"://[^\s/:@]*:(?!\*\*\*@)[^\s/@]+@",
    "a private key": r"PRIVATE KEY-",
    "an e-mail address": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2}",
}
_SHAPES = {kind: re.compile(shape) for kind, shape in SHAPES.items()}
SECRET_FROM = 8
"""Characters; what is shorter may be a word that somebody uses."""
RUN_FROM = 16
"""Characters; a shorter run of words may be anybody's."""


@dataclass(slots=True)
class Leaks:
    """What was written and not yet looked through, each with where; and what was put in, in the order it came."""

    written: list[tuple[str, str]] = field(default_factory=list)
    put: dict[str | bytes, None] = field(default_factory=dict)
    secrets: dict[str, None] = field(default_factory=dict)
    unheard_for: str = ""

    def hear(self, where: str, values: Iterable[object]) -> None:
        if not self.unheard_for:
            self.written.append((where, "\n".join(map(str, values))))

    def hear_stderr(self, said: str | bytes) -> None:
        """Lines on stderr, of whichever process."""
        for line in (said.decode(errors="replace") if isinstance(said, bytes) else said).splitlines():
            self.hear("a line of stderr", _values(line))

    @contextmanager
    def unheard(self, why: str) -> Iterator[None]:
        """Hear nothing meanwhile, in a test that must write down what is or looks like a leak."""
        assert why, "say why"
        self.unheard_for = why
        try:
            yield
        finally:
            self.unheard_for = ""

    def found(self) -> list[str]:
        """Kinds of leaks, each with where, in what was written since the last time."""
        written, self.written = dict.fromkeys(self.written), []
        words = "\n".join(map(_words, tuple(self.put))) if written else ""
        return list(dict.fromkeys(f"{kind} in {where}" for where, text in written for kind in self._kinds(text, words)))

    def _kinds(self, text: str, words: str) -> Iterator[str]:
        yield from (kind for kind, shape in _SHAPES.items() if shape.search(text))
        if any(secret in text for secret in tuple(self.secrets)):
            yield "a secret of the settings"
        if any(run in words for value in text.splitlines() for run in _runs(value)):
            yield "words of a document or a person"


def _values(line: str) -> Iterable[object]:
    try:
        said = json.loads(line)
    except ValueError:
        return [line]
    return said.values() if isinstance(said, dict) else [said]


@lru_cache(maxsize=2000)
def _words(text: str | bytes) -> str:
    """Its words alone, with a space between."""
    text = text.decode(errors="ignore") if isinstance(text, bytes) else text
    return " ".join(re.findall(r"\w+", text.casefold()))


def _runs(value: str) -> Iterator[str]:
    """The shortest runs of words that are somebody's if he wrote them."""
    words = _words(value).split() if " " in value.strip() or not value.isascii() else []
    for start in range(len(words)):
        grown = accumulate(words[start:], "{} {}".format)
        yield from (run for run in [next(filter(_is_told, grown), None)] if run)


def _is_told(run: str) -> bool:
    return len(run) >= RUN_FROM and (run.count(" ") >= 2 or not run.isascii())
