"""Keeping a source set in step with its place: a folder, a file, or the head of a git repository.

What stands under the set's name and is gone from its place is tombstoned, unless it lives on under another path: git
says so, or a new path holds the very same text. What could not be read is a problem to report and is never taken for
gone. A single file is no set, so naming one retires nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from bot.config import CACHE, SourceSettings
from bot.git import blobs, git, head, mirror
from bot.git_history import RENAMES, held_files
from bot.sources import NOT_UTF8, Problem, walk
from core.errors import Erased, InvalidRequest, NotFound
from core.memory import Memory

Progress = Callable[[int, int], None]
"""Called with how many are done, and of how many."""
LARGEST = 32_000_000
"""Bytes of a file that is still taken for a document."""


@dataclass(slots=True)
class SyncReport:
    """How many documents ended how, and what could not be read. `erased`: are there, and are not taken in again."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    erased: int = 0
    problems: list[Problem] = field(default_factory=list)

    def count(self, outcome: str) -> None:
        setattr(self, outcome, getattr(self, outcome) + 1)


def no_progress(_done: int, _total: int) -> None:
    """For whoever does not watch."""


@dataclass(frozen=True, slots=True)
class _Place:
    """What a set holds: how to read each file, and renames as far as they are known. `whole`: no part of a set."""

    files: Mapping[str, Callable[[], bytes]]
    problems: tuple[Problem, ...] = ()
    renames: tuple[tuple[str, str], ...] = ()
    whole: bool = True


def sync(
    memory: Memory,
    tenant: str,
    source: SourceSettings,
    *,
    on_progress: Progress = no_progress,
    cache: Path = CACHE,
) -> SyncReport:
    """Bring the memory in step with a source set. One bad file never stops the set.

    Raises InvalidRequest where the place as a whole cannot be read, and then nothing is retired; StoreUnavailable.
    """
    if source.git is None:
        assert source.path is not None
        return _sync(memory, tenant, source, _folder(source.path, source), on_progress)
    repo = mirror(source.git, cache)
    with blobs(repo) as read:
        report = _sync(memory, tenant, source, _repository(repo, source, read), on_progress)
    _remember_head(repo, source)
    return report


def ingest_one(
    memory: Memory,
    tenant: str,
    source: SourceSettings,
    relative: str,
    read: Callable[[], bytes],
    report: SyncReport,
    valid_start: int | None = None,
) -> int | None:
    """Take one document of a set in: the version that then holds. What is wrong with it goes into the report."""
    try:
        _refuse_broken_name(relative)
        data = read()
        result = memory.ingest(
            uri_of(source, relative),
            data,
            readers=source.readers,
            tenant=tenant,
            valid_start=valid_start,
            source_set=source.name,
        )
    except Erased:
        report.count("erased")
    except OSError as error:
        report.problems.append(Problem(relative, f"cannot be read: {error.strerror}"))
    except InvalidRequest as error:
        report.problems.append(Problem(relative, str(error).removeprefix(f"{uri_of(source, relative)}: ")))
    else:
        report.count(result.outcome)
        return result.version_tx
    return None


def _refuse_broken_name(relative: str) -> None:
    """Two names that are no UTF-8 can read alike, and would be taken for one document."""
    if "\ufffd" in relative:
        raise InvalidRequest(NOT_UTF8)


def remove_one(memory: Memory, tenant: str, uri: str, report: SyncReport, valid_start: int | None = None) -> None:
    """Tombstone one document; one that is not known, or is gone already, counts for nothing."""
    try:
        outcome = memory.remove(uri, tenant=tenant, valid_start=valid_start).outcome
    except NotFound:
        return
    if outcome == "removed":
        report.count(outcome)


def uri_of(source: SourceSettings, relative: str) -> str:
    return f"{source.name}/{relative}"


def included(relative: str, include: Iterable[str] | None) -> bool:
    """Whether a path is one that a set is to hold, by the patterns of `bot.sources.walk`."""
    return include is None or any(
        fnmatchcase(relative, pattern) or fnmatchcase(f"/{relative}", pattern) for pattern in include
    )


# ── what the place holds ──


