"""Source sets on disk: the files of a folder, and a history of versions in a JSONL file.

Hidden entries and node_modules are never read: they hold tools and secrets, not documents. A symbolic link to a file
inside the set is followed; one that leads out, or to what is hidden, is a problem, since whoever may read the set may
not read the whole disk; one to a folder is not followed, which is also what makes loops harmless.
"""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from core.clock import from_datetime
from core.errors import InvalidRequest

NOT_UTF8 = "the name is not UTF-8; rename the file"
SKIPPED_FOLDERS = frozenset({"node_modules"})


@dataclass(frozen=True, slots=True)
class Found:
    """A file of the set. `relative` is its path within the set, with forward slashes; `size` is in bytes."""

    uri: str
    relative: str
    path: Path
    size: int


@dataclass(frozen=True, slots=True)
class Problem:
    """An entry that cannot be read, and why; the rest of the set is not affected."""

    relative: str
    reason: str


@dataclass(frozen=True, slots=True)
class VersionRow:
    """The text of a document from `committed_at` (a Ts) on."""

    path: str
    text: str
    committed_at: int


def is_skipped(relative: str) -> bool:
    return any(part.startswith(".") or part in SKIPPED_FOLDERS for part in PurePosixPath(relative).parts)


def walk(path: Path, include: Sequence[str] | None = None) -> Iterator[Found | Problem]:
    """The files of a folder, or the one file named, in order of their names.

    `include`: shell patterns against the relative path, where `*` also crosses slashes: `*.md`, `docs/*`, `**/*.txt`.
    Raises InvalidRequest where there is nothing at `path`.
    """
    root = path.resolve()
    if not root.exists():
        raise InvalidRequest(f"{path} does not exist; name a folder or a file")
    if root.is_file():
        yield _inspect(root, root.parent)
        return
    for item in _entries(root):
        if include is None or isinstance(item, Problem) or _included(item.relative, include):
            yield item


def versions(path: Path) -> list[VersionRow]:
    """The rows of a JSONL history, `{"path", "text", "committed_at"}` a line, oldest first by instant.

    Raises InvalidRequest naming file and line.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read: {error.strerror}") from error
    rows = [_version(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
    return sorted(rows, key=lambda row: row.committed_at)


def _entries(root: Path) -> Iterator[Found | Problem]:
    waiting = [(root, True)]
    while waiting:
        path, is_folder = waiting.pop()
        if not is_folder:
            yield _inspect(path, root)
            continue
        try:
            children = sorted(os.scandir(path), key=lambda entry: entry.name, reverse=True)
        except OSError as error:
            yield Problem(_relative(path, root), f"the folder cannot be read: {error.strerror}")
            continue
        shown = (child for child in children if not is_skipped(child.name) and not _leads_to_folder(child))
        waiting += [(Path(child.path), child.is_dir(follow_symlinks=False)) for child in shown]


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_symlink() and Path(entry.path).is_dir()


def _inspect(path: Path, root: Path) -> Found | Problem:
    relative = _relative(path, root)
    try:
        target = path.resolve(strict=True)
        size = target.stat().st_size
    except (OSError, RuntimeError) as error:  # RuntimeError: how pathlib reports a loop of links
        return Problem(relative, f"cannot be read: {getattr(error, 'strerror', None) or 'a loop of links'}")
    reason = _unfit(relative, target, root)
    return Problem(relative, reason) if reason else Found(path.as_uri(), relative, path, size)


def _unfit(relative: str, target: Path, root: Path) -> str:
    """Why a file is none of the set's documents; empty where it is one."""
    inside = target.is_relative_to(root)
    checks = (
        ("\ufffd" in relative, NOT_UTF8),
        (not inside, "a link that leads out of the folder; copy the file into it"),
        (inside and is_skipped(target.relative_to(root).as_posix()), "a link to a hidden file; copy what may be read"),
        (not target.is_file(), "not a regular file"),
        (not os.access(target, os.R_OK), "cannot be read: permission denied"),
    )
    return next((reason for holds, reason in checks if holds), "")


def _relative(path: Path, root: Path) -> str:
    # A name that is not UTF-8 must not reach a database or a log as a lone surrogate.
    return os.fsencode(path.relative_to(root).as_posix()).decode(errors="replace")


def _included(relative: str, include: Sequence[str]) -> bool:
    return any(fnmatchcase(relative, pattern) or fnmatchcase(f"/{relative}", pattern) for pattern in include)


def _version(line: bytes, place: str) -> VersionRow:
    try:
        row = json.loads(line)
        path, text, committed_at = values = [row[name] for name in ("path", "text", "committed_at")]
        "".join(values).encode()
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"{place}: not JSON in UTF-8: {error}") from error
    except (LookupError, TypeError) as error:
        raise InvalidRequest(f"{place}: must be an object with the texts path, text and committed_at") from error
    if not path:
        raise InvalidRequest(f"{place}: path is empty; it must name the document")
    return VersionRow(path, text, _instant(committed_at, place))


def _instant(text: str, place: str) -> int:
    try:
        return from_datetime(datetime.fromisoformat(text))
    except ValueError as error:
        raise InvalidRequest(
            f"{place}: committed_at is {text!r}; it must be a time with its offset, such as 2026-01-05T09:30:00+01:00",
        ) from error
