"""What introduces a block: the paragraph before a list, the words of each parent item, what a colon ends."""

from dataclasses import dataclass

from core.text.fold import plain

_LONGEST = 1000
"""Characters of context a block carries: a page-long title or lead must not be copied to every block beneath it."""


def shown(words: str) -> str:
    return plain(words[: 2 * _LONGEST])[:_LONGEST]


@dataclass(slots=True)
class Frame:
    """A list, item or quote that is open. `words`: what was said in it directly before, or by an item so far."""

    lead: tuple[str, ...] = ()
    item: bool = False
    words: str = ""

    def say(self, words: str) -> None:
        if not self.item:
            self.words = words
        elif len(self.words) < _LONGEST:
            self.words += "\n\n" + words

    def interrupt(self) -> None:
        """What was said directly before is so no longer; an item's own words keep leading the rest of it."""
        if not self.item:
            self.words = ""

    def context(self, *, before_list: bool = False) -> tuple[str, ...]:
        """The lead of a block that comes now."""
        if self.item or before_list or self.words.rstrip().endswith((":", "：")):
            words = shown(self.words)
            return (*self.lead, words) if words else self.lead
        return self.lead
