"""The words of a session in memory, and a spool with all its limits: what a plan reads from and writes to."""

from dataclasses import dataclass, field
from hashlib import sha256

from core.contextplan import Payload, PayloadNotFound, PayloadRevoked, PayloadStatus


def address(content: bytes) -> str:
    return f"sha256:{sha256(content).hexdigest()}"


@dataclass
class FakePayloads:
    """By address of content: a later put of the same words overwrites the earlier, unless they were revoked."""

    held: dict[str, Payload] = field(default_factory=dict)
    revoked: set[str] = field(default_factory=set)
    read: list[str] = field(default_factory=list)
    """Every ref that was asked for, in order."""

    def put(self, content: bytes, retention: str = "session", subject_id: str = "subject") -> str:
        ref = address(content)
        if ref not in self.revoked:
            self.held[ref] = Payload(ref, content, retention, subject_id)
        return ref

    def revoke(self, ref: str) -> None:
        self.revoked.add(ref)

    def get(self, ref: str) -> Payload:
        self.read.append(ref)
        if ref in self.revoked:
            raise PayloadRevoked(f"{ref} was revoked")
        return self._held(ref)

    def status(self, ref: str) -> PayloadStatus:
        held = self._held(ref)
        return PayloadStatus(ref, held.retention, held.subject_id, len(held.content), ref in self.revoked)

    def _held(self, ref: str) -> Payload:
        if ref not in self.held:
            raise PayloadNotFound(f"there is no payload {ref}")
        return self.held[ref]


class SpoolRefused(Exception):
    """The spool does not take it."""


@dataclass
class Shelf:
    """Contents up to a number of bytes, oldest evicted first; what is put again becomes newest."""

    most: int
    sizes: dict[str, int] = field(default_factory=dict)

    def put(self, ref: str, size: int) -> None:
        self.sizes.pop(ref, None)
        self.sizes[ref] = size
        while sum(self.sizes.values()) > self.most:
            del self.sizes[next(iter(self.sizes))]


@dataclass
class FakeSpool:
    """Grants, one a reference, over a store of blobs; either may evict what the other still has."""

    max_grant_bytes: int = 1 << 20
    store_bytes: int = 1 << 20
    fail_put: bool = False
    owners: dict[str, str] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.grants, self.blobs = Shelf(self.max_grant_bytes), Shelf(self.store_bytes)

    def write(self, subject_id: str, content: bytes) -> str:
        ref, size = address(content), len(content)
        if self.fail_put or size > min(self.max_grant_bytes, self.store_bytes):
            raise SpoolRefused(ref)
        if ref in self.grants.sizes and self.owners[ref] != subject_id:
            raise SpoolRefused(f"{ref} is another's")
        self.owners[ref], self.contents[ref] = subject_id, content
        self.grants.put(ref, size)
        self.blobs.put(ref, size)
        return ref

    def load(self, subject_id: str, ref: str) -> bytes:
        """Raises KeyError: evicted, never written, or another's."""
        if self.grants.sizes.keys() & self.blobs.sizes.keys() >= {ref} and self.owners[ref] == subject_id:
            return self.contents[ref]
        raise KeyError(ref)
