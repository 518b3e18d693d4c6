"""Documents along a git history: which one each path stands for, as renames go by, and where a memory keeps it.

A document keeps one uri through all its renames: the last of its paths, which no two documents share. A path that is
free again after a rename and then used anew is another document. So under the uri of one path a memory may hold either
of two documents, as far as the history went that it took in before; which one, the text that stands there says.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from bot.git_history import Change, Deleted, Renamed, Revision


@dataclass(slots=True, eq=False)
class Line:
    """One document through its history: every path it had, the last one first in use."""

    paths: list[str] = field(default_factory=list)

    @property
    def last(self) -> str:
        return self.paths[-1]


@dataclass(frozen=True, slots=True)
class Step:
    """One document at one moment; without data it is gone."""

    line: Line
    data: bytes | None
    at: int


class _Lines:
    """Which document a path stands for, as the revisions go by."""

    def __init__(self) -> None:
        self._owner: dict[str, Line] = {}

    def at(self, path: str) -> Line:
        return self._owner.setdefault(path, Line([path]))

    def move(self, old: str, new: str) -> Line:
        """The document of `new` from now on. A name that ever belonged to another stays that one's."""
        if new in self._owner:
            return self._owner[new]
        line = self.at(old)
        del self._owner[old]
        line.paths.append(new)
        self._owner[new] = line
        return line


def steps(revisions: Iterable[Revision]) -> Iterator[Step]:
    lines = _Lines()
    for revision in revisions:
        for change in revision.changes:
            yield from _of(change, lines, revision.committed_at)


def _of(change: Change, lines: _Lines, at: int) -> list[Step]:
    if isinstance(change, Deleted):
        return [Step(lines.at(change.path), None, at)]
    if not isinstance(change, Renamed):
        return [Step(lines.at(change.path), change.data, at)]
    before, after = lines.at(change.old), lines.move(change.old, change.new)
    moved = Step(after, change.data, at)
    return [moved] if after is before else [Step(before, None, at), moved]


def claimants(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """By path, the documents that ever had it."""
    had: dict[str, list[Line]] = defaultdict(list)
    for line in dict.fromkeys(lines):
        for path in dict.fromkeys(line.paths):
            had[path].append(line)
    return had


def moves(owners: Mapping[str, Line], *, spare: str) -> Iterator[tuple[str, str]]:
    """(old, new) for each document known under a path that is not its last, in an order in which `new` is free by then.

    Of a circle one goes by way of `spare`.
    """
    left = {line.last: path for path, line in owners.items() if line.last != path}
    while left:
        taken = set(left.values())
        new = next((each for each in left if each not in taken), None)
        if new is None:
            new, old = next(iter(left.items()))
            yield old, spare
            left[new] = spare
        else:
            yield left.pop(new), new
