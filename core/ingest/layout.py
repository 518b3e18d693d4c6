"""The nodes a document wants: one DOCUMENT, a SECTION for each heading, a PASSAGE for each block that says something.

What stands before the first heading belongs to the document itself. A key is a hash under the source's own key, so that
it can outlive an erasure; equal keys mean that nothing worth telling anyone changed. A section's key covers its own
blocks, the document's the whole of it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any
from uuid import UUID

from core.ingest.units import Context, units
from core.jsonhash import canonical_json
from core.model.documents import Block, Document
from core.model.node_ids import document_id, passage_id, section_id
from core.model.nodes import DOCUMENT, PASSAGE, SECTION
from core.model.spans import Kind
from core.text.fold import fold, fold_code, plain

Hash = Callable[[str], bytes]
_CONTEXT = attrgetter(*(each.name for each in fields(Context)))


@dataclass(frozen=True, slots=True)
class Wanted:
    """`blocks`: indices of the document's blocks that it stands on. `recall_text`: what finds it; passages alone do."""

    node_id: UUID
    label: str
    key: str
    props: Mapping[str, Any]
    blocks: tuple[int, ...]
    parent_id: UUID | None = None
    recall_text: str | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """Parents come before their children, sections and passages each in the order of the document."""

    nodes: tuple[Wanted, ...]


def layout(document: Document, source_id: UUID, hash: Hash) -> Layout:
    """Pure: the same document, source and hash want the same nodes with the same ids."""
    keys = _block_keys(document, hash)
    own: list[list[int]] = [[] for _ in document.sections]
    for i, block in enumerate(document.blocks):
        own[block.section].append(i)
    sections = list(_sections(document, source_id, own, [_joined(hash, [keys[i] for i in blocks]) for blocks in own]))
    root = _document(document, source_id, own[0], _joined(hash, [document.title, _json(document.properties), *keys]))
    holders = [root, *sections]
    return Layout((*holders, *_passages(document, source_id, hash, keys, holders)))


def _document(document: Document, source_id: UUID, blocks: Sequence[int], key: str) -> Wanted:
    props = {**document.properties, "title": document.title}
    return Wanted(document_id(source_id), DOCUMENT, key, props, tuple(blocks))


def _sections(
    document: Document, source_id: UUID, own: Sequence[Sequence[int]], keys: Sequence[str]
) -> Iterator[Wanted]:
    latest: dict[tuple[str, ...], UUID] = {(): document_id(source_id)}
    for i, section in enumerate(document.sections[1:], 1):
        node_id = section_id(source_id, section.path, section.repeat)
        latest[section.path] = node_id
        props = {"title": section.path[-1], "path": list(section.path)}
        yield Wanted(node_id, SECTION, keys[i], props, tuple(own[i]), latest[section.path[:-1]])


def _passages(
    document: Document, source_id: UUID, hash: Hash, keys: Sequence[str], holders: Sequence[Wanted]
) -> Iterator[Wanted]:
    repeats: Counter[tuple[tuple[str, ...], bytes]] = Counter()
    for i, block in enumerate(document.blocks):
        words = shown(block)
        if not words:
            continue
        found_by = [_place(document, block), *block.lead, block.header]
        block_hash = hash("\n".join([*map(fold, found_by), folded(block)]))
        node_id = passage_id(source_id, block.path, block_hash, repeats[block.path, block_hash])
        repeats[block.path, block_hash] += 1
        recall_text = "\n".join(filter(None, [*found_by, words]))
        props = {"kind": block.kind.value}
        yield Wanted(node_id, PASSAGE, keys[i], props, (i,), holders[block.section].node_id, recall_text)


def _place(document: Document, block: Block) -> str:
    """Document and headings: the words that a passage is asked for by and need not hold itself."""
    return " > ".join(dict.fromkeys((document.title, *block.path)))


def shown(block: Block) -> str:
    """What a reader sees of a block."""
    return block.text.strip() if block.kind is Kind.CODE else plain(block.markup)


def folded(block: Block) -> str:
    """The form in which a block's words are compared."""
    return fold_code(block.text) if block.kind is Kind.CODE else fold(block.markup)


def _block_keys(document: Document, hash: Hash) -> list[str]:
    """One key a block, over its folded words and their context as lineage reads them, and its link targets."""
    said: list[list[Any]] = [[] for _ in document.blocks]
    for unit in units(document):
        said[unit.block].append([unit.key, *_CONTEXT(unit.context)])
    for link in document.links:
        said[link.block].append(link.target)
    return [_joined(hash, each) for each in said]


def _joined(hash: Hash, parts: Sequence[Any]) -> str:
    return hash(_json(parts)).hex()


def _json(value: Any) -> str:
    return canonical_json(value).decode()
