"""Documents as they were and as they stand: texts, slices, winning versions, and what became of a citation."""

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from threading import Lock
from uuid import UUID

from core.ingest import units as reading_units
from core.ingest.lineage import Continuation, follow
from core.ingest.reading import read_text
from core.model.answers import Cited
from core.model.documents import Block, Document
from core.model.evidence import Passage, Resolution, Standing
from core.model.node_ids import document_id, section_id
from core.model.nodes import Node
from core.model.ports import Piece, Unit
from core.model.spans import Kind, SpanRef
from core.naming.written import reference
from core.store import sources
from core.store.database import ReadTx
from core.store.versions import NODES
from core.text.fold import plain, plain_slice, unstruck
from core.text.markup import visible
from core.text.rows import spoken

_CACHED = 16 * 2**20
"""Bytes of text of the parsed documents that are kept: some hundred long pages, whatever one question touches again."""

_WHOLE = {Kind.CELL, Kind.CODE}
"""Kinds whose pieces read on their own; elsewhere a sentence may begin or end within a link."""

_start = attrgetter("start")

Version = tuple[UUID, int]
"""(source_id, source_version_tx)."""


@dataclass(frozen=True)
class _Read:
    """A source version as parsed; `raw` is its canonical text in the bytes that spans count."""

    document: Document
    raw: bytes

    @cached_property
    def units(self) -> tuple[reading_units.Unit, ...]:
        """Half the work of reading a document, and only whoever judges its sentences needs it."""
        return reading_units.units(self.document)

    def block_at(self, start: int) -> Block | None:
        place = bisect_right(self.document.blocks, start, key=_start) - 1
        block = self.document.blocks[place] if place >= 0 else None
        return block if block is not None and start < block.end else None

    def units_in(self, start: int, end: int) -> list[reading_units.Unit]:
        first, beyond = (bisect_left(self.units, place, key=_start) for place in (start, end))
        return [unit for unit in self.units[first:beyond] if unit.end <= end]

    def path_at(self, start: int) -> tuple[str, ...]:
        block = self.block_at(start)
        return block.path if block else ()

    def text(self, start: int, end: int) -> str:
        return self.raw[start:end].decode()

    def sentences(self, path: tuple[str, ...] | None = None) -> list[str]:
        """Every citable piece under a heading path, or of the whole document."""
        blocks = self.document.blocks
        said = (self.spoken(unit) for unit in self.units if path in (None, blocks[unit.block].path))
        return [words for words in said if words]

    def spoken(self, unit: reading_units.Unit) -> str:
        """What a unit says in words: of what is struck through, nothing."""
        block, text = self.document.blocks[unit.block], self.text(unit.start, unit.end)
        if len(unit.context.struck.split()) == len(unit.key.split()):
            return ""  # also where the mark that strikes it stands in an earlier block
        if block.kind in _WHOLE:
            return _said(block, text)
        start = len(self.text(block.start, unit.start))
        return plain_slice(unstruck(visible(block.text)), start, start + len(text))


