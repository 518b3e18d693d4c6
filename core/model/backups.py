"""What a backup says of itself, and what bringing one back came to."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID


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
    """What was erased from the database that a backup took the place of, and not yet when the backup was taken."""

    tenant_id: str
    subject_id: UUID
    reason: str


@dataclass(frozen=True, slots=True)
class Restored:
    manifest: Manifest
    erased_since: tuple[ErasedSince, ...]
