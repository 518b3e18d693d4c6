"""Taking in a history: every version of a document at the time from which it held.

Replaying a history twice, or a longer one after a shorter, changes nothing that stands, whatever interrupted it. The
times of a rewritten history, or of a skewed clock, can lie before what was taken in already, or ahead of now; so in the
end every document whose last version is not the one that stands is taken in as of now: the present is always HEAD.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from bot.config import SourceSettings
from bot.git import blobs, head
from bot.git_history import git_history, held_files
from bot.git_lines import Line, Step, claimants, moves, steps
from bot.sources import VersionRow, versions
from bot.sync import LARGEST, Progress, SyncReport, included, ingest_one, no_progress, remove_one, rename_one, uri_of
from core.errors import InvalidRequest
from core.memory import Memory


def replay_git(
    memory: Memory, tenant: str, repo: Path, source: SourceSettings, *, on_progress: Progress = no_progress
) -> SyncReport:
    """Take in every revision on the line of HEAD. Raises InvalidRequest for what is no repository."""
    return _Replay(memory, tenant, repo, source).run(on_progress)


class _Replay:
    def __init__(self, memory: Memory, tenant: str, repo: Path, source: SourceSettings) -> None:
        self._memory = memory
        self._tenant = tenant
        self._repo = repo
        self._source = source
        self._until = head(repo)
        self._report = SyncReport()
        # Twice through the history: a last path is known only at its end, and all its texts may not fit in memory.
        self._lines = [step.line for step in self._steps()]

    def run(self, on_progress: Progress) -> SyncReport:
        self._rename_known(self._standing())
        held: dict[str, int | None] = {}
        for done, (line, step) in enumerate(zip(self._lines, self._steps(), strict=True)):
            on_progress(done, len(self._lines))
            if included(line.last, self._source.include):
                held[line.last] = self._take(line.last, step)
        on_progress(len(self._lines), len(self._lines))
        self._end_at_head(held)
        self._memory.documents.checked(self._tenant, self._source.name)
        return self._report

    def _steps(self) -> Iterator[Step]:
        return steps(git_history(self._repo, self._until))

    def _standing(self) -> dict[str, int]:
        """By path, the version of each document of the set that stands now."""
        views = self._memory.documents.standing(self._tenant, self._source.name)
        return {view.uri.removeprefix(uri_of(self._source, "")): view.version_tx for view in views}

    def _rename_known(self, standing: Iterable[str]) -> None:
        """What stands under an earlier path goes on under its last one."""
        had = claimants(self._lines)
        known = {path: had[path] for path in standing if path in had}
        contested = {path for path, lines in known.items() if len(lines) > 1}
        owners = {path: lines[0] for path, lines in known.items() if len(lines) == 1} | self._by_text(contested)
        for old, new in moves(owners, spare=f"{self._until} moving"):
            rename_one(self._memory, self._tenant, uri_of(self._source, old), uri_of(self._source, new))

    def _by_text(self, contested: Collection[str]) -> dict[str, Line]:
        """Whose text stands under each of these paths; none where no line ever said that."""
        said: dict[str, dict[str, bytes]] = {path: {} for path in contested}
        for i, step in enumerate(self._steps() if contested else ()):
            for path in said.keys() & self._lines[i].paths:
                said[path][f"{i}/{path}"] = step.data or b""
        found = [
            key
            for path, texts in said.items()
            for key in self._memory.documents.same_texts(self._tenant, {uri_of(self._source, path)}, texts)
        ]
        return {path: self._lines[int(i)] for i, _, path in (key.partition("/") for key in found)}

    def _take(self, path: str, step: Step) -> int | None:
        """The version that then holds, 0 where the document is gone; None for one that could not be read."""
        if step.data is None:
            remove_one(self._memory, self._tenant, uri_of(self._source, path), self._report, step.at)
            return 0
        read = partial(_bounded, step.data)
        return ingest_one(self._memory, self._tenant, self._source, path, read, self._report, step.at)

    def _end_at_head(self, held: Mapping[str, int | None]) -> None:
        standing = self._standing()
        late = {path for path, version in held.items() if version is not None and version != standing.get(path, 0)}
        at_head = {file.path: file.blob for file in held_files(self._repo, self._until)} if late else {}
        with blobs(self._repo) as read:
            for path in sorted(late & at_head.keys()):
                text = partial(read, at_head[path])
                ingest_one(self._memory, self._tenant, self._source, path, text, self._report)
        for path in sorted((standing.keys() - held.keys()) | (standing.keys() & late - at_head.keys())):
            remove_one(self._memory, self._tenant, uri_of(self._source, path), self._report)


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
    memory.documents.checked(tenant, name)
    return report


def _text(row: VersionRow) -> bytes:
    return row.text.encode()


def _bounded(data: bytes) -> bytes:
    if len(data) > LARGEST:
        raise InvalidRequest(f"has {len(data)} bytes; a document may have {LARGEST}")
    return data
