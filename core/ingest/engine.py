"""Taking a document in: canonical text → blocks → nodes → vectors, in one transaction.

An ingest at valid time v is compared with the version that holds at v. Equal text is a no-op, remembered as a sighting;
otherwise the new version holds from v to the next sighting of that source, for its nodes and edges
too. So a late or replayed older version never overwrites the present, and replaying a history twice changes nothing.
The model runs before the write transaction, which checks that what it was computed against still stands, and starts
over if not.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from core.clock import FOREVER
from core.embed.protocol import Embedder
from core.errors import Erased, InvalidRequest, NotFound, StoreUnavailable
from core.ids import derived, random_key
from core.ingest import changes, links
from core.ingest.canonical import Errors
from core.ingest.layout import Layout, layout
from core.ingest.reading import read
from core.jsonhash import keyed_hash
from core.model.documents import Document
from core.model.node_ids import document_id
from core.model.nodes import SECTION, Edge, EdgeWrite, Node
from core.model.ports import Graph
from core.model.principals import BOT, OPERATOR
from core.store import audit, boundaries, bulk, entries, models, sources
from core.store.bulk import Rows
from core.store.database import Database, ReadTx, WriteTx
from core.store.tables import Source, SourceVersion, Span
from core.store.versions import EDGES, NODES
from core.text.fold import fold
from core.text.terms import terms

_TRIES = 5
"""Another writer can win the race for one source a few times; five in a row is not a race."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A document as handed in. `valid_start` None means from now on."""

    uri: str
    data: bytes
    readers: tuple[str, ...]
    media_type: str | None = None
    valid_start: int | None = None
    source_set: str | None = None
    replace_invalid: bool = False
    actor: str = OPERATOR


@dataclass(frozen=True, slots=True)
class IngestResult:
    """`outcome`: new, changed, unchanged, removed. `sections` counts those that were written; `embedded`, texts."""

    source_id: UUID
    outcome: str
    version_tx: int = 0
    sections: int = 0
    embedded: int = 0


