"""Files that are made beside their place and have their name only once they are whole.

A draft is locked for as long as whoever makes it lives. So what one that was killed has left behind is known, and is
deleted by the next that makes a file of the same name: nobody may keep a copy of everything that nobody knows of.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

from core.ids import nonce


@contextmanager
def draft_beside(file: Path) -> Iterator[Path]:
    """An empty file that only its owner may read, and that is gone in the end unless it was moved. Raises OSError."""
    _delete_abandoned(file)
    draft, held = _locked(file)
    try:
        yield draft
    finally:
        _delete(draft)
        os.close(held)


def move(draft: Path, file: Path) -> None:
    """Let a file that is whole have its name, also after the power has failed."""
    _sync(draft)
    draft.replace(file)
    _sync(file.parent)


def _locked(file: Path) -> tuple[Path, int]:
    """Anew where another took it for abandoned before it was locked."""
    while True:
        draft = file.with_name(f".{file.name}.{nonce()}.draft")
        try:
            held = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(file)) from error
        fcntl.flock(held, fcntl.LOCK_EX)
        if os.fstat(held).st_nlink:
            return draft, held
        os.close(held)


def _delete_abandoned(file: Path) -> None:
    for draft in file.parent.glob(f".{escape(file.name)}.*.draft"):
        with suppress(OSError):  # of somebody else, or locked: whoever makes it lives
            held = os.open(draft, os.O_WRONLY)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _delete(draft)
            finally:
                os.close(held)


def _delete(draft: Path) -> None:
    for left in ("", "-wal", "-shm", "-journal"):
        Path(f"{draft}{left}").unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
