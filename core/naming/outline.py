"""The pieces of a document that stands, each with the nodes it belongs to. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from core.ingest.layout import layout
from core.model.documents import Block, Document
from core.model.nodes import PASSAGE
from core.naming.written import reference


@dataclass(frozen=True, slots=True)
class Placed:
    """`section`: how people name what holds the block. `passage_id`: None for a block that says nothing."""

    block: Block
    section: str
    section_id: UUID
    passage_id: UUID | None


def outline(uri: str, document: Document, source_id: UUID, hash: Callable[[str], bytes]) -> list[Placed]:
    """Every block, in order; `hash`: under the source's own key, as ids of passages are made with it."""
    nodes = layout(document, source_id, hash).nodes
    holders = {i: node.node_id for node in nodes if node.label != PASSAGE for i in node.blocks}
    passages = {i: node.node_id for node in nodes if node.label == PASSAGE for i in node.blocks}
    return [
        Placed(block, reference(uri, document.sections[block.section]), holders[i], passages.get(i))
        for i, block in enumerate(document.blocks)
    ]
