"""What estimates of a model's tokens are multiplied by, a row for each model of a tenant."""

from core.store.database import ReadTx, WriteTx
from core.store.jobs import insert_once
from core.store.tables import TokenFactor


def of(tx: ReadTx, model: str) -> float:
    row = tx.session.get(TokenFactor, (tx.tenant_id, model))
    return row.factor if row else 1.0


def locked(tx: WriteTx, model: str) -> TokenFactor:
    """The row, which is there from now on: whoever else learns of the model waits, and goes on from what is written."""
    insert_once(tx, TokenFactor, {"tenant_id": tx.tenant_id, "model": model, "factor": 1.0})
    return tx.session.get_one(TokenFactor, (tx.tenant_id, model), with_for_update=True)
