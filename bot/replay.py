"""Taking in a history: every version of a document at the time from which it held.

A document keeps one uri through all its renames, the last one, so that replaying a history twice, or a longer history
after a shorter one, changes nothing that stands. A path that is free again after a rename and then used anew is another
document.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from bot.config import SourceSettings
from bot.git_history import Change, Deleted, Renamed, Revision, git_history
from bot.sources import VersionRow, versions
from bot.sync import LARGEST, Progress, SyncReport, included, ingest_one, no_progress, remove_one, rename_one, uri_of
from core.errors import InvalidRequest
from core.memory import Memory


@dataclass(slots=True)
class _Line:
    """One document through its history: every path it had, the last one first in use."""

    paths: list[str] = field(default_factory=list)


class _Lines:
    """Which document a path stands for, as the revisions go by."""

    def __init__(self) -> None:
        self._owner: dict[str, _Line] = {}

    def at(self, path: str) -> _Line:
        return self._owner.setdefault(path, _Line([path]))

    def move(self, old: str, new: str) -> _Line:
        """The document of `new` from now on. A name that ever belonged to another stays that one's."""
        if new in self._owner:
            return self._owner[new]
        line = self.at(old)
        del self._owner[old]
        line.paths.append(new)
        self._owner[new] = line
        return line


@dataclass(frozen=True, slots=True)
class _Step:
    """One document at one moment; without data it is gone."""

    line: _Line
    data: bytes | None
    at: int


def replay_git(
    memory: Memory, tenant: str, repo: Path, source: SourceSettings, *, on_progress: Progress = no_progress
) -> SyncReport:
    """Take in every revision on the line of HEAD. Raises InvalidRequest for what is no repository."""
    report = SyncReport()
    # Twice through the history: a last path is known only at its end, and all its texts may not fit in memory.
    lines = [step.line for step in _steps(git_history(repo))]
    _rename_known(memory, tenant, source, lines)
    for done, (line, step) in enumerate(zip(lines, _steps(git_history(repo)), strict=True)):
        on_progress(done, len(lines))
        if included(line.paths[-1], source.include):
            _take(memory, tenant, source, replace(step, line=line), report)
    on_progress(len(lines), len(lines))
    memory.synced(source.name, tenant=tenant)
    return report


def replay_versions(
    memory: Memory,
    tenant: str,
    file: Path,
    readers: Sequence[str],
    name: str,
    *,
    on_progress: Progress = no_progress,
) -> SyncReport:
    """Take in the rows of a JSONL history. Raises InvalidRequest naming file and line."""
    source = SourceSettings(name=name, path=file, readers=tuple(readers))
    rows, report = versions(file), SyncReport()
    for done, row in enumerate(rows):
        on_progress(done, len(rows))
        ingest_one(memory, tenant, source, row.path, partial(_text, row), report, row.committed_at)
    on_progress(len(rows), len(rows))
    memory.synced(name, tenant=tenant)
    return report


def _text(row: VersionRow) -> bytes:
    return row.text.encode()


def _steps(revisions: Iterable[Revision]) -> Iterator[_Step]:
    lines = _Lines()
    for revision in revisions:
        for change in revision.changes:
            yield from _of(change, lines, revision.committed_at)


def _of(change: Change, lines: _Lines, at: int) -> list[_Step]:
    if isinstance(change, Deleted):
        return [_Step(lines.at(change.path), None, at)]
    if not isinstance(change, Renamed):
        return [_Step(lines.at(change.path), change.data, at)]
    before, after = lines.at(change.old), lines.move(change.old, change.new)
    moved = _Step(after, change.data, at)
    return [moved] if after is before else [_Step(before, None, at), moved]


def _rename_known(memory: Memory, tenant: str, source: SourceSettings, lines: Iterable[_Line]) -> None:
    """What stands under an earlier path goes on under its last one."""
    standing = {view.uri for view in memory.sources(tenant=tenant, source_set=source.name)}
    for line in {id(line): line for line in lines}.values():
        *earlier, last = [uri_of(source, path) for path in line.paths]
        old = next((uri for uri in reversed(earlier) if uri in standing), None)
        if last not in standing and old is not None:
            rename_one(memory, tenant, old, last)


def _take(memory: Memory, tenant: str, source: SourceSettings, step: _Step, report: SyncReport) -> None:
    last = step.line.paths[-1]
    if step.data is None:
        remove_one(memory, tenant, uri_of(source, last), report, step.at)
    else:
        ingest_one(memory, tenant, source, last, partial(_bounded, step.data), report, step.at)


def _bounded(data: bytes) -> bytes:
    if len(data) > LARGEST:
        raise InvalidRequest(f"has {len(data)} bytes; a document may have {LARGEST}")
    return data
