"""Where a session's words are read from, and where those go that are left out: both are handed in."""

from dataclasses import dataclass
from typing import Protocol

COMPLIANCE = "compliance"
"""The retention of what leaves a stub behind when there is no room for it."""


@dataclass(frozen=True, slots=True)
class Payload:
    """The words of an event, whose they are, and how long they are kept."""

    ref: str
    content: bytes
    retention: str
    subject_id: str


@dataclass(frozen=True, slots=True)
class PayloadStatus:
    """A payload without its words; `size` in bytes."""

    ref: str
    retention: str
    subject_id: str
    size: int
    revoked: bool


class PayloadStore(Protocol):
    """Its answers are those of the moment: nobody keeps them from one plan to the next."""

    def get(self, ref: str) -> Payload:
        """Raises PayloadNotFound, PayloadRevoked."""

    def status(self, ref: str) -> PayloadStatus:
        """Of a revoked payload too. Raises PayloadNotFound."""


class Spool(Protocol):
    def write(self, subject_id: str, content: bytes) -> str:
        """Keep content for its subject; the reference to find it by. May raise: nothing depends on it."""
