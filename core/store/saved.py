"""Saved answers as a list: the newest versions of their nodes, a part at a time."""

from uuid import UUID

from sqlalchemy import BigInteger, cast
from sqlmodel import col

from core.model.nodes import SAVED_ANSWER, Node
from core.model.paging import Part
from core.store.columns import before
from core.store.database import ReadTx
from core.store.tables import NodeVersion
from core.store.versions import NODES


def part_of(tx: ReadTx, owner: UUID, unless: str, now: int, part: Part) -> list[Node]:
    """Those of a person that stand and are not of the status `unless`, newest first: a part after (saved at, id)."""
    props = col(NodeVersion.props)
    order = (cast(props["savedAt"].as_string(), BigInteger), col(NodeVersion.node_id))
    conditions = [
        col(NodeVersion.label) == SAVED_ANSWER,
        NODES.holding(tx.present(now), tx.last_tx),
        ~col(NodeVersion.tombstone),
        props["owner"].as_string() == str(owner),
        props["status"].as_string() != unless,
    ]
    if part.after is not None:
        conditions.append(before(order, part.after))
    return NODES.select(tx, *conditions, order=[one.desc() for one in order], limit=part.limit)
