"""The outline of a document: which section each block stands in, and under which titles."""

from collections import Counter

from core.model.documents import Section


class Outline:
    """Takes the blocks of a document in order. Section 0 is what stands before the first heading."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []
        self._repeats: Counter[tuple[str, ...]] = Counter([()])
        self._sections = [Section((), 0)]

    @property
    def sections(self) -> tuple[Section, ...]:
        return tuple(self._sections)

    def enter(self, level: int, title: str) -> tuple[int, tuple[str, ...]]:
        """The section of the next block and its heading path; a heading (level 1 to 6) opens its own."""
        if level:
            self._open_section(level, title)
        return len(self._sections) - 1, self._sections[-1].path

    def _open_section(self, level: int, title: str) -> None:
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, title))
        path = tuple(title for _, title in self._open)
        self._sections.append(Section(path, self._repeats[path]))
        self._repeats[path] += 1
