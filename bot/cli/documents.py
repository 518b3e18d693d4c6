"""`ingest` and `spans`: documents going in, and how they are read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.options import AsJson, Config, memory_of, settings_of
from bot.cli.output import complain, reading, say, say_json
from cards.text import one_line

if TYPE_CHECKING:
    from bot.config import Settings, SourceSettings
    from bot.sync import SyncReport
    from core.memory import Memory
    from core.model.documents import Block

Place = Annotated[str, typer.Argument(metavar="PATH", help="A folder, a file, or the address of a git repository.")]
Readers = Annotated[
    list[str],
    typer.Option("--readers", metavar="R[,R]", help="Who may read it: role names, person:<id>, or everyone."),
]
Name = Annotated[
    str, typer.Option("--name", help="The set's name, which its documents are named after; by default the folder's.")
]
Git = Annotated[bool, typer.Option("--git", help="Take in the whole history of the repository at PATH.")]
Versions = Annotated[
    bool, typer.Option("--versions", help="PATH is a JSONL history: {path, text, committed_at} a line.")
]
Include = Annotated[
    list[str] | None,
    typer.Option("--include", metavar="PATTERN", help="Only files like this, such as *.md; repeatable."),
]


def add_to(app: typer.Typer) -> None:
    app.command()(ingest)
    app.command()(spans)


def ingest(
    path: Place,
    readers: Readers,
    name: Name = "",
    git: Git = False,
    versions: Versions = False,
    include: Include = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Take documents in: a folder, a file, a git repository, or a history of versions.

    Running it again brings the set in step: what changed is renewed, and what is gone is retired.
    """
    from core.clock import SystemClock
    from core.errors import InvalidRequest

    if git and versions:
        raise InvalidRequest("--git and --versions are two kinds of history; name one of them")
    settings = settings_of(config)
    source = _source(path, name, readers, include, by_file=versions)
    with reading(SystemClock()) as (on_progress, on_embedding), memory_of(settings, on_embedding) as memory:
        if not name and not versions:
            _refuse_other_set(memory, settings, source)
        before = _readers_in(memory, settings, source)
        report = _ingest(memory, settings, source, git=git, versions=versions, on_progress=on_progress)
        after = _readers_in(memory, settings, source)
    _show(report, sum(after[uri] != before[uri] for uri in before.keys() & after.keys()), as_json=as_json)


def _source(
    path: str, name: str, readers: Sequence[str], include: list[str] | None, *, by_file: bool
) -> "SourceSettings":
    from pydantic import ValidationError

    from bot.config import SourceSettings
    from core.errors import InvalidRequest

    place: dict[str, Any] = {"git": path} if _is_address(path) else {"path": Path(path)}
    named = name or _default_name(path, by_file=by_file)
    who = [reader.strip() for group in readers for reader in group.split(",")]
    try:
        return SourceSettings(name=named, readers=tuple(who), include=tuple(include) if include else None, **place)
    except ValidationError as error:
        first = error.errors()[0]
        option, wrong = first["loc"][0] if first["loc"] else "path", first["msg"].removeprefix("Value error, ")
        raise InvalidRequest(f"--{option} {first['input']!r}: {wrong}") from error


def _readers_in(memory: "Memory", settings: "Settings", source: "SourceSettings") -> dict[str, set[str]]:
    return {one.uri: set(one.readers) for one in memory.documents.standing(settings.tenant, source.name)}


def _is_address(path: str) -> bool:
    return "://" in path or ("@" in path.partition(":")[0] and ":" in path and not Path(path).exists())


def _default_name(path: str, *, by_file: bool) -> str:
    if _is_address(path):
        return path.rstrip("/").rpartition("/")[2].rpartition(":")[2].removesuffix(".git") or "repository"
    place = Path(path).resolve()
    if by_file:
        return place.stem
    return (place.parent if place.is_file() else place).name or "root"


