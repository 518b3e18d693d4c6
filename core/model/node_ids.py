"""Ids of the nodes a document becomes: determined by what they are, so that they are stable across versions."""

from collections.abc import Sequence
from uuid import UUID

from core.ids import derived


def document_id(source_id: UUID) -> UUID:
    return derived("document", source_id)


def section_id(source_id: UUID, path: Sequence[str], repeat: int) -> UUID:
    """`repeat` counts earlier sections of the document with the same path."""
    return derived("section", source_id, repeat, *path)


def passage_id(source_id: UUID, path: Sequence[str], block_hash: bytes, repeat: int) -> UUID:
    """`block_hash`: the source's keyed hash of the folded text and of what it is found by (title, lead, header);
    `repeat` counts earlier equal passages of that path.
    """
    return derived("passage", source_id, block_hash.hex(), repeat, *path)