class LibraryEngine:
    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, UUID, int], _Read] = OrderedDict()
        self._held = 0
        self._seen: dict[str, int] = {}
        self._lock = Lock()

    def _read(self, tx: ReadTx, versions: Collection[Version]) -> dict[Version, _Read]:
        """Parsed source versions; what is not stored, or was erased, is absent."""
        self._drop_erased(tx)
        with self._lock:
            found = {v: self._kept[tx.tenant_id, *v] for v in versions if (tx.tenant_id, *v) in self._kept}
            for version in found:
                self._kept.move_to_end((tx.tenant_id, *version))
        for version, stored in sources.texts(tx, set(versions) - found.keys()).items():
            document = read_text(stored.text, media_type=stored.media_type, uri=stored.uri)
            found[version] = _Read(document, stored.text.encode())
            self._keep((tx.tenant_id, *version), found[version])
        return found

    def _drop_erased(self, tx: ReadTx) -> None:
        """Keep nothing of what was erased, whoever erased it."""
        seen, last_tx = self._seen.get(tx.tenant_id, 0), tx.last_tx
        if last_tx <= seen:
            return
        erased = sources.erased_since(tx, seen)
        with self._lock:
            for key in [key for key in self._kept if key[0] == tx.tenant_id and key[1] in erased]:
                self._held -= len(self._kept.pop(key).raw)
            self._seen[tx.tenant_id] = last_tx

    def _keep(self, key: tuple[str, UUID, int], parsed: _Read) -> None:
        with self._lock:
            self._held += len(parsed.raw) - (len(self._kept[key].raw) if key in self._kept else 0)
            self._kept[key] = parsed
            while self._held > _CACHED and len(self._kept) > 1:
                self._held -= len(self._kept.popitem(last=False)[1].raw)

    # ── words ──

    def slices(self, tx: ReadTx, spans: Collection[SpanRef]) -> dict[SpanRef, str]:
        """The exact words of each span whose text is still stored; what no text has there is absent."""
        stored = sources.texts(tx, {_version(span) for span in spans})
        raw = {version: text.text.encode() for version, text in stored.items()}
        words = {span: _cut(raw[_version(span)], span) for span in spans if _version(span) in raw}
        return {span: text for span, text in words.items() if text is not None}

    def passages(self, tx: ReadTx, spans: Collection[SpanRef]) -> dict[SpanRef, Passage]:
        """Spans with their words, heading path and source."""
        parsed = self._read(tx, {_version(span) for span in spans})
        rows = sources.by_ids(tx, {span.source_id for span in spans})
        found: dict[SpanRef, Passage] = {}
        for span in spans:
            version = parsed.get(_version(span))
            words = _cut(version.raw, span) if version else None
            if version is not None and words is not None:
                source, path = rows[span.source_id], version.path_at(span.start)
                found[span] = Passage(span, words, path, version.document.title or source.name, source.uri)
        return found

    def units(self, tx: ReadTx, spans: Collection[SpanRef]) -> dict[SpanRef, list[Unit]]:
        """The sentences and table rows inside each span, but no headings: a heading asserts nothing."""
        parsed = self._read(tx, {_version(span) for span in spans})
        return {span: _units(parsed[_version(span)], span) for span in spans if _version(span) in parsed}

    def sections(self, tx: ReadTx, spans: Collection[SpanRef]) -> dict[SpanRef, Cited]:
        """The section that holds each span; the document where it stands before the first heading."""
        parsed = self._read(tx, {_version(span) for span in spans})
        return {span: _section(parsed[_version(span)], span) for span in spans if _version(span) in parsed}

    def references(self, tx: ReadTx, spans: Collection[SpanRef]) -> dict[SpanRef, str]:
        """The name of the section that holds each span, as `core.naming.written` writes it."""
        parsed = self._read(tx, {_version(span) for span in spans})
        rows = sources.by_ids(tx, {span.source_id for span in spans})
        found: dict[SpanRef, str] = {}
        for span in spans:
            version = parsed.get(_version(span))
            block = version.block_at(span.start) if version else None
            if version is not None and block is not None:
                found[span] = reference(rows[span.source_id].uri, version.document.sections[block.section])
        return found

    def units_of(self, tx: ReadTx, node_ids: Collection[UUID], now: int) -> list[Unit]:
        """The sentences and table rows of the passages these nodes stand on today."""
        nodes = NODES.as_of(tx, node_ids, tx.present(now), tx.last_tx)
        spans = [span for node_id in node_ids if node_id in nodes for span in nodes[node_id].spans()]
        units = self.units(tx, spans)
        return [unit for span in spans for unit in units.get(span, ())]

    def pieces(self, tx: ReadTx, node: Node | None, *, whole: bool) -> list[Piece]:
        """The passages a node stands on, in order, each with its heading path; with `whole`, of the entire document."""
        if node is None or node.tombstone or node.source_id is None:
            return []
        if whole:
            version = (node.source_id, int(node.props["version_tx"]))
            whole_text = self._read(tx, [version]).get(version)
            blocks: Iterable[Block | None] = whole_text.document.blocks if whole_text else ()
        else:
            parsed = self._read(tx, {_version(span) for span in node.spans()})
            blocks = [parsed[_version(span)].block_at(span.start) for span in node.spans() if _version(span) in parsed]
        return [(block.path, _said(block, block.text)) for block in blocks if block is not None]

    def title(self, tx: ReadTx, node: Node) -> str:
        """The title of the document that a node stands in, as of that node's own version."""
        if node.source_id is None:
            return ""
        documents = NODES.as_of(tx, [document_id(node.source_id)], node.valid_start, node.tx_start)
        return next((str(found.props.get("title", "")) for found in documents.values()), "")

    # ── what stands now ──

    def winning(self, tx: ReadTx, source_ids: Iterable[UUID], now: int) -> dict[UUID, Version]:
        """The version that holds today, by source; a tombstoned source is absent."""
        nodes = NODES.as_of(tx, [document_id(source_id) for source_id in source_ids], tx.present(now), tx.last_tx)
        return {
            node.source_id: (node.source_id, int(node.props["version_tx"]))
            for node in nodes.values()
            if node.source_id and not node.tombstone
        }

    def document(self, tx: ReadTx, source_id: UUID, now: int) -> Document | None:
        """What a source says today; None where it is gone."""
        versions = self.winning(tx, [source_id], now).values()
        return next((parsed.document for parsed in self._read(tx, versions).values()), None)

    def around(self, tx: ReadTx, spans: Sequence[SpanRef], now: int) -> list[str]:
        """Sentences that stand now in the sections that held these spans; of the whole document where they are gone."""
        winning = self.winning(tx, {span.source_id for span in spans}, now)
        parsed = self._read(tx, {_version(span) for span in spans} | set(winning.values()))
        found: list[str] = []
        for span in spans:
            cited, today = parsed.get(_version(span)), parsed.get(winning.get(span.source_id, (span.source_id, 0)))
            if cited is not None and today is not None:
                found += today.sentences(cited.path_at(span.start)) or today.sentences()
        return list(dict.fromkeys(found))

    def resolve(
        self, tx: ReadTx, spans: Sequence[SpanRef], readable: Collection[UUID], now: int
    ) -> dict[SpanRef, Resolution]:
        """What became of each cited span by `now`, for a reader of these sources."""
        winning = self.winning(tx, {span.source_id for span in spans} & set(readable), now)
        found = {span: Resolution(Standing.TOMBSTONED) for span in spans if span.source_id not in winning}
        cited: dict[Version, list[SpanRef]] = {}
        for span in spans:
            if span.source_id in winning:
                cited.setdefault(_version(span), []).append(span)
        for version, group in cited.items():
            found |= self._traced(tx, version, group, winning[version[0]])
        return found

    def _traced(
        self, tx: ReadTx, version: Version, cited: Sequence[SpanRef], today: Version
    ) -> Mapping[SpanRef, Resolution]:
        if version == today:
            return {span: Resolution(Standing.CURRENT, span) for span in cited}
        parsed = self._read(tx, [version, today])
        if version not in parsed:
            return {span: Resolution(Standing.TOMBSTONED, reason="erased") for span in cited}
        places = [(span.start, span.end) for span in cited]
        traced = follow(parsed[version].units, places, parsed[today].units)
        return {span: _resolution(after, today) for span, after in zip(cited, traced, strict=True)}


