"""The Ed25519 keys that sign write tokens: one private key, and the public keys of all that ever signed.

A key's id is taken from the key itself, so that a file cannot be mistaken for another. Rotation publishes the new
public key before the new private key comes into use, and then writes beside the old public key until when it is good:
for as long as a token lives. Both halves are read anew for each tap, so that whoever runs needs no restart, and a thief
of the old private key has two minutes. A rotation cut short leaves the old public key good until the next one.
"""

import fcntl
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import blake3
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from core.access.card_tokens import LEEWAY_SECS, LIFETIME_SECS
from core.clock import SECOND, Clock
from core.errors import InvalidConfig

PRIVATE_NAME = "private.pem"
PUBLIC_SUFFIX = ".public.pem"
UNTIL_SUFFIX = ".until"


@dataclass(frozen=True, slots=True)
class PublicKey:
    """`until` (Ts): no token is good from then on; None while its private key signs."""

    kid: str
    key: Ed25519PublicKey
    until: int | None

    def is_good(self, now: int) -> bool:
        return self.until is None or now < self.until


class KeyRing(Mapping[str, Ed25519PublicKey]):
    """The public keys of a folder that are good now, by their ids, read anew whenever one is asked for."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        """Raises InvalidConfig as `public_keys`."""
        public_keys(folder)
        self._folder = folder
        self._clock = clock

    def __getitem__(self, kid: str) -> Ed25519PublicKey:
        return load_public(self._folder, self._clock.now())[kid]

    def __iter__(self) -> Iterator[str]:
        return iter(load_public(self._folder, self._clock.now()))

    def __len__(self) -> int:
        return len(load_public(self._folder, self._clock.now()))


def create(folder: Path) -> str:
    """Make the first key pair and return its id. Raises InvalidConfig where there is one already."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(folder):
        if (folder / PRIVATE_NAME).exists():
            raise InvalidConfig(f"{folder / PRIVATE_NAME} exists already; to replace it, rotate the keys")
        return _new_pair(folder)


def complete(folder: Path) -> str:
    """Put the public key beside the private one where it is missing; its id. Raises InvalidConfig as `load_private`."""
    kid, key = load_private(folder)
    if not (folder / f"{kid}{PUBLIC_SUFFIX}").exists():
        _publish(folder, key.public_key())
    return kid


def rotate(folder: Path, now: int) -> tuple[str, int]:
    """Replace the private key; the new id, and until when (Ts) tokens of the old one are good. `now` is a Ts."""
    load_private(folder)
    with _alone(folder):
        complete(folder)
        kid, until = _new_pair(folder), (now // SECOND + LIFETIME_SECS + LEEWAY_SECS) * SECOND
        for old in public_keys(folder):
            if not old.is_good(now):
                (folder / f"{old.kid}{PUBLIC_SUFFIX}").unlink()
                (folder / f"{old.kid}{UNTIL_SUFFIX}").unlink()
            elif old.until is None and old.kid != kid:
                _write(folder / f"{old.kid}{UNTIL_SUFFIX}", str(until // SECOND).encode(), 0o644)
    return kid, until


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Of two that rotate at once, either would retire the key of the other, and with it the one that signs."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def load_private(folder: Path) -> tuple[str, Ed25519PrivateKey]:
    """The id and the key to sign with. Raises InvalidConfig: missing, readable by others, or not an Ed25519 key."""
    path = folder / PRIVATE_NAME
    raw = _read(path)
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise InvalidConfig(f"{path} has mode {mode:04o}, so others can read it; it must be 0600: chmod 600 {path}")
    try:
        key = serialization.load_pem_private_key(raw, password=None)
    except (ValueError, TypeError) as error:
        raise InvalidConfig(f"{path} is not a private key in unencrypted PEM form") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise InvalidConfig(f"{path} holds a key of another kind; it must be Ed25519")
    return key_id(key.public_key()), key


def load_public(folder: Path, now: int) -> dict[str, Ed25519PublicKey]:
    """The public keys that are good at a Ts, by id. Raises InvalidConfig as `public_keys`."""
    return {public.kid: public.key for public in public_keys(folder) if public.is_good(now)}


def public_keys(folder: Path) -> list[PublicKey]:
    """Every public key. Raises InvalidConfig: there is none, a file holds another key than it is named, or anybody may
    put one there.
    """
    _refuse_to_trust(folder)
    listed = [folder / name for name in _names(folder) if name.endswith(PUBLIC_SUFFIX)]
    found = [public for public in map(_public, listed) if public is not None]
    if not found:
        raise InvalidConfig(f"{folder} holds no public key (*{PUBLIC_SUFFIX}); `clarify-bot init` makes a pair")
    return found


def _refuse_to_trust(folder: Path) -> None:
    """Whoever may write a folder may put a public key of their own into it, and sign taps in anybody's name."""
    if not folder.is_dir() or os.statvfs(folder).f_flag & os.ST_RDONLY:
        return
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & 0o022:
        raise InvalidConfig(f"{folder} has mode {mode:04o}, so others can put keys into it: chmod 700 {folder}")


def key_id(key: Ed25519PublicKey) -> str:
    return blake3.blake3(key.public_bytes_raw()).hexdigest()[:16]


def _new_pair(folder: Path) -> str:
    key = Ed25519PrivateKey.generate()
    kid = _publish(folder, key.public_key())
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    _write(folder / PRIVATE_NAME, private, 0o600)
    return kid


def _publish(folder: Path, key: Ed25519PublicKey) -> str:
    kid = key_id(key)
    pem = key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    _write(folder / f"{kid}{PUBLIC_SUFFIX}", pem, 0o644)
    return kid


def _write(path: Path, data: bytes, mode: int) -> None:
    # Written whole beside its place and then moved there: a crash leaves the old key or the new one, never half of one.
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:  # noqa: PTH123 - mode at birth
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _public(path: Path) -> PublicKey | None:
    """None where a rotation has cleared it away since it was listed."""
    # Looked at first, as it is cleared away last: a key without it would be good for ever.
    until = _until(path.with_name(path.name.removesuffix(PUBLIC_SUFFIX) + UNTIL_SUFFIX))
    try:
        key = serialization.load_pem_public_key(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InvalidConfig(f"{path} is not a public key in PEM form") from error
    if not isinstance(key, Ed25519PublicKey):
        raise InvalidConfig(f"{path} holds a key of another kind; it must be Ed25519")
    kid = key_id(key)
    if path.name != f"{kid}{PUBLIC_SUFFIX}":
        raise InvalidConfig(f"{path} holds the key {kid}; the file must be named after the key in it")
    return PublicKey(kid, key, until)


def _until(path: Path) -> int | None:
    try:
        return int(path.read_bytes()) * SECOND
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InvalidConfig(
            f"{path} says until when a key is good, and cannot be read: it must hold seconds since 1970"
        ) from error


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise InvalidConfig(f"{folder} cannot be read: {error.strerror}") from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InvalidConfig(f"{path} cannot be read: it is not there; `clarify-bot init` makes the keys") from error
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be read: {error.strerror}") from error
