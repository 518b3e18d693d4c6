"""Which embedding model the recall entries of a tenant are of.

A tenant takes the model of its first ingest, `NO_MODEL` where that had none, and whoever comes with another is refused:
when the database is opened, in the transaction of an ingest, and when a recall index steps. `reembed` alone moves a
tenant to another model, at a tx of its own, so that every index steps and finds out.
"""

from dataclasses import dataclass

from sqlmodel import Session, select

from core.embed.protocol import Embedder
from core.errors import ModelMismatch, NotFound
from core.store.database import Database, ReadTx, WriteTx
from core.store.faults import translated
from core.store.tables import Tenant

NO_MODEL = ""


@dataclass(frozen=True, slots=True)
class Filled:
    """`dim`: numbers in a vector; 0 without a model, None while no vector was seen yet."""

    model: str
    dim: int | None

    def __str__(self) -> str:
        if self.model == NO_MODEL:
            return "no model (embedder none)"
        return f"{self.model} ({self.dim or 'unknown'} dimensions)"


NOT_EMBEDDED = Filled(NO_MODEL, 0)


def of(embedder: Embedder | None) -> Filled:
    return Filled(embedder.model, embedder.dim) if embedder else NOT_EMBEDDED


def filled(tx: ReadTx) -> Filled | None:
    """What the tenant's entries are of; None before its first ingest."""
    row = tx.session.exec(select(Tenant.embed_model, Tenant.embed_dim).where(Tenant.tenant_id == tx.tenant_id)).first()
    if row is None:
        raise NotFound(f"there is no tenant named {tx.tenant_id!r}")
    model, dim = row
    return None if model is None else Filled(model, dim)


def check(database: Database, embedder: Embedder | None) -> None:
    """Raise ModelMismatch when any tenant's entries are of another model; without one everything can be opened."""
    if embedder is None:
        return
    with translated(database.url), Session(database.engine) as session:
        stands = session.exec(select(Tenant.embed_model, Tenant.embed_dim)).all()
    for model, dim in stands:
        if model is not None:
            refuse_other(Filled(model, dim), of(embedder))


def require(tx: ReadTx, embedder: Embedder | None) -> Filled | None:
    """What the tenant's entries are of; raises ModelMismatch when they are not the embedder's."""
    stands = filled(tx)
    if stands is not None:
        refuse_other(stands, of(embedder))
    return stands


def record(tx: WriteTx, embedder: Embedder | None) -> None:
    """Remember the model with a tenant's first entries. Raises ModelMismatch when they are of another."""
    stands = require(tx, embedder)
    if stands is None or stands.dim is None:
        move(tx, of(embedder))


def move(tx: WriteTx, to: Filled) -> None:
    """From here on the tenant's entries are of this model."""
    tenant = tx.session.get_one(Tenant, tx.tenant_id)
    tenant.embed_model, tenant.embed_dim = to.model, to.dim
    tx.session.add(tenant)


def refuse_other(stands: Filled, given: Filled) -> None:
    """Raise ModelMismatch, naming both, for vectors that must not be compared."""
    if stands.model == given.model and (None in {stands.dim, given.dim} or stands.dim == given.dim):
        return
    raise ModelMismatch(
        f"the database was embedded with {stands} and the configuration names {given}: name the first again, or run "
        "`clarify-bot reembed`, which embeds every document anew"
    )
