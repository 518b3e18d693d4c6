"""The key that the secrets of webhooks are derived from: a file beside the keys that sign taps, and nowhere else.

Every process that sends needs the same file; who copies the database alone can sign nothing.
"""

import os
import stat
from pathlib import Path

from core.errors import InvalidConfig
from core.ids import nonce, random_key

NAME = "webhooks.key"
_BYTES = 32


def ensure(folder: Path) -> bytes:
    """The key, made where there is none yet. Raises InvalidConfig as `load`."""
    path = folder / NAME
    if not path.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f".{NAME}.{nonce()}")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123 - mode at birth
            file.write(random_key())
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(draft)  # whole, and the first of two that are made at once stays
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return load(folder)


def load(folder: Path) -> bytes:
    """Raises InvalidConfig: missing, readable by others, or no such key."""
    path = folder / NAME
    try:
        key, mode = path.read_bytes(), stat.S_IMODE(path.stat().st_mode)
    except OSError as error:
        raise InvalidConfig(
            f"{path} cannot be read: {error.strerror}; it is the file that `webhook add` made where the webhooks were"
            " registered: copy it here"
        ) from error
    if mode & 0o077:
        raise InvalidConfig(f"{path} has mode {mode:04o}, so others can read it; it must be 0600: chmod 600 {path}")
    if len(key) != _BYTES:
        raise InvalidConfig(f"{path} has {len(key)} bytes; the key of webhooks has {_BYTES}: put the right file back")
    return key
