"""What people name a node by, found, and shown for them to name it by."""

from uuid import UUID

from core.errors import InvalidRequest, NotFound
from core.jsonhash import keyed_hash
from core.model.documents import Document
from core.model.node_ids import document_id, section_id
from core.model.ports import Library
from core.model.principals import Principal
from core.naming.outline import Placed, outline
from core.naming.written import matching, near, readings, reference
from core.store import sources
from core.store.database import Database, ReadTx
from core.store.tables import Source


class NamingEngine:
    def __init__(self, database: Database, library: Library) -> None:
        self._database = database
        self._library = library

    def node(self, tenant_id: str, name: str, principal: Principal | None = None) -> UUID:
        """The node of an id, of a document's uri, or of a section as `core.naming.written` has it.

        None is an operator. An id is not looked up. Raises NotFound, alike for what the principal may not read and for
        none; InvalidRequest where several are meant.
        """
        try:
            return UUID(name)
        except ValueError:
            pass
        with self._database.read(tenant_id) as tx:
            readable = sources.readable(tx, principal) if principal else None
            for uri, headings in readings(name):
                source = sources.by_uri(tx, uri)
                if source is None or source.erased_tx or not (readable is None or source.source_id in readable):
                    continue
                return document_id(source.source_id) if headings is None else self._section(tx, source, headings)
        raise NotFound(
            f"{name!r} is no id, and the uri of no document: write one of these, or a section's name, as"
            " handbook/travel.md#Travel/Meals"
        )

    def outline(self, tenant_id: str, uri: str) -> list[Placed]:
        """What stands under a uri, piece by piece, for an operator. Raises NotFound."""
        with self._database.read(tenant_id) as tx:
            source = sources.by_uri(tx, uri)
            document = self._standing(tx, source) if source else None
        if source is None or document is None:
            raise NotFound(f"no document stands under the uri {uri!r}")
        hash_key = source.hash_key
        return outline(uri, document, source.source_id, lambda text: keyed_hash(hash_key, text))

    def _section(self, tx: ReadTx, source: Source, headings: str) -> UUID:
        document = self._standing(tx, source)
        sections = document.sections[1:] if document else ()
        found = matching(headings, sections)
        if len(found) > 1:
            meant = " and ".join(reference(source.uri, section) for section in found)
            raise InvalidRequest(f"{source.uri}#{headings} is like {meant}: write one of them")
        if not found:
            likely = " or ".join(f"{source.uri}#{name}" for name in near(headings, sections))
            raise NotFound(f"{source.uri} has no section {headings!r}: {f'is it {likely}?' if likely else _HINT}")
        return section_id(source.source_id, found[0].path, found[0].repeat)

    def _standing(self, tx: ReadTx, source: Source) -> Document | None:
        return self._library.document(tx, source.source_id, self._database.clock.now())


_HINT = "`clarify-bot spans --ingested` shows those it has"