def _refuse_other_set(memory: "Memory", settings: "Settings", source: "SourceSettings") -> None:
    """Two folders may share a name; taking one for the other would retire every document of the first."""
    from bot.sources import Found, walk
    from core.errors import InvalidRequest

    standing = {view.uri for view in memory.documents.standing(settings.tenant, source.name)}
    if not standing or source.path is None or not source.path.is_dir():
        return
    found = {f"{source.name}/{item.relative}" for item in walk(source.path) if isinstance(item, Found)}
    if found.isdisjoint(standing):
        raise InvalidRequest(
            f"the set {source.name!r} holds {len(standing)} other documents, and this would retire them: "
            f"name this one with --name, or say --name {source.name} if that is what you mean"
        )


def _ingest(
    memory: "Memory",
    settings: "Settings",
    source: "SourceSettings",
    *,
    git: bool,
    versions: bool,
    on_progress: Callable[[int, int], None],
) -> "SyncReport":
    from bot.git import mirror
    from bot.replay import replay_git, replay_versions
    from bot.sync import sync

    if versions:
        file = source.path or Path(str(source.git))
        return replay_versions(memory, settings.tenant, file, source.readers, source.name, on_progress=on_progress)
    if git:
        repo = source.path or mirror(str(source.git), settings.cache)
        return replay_git(memory, settings.tenant, repo, source, on_progress=on_progress)
    return sync(memory, settings.tenant, source, on_progress=on_progress, cache=settings.cache)


def _show(report: "SyncReport", readers_changed: int, *, as_json: bool) -> None:
    """What became of it; a set of which nothing could be read is a failure."""
    counts = {name: getattr(report, name) for name in ("new", "changed", "unchanged", "removed", "erased")}
    for problem in () if as_json else report.problems:
        complain(f"{problem.relative}: {problem.reason}")
    unusable = bool(report.problems) and not any(counts.values())
    if as_json:
        problems = [{"path": problem.relative, "reason": problem.reason} for problem in report.problems]
        say_json({**counts, "readers_changed": readers_changed, "problems": problems})
    elif not unusable:
        erased = counts.pop("erased")
        skipped = [f"{erased} erased and not taken in"] if erased else []
        others = [f"{readers_changed} read by others than before"] if readers_changed else []
        say(", ".join([f"{count} {name}" for name, count in counts.items()] + skipped + others))
    if unusable:
        raise typer.Exit(2)


def spans(
    document: Annotated[
        str, typer.Argument(metavar="DOCUMENT", help="A file; with --ingested, the uri of a document that stands.")
    ],
    ingested: Annotated[
        bool, typer.Option("--ingested", help="Show a document that was taken in, with names and ids for its nodes.")
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Show how a document is read: each citable piece with its kind, place, headings and words.

    What stands before the words of a document that was taken in names their section wherever a command takes a NODE.
    With --json one piece a line; start and end are UTF-8 byte offsets in the canonical text.
    """
    if ingested:
        settings = settings_of(config)
        with memory_of(settings) as memory:
            found = memory.naming.outline(settings.tenant, document)
        for one in found:
            ids = {"section": one.section, "section_id": one.section_id, "passage_id": one.passage_id}
            _show_block(one.block, one.section, ids, as_json=as_json)
        return
    for block, section in _read(Path(document)):
        _show_block(block, section, {"section": section}, as_json=as_json)


def _read(file: Path) -> Iterator[tuple["Block", str]]:
    """The pieces of a file, each with the name of its section without the uri, which it has none of."""
    from core.errors import InvalidRequest
    from core.ingest.reading import read
    from core.naming.written import reference

    try:
        data = file.read_bytes()
    except OSError as error:
        raise InvalidRequest(f"{file} cannot be read: {error.strerror}; name a file with text in it") from error
    found = read(data, media_type=None, uri=str(file))
    for block in found.blocks:
        yield block, reference("", found.sections[block.section])


def _show_block(block: "Block", section: str, named: Mapping[str, object], *, as_json: bool) -> None:
    if as_json:
        say_json(_block_json(block) | dict(named))
        return
    say(f"{block.kind.value}  {block.start}–{block.end}  {one_line(section)}")
    say(indent("\n".join((*block.lead, *filter(None, [block.header]), block.text)), "    ") + "\n")


def _block_json(block: "Block") -> dict[str, Any]:
    return {
        "kind": block.kind.value,
        "path": list(block.path),
        "start": block.start,
        "end": block.end,
        "text": block.text,
        "header": block.header,
        "lead": list(block.lead),
    }