def _folder(path: Path, source: SourceSettings) -> _Place:
    found = list(walk(path, source.include))
    problems = [item for item in found if isinstance(item, Problem)]
    files: dict[str, Callable[[], bytes]] = {}
    for item in found:
        if isinstance(item, Problem):
            continue
        if item.size > LARGEST:
            problems.append(_too_large(item.relative, item.size))
        else:
            files[item.relative] = item.path.read_bytes
    return _Place(files, tuple(problems), whole=path.is_dir())


def _repository(repo: Path, source: SourceSettings, read: Callable[[bytes], bytes]) -> _Place:
    """Nothing is read yet: all the files of a repository may not fit in memory."""
    held = [file for file in held_files(repo) if included(file.path, source.include)]
    problems = tuple(_too_large(file.path, file.size) for file in held if file.size > LARGEST)
    files = {file.path: partial(read, file.blob) for file in held if file.size <= LARGEST}
    return _Place(files, problems, tuple(_renames(repo, source)))


def _too_large(relative: str, size: int) -> Problem:
    return Problem(relative, f"has {size} bytes; a document may have {LARGEST}")


def _synced_ref(source: SourceSettings) -> str:
    return f"refs/synced/{source.name.encode().hex()}"


def _remember_head(repo: Path, source: SourceSettings) -> None:
    commit = head(repo)
    if commit is not None:
        git(repo, "update-ref", _synced_ref(source), commit)


def _renames(repo: Path, source: SourceSettings) -> Iterator[tuple[str, str]]:
    """(old, new) of what git takes for renamed since the set was last brought in step."""
    since = _synced_ref(source)
    if head(repo) is None or not git(repo, "for-each-ref", "--count=1", since):
        return
    compare = ("diff-tree", "-r", "-z", "--name-status", "--diff-filter=R", *RENAMES)
    words = iter(git(repo, *compare, since, "HEAD").split(b"\0")[:-1])
    for _status in words:
        yield next(words).decode(errors="replace"), next(words).decode(errors="replace")


# ── bringing the memory in step ──


def _sync(memory: Memory, tenant: str, source: SourceSettings, place: _Place, on_progress: Progress) -> SyncReport:
    report = SyncReport(problems=list(place.problems))
    if place.whole:
        _follow_renames(memory, tenant, source, place)
    for done, (relative, read) in enumerate(place.files.items()):
        on_progress(done, len(place.files))
        ingest_one(memory, tenant, source, relative, read, report)
    on_progress(len(place.files), len(place.files))
    if place.whole:
        for uri in _gone(memory, tenant, source, place):
            remove_one(memory, tenant, uri, report)
    memory.documents.checked(tenant, source.name)
    return report


def _gone(memory: Memory, tenant: str, source: SourceSettings, place: _Place) -> set[str]:
    """Uris that stand in the set and have no place any more."""
    kept = {uri_of(source, relative) for relative in place.files}
    unread = [uri_of(source, "" if problem.relative == "." else problem.relative) for problem in place.problems]
    standing = {view.uri for view in memory.documents.standing(tenant, source.name)}
    return {uri for uri in standing - kept if not any(_within(uri, unseen) for unseen in unread)}


def _within(uri: str, unseen: str) -> bool:
    return uri == unseen or uri.startswith(unseen.rstrip("/") + "/")


def _follow_renames(memory: Memory, tenant: str, source: SourceSettings, place: _Place) -> None:
    gone = _gone(memory, tenant, source, place)
    if not gone:
        return
    standing = {view.uri for view in memory.documents.standing(tenant)}
    fresh = {uri_of(source, path): read for path, read in place.files.items() if uri_of(source, path) not in standing}
    known = [(uri_of(source, old), uri_of(source, new)) for old, new in place.renames]
    moves = {new: old for old, new in known if old in gone and new in fresh}
    left = {uri: data for uri, read in fresh.items() if uri not in moves and (data := _quietly(read)) is not None}
    moves |= memory.documents.same_texts(tenant, gone - set(moves.values()), left)
    for new, old in moves.items():
        rename_one(memory, tenant, old, new)


def rename_one(memory: Memory, tenant: str, old: str, new: str) -> None:
    """Let a document go on as `new`; where a retired document holds that name, it comes back as that one instead."""
    try:
        memory.documents.rename(tenant, old, new)
    except InvalidRequest:
        return


def _quietly(read: Callable[[], bytes]) -> bytes | None:
    try:
        return read()
    except (OSError, InvalidRequest):
        return None
