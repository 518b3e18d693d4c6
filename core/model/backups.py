"""What a backup says of itself, and what bringing one back came to."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from core.model.standing import Rights, Withdrawal


@dataclass(frozen=True, slots=True)
class TableDigest:
    """`digest`: BLAKE3 over the rows of a table in a backup."""

    rows: int
    digest: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """`made_at` (Ts): when the snapshot was taken. `revision`: of the tables, as migrations name it."""

    made_at: int
    revision: str
    tables: Mapping[str, TableDigest]


@dataclass(frozen=True, slots=True)
class ErasedSince:
    """What was erased from the database that a backup took the place of, and not yet when the backup was taken.

    `uri`: of a document, under which it is not to be taken in again.
    """

    tenant_id: str
    subject_id: UUID
    reason: str
    uri: str | None


@dataclass(frozen=True, slots=True)
class Replaced:
    """What a database that is to be replaced says of what must not come back: by the erasure's id, and of rights.

    `entries`: how many its audit had before that was read; None where there is no audit.
    """

    erased: Mapping[str, ErasedSince]
    limits: Rights
    entries: int | None = None


@dataclass(frozen=True, slots=True)
class Restored:
    """`erased_again`: of what had been erased since, what the backup held. `taken_again`: of rights likewise."""

    manifest: Manifest
    erased_again: tuple[ErasedSince, ...]
    taken_again: tuple[Withdrawal, ...]
