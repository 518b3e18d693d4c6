"""From a window of the feed to what each watch heard. Pure.

A window is reduced to one entry per thing at its newest tx, and each thing is judged by its net state: as last swept
against as it is now. So A → B → A inside one window is no event, an older version that arrives late is none either,
and a thing that came and went unseen is none. A clarification has no way back: its last transition is what happened.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from core.model.nodes import Node
from core.model.watching import Event, EventKind, ScopeType

NODE, SOURCE, CLARIFICATION = "node", "source", "clarification"


@dataclass(frozen=True, slots=True)
class Changed:
    """One thing that a window of the feed speaks of, at its newest tx. `label`: a node's own; else what changed."""

    ref_type: str
    ref_id: UUID
    label: str
    tx: int


def reduced(rows: Iterable[tuple[str, UUID, str, int]]) -> list[Changed]:
    """Rows (ref_type, ref_id, label, tx) in feed order → one entry a thing, at its newest tx."""
    newest: dict[tuple[str, UUID], Changed] = {}
    for ref_type, ref_id, label, tx in rows:
        newest[ref_type, ref_id] = Changed(ref_type, ref_id, label, tx)
    return sorted(newest.values(), key=lambda changed: (changed.tx, changed.ref_id))


def classify(changed: Changed, before: Node | None, after: Node | None) -> Event | None:
    """What happened to a thing between two states; None where nothing did. A source is judged by its document node."""
    if changed.ref_type == CLARIFICATION:
        return Event(EventKind(changed.label), changed.ref_type, changed.ref_id, changed.tx)
    stood, stands = _present(before), _present(after)
    if stands and stood and before is not None and after is not None and before.key == after.key:
        return None
    if not stands and not stood:
        return None
    if not stands:
        kind = EventKind.FACT_TOMBSTONED
    else:
        kind = EventKind.NEW_SOURCE_VERSION if changed.ref_type == SOURCE else EventKind.FACT_CHANGED
    return Event(kind, changed.ref_type, changed.ref_id, changed.tx)


def scopes_of(changed: Changed) -> list[tuple[ScopeType, str]]:
    """The scopes in which a change is heard."""
    if changed.ref_type == SOURCE:
        return [(ScopeType.SOURCE, str(changed.ref_id))]
    if changed.ref_type == CLARIFICATION:
        return [(ScopeType.CLARIFICATION, str(changed.ref_id))]
    return [(ScopeType.ENTITY, str(changed.ref_id)), (ScopeType.LABEL, changed.label)]


def newest(events: Sequence[Event], limit: int) -> tuple[list[Event], int]:
    """The newest `limit` events, oldest first, and how many more there were."""
    ordered = sorted(set(events), key=lambda event: (event.change_tx, event.ref_id, event.kind))
    dropped = max(0, len(ordered) - limit)
    return ordered[dropped:], dropped


def by_scope(changed: Iterable[Changed]) -> dict[ScopeType, dict[str, list[Changed]]]:
    index: dict[ScopeType, dict[str, list[Changed]]] = {}
    for entry in changed:
        for scope_type, ref in scopes_of(entry):
            index.setdefault(scope_type, {}).setdefault(ref, []).append(entry)
    return index


def _present(node: Node | None) -> bool:
    return node is not None and not node.tombstone
