"""What is done to a database from outside, while no memory of it is open here: looking at it, moving and copying it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from core.clock import Clock, SystemClock
from core.embed.protocol import Embedder
from core.errors import InvalidRequest
from core.ids import nonce
from core.model.backups import Manifest, Restored
from core.model.tables_state import TablesState
from core.reembed.engine import ReembedEngine
from core.reembed.report import Progress, Reembedded
from core.store import backups
from core.store.database import Database
from core.store.migrate import tables_state, upgrade


def reembed(
    url: str,
    embedder: Embedder | None,
    *,
    clock: Clock | None = None,
    on_progress: Progress = lambda _done, _total: None,
) -> list[Reembedded]:
    """Move every tenant of a database to this model; its passages are embedded anew while others go on working.

    Stopped half way it goes on from there, and a second time it changes nothing. Raises InvalidConfig,
    StoreUnavailable, and SemanticUnavailable where the model cannot be used.
    """
    with closing(Database(url, clock or SystemClock())) as database:
        upgrade(database)
        return ReembedEngine(database, embedder).run(on_progress)


def inspect_tables(url: str) -> tuple[TablesState, str]:
    """How a database's tables compare with this program's, and their revision; nothing is brought up to date.

    Raises InvalidConfig, StoreUnavailable.
    """
    with closing(Database(url, SystemClock())) as database:
        return tables_state(database)


def backup(url: str, out: Path, *, replace: bool = False, clock: Clock | None = None) -> Manifest:
    """Copy a database into one file while others use it; the file has its name once it is whole and checked.

    Raises InvalidConfig, StoreUnavailable, and InvalidRequest for a file that is there, unless `replace`.
    """
    if out.exists() and not replace:
        raise InvalidRequest(f"{out} is there already: name another file, or say --replace")
    with closing(Database(url, clock or SystemClock())) as database, _draft_beside(out) as draft:
        manifest = backups.take(database, draft)
        draft.replace(out)
    return manifest


def restore(url: str, file: Path, *, replace: bool = False, clock: Clock | None = None) -> Restored:
    """Let a database hold what a backup of either kind of database does, brought up to date.

    Nothing of it is touched before the backup was found to be whole. Raises InvalidConfig; InvalidRequest for a file
    that is no backup, damaged or newer, and for a database that holds something, unless `replace`; StoreUnavailable,
    also while anybody else uses the database.
    """
    with closing(Database(url, clock or SystemClock())) as database:
        target = Path(str(database.url.database)) if database.is_sqlite else None
        with _draft_of(file, target) as draft:
            manifest = backups.open_draft(draft, file, database.clock)
            _refuse_to_replace(database, target, replace=replace)
            erased = {} if target is not None and not target.exists() else backups.erasures(database)
            with closing(backups.file_database(draft, database.clock)) as copied:
                known = backups.erasures(copied)
                if target is None:
                    backups.pour_back(copied, database)
            database.close()
            if target is not None:
                backups.move_into_place(draft, target)
    return Restored(manifest, tuple(one for key, one in erased.items() if key not in known))


def _refuse_to_replace(database: Database, target: Path | None, *, replace: bool) -> None:
    if replace or (target is not None and not target.exists()) or backups.is_blank(database):
        return
    raise InvalidRequest(
        "the database holds something already, which restoring would destroy: back it up, then say --replace"
    )


@contextmanager
def _draft_of(backup_file: Path, target: Path | None) -> Iterator[Path]:
    """A copy of a backup: beside the file that it is to be, or else somewhere for the time being."""
    with TemporaryDirectory() as folder, _draft_beside(target or Path(folder) / "backup") as draft:
        shutil.copyfile(backup_file, draft)
        yield draft


@contextmanager
def _draft_beside(file: Path) -> Iterator[Path]:
    """An empty file that only its owner may read, and that is gone in the end unless it was moved."""
    draft = file.with_name(f".{file.name}.{nonce()}.draft")
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield draft
    finally:
        for left in ("", "-wal", "-shm", "-journal"):
            Path(f"{draft}{left}").unlink(missing_ok=True)
