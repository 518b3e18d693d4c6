"""What is done to a database from outside, while no memory of it is open here: looking at it, moving and copying it."""

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import UUID

from core.clock import Clock, SystemClock
from core.embed.protocol import Embedder
from core.errors import InvalidRequest, NotFound
from core.ids import random_id
from core.memory import Memory
from core.model.backups import ErasedSince, Manifest, Replaced, Restored
from core.model.standing import Taken, Withdrawal, taken_away
from core.model.tables_state import TablesState
from core.model.work import Place
from core.reembed.engine import ReembedEngine
from core.reembed.report import Progress, Reembedded
from core.store import backups
from core.store.database import Database
from core.store.drafts import draft_beside, move
from core.store.migrate import tables_state, upgrade
from core.store.standing import rights

_NOTHING = Replaced({}, {})
"""What a database says that is not there."""


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

    Raises InvalidConfig, StoreUnavailable, and InvalidRequest for a file that is there, unless `replace` and it is a
    backup as well.
    """
    with closing(Database(url, clock or SystemClock())) as database:
        _refuse_to_overwrite(out, _file_of(database), replace=replace)
        with draft_beside(out) as draft:
            manifest = backups.take(database, draft)
            move(draft, out)
    return manifest


@contextmanager
def new_file(out: Path) -> Iterator[Path]:
    """A draft that only its owner may read, and that has the file's name once the block has ended well.

    Raises InvalidRequest for a file that is there, and OSError where none can be made.
    """
    if out.exists():
        raise InvalidRequest(f"{out} is there already: name another file")
    with draft_beside(out) as draft:
        yield draft
        move(draft, out)


def _refuse_to_overwrite(out: Path, standing: Path | None, *, replace: bool) -> None:
    if not out.exists():
        return
    if standing is not None and standing == out.resolve():
        raise InvalidRequest(f"{out} is the database itself: name another file")
    if not replace:
        raise InvalidRequest(f"{out} is there already: name another file, or say --replace")
    if not backups.is_one(out):
        raise InvalidRequest(f"{out} is there, is no backup of clarify-bot, and is not replaced: name another file")


def restore(url: str, file: Path, *, replace: bool = False, clock: Clock | None = None) -> Restored:
    """Let a database hold what a backup of either kind of database does, brought up to date.

    Nothing of it is touched before the backup was found to be whole, and what was erased and revoked in it since was
    taken out of that. Raises InvalidConfig; InvalidRequest for a file that is no backup, damaged or newer, and for a
    database that holds something, unless `replace`; StoreUnavailable, while anybody uses or changes the database, and
    where it cannot be read what was erased in it.
    """
    with closing(Database(url, clock or SystemClock())) as database:
        target = _file_of(database)
        with _draft_of(file, target) as draft:
            manifest = backups.open_draft(draft, file, database.clock)
            _refuse_to_replace(database, target, replace=replace)
            before = _NOTHING if target is not None and not target.exists() else backups.replaced(database)
            erased, taken = _kept_out(draft, before, database.clock)
            if target is None:
                with closing(backups.file_database(draft, database.clock)) as copied:
                    backups.pour_back(copied, database, before)
            database.close()
            if target is not None:
                backups.move_into_place(draft, target, before)
    return Restored(manifest, erased, taken)


def _file_of(database: Database) -> Path | None:
    """The file itself, wherever links lead to it, since what SQLite keeps beside it is there."""
    return Path(str(database.url.database)).resolve() if database.is_sqlite else None


def _kept_out(draft: Path, before: Replaced, clock: Clock) -> tuple[tuple[ErasedSince, ...], tuple[Withdrawal, ...]]:
    """Take what was erased and revoked since out of a draft that does not know of it; what of it there was."""
    with closing(backups.file_database(draft, clock)) as copied:
        known, taken = backups.erasures(copied), taken_away(rights(copied), before.limits)
    with closing(Memory(f"sqlite:///{draft}", embedder=None, clock=clock)) as memory:
        for one in taken:
            _take_away(memory, one)
        erased = tuple(one for key, one in before.erased.items() if key not in known and _erased(memory, one))
    return erased, taken


def _take_away(memory: Memory, one: Withdrawal) -> None:
    tenant, subject = one.right.tenant_id, one.right.subject
    match one.right.kind:
        case Taken.KEY:
            memory.api_keys.revoke(tenant, UUID(subject[-1]))
        case Taken.PERSON:
            memory.people.set_active(tenant, UUID(subject[-1]), False)
        case Taken.ROLES:
            memory.people.set_roles(tenant, UUID(subject[-1]), one.left)
        case Taken.USER:
            memory.people.unbind(tenant, Place(*subject))
        case Taken.READERS:
            memory.documents.set_readers(tenant, UUID(subject[-1]), one.left)
        case Taken.WEBHOOK:
            [name] = [row.name for row in memory.webhooks.all(tenant) if str(row.webhook_id) == subject[-1]]
            memory.webhooks.remove(tenant, name)


def _erased(memory: Memory, one: ErasedSince) -> bool:
    """False for what the draft never held: of a document it then knows that it is not to be taken in.

    Nor is one that it held under another uri, unless somebody readmitted it.
    """
    try:
        memory.erase(one.subject_id, one.reason, tenant=one.tenant_id)
    except NotFound:
        if one.uri is not None and one.tenant_id in memory.people.tenants():
            memory.erasure.keep_out(one.tenant_id, one.subject_id, one.uri, one.reason)
        return False
    if one.uri not in (None, f"erased:{one.subject_id}"):
        memory.erasure.keep_out(one.tenant_id, random_id(), str(one.uri), one.reason)
    return True


def _refuse_to_replace(database: Database, target: Path | None, *, replace: bool) -> None:
    if replace or (target is not None and not target.exists()) or backups.is_blank(database):
        return
    raise InvalidRequest(
        "the database holds something already, which restoring would destroy: back it up, then say --replace"
    )


@contextmanager
def _draft_of(backup_file: Path, target: Path | None) -> Iterator[Path]:
    """A copy of a backup: beside the file that it is to be, or else beside the backup, where the next run looks."""
    with draft_beside(target or backup_file) as draft:
        shutil.copyfile(backup_file, draft)
        yield draft
