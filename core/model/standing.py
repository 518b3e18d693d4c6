"""What is allowed to whom, and what of it was taken away between two moments: what a restore must not give back."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.model.principals import EVERYONE


class Taken(StrEnum):
    """What may be taken away, by what the audit calls it."""

    KEY = "key_revoked"
    PERSON = "person_deactivated"
    ROLES = "roles_changed"
    USER = "chat_unbound"
    WEBHOOK = "webhook_removed"
    READERS = "readers_changed"


@dataclass(frozen=True, slots=True)
class Right:
    """`subject`: whose, as its kind and its id (of a chat user the platform, the workspace and the user)."""

    tenant_id: str
    kind: Taken
    subject: tuple[str, ...]


Rights = Mapping[Right, frozenset[str]]
"""What each right admits; nothing where it was taken away as a whole."""


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """`left`: what the right still admits."""

    right: Right
    left: frozenset[str]


def taken_away(then: Rights, since: Rights) -> tuple[Withdrawal, ...]:
    """What of the rights of `then` those of `since` do not admit; of what is in one of them alone nothing."""
    both = ((right, admitted, _common(admitted, since[right])) for right, admitted in then.items() if right in since)
    return tuple(Withdrawal(right, left) for right, admitted, left in both if left != admitted)


def _common(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    if EVERYONE in one or EVERYONE in other:
        return other if EVERYONE in one else one
    return one & other
