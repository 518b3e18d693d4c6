"""What one delivered card lets its recipient do, and the fingerprint by which a token is tied to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from core.jsonhash import json_hash
from core.model.watching import Cadence

MUTES = ("1d", "1w", "stop")
"""What a mute button of a card may say: a day, a week, or the end of the watch."""
ALL = "all"
"""The target of a button that ends every watch."""

PACES = tuple(cadence.value for cadence in Cadence)
"""What a choice of how often a watch tells may say."""


@dataclass(frozen=True, slots=True)
class CardAction:
    """The write about to be made, as its endpoint understood it."""

    kind: str
    target: str
    arg: str | None = None


@dataclass(frozen=True, slots=True)
class PermittedAction:
    """A button of a card: with `args`, exactly one of them must be given; without, none."""

    kind: str
    target: str
    args: tuple[str, ...] = ()

    def allows(self, action: CardAction) -> bool:
        given = action.arg in self.args if self.args else action.arg is None
        return given and (self.kind, self.target) == (action.kind, action.target)


@dataclass(frozen=True, slots=True)
class Grant:
    """Everything one delivered card lets its recipient do."""

    tenant: str
    person_id: UUID
    actions: tuple[PermittedAction, ...]
    generation_id: str
    delivery_key: str


def fingerprint(grant: Grant) -> str:
    """BLAKE3 over the grant's canonical JSON; the order of actions and of their arguments does not matter."""
    actions = sorted({(action.kind, action.target, tuple(sorted(set(action.args)))) for action in grant.actions})
    return json_hash(
        {
            "tenant": grant.tenant,
            "person": str(grant.person_id),
            "actions": actions,
            "generation_id": grant.generation_id,
            "delivery_key": grant.delivery_key,
        },
    )


def grant_to_json(grant: Grant) -> dict[str, Any]:
    return {
        "tenant": grant.tenant,
        "person_id": str(grant.person_id),
        "actions": [[action.kind, action.target, list(action.args)] for action in grant.actions],
        "generation_id": grant.generation_id,
        "delivery_key": grant.delivery_key,
    }


def grant_from_json(body: Mapping[str, Any]) -> Grant:
    return Grant(
        tenant=body["tenant"],
        person_id=UUID(body["person_id"]),
        actions=tuple(PermittedAction(kind, target, tuple(args)) for kind, target, args in body["actions"]),
        generation_id=body["generation_id"],
        delivery_key=body["delivery_key"],
    )
