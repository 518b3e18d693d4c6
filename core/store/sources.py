"""Documents: who may read them, their versions, and when each was seen."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

from sqlmodel import col, select

from core.clock import FOREVER
from core.model.paging import Part
from core.model.principals import Principal, visible_to
from core.model.spans import SpanRef
from core.store import audit
from core.store.database import ReadTx, WriteTx, batches
from core.store.tables import Source, SourceSighting, SourceVersion, Span


def by_uri(tx: ReadTx, uri: str) -> Source | None:
    return tx.session.exec(select(Source).where(Source.tenant_id == tx.tenant_id, Source.uri == uri)).one_or_none()


def by_ids(tx: ReadTx, ids: Collection[UUID]) -> dict[UUID, Source]:
    found: dict[UUID, Source] = {}
    for batch in batches(ids):
        rows = tx.session.exec(
            select(Source).where(Source.tenant_id == tx.tenant_id, col(Source.source_id).in_(batch))
        ).all()
        found |= {row.source_id: row for row in rows}
    return found


def ids_by_uri(tx: ReadTx, uris: Collection[str]) -> dict[str, UUID]:
    found: dict[str, UUID] = {}
    for batch in batches(uris):
        rows = select(Source.uri, Source.source_id).where(Source.tenant_id == tx.tenant_id, col(Source.uri).in_(batch))
        found |= dict(tx.session.exec(rows).all())
    return found


def part_of(tx: ReadTx, part: Part) -> list[Source]:
    """By uri, a part after (uri,)."""
    uri = tx.bytewise(col(Source.uri))
    rows = select(Source).where(Source.tenant_id == tx.tenant_id)
    if part.after is not None:
        rows = rows.where(uri > part.after[0])
    return list(tx.session.exec(rows.order_by(uri).limit(part.limit)).all())


def in_set(tx: ReadTx, source_set: str | None = None) -> list[Source]:
    statement = select(Source).where(Source.tenant_id == tx.tenant_id)
    if source_set is not None:
        statement = statement.where(Source.source_set == source_set)
    return list(tx.session.exec(statement.order_by(col(Source.uri))).all())


def admit(tx: WriteTx, row: Source, readers: Collection[str], actor: str) -> None:
    """Let these read a source from now on, whatever it says by then, and no others; a change is news."""
    if set(row.readers) != set(readers):
        change = {"was": row.readers, "is": sorted(readers)}
        audit.record(tx, actor, "readers_changed", f"source:{row.source_id}", detail=change)
        row.readers = change["is"]
        tx.session.add(row)
        tx.feed("source", row.source_id, "readers_changed")


def readable(tx: ReadTx, principal: Principal) -> frozenset[UUID]:
    """Sources that admit the principal today, whatever the coordinates asked for."""
    rows = tx.session.exec(select(Source.source_id, Source.readers).where(Source.tenant_id == tx.tenant_id)).all()
    return frozenset(source_id for source_id, readers in rows if visible_to(principal, readers))


def erased_since(tx: ReadTx, after_tx: int) -> set[UUID]:
    """Sources that were erased after a tx: whoever keeps something of them in memory is to drop it."""
    rows = select(Source.source_id).where(Source.tenant_id == tx.tenant_id, Source.erased_tx > after_tx)
    return set(tx.session.exec(rows))


def add_erased(tx: WriteTx, source_id: UUID, uri: str) -> None:
    """A source of which nothing was ever here, as one that was erased."""
    row = Source(
        tenant_id=tx.tenant_id,
        source_id=source_id,
        uri=uri,
        name="",
        readers=[],
        hash_key=b"",
        checked_at=tx.now,
        erased_tx=tx.tx,
    )
    tx.session.add(row)


def next_sighting(tx: ReadTx, source_id: UUID, after: int) -> int:
    """When the source was next seen after a valid time; FOREVER if never."""
    at = tx.session.exec(
        select(SourceSighting.at)
        .where(
            SourceSighting.tenant_id == tx.tenant_id, SourceSighting.source_id == source_id, SourceSighting.at > after
        )
        .order_by(col(SourceSighting.at))
        .limit(1)
    ).one_or_none()
    return FOREVER if at is None else at


def sight(tx: WriteTx, source_id: UUID, at: int, version_tx: int) -> None:
    tx.session.merge(SourceSighting(tenant_id=tx.tenant_id, source_id=source_id, at=at, version_tx=version_tx))


def sight_again(tx: WriteTx, source_id: UUID, at: int, version_tx: int) -> None:
    """Remember that a version still stands at `at`. Of such repeats only the newest is kept: no row for every look."""
    earlier = select(SourceSighting).where(
        SourceSighting.tenant_id == tx.tenant_id, SourceSighting.source_id == source_id, SourceSighting.at < at
    )
    last = tx.session.exec(earlier.order_by(col(SourceSighting.at).desc()).limit(2)).all()
    if len(last) == 2 and {row.version_tx for row in last} == {version_tx}:
        tx.session.delete(last[0])
    sight(tx, source_id, at, version_tx)


def media_type(tx: ReadTx, source_id: UUID, version_tx: int) -> str | None:
    """How a version is read; None for one there is not."""
    version = (SourceVersion.tenant_id == tx.tenant_id, SourceVersion.source_id == source_id)
    asked = select(SourceVersion.media_type).where(*version, SourceVersion.version_tx == version_tx)
    return tx.session.exec(asked).one_or_none()


def sighted(tx: ReadTx, source_id: UUID, at: int) -> bool:
    return tx.session.get(SourceSighting, (tx.tenant_id, source_id, at)) is not None


@dataclass(frozen=True, slots=True)
class VersionText:
    text: str
    media_type: str
    uri: str


def texts(tx: ReadTx, wanted: Iterable[tuple[UUID, int]]) -> dict[tuple[UUID, int], VersionText]:
    """Canonical texts of (source, version_tx) pairs; what is not stored, or was erased, is absent."""
    pairs, found = set(wanted), dict[tuple[UUID, int], VersionText]()
    for batch in batches(pairs):
        rows = tx.session.exec(
            select(SourceVersion, Source.uri)
            .join(
                Source,
                (col(Source.tenant_id) == SourceVersion.tenant_id) & (col(Source.source_id) == SourceVersion.source_id),
            )
            .where(
                SourceVersion.tenant_id == tx.tenant_id,
                Source.erased_tx == 0,
                col(SourceVersion.source_id).in_({source_id for source_id, _ in batch}),
                col(SourceVersion.version_tx).in_({version_tx for _, version_tx in batch}),
            )
        )
        found |= {(row.source_id, row.version_tx): VersionText(row.text, row.media_type, uri) for row, uri in rows}
    return {pair: found[pair] for pair in pairs if pair in found}


def span_kinds(tx: ReadTx, spans: Collection[SpanRef]) -> dict[SpanRef, str]:
    """The kind of each span that is a block of its version."""
    starts: dict[tuple[UUID, int], set[int]] = {}
    for span in spans:
        starts.setdefault((span.source_id, span.source_version_tx), set()).add(span.start)
    found: dict[SpanRef, str] = {}
    for (source_id, version_tx), each in starts.items():
        for batch in batches(each):
            rows = select(Span.start, Span.end, Span.kind).where(
                Span.tenant_id == tx.tenant_id,
                Span.source_id == source_id,
                Span.version_tx == version_tx,
                col(Span.start).in_(batch),
            )
            found |= {SpanRef(source_id, version_tx, start, end): kind for start, end, kind in tx.session.exec(rows)}
    return {span: found[span] for span in spans if span in found}
