"""What each passage of a stored version is found by: the very text that an ingest of it embeds."""

from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from core.ingest.layout import Hash, layout
from core.model.documents import Document

Place = tuple[int, int]
"""Where a block stands in its version: start and end."""


def recall_texts(document: Document, title: str, source_id: UUID, hash: Hash) -> Mapping[Place, str]:
    """By place. `title` is the one the version had when it came in, since its file may have another name by now."""
    read = replace(document, title=title)
    return {
        (read.blocks[i].start, read.blocks[i].end): wanted.recall_text
        for wanted in layout(read, source_id, hash).nodes
        if wanted.recall_text is not None
        for i in wanted.blocks
    }
