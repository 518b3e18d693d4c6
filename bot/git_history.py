"""A git repository as a source set: the documents of HEAD, and the history that led to them.

The history is the first-parent line of HEAD: the states the branch itself went through, each compared with the one
before, so that replaying it ends exactly at HEAD; side branches count when they are merged. Committer times can stand
still or run backwards along that line (rebases, skewed clocks), yet a later state must win over an earlier one, so each
revision's time is at least one microsecond after its predecessor's. That also makes a second replay change nothing.
Links and submodules hold no text and are no documents; a path that comes out of hiding is added, one that goes into it
is deleted.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.git import blobs, git, head, lacking
from bot.sources import is_skipped
from core.clock import SECOND

RENAMES = ("--find-renames=50%", "-l1000")
"""What git takes for renamed, whatever the repository's own settings say."""
_REGULAR_FILES = frozenset({b"100644", b"100755"})


@dataclass(frozen=True, slots=True)
class Added:
    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Modified:
    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Renamed:
    """`data` is the text under the new path; it may differ from what stood under the old one."""

    old: str
    new: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Deleted:
    path: str


Change = Added | Modified | Renamed | Deleted


@dataclass(frozen=True, slots=True)
class Revision:
    """What one commit changed on the line of HEAD; `committed_at` is a Ts, later than that of the revision before."""

    commit: str
    committed_at: int
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """A document in a commit; `size` is in bytes."""

    path: str
    blob: bytes
    size: int


@dataclass(frozen=True, slots=True)
class _Entry:
    """A path on both sides of a commit; a side is None where there is no document."""

    old: str | None
    new: str | None
    blob: bytes


def git_history(repo: Path, until: str | None = None) -> Iterator[Revision]:
    """The revisions of a commit, by default HEAD, oldest first; none in a repository without commits.

    Raises InvalidRequest: git is not installed, or `repo` is not a whole repository.
    """
    commits = _first_parent_line(repo, until or head(repo))
    pairs = "".join(f"{commit} {parent}".strip() + "\n" for _, commit, parent in commits)
    compare = ("diff-tree", "--stdin", "--root", "--always", "-r", "-z", "--raw", "--no-abbrev", *RENAMES)
    entries = _parse_diffs(git(repo, *compare, stdin=pairs.encode()))
    last = 0
    with blobs(repo) as read:
        for seconds, commit, _ in commits:
            last = max(seconds * SECOND, last + 1)
            yield Revision(commit, last, tuple(_change(entry, read) for entry in entries[commit]))


def held_files(repo: Path, commit: str | None = None) -> Iterator[Held]:
    """Every document in a commit, by default HEAD, by path. Raises InvalidRequest as `git_history` does."""
    commit = commit or head(repo)
    if commit is None:
        return
    for record in git(repo, "ls-tree", "-r", "-z", "--long", "--full-tree", commit).split(b"\0")[:-1]:
        facts, path = record.split(b"\t", 1)
        mode, _, blob, size = facts.split()
        if document := _document(mode, path):
            if not size.isdigit():
                raise lacking(repo, blob)
            yield Held(document, blob, int(size))


def _first_parent_line(repo: Path, commit: str | None) -> list[tuple[int, str, str]]:
    """(seconds, commit, first parent or "") from the root to a commit."""
    if commit is None:
        return []
    listed = git(repo, "rev-list", "--first-parent", "--parents", "--timestamp", "--reverse", commit)
    rows = [line.split(" ") for line in listed.decode().splitlines()]
    return [(int(row[0]), row[1], row[2] if len(row) > 2 else "") for row in rows]


def _parse_diffs(raw: bytes) -> dict[str, list[_Entry]]:
    """Read `commit`, then for each path `:modes blobs status`, `path` and, if renamed, `new path`; all end in NUL."""
    entries: dict[str, list[_Entry]] = defaultdict(list)
    tokens = iter(raw.split(b"\0")[:-1])
    commit = ""
    for token in tokens:
        if not token.startswith(b":"):
            commit = token.decode()
            continue
        old_mode, new_mode, _, blob, status = token[1:].split(b" ")
        old_path = next(tokens)
        new_path = next(tokens) if status[:1] == b"R" else old_path
        entry = _Entry(_document(old_mode, old_path), _document(new_mode, new_path), blob)
        if entry.old or entry.new:
            entries[commit].append(entry)
    return entries


def _document(mode: bytes, path: bytes) -> str | None:
    name = path.decode(errors="replace")
    return name if mode in _REGULAR_FILES and not is_skipped(name) else None


def _change(entry: _Entry, read: Callable[[bytes], bytes]) -> Change:
    if entry.new is None:
        assert entry.old is not None
        return Deleted(entry.old)
    data = read(entry.blob)
    if entry.old is None:
        return Added(entry.new, data)
    if entry.old == entry.new:
        return Modified(entry.new, data)
    return Renamed(entry.old, entry.new, data)
