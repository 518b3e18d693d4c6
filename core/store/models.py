"""Which embedding model a database was filled under."""

from sqlmodel import Session, select

from core.embed.protocol import Embedder
from core.errors import ModelMismatch
from core.store.database import Database, WriteTx
from core.store.faults import translated
from core.store.tables import Tenant


def check(database: Database, embedder: Embedder | None) -> None:
    """Raise ModelMismatch when a tenant's vectors are another model's."""
    if embedder is None:
        return
    with translated(database.url), Session(database.engine) as session:
        for tenant in session.exec(select(Tenant)).all():
            if tenant.embed_model is not None and (tenant.embed_model, tenant.embed_dim) != (
                embedder.model,
                embedder.dim,
            ):
                raise ModelMismatch(
                    f"the database was embedded with {tenant.embed_model} ({tenant.embed_dim} dimensions) and the "
                    f"configuration names {embedder.model} ({embedder.dim}): name the first again, or ingest the "
                    "documents into a new database"
                )


def record(tx: WriteTx, embedder: Embedder) -> None:
    """Remember the model with a tenant's first vectors."""
    tenant = tx.session.get_one(Tenant, tx.tenant_id)
    if tenant.embed_model is None:
        tenant.embed_model, tenant.embed_dim = embedder.model, embedder.dim
        tx.session.add(tenant)