@dataclass(frozen=True, slots=True)
class _Base:
    """What an ingest is computed against; it must still be so when it is written."""

    source: Source | None
    holding: Node | None
    valid: tuple[int, int]

    @property
    def identity(self) -> tuple[object, ...]:
        source = self.source and (self.source.source_id, self.source.erased_tx)
        return (source, self.holding and self.holding.tx_start, self.valid[1])


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Rows lack what only the write transaction knows: its tx. `nodes`, `edges`: what holds so far."""

    source: Source
    wanted: Layout
    parts: list[EdgeWrite]
    nodes: dict[UUID, Node]
    edges: dict[UUID, Edge]
    spans: Rows
    entries: Rows
    embedded: int


class IngestEngine:
    def __init__(self, database: Database, graph: Graph, embedder: Embedder | None) -> None:
        self._database = database
        self._graph = graph
        self._embedder = embedder

    def ingest(self, tenant_id: str, incoming: Incoming) -> IngestResult:
        """Take a document in. Raises UnreadableDocument, Erased; InvalidRequest when nobody is named to read it."""
        if not incoming.readers:
            raise InvalidRequest(f"{incoming.uri}: say who may read it: role names, person:<id>, or everyone")
        errors: Errors = "replace" if incoming.replace_invalid else "strict"
        document = read(incoming.data, media_type=incoming.media_type, uri=incoming.uri, errors=errors)
        return _until_settled(incoming.uri, lambda: self._attempt(tenant_id, incoming, document))

    def _attempt(self, tenant_id: str, incoming: Incoming, document: Document) -> IngestResult | None:
        """One try; None when another writer changed the base meanwhile."""
        with self._database.read(tenant_id) as tx:
            base = _base(tx, incoming.uri, self._moment(incoming.valid_start))
            if base.source is not None and base.source.erased_tx:
                raise Erased(f"{incoming.uri}: was erased, and is not taken in again until somebody readmits it")
            if _holds(tx, base, document):
                return self._unchanged(tenant_id, base, incoming)
            source = base.source or _new_source(tx, incoming, self._database.clock.now())
            prepared = self._prepare(tx, source, document, base.valid[0])
        with self._database.write(tenant_id) as tx:
            version_tx = tx.tx
            if _base(tx, incoming.uri, base.valid[0]).identity != base.identity:
                return None
            return self._write(tx, base, prepared, incoming, document, version_tx)

    def _moment(self, valid_start: int | None) -> int:
        return self._database.clock.now() if valid_start is None else valid_start

    def _unchanged(self, tenant_id: str, base: _Base, incoming: Incoming) -> IngestResult | None:
        """Remember that the text still stands; None when another writer changed the base meanwhile."""
        assert base.source is not None and base.holding is not None  # noqa: PT018  # one fact: something holds
        source_id, version_tx = base.source.source_id, int(base.holding.props["version_tx"])
        with self._database.write(tenant_id) as tx:
            tx.lock()
            if _base(tx, incoming.uri, base.valid[0]).identity != base.identity:
                return None
            if incoming.valid_start is None:
                sources.sight_again(tx, source_id, base.valid[0], version_tx)
            elif not sources.sighted(tx, source_id, incoming.valid_start):
                sources.sight(tx, source_id, incoming.valid_start, version_tx)
            self._renew(tx, source_id, incoming)
        return IngestResult(source_id, "unchanged", version_tx)

    def _renew(self, tx: WriteTx, source_id: UUID, incoming: Incoming) -> None:
        """Who may read it and which set keeps it are as last handed in; a change of readers is news."""
        row = sources.by_ids(tx, [source_id])[source_id]
        row.source_set = incoming.source_set or row.source_set
        tx.session.add(row)
        sources.admit(tx, row, incoming.readers, incoming.actor)

    def _prepare(self, tx: ReadTx, source: Source, document: Document, valid_start: int) -> _Prepared:
        """Everything that takes a model or much time, before the write transaction, for which other writers wait.

        What holds so far is read here too: every ingest renews the document's own node, which the base is known by.
        """
        source_id = source.source_id
        wanted = layout(document, source_id, lambda text: keyed_hash(source.hash_key, text))
        found_by, embedded = self._entries(tx, source, wanted)
        return _Prepared(
            source,
            wanted,
            changes.part_edges(wanted, source_id),
            NODES.of_source(tx, source_id, valid_start, tx.last_tx),
            EDGES.of_source(tx, source_id, valid_start, tx.last_tx),
            _spans(tx, source, document),
            found_by,
            embedded,
        )

    def _entries(self, tx: ReadTx, source: Source, wanted: Layout) -> tuple[Rows, int]:
        """Recall entries for passages never seen before; no text of a source is embedded twice."""
        models.require(tx, self._embedder)
        model = models.of(self._embedder).model
        known, vectors = entries.of_source(tx, source.source_id, model)
        missing = [
            (node.node_id, node.recall_text, keyed_hash(source.hash_key, node.recall_text))
            for node in wanted.nodes
            if node.recall_text is not None and node.node_id not in known
        ]
        to_embed = {text_hash: text for _, text, text_hash in missing if text_hash not in vectors}
        if self._embedder is not None and to_embed:
            fresh = self._embedder.embed(list(to_embed.values()))
            vectors |= {text_hash: row.tobytes() for text_hash, row in zip(to_embed, fresh, strict=True)}
        rows = [
            {
                "node_id": node_id,
                "model": model,
                "source_id": source.source_id,
                "text_hash": text_hash,
                "dense": vectors.get(text_hash, b""),
                "terms": _counts(text),
            }
            for node_id, text, text_hash in missing
        ]
        return entries.ready(tx, rows), len(to_embed)

    def _write(
        self, tx: WriteTx, base: _Base, prepared: _Prepared, incoming: Incoming, document: Document, version_tx: int
    ) -> IngestResult:
        source_id, valid = prepared.source.source_id, base.valid
        if base.source is None:
            tx.session.add(prepared.source)
        else:
            self._renew(tx, source_id, incoming)
        _write_version(tx, prepared, document, valid[0])
        reign = {"version_tx": version_tx, "text_hash": keyed_hash(prepared.source.hash_key, document.text).hex()}
        nodes = changes.node_writes(prepared.wanted, prepared.nodes, document, source_id, reign)
        links = changes.link_edges(prepared.wanted, document, source_id, _targets(tx, incoming.uri, document))
        self._graph.write(tx, nodes, valid, known=prepared.nodes)
        edges = changes.edge_writes([*prepared.parts, *links], prepared.edges)
        self._graph.link(tx, edges, valid, known=prepared.edges)
        models.record(tx, self._embedder)
        entries.insert(tx, prepared.entries, added_tx=tx.tx)
        tx.feed("source", source_id, "new_version", new_tx=tx.tx)
        boundaries.note(tx, "source", [(source_id, "")], valid)
        sections = sum(node.label == SECTION for node in nodes)
        outcome = "new" if base.source is None else "changed"
        _audit(tx, incoming.actor, "source_put", source_id, {"outcome": outcome, "version_tx": tx.tx})
        return IngestResult(source_id, outcome, tx.tx, sections, prepared.embedded)

    def remove(self, tenant_id: str, uri: str, valid_start: int | None = None, actor: str = OPERATOR) -> IngestResult:
        """Tombstone a source from `valid_start` (default: now) to its next sighting. Raises NotFound."""
        return _until_settled(uri, lambda: self._try_to_remove(tenant_id, uri, self._moment(valid_start), actor))

    def _try_to_remove(self, tenant_id: str, uri: str, moment: int, actor: str) -> IngestResult | None:
        """One try; None when another writer changed the base meanwhile."""
        with self._database.read(tenant_id) as tx:
            base = _base(tx, uri, moment)
            if base.source is None:
                raise NotFound(f"no source has the uri {uri!r}")
            source_id = base.source.source_id
            nodes = changes.tombstones(NODES.of_source(tx, source_id, moment, tx.last_tx).values())
            edges = changes.cut_edges(EDGES.of_source(tx, source_id, moment, tx.last_tx).values())
        with self._database.write(tenant_id) as tx:
            tx.lock()
            if _base(tx, uri, moment).identity != base.identity:
                return None
            sources.sight(tx, source_id, moment, 0)
            if base.holding is None or base.holding.tombstone:
                return IngestResult(source_id, "unchanged")
            self._graph.write(tx, nodes, base.valid)
            self._graph.link(tx, edges, base.valid)
            tx.feed("source", source_id, "tombstoned", new_tx=tx.tx)
            boundaries.note(tx, "source", [(source_id, "")], base.valid)
            _audit(tx, actor, "source_removed", source_id, {"version_tx": tx.tx})
            return IngestResult(source_id, "removed", tx.tx)


def _audit(tx: WriteTx, actor: str, action: str, source_id: UUID, detail: Mapping[str, Any]) -> None:
    """What a person or a program wrote. What is read from a place that is kept in step is in the feed alone."""
    if actor not in {OPERATOR, BOT}:
        audit.record(tx, actor, action, f"source:{source_id}", detail=detail)


def _until_settled(uri: str, attempt: Callable[[], IngestResult | None]) -> IngestResult:
    for _ in range(_TRIES):
        result = attempt()
        if result is not None:
            return result
    raise StoreUnavailable(f"{uri}: other writers kept changing this source; try again")


def _targets(tx: ReadTx, uri: str, document: Document) -> dict[str, UUID]:
    """The document each link leads to; a source not yet known has its id already, derived from its uri."""
    uris = {link.target: links.resolve(uri, link.target) for link in document.links}
    known = sources.ids_by_uri(tx, {named for named in uris.values() if named is not None})
    return {
        target: document_id(known.get(named) or _source_id(tx.tenant_id, named, 0))
        for target, named in uris.items()
        if named is not None
    }


def _base(tx: ReadTx, uri: str, valid_start: int) -> _Base:
    source = sources.by_uri(tx, uri)
    if source is None:
        return _Base(None, None, (valid_start, FOREVER))
    node_id = document_id(source.source_id)
    holding = NODES.as_of(tx, [node_id], valid_start, tx.last_tx).get(node_id)
    return _Base(source, holding, (valid_start, sources.next_sighting(tx, source.source_id, valid_start)))


def _holds(tx: ReadTx, base: _Base, document: Document) -> bool:
    """Whether a text stands already, and read in the same way."""
    if base.source is None or base.holding is None or base.holding.tombstone:
        return False
    if base.holding.props["text_hash"] != keyed_hash(base.source.hash_key, document.text).hex():
        return False
    return sources.media_type(tx, base.source.source_id, int(base.holding.props["version_tx"])) == document.media_type


def _new_source(tx: ReadTx, incoming: Incoming, now: int) -> Source:
    counter = 0
    while sources.by_ids(tx, [_source_id(tx.tenant_id, incoming.uri, counter)]):
        counter += 1
    return Source(
        tenant_id=tx.tenant_id,
        source_id=_source_id(tx.tenant_id, incoming.uri, counter),
        uri=incoming.uri,
        name=incoming.uri,
        readers=sorted(incoming.readers),
        hash_key=random_key(),
        source_set=incoming.source_set,
        checked_at=now,
    )


def _source_id(tenant_id: str, uri: str, counter: int) -> UUID:
    return derived("source", tenant_id, uri, counter)


_SPAN = ("start", "end", "kind", "path", "text_hash")


def _spans(tx: ReadTx, source: Source, document: Document) -> Rows:
    spans = [
        (block.start, block.end, block.kind.value, block.path, keyed_hash(source.hash_key, fold(block.text)))
        for block in document.blocks
    ]
    return tx.rows(Span, bulk.columns(_SPAN, spans))


def _write_version(tx: WriteTx, prepared: _Prepared, document: Document, valid_start: int) -> None:
    source = prepared.source
    tx.session.add(
        SourceVersion(
            tenant_id=tx.tenant_id,
            source_id=source.source_id,
            version_tx=tx.tx,
            valid_start=valid_start,
            text=document.text,
            text_hash=keyed_hash(source.hash_key, document.text),
            media_type=document.media_type,
        )
    )
    sources.sight(tx, source.source_id, valid_start, tx.tx)
    tx.session.flush()
    tx.insert_ready(prepared.spans, source_id=source.source_id, version_tx=tx.tx)


def _counts(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for term in terms(text):
        counts[term] = counts.get(term, 0) + 1
    return counts
