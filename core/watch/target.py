"""Whom a watch's target names, as it was asked for. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from core.errors import InvalidRequest
from core.model.principals import role_names
from core.model.watching import TargetKind

_AUDIENCE = ("roles", "persons")


@dataclass(frozen=True, slots=True)
class HeardBy:
    """Who hears: these people, and whoever has one of these roles when there is something to tell."""

    persons: frozenset[UUID]
    roles: frozenset[str] = frozenset()


def heard_by(target: Mapping[str, Any]) -> HeardBy:
    """Whom a target of a person or of a shared audience names. Raises InvalidRequest for one that names nobody."""
    if target["kind"] == TargetKind.PERSON:
        return HeardBy(frozenset({_person(target.get("person_id"))}))
    audience = target.get("audience")
    if not isinstance(audience, Mapping) or not set(_AUDIENCE).issuperset(audience):
        raise InvalidRequest(f"an audience is {audience!r}; it must be an object of roles and persons")
    roles, persons = (_listed(name, audience.get(name, ())) for name in _AUDIENCE)
    if not roles and not persons:
        raise InvalidRequest(
            "an audience names nobody; it must have at least one role or person", at=("target", "audience")
        )
    return HeardBy(frozenset(map(_person, persons)), frozenset(role_names(roles)))


def _listed(name: str, found: Any) -> list[str]:
    if not isinstance(found, list | tuple) or not all(isinstance(one, str) for one in found):
        raise InvalidRequest(f"an audience's {name} is {found!r}; it must be a list of texts")
    return list(found)


def _person(found: Any) -> UUID:
    try:
        return UUID(found)
    except (AttributeError, TypeError, ValueError):
        raise InvalidRequest(f"{found!r} is no person's id; it must be a UUID in text") from None
