"""Moving every tenant to another embedding model, while others go on reading and writing under the old one.

Entries of the new model are written beside the old in batches that each commit: whoever stops this loses one batch, and
the next run goes by what is still lacking. A passage's text is read again from a version that holds it, and no
transaction is open while the model works. Once nothing is lacking under the tenant's lock, the tenant moves in the same
transaction, at a tx of its own; until then it is the old model's, and whole. Only then do the old entries go.
An erasure may come at any moment: a batch writes only for passages whose old entry still stands, so no word comes back.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from sqlmodel import col

from core.embed.protocol import Embedder
from core.ingest.reading import read_text
from core.jsonhash import keyed_hash
from core.model.nodes import DOCUMENT, PASSAGE
from core.model.principals import OPERATOR
from core.reembed.report import Progress, Reembedded
from core.reembed.texts import Place, recall_texts
from core.store import audit, entries, models, sources
from core.store.database import Database, ReadTx, WriteTx, batches, tenants
from core.store.entries import Standing
from core.store.models import Filled
from core.store.tables import NodeVersion, Source
from core.store.versions import NODES

BATCH = 64
"""Texts between two commits: some seconds of the default model's work."""
_DELETED_AT_ONCE = 250
"""Few enough that no other writer waits long."""


@dataclass(frozen=True, slots=True)
class _Work:
    """A text of a source with its vector, and the passages it finds. Both are blank for what cannot be read again."""

    text: str
    text_hash: bytes
    dense: bytes
    passages: tuple[Standing, ...]