def _cut(raw: bytes, span: SpanRef) -> str | None:
    """None where the span ends outside of the text or inside a character."""
    if not 0 <= span.start <= span.end <= len(raw):
        return None
    try:
        return raw[span.start : span.end].decode()
    except UnicodeDecodeError:
        return None


def _version(span: SpanRef) -> Version:
    return span.source_id, span.source_version_tx


def _units(parsed: _Read, span: SpanRef) -> list[Unit]:
    inside = parsed.units_in(span.start, span.end)
    telling = (unit for unit in inside if parsed.document.blocks[unit.block].kind is not Kind.HEADING)
    return [found for unit in telling if (found := _unit(parsed, unit, span)).said]


def _unit(parsed: _Read, unit: reading_units.Unit, span: SpanRef) -> Unit:
    block = parsed.document.blocks[unit.block]
    place = SpanRef(span.source_id, span.source_version_tx, unit.start, unit.end)
    return Unit(place, parsed.spoken(unit), "\n".join((*block.path, *block.lead, block.header)))


def _said(block: Block, text: str) -> str:
    """A piece of a block as it is said: a table row with the words of its header, anything else in its own."""
    if block.kind is Kind.CELL:
        return spoken(block.row or text, block.header)
    return text if block.kind is Kind.CODE else plain(text)


def _section(parsed: _Read, span: SpanRef) -> Cited:
    block = parsed.block_at(span.start)
    if block is None or not block.path:
        return Cited(document_id(span.source_id), parsed.document.title)
    section = parsed.document.sections[block.section]
    return Cited(section_id(span.source_id, section.path, section.repeat), section.path[-1])


def _resolution(after: Continuation, today: Version) -> Resolution:
    standing = Standing.CURRENT if after.state == "continues" else Standing.SUPERSEDED
    place = None if after.start is None or after.end is None else SpanRef(*today, after.start, after.end)
    return Resolution(standing, place, after.clearable, after.reason)
