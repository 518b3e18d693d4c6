"""Documents as they were and as they stand: texts, slices, winning versions, and what became of a citation."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from threading import Lock
from uuid import UUID

from core.ingest.ids import document_id
from core.ingest.lineage import trace
from core.ingest.reading import read
from core.model.documents import Document
from core.model.evidence import Passage, Resolution, Standing
from core.model.nodes import Node
from core.model.ports import Piece
from core.model.spans import SpanRef
from core.store import sources
from core.store.database import ReadTx
from core.store.versions import NODES

_CACHED = 64
"""Parsed documents kept: a recheck or a card touches a handful of versions again and again."""

_Version = tuple[UUID, int]


class LibraryEngine:
    def __init__(self) -> None:
        self._parsed: OrderedDict[tuple[str, UUID, int], Document] = OrderedDict()
        self._lock = Lock()

    def documents(self, tx: ReadTx, versions: Collection[_Version]) -> dict[_Version, Document]:
        """Parsed source versions; what is not stored, or was erased, is absent."""
        with self._lock:
            found = {v: self._parsed[tx.tenant_id, *v] for v in versions if (tx.tenant_id, *v) in self._parsed}
        for version, stored in sources.texts(tx, set(versions) - found.keys()).items():
            found[version] = read(stored.text.encode(), media_type=stored.media_type, uri=stored.uri)
            self._keep((tx.tenant_id, *version), found[version])
        return found

    def _keep(self, key: tuple[str, UUID, int], document: Document) -> None:
        with self._lock:
            self._parsed[key] = document
            while len(self._parsed) > _CACHED:
                self._parsed.popitem(last=False)

    def slices(self, tx: ReadTx, spans: Collection[SpanRef]) -> dict[SpanRef, str]:
        """The exact words of each span whose text is still stored."""
        stored = sources.texts(tx, {(span.source_id, span.source_version_tx) for span in spans})
        raw = {version: text.text.encode() for version, text in stored.items()}
        return {
            span: raw[span.source_id, span.source_version_tx][span.start : span.end].decode()
            for span in spans
            if (span.source_id, span.source_version_tx) in raw
        }

    def passages(self, tx: ReadTx, spans: Collection[SpanRef]) -> dict[SpanRef, Passage]:
        """Spans with their words, heading path and source."""
        versions = {(span.source_id, span.source_version_tx) for span in spans}
        documents = self.documents(tx, versions)
        rows = sources.by_ids(tx, {source_id for source_id, _ in versions})
        found: dict[SpanRef, Passage] = {}
        for span, text in self.slices(tx, spans).items():
            source, document = rows[span.source_id], documents[span.source_id, span.source_version_tx]
            found[span] = Passage(span, text, _path(document, span), document.title or source.name, source.uri)
        return found

    def winning(self, tx: ReadTx, source_ids: Iterable[UUID], valid_t: int, tx_t: int) -> dict[UUID, Node]:
        """The document node that holds at these coordinates, by source; a tombstoned source is absent."""
        nodes = NODES.as_of(tx, [document_id(source_id) for source_id in source_ids], valid_t, tx_t)
        return {node.source_id: node for node in nodes.values() if node.source_id and not node.tombstone}

    def resolve(
        self, tx: ReadTx, spans: Sequence[SpanRef], readable: Collection[UUID], now: int
    ) -> dict[SpanRef, Resolution]:
        """What became of each cited span by `now`, for a reader of these sources."""
        allowed = {span.source_id for span in spans} & set(readable)
        winning = self.winning(tx, allowed, now, tx.last_tx)
        found = {span: Resolution(Standing.TOMBSTONED) for span in spans if span.source_id not in winning}
        groups: dict[_Version, list[SpanRef]] = {}
        for span in spans:
            if span.source_id in winning:
                groups.setdefault((span.source_id, span.source_version_tx), []).append(span)
        for version, cited in groups.items():
            found |= self._traced(tx, version, cited, int(winning[version[0]].props["version_tx"]))
        return found

    def around(self, tx: ReadTx, spans: Sequence[SpanRef], now: int) -> list[str]:
        """Sentences that stand now in the sections that held these spans; of the whole document where those are gone."""
        cited = {(span.source_id, span.source_version_tx) for span in spans}
        winning = self.winning(tx, {source_id for source_id, _ in cited}, now, tx.last_tx)
        today = {source_id: (source_id, int(node.props["version_tx"])) for source_id, node in winning.items()}
        documents = self.documents(tx, cited | set(today.values()))
        found: list[str] = []
        for span in spans:
            old = documents.get((span.source_id, span.source_version_tx))
            if old is not None and span.source_id in today:
                found += _sentences_under(documents[today[span.source_id]], _path(old, span))
        return list(dict.fromkeys(found))

    def pieces(self, tx: ReadTx, node: Node | None, *, whole: bool) -> list[Piece]:
        """The passages a node stands on, in order, each with its heading path; with `whole`, of the entire document."""
        if node is None or node.tombstone or node.source_id is None:
            return []
        if whole:
            version = (node.source_id, int(node.props["version_tx"]))
            return [(block.path, block.text) for block in self.documents(tx, [version])[version].blocks]
        found = self.passages(tx, node.spans())
        return [(found[span].path, found[span].text) for span in node.spans() if span in found]

    def title(self, tx: ReadTx, node: Node) -> str:
        """The title of the document that a node stands in, as of that node's own version."""
        if node.source_id is None:
            return ""
        document = NODES.as_of(tx, [document_id(node.source_id)], node.valid_start, node.tx_start)
        return next((str(found.props.get("title", "")) for found in document.values()), "")

    def _traced(
        self, tx: ReadTx, version: _Version, cited: Sequence[SpanRef], winning_tx: int
    ) -> Mapping[SpanRef, Resolution]:
        source_id, cited_tx = version
        if cited_tx == winning_tx:
            return {span: Resolution(Standing.CURRENT, span) for span in cited}
        documents = self.documents(tx, [version, (source_id, winning_tx)])
        if version not in documents:
            return {span: Resolution(Standing.TOMBSTONED, reason="erased") for span in cited}
        traced = trace(documents[version], [(span.start, span.end) for span in cited], documents[source_id, winning_tx])
        found: dict[SpanRef, Resolution] = {}
        for span, after in zip(cited, traced, strict=True):
            place = (
                None if after.start is None else SpanRef(source_id, winning_tx, after.start, after.end or after.start)
            )
            standing = Standing.CURRENT if after.state == "continues" else Standing.SUPERSEDED
            found[span] = Resolution(standing, place, after.clearable, after.reason)
        return found


def _sentences_under(document: Document, path: tuple[str, ...]) -> list[str]:
    inside = [block for block in document.blocks if block.path == path]
    return [unit_text for block in inside or document.blocks for unit_text in cited_units(block)]


def _path(document: Document, span: SpanRef) -> tuple[str, ...]:
    """Heading path of the block that holds the span's start."""
    for block in document.blocks:
        if block.start <= span.start < block.end:
            return block.path
    return ()