class ReembedEngine:
    def __init__(self, database: Database, embedder: Embedder | None, batch: int = BATCH) -> None:
        self._database = database
        self._embedder = embedder
        self._batch = batch
        if embedder is not None and embedder.dim is None:
            embedder.embed(["dimension"])  # an endpoint tells it with its first answer
        self._to = models.of(embedder)

    def run(self, on_progress: Progress) -> list[Reembedded]:
        """Move every tenant. Raises what the embedder raises; running it again goes on from there."""
        return [self._tenant(tenant_id, on_progress) for tenant_id in tenants(self._database)]

    def _tenant(self, tenant_id: str, on_progress: Progress) -> Reembedded:
        was = self._set_aside(tenant_id)
        done = Reembedded(tenant_id, str(was), str(self._to))
        while not self._move(tenant_id):
            done = self._fill(tenant_id, done, on_progress)
        return replace(done, removed=self._clear(tenant_id))

    def _set_aside(self, tenant_id: str) -> Filled:
        """What the tenant is of now; entries of the same model in another dimension first get a name of their own."""
        with self._database.write(tenant_id) as tx:
            tx.lock()
            was = models.filled(tx) or self._to
            if was.model == self._to.model and was.dim not in {None, self._to.dim}:
                aside = replace(was, model=str(was))
                entries.rename(tx, was.model, aside.model)
                models.move(tx, aside)
            return was

    def _move(self, tenant_id: str) -> bool:
        """Whether the tenant is of the new model now; not while anything is lacking, which others may have added."""
        with self._database.write(tenant_id) as tx:
            tx.lock()
            was = models.filled(tx)
            if was is None or was.model == self._to.model:
                return True
            if entries.sources_lacking(tx, was.model, self._to.model):
                return False
            detail = {"was": str(was), "now": str(self._to), "tx": tx.tx}
            models.move(tx, self._to)
            audit.record(tx, OPERATOR, "reembedded", f"tenant:{tenant_id}", detail=detail)
            return True

    def _fill(self, tenant_id: str, done: Reembedded, on_progress: Progress) -> Reembedded:
        """Add what is lacking as this begins."""
        with self._database.read(tenant_id) as tx:
            was = models.filled(tx) or self._to
            lacking = entries.sources_lacking(tx, was.model, self._to.model)
        passages = 0
        for batch in batches(self._works(tenant_id, was, lacking), self._batch):
            fresh, works = self._embedded(batch)
            with self._database.write(tenant_id) as tx:
                tx.lock()
                self._write(tx, was, works)
            passages += sum(len(work.passages) for work in batch)
            unread = sum(len(work.passages) for work in batch if not work.text) if self._embedder else 0
            done = replace(done, embedded=done.embedded + fresh, unread=done.unread + unread)
            on_progress(passages, sum(lacking.values()))
        return done

    # ── what is to be embedded ──

    def _works(self, tenant_id: str, was: Filled, source_ids: Iterable[UUID]) -> Iterator[_Work]:
        for source_id in source_ids:
            with self._database.read(tenant_id) as tx:
                source = sources.by_ids(tx, [source_id])[source_id]
                works = self._of_source(tx, source, entries.lacking(tx, source_id, was.model, self._to.model))
            yield from works

    def _of_source(self, tx: ReadTx, source: Source, standing: Sequence[Standing]) -> list[_Work]:
        """Equal texts of a source are one work; one that has its vector already brings it along."""
        _, known = entries.of_source(tx, source.source_id, self._to.model)
        texts = _texts(tx, source, {one.node_id for one in standing}) if self._embedder else {}
        passages: dict[tuple[str, bytes], list[Standing]] = defaultdict(list)
        for one in standing:
            text = texts.get(one.node_id, "")
            passages[text, keyed_hash(source.hash_key, text) if text else one.text_hash].append(one)
        return [
            _Work(text, text_hash, known.get(text_hash, b"") if text else b"", tuple(those))
            for (text, text_hash), those in passages.items()
        ]

    def _embedded(self, works: Sequence[_Work]) -> tuple[int, list[_Work]]:
        """How many texts the model was asked for, and the works with their vectors."""
        asked = list(dict.fromkeys(work.text for work in works if work.text and not work.dense))
        vectors = dict(zip(asked, self._embedder.embed(asked), strict=True)) if self._embedder and asked else {}
        return len(asked), [
            replace(work, dense=vectors[work.text].tobytes()) if work.text and not work.dense else work
            for work in works
        ]

    def _write(self, tx: WriteTx, was: Filled, works: Iterable[_Work]) -> None:
        node_ids = [one.node_id for work in works for one in work.passages]
        stands = entries.still_standing(tx, was.model, node_ids)
        fresh = [
            {
                "node_id": one.node_id,
                "model": self._to.model,
                "source_id": one.source_id,
                "text_hash": work.text_hash,
                "dense": work.dense,
                "terms": one.terms,
                "added_tx": one.added_tx,
            }
            for work in works
            for one in work.passages
            if one.node_id in stands
        ]
        entries.insert(tx, entries.ready(tx, fresh))

    def _clear(self, tenant_id: str) -> int:
        """Delete the entries of other models, unless the tenant was moved on meanwhile; how many there were."""
        removed = 0
        while True:
            with self._database.write(tenant_id) as tx:
                tx.lock()
                if models.filled(tx) != self._to:
                    return removed
                some = entries.delete_others(tx, self._to.model, _DELETED_AT_ONCE)
            removed += some
            if not some:
                return removed


def _texts(tx: ReadTx, source: Source, node_ids: Collection[UUID]) -> dict[UUID, str]:
    """What each passage is found by. A passage's id pins its words, so any version that it stands on says them."""
    found: dict[UUID, str] = {}
    nodes = NODES.select(tx, col(NodeVersion.source_id) == source.source_id)
    titles = {node.props.get("version_tx"): str(node.props.get("title")) for node in nodes if node.label == DOCUMENT}
    places: dict[int, dict[UUID, Place]] = defaultdict(dict)
    for node in nodes:
        if node.label == PASSAGE and node.node_id in node_ids and node.provenance:
            version_tx, start, end = node.provenance[0]
            places[version_tx][node.node_id] = (start, end)
    for version_tx, those in places.items():
        said = _said(tx, source, version_tx, titles.get(version_tx))
        found |= {node_id: said[place] for node_id, place in those.items() if place in said}
    return found


def _said(tx: ReadTx, source: Source, version_tx: int, title: str | None) -> Mapping[Place, str]:
    key = (source.source_id, version_tx)
    stored = sources.texts(tx, [key]).get(key)
    if stored is None or title is None:
        return {}
    document = read_text(stored.text, media_type=stored.media_type, uri=stored.uri)
    return recall_texts(document, title, source.source_id, lambda text: keyed_hash(source.hash_key, text))
