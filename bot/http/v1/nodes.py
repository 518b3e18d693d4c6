"""Nodes, found by label, conditions and the two kinds of time."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from bot.http.v1.conditions import plain
from bot.http.v1.looking import Looking
from bot.http.v1.route import Call, Nothing, Reply
from bot.http.v1.shapes import Interval, Span, Told, TsInterval, Whole, interval, ts_interval
from core.context.views import span_json
from core.model.nodes import Node

MOST_FOUND = 500


class QueryAsked(Looking):
    """A label, conditions on it, or both: at least a label or a `match`."""

    limit: Annotated[Whole, Field(ge=1, le=MOST_FOUND)] = 100


class NodeTold(Told):
    """A node as it was at the coordinates asked for."""

    node_id: UUID
    label: str
    props: dict[str, Any]
    valid_time: Interval
    tx_time: TsInterval
    spans: list[Span]


class QueryTold(Told):
    """What was found, best match first."""

    nodes: list[NodeTold]


def query(call: Call[QueryAsked, Nothing]) -> Reply:
    """Nodes of a label that meet conditions, at any coordinates."""
    asked = call.body
    times = {"valid_time": asked.valid_time, "tx_time": asked.tx_time}
    found = call.memory.query(asked.find, plain(asked.where), call.principal, limit=asked.limit, **times)
    return Reply(QueryTold(nodes=[_node(node) for node in found]))


def _node(node: Node) -> NodeTold:
    return NodeTold(
        node_id=node.node_id,
        label=node.label,
        props=dict(node.props),
        valid_time=interval(node.valid_start, node.valid_end),
        tx_time=ts_interval(node.tx_start, node.tx_end),
        spans=[Span.model_validate(span_json(span)) for span in node.spans()],
    )
