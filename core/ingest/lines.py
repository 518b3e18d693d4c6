"""The lines of a text, and where in it the content of a Markdown block stands.

A parser hands out content without the markers of its containers (`> `, `- `) and without indentation. What is left of
each line is still the end of that line; so content is found again from the line's end, whatever stands before it.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Content:
    """Content found again: at characters [start, end), its first line on line `first`."""

    start: int
    end: int
    first: int


class Lines:
    """Lines end at LF alone, as the parser counts them. `offset`: characters of the text that stand before line 0."""

    def __init__(self, text: str, offset: int = 0) -> None:
        self.texts = text[offset:].split("\n")
        self.starts = list(accumulate((len(line) + 1 for line in self.texts), initial=offset))

    def find(self, content: str, first: int, last: int) -> Content:
        """Where `content`, which is not blank, stands in lines [first, last), without the white space around it."""
        head, tail = content.strip().split("\n", 1)[0].rstrip(), content.strip().rsplit("\n", 1)[-1].lstrip()
        top, start = self._seek(head, range(first, last))
        _, end = self._seek(tail, range(last - 1, first - 1, -1))
        return Content(start, end + len(tail), top)

    def _seek(self, words: str, order: Sequence[int]) -> tuple[int, int]:
        for i in order:
            at = self.texts[i].rfind(words)
            if at >= 0:
                return i, self.starts[i] + at
        return order[0], self.starts[order[0]]

    def locator(self, content: str, place: Content) -> Callable[[int], int]:
        """From characters of stripped `content`, found at `place`, to characters of the text."""
        begins = list(accumulate((len(line) + 1 for line in content.split("\n")), initial=0))
        ends = [self.starts[place.first + i] - 1 for i in range(1, len(begins) - 1)] + [place.end]

        def locate(at: int) -> int:
            i = bisect_right(begins, at) - 1
            return ends[i] - (begins[i + 1] - 1 - at)

        return locate
