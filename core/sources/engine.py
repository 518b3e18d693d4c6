"""Documents as sources: which stand, under which uri, and when their set was last looked at."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from core.errors import InvalidRequest, NotFound, UnreadableDocument
from core.ingest.reading import canonical
from core.model.node_ids import document_id
from core.model.paging import Part, gathered
from core.model.principals import ADMIN, OPERATOR, Principal, visible_to
from core.store import audit, sources
from core.store.database import Database, ReadTx
from core.store.tables import Source
from core.store.versions import NODES


@dataclass(frozen=True, slots=True)
class SourceView:
    """A document that stands now, without its text."""

    source_id: UUID
    uri: str
    title: str
    readers: tuple[str, ...]
    version_tx: int


class SourcesEngine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def rename(self, tenant_id: str, uri: str, new_uri: str) -> None:
        """Let a source go on under another uri. Raises NotFound; InvalidRequest when the new uri is taken."""
        with self._database.write(tenant_id) as tx:
            tx.lock()
            source = sources.by_uri(tx, uri)
            if source is None:
                raise NotFound(f"no source has the uri {uri!r}")
            if sources.by_uri(tx, new_uri) is not None:
                raise InvalidRequest(f"{new_uri!r} is the uri of another source")
            source.uri = new_uri
            source.name = new_uri
            tx.session.add(source)

    def readmit(self, tenant_id: str, uri: str, actor: str = OPERATOR) -> None:
        """Let the uri of an erased source be that of a new one from now on. Raises NotFound where none was erased."""
        with self._database.write(tenant_id) as tx:
            tx.lock()
            row = sources.by_uri(tx, uri)
            if row is None or not row.erased_tx:
                raise NotFound(f"no source with the uri {uri!r} was erased")
            row.uri = f"erased:{row.source_id}"
            tx.session.add(row)
            audit.record(tx, actor, "readmit", f"source:{row.source_id}")

    def set_readers(self, tenant_id: str, source_id: UUID, readers: Collection[str], actor: str = OPERATOR) -> None:
        """Let these read a source, whatever it says by then; nobody, where none is named. Raises NotFound."""
        with self._database.write(tenant_id) as tx:
            tx.lock()
            row = sources.by_ids(tx, [source_id]).get(source_id)
            if row is None:
                raise NotFound(f"there is no source {source_id}")
            sources.admit(tx, row, readers, actor)

    def same_texts(self, tenant_id: str, gone: Collection[str], fresh: Mapping[str, bytes]) -> dict[str, str]:
        """By fresh uri, the uri among `gone` whose document says exactly this now; each at most once, blank never."""
        by_text = {text: uri for uri, text in self._texts(tenant_id, gone).items() if text.strip()}
        found: dict[str, str] = {}
        for uri, data in fresh.items():
            old = by_text.pop(_decoded(data, uri), None)
            if old is not None:
                found[uri] = old
        return found

    def _texts(self, tenant_id: str, uris: Collection[str]) -> dict[str, str]:
        standing = [view for view in self.standing(tenant_id) if view.uri in uris]
        with self._database.read(tenant_id) as tx:
            stored = sources.texts(tx, {(view.source_id, view.version_tx) for view in standing})
        return {text.uri: text.text for text in stored.values()}

    def standing(self, tenant_id: str, source_set: str | None = None) -> list[SourceView]:
        """Every document that holds now, by uri, for an administrator: no principal is asked for, no text shown."""
        with self._database.read(tenant_id) as tx:
            found = _standing(tx, sources.in_set(tx, source_set), self._database.clock.now())
        return sorted(found, key=lambda view: view.uri)

    def part(self, principal: Principal, part: Part) -> list[SourceView]:
        """By uri, those that the principal may read, to an admin all of them: a part after (uri,)."""
        with self._database.read(principal.tenant_id) as tx:
            now = self._database.clock.now()

            def shown(rows: Sequence[Source]) -> list[SourceView]:
                mine = (row for row in rows if ADMIN in principal.roles or visible_to(principal, row.readers))
                return _standing(tx, mine, now)

            return gathered(part, partial(sources.part_of, tx), lambda row: (row.uri,), shown)

    def checked(self, tenant_id: str, source_set: str) -> None:
        """Remember that a source set was looked at now."""
        with self._database.write(tenant_id) as tx:
            for row in sources.in_set(tx, source_set):
                row.checked_at = tx.now
                tx.session.add(row)

    def last_checked(self, tenant_id: str, source_set: str) -> int | None:
        """When a source set was last looked at as a whole; None for one without documents."""
        with self._database.read(tenant_id) as tx:
            return min((row.checked_at for row in sources.in_set(tx, source_set)), default=None)

    def named(self, tenant_id: str, uri: str) -> UUID:
        """The source of a uri, whether it stands, is gone or was erased. Raises NotFound."""
        with self._database.read(tenant_id) as tx:
            source = sources.by_uri(tx, uri)
        if source is None:
            raise NotFound(f"no source has the uri {uri!r}")
        return source.source_id


def _standing(tx: ReadTx, rows: Iterable[Source], now: int) -> list[SourceView]:
    """Those of these that hold now, in their order."""
    ids = {document_id(row.source_id): row for row in rows}
    nodes = NODES.as_of(tx, list(ids), now, tx.last_tx)
    return [
        SourceView(
            row.source_id,
            row.uri,
            str(nodes[node_id].props["title"]),
            tuple(row.readers),
            int(nodes[node_id].props["version_tx"]),
        )
        for node_id, row in ids.items()
        if node_id in nodes and not nodes[node_id].tombstone
    ]


def _decoded(data: bytes, uri: str) -> str:
    """The text, empty where there is none to read: ingesting it says why."""
    try:
        return canonical(data, media_type=None, uri=uri)[0]
    except UnreadableDocument:
        return ""
