"""What lies on this machine, and what the settings choose: who may read the files, room, time zones, open doors."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot import webhook_key
from bot.channels.loopback import is_loopback
from bot.channels.settings import CREDENTIALS
from bot.config import Settings
from bot.doctor.finding import Finding
from bot.keys import PRIVATE_NAME

_MB = 1024 * 1024
LEAST_FREE = 50 * _MB
"""Below it the next document may not fit."""
LONG_LOG = 64 * _MB


def examine(settings: Settings) -> list[Finding]:
    file = _database_file(settings)
    found = [*_secrets(settings), *(_database_files(file) if file else ())]
    files = found or [Finding("files", True, "nobody but their owner can read the database and the secrets")]
    return [*files, *(_room(file) if file else ()), _zones(), *_choices(settings)]


def _database_file(settings: Settings) -> Path | None:
    scheme, _, file = settings.database.partition(":///")
    path = Path(file.partition("?")[0])
    return path if scheme == "sqlite" and path.is_file() else None


def _secrets(settings: Settings) -> Iterator[Finding]:
    named = (getattr(getattr(settings, one.section), one.file_setting) for one in CREDENTIALS)
    for path in (settings.keys / PRIVATE_NAME, settings.keys / webhook_key.NAME, *filter(None, named)):
        yield from _judged(path, 0o077)


def _database_files(file: Path) -> Iterator[Finding]:
    """A group may be let in on purpose, for backups; everybody may not."""
    for end in ("", "-wal", "-shm"):
        yield from _judged(Path(f"{file}{end}"), 0o007)
    if not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)):
        fix = "run this as the user that the bot runs as; or let that user write to the file and to its folder"
        yield Finding(f"file {file.name}", False, f"{file} or its folder cannot be written by this user", fix)


def _judged(path: Path, closed: int) -> Iterator[Finding]:
    try:
        found = path.stat()
    except OSError:  # whoever needs it says so
        return
    name, mode = f"file {path.name}", stat.S_IMODE(found.st_mode)
    if mode & closed:
        yield Finding(name, False, f"{path} has mode {mode:04o}, so others can read it", f"chmod 600 {path}")
    if os.geteuid() not in {0, found.st_uid}:
        words = f"{path} belongs to another user (uid {found.st_uid}; this is uid {os.geteuid()})"
        yield Finding(name, True, words, "run the bot and its commands as one user, to whom its files belong")


def _room(file: Path) -> Iterator[Finding]:
    """To write the store anew, as an erasure does, takes as much room again."""
    log, size, free = Path(f"{file}-wal"), file.stat().st_size, shutil.disk_usage(file.parent).free
    words, fix = f"{free // _MB} MB are free where the database lies", f"make room at {file.parent}"
    if free < LEAST_FREE:
        yield Finding("disk", False, words, fix)
    elif free < size:
        fix = f"{fix}: an erasure needs as much as the database has, {size // _MB} MB"
        yield Finding("disk", True, words, fix)
    else:
        yield Finding("disk", True, words)
    if log.is_file() and log.stat().st_size > max(LONG_LOG, size):
        fix = "end whatever has been reading the database for long; then the bot brings the log in by itself"
        yield Finding("database log", True, f"{log} has grown to {log.stat().st_size // _MB} MB", fix)


def _zones() -> Finding:
    try:
        ZoneInfo("Europe/Berlin")
    except (ZoneInfoNotFoundError, OSError):
        fix = "install the package tzdata, of Python's or of the system's"
        return Finding("time zones", False, "nothing is known of time zones: briefs and quiet hours would fail", fix)
    return Finding("time zones", True, "are known")


def _choices(settings: Settings) -> Iterator[Finding]:
    """What may be meant so, and is seldom."""
    if not is_loopback(settings.http.host):
        fix = "let nobody reach it but a proxy that speaks TLS; where that runs here, set http.host to 127.0.0.1"
        yield Finding("http.host", True, f"{settings.http.host}: whoever reaches this machine reaches the bot", fix)
    if settings.embedder == "hashing":
        fix = 'for more than a trial set embedder to "minilm" and run `clarify-bot reembed`'
        yield Finding("embedder choice", True, "hashing finds words, and no meanings", fix)
    called = {"embedder_endpoint.url": settings.embedder_endpoint.url} if settings.embedder == "endpoint" else {}
    called |= {"llm.base_url": settings.llm.base_url} if settings.llm.provider != "extractive" else {}
    for name, url in called.items():
        parts = urlsplit(url)
        if parts.scheme == "http" and not is_loopback(parts.hostname):
            fix = "write https://, or reach it by a network that nobody else listens to"
            yield Finding(name, True, f"{url}: the key and the words of documents go there unencrypted", fix)
    if not settings.sources:
        fix = "add one [[sources]] table for each folder or repository that is to be kept in step"
        yield Finding("sources", True, "none is kept in step: nothing that changes is noticed by itself", fix)
