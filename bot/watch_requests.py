"""From what somebody wants to watch, in their own words, to the request of a watch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from cards.text import is_blank
from core.errors import InvalidRequest, NotFound
from core.memory import Memory
from core.model.principals import Principal
from core.model.watching import HEARD, Cadence, EventKind, ScopeType, TargetKind, WatchRequest

_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Wish:
    """`scopes`: by the name of each scope what is watched there; one of them is not empty. Without a name, it is that.

    Without events, all of its scope.
    """

    scopes: Mapping[str, str]
    name: str
    events: Sequence[str]
    cadence: str | None
    debounce_secs: int | None


def request_of(memory: Memory, principal: Principal, wish: Wish) -> WatchRequest:
    """A watch that tells the person. Raises InvalidRequest, and NotFound for what they may not read."""
    chosen = [(ScopeType(scope), ref) for scope, ref in wish.scopes.items() if ref]
    if len(chosen) != 1:
        raise InvalidRequest(f"say what is watched: one of {', '.join(f'--{scope}' for scope in wish.scopes)}")
    [(scope, text)] = chosen
    ref, called = _found(memory, principal, scope, text)
    target = {"kind": TargetKind.PERSON, "person_id": str(principal.person_id)}
    return WatchRequest(
        _name(wish.name, called),
        scope,
        (ref,),
        _events(scope, wish.events),
        target,
        _cadence(wish.cadence),
        wish.debounce_secs,
    )


def _name(wished: str, called: str) -> str:
    """What it is to be called, or what people call what it is on. Raises InvalidRequest."""
    if wished and (is_blank(wished) or len(wished) > _LONGEST_NAME):
        raise InvalidRequest(f"--name must be 1 to {_LONGEST_NAME} characters that can be seen")
    return wished or called[:_LONGEST_NAME]


def id_of(text: str, what: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise InvalidRequest(f"{what} {text!r} is no id: 32 hexadecimal digits, with hyphens or without") from None


def _found(memory: Memory, principal: Principal, scope: ScopeType, text: str) -> tuple[str, str]:
    """What is watched, as a watch names it, and what people call it."""
    match scope:
        case ScopeType.ENTITY:
            node = memory.get_as_of(memory.naming.node(principal.tenant_id, text, principal), principal)
            return str(node.node_id), str(node.props.get("title", "") or f"{node.label} {node.node_id}")
        case ScopeType.SOURCE:
            return str(_source(memory, principal.tenant_id, text)), text
        case ScopeType.CLARIFICATION:
            asked = id_of(text, "--clarification")
            questions = [one for one in memory.clarifications(principal) if one.clarification_id == asked]
            return str(asked), questions[0].question if questions else f"question {asked}"
        case _:
            return text, text


def _source(memory: Memory, tenant: str, text: str) -> UUID:
    """A document by its uri, or by a title that no other has. Raises NotFound, InvalidRequest."""
    try:
        return memory.documents.named(tenant, text)
    except NotFound:
        named = [one.source_id for one in memory.documents.standing(tenant) if one.title == text]
        if len(named) > 1:
            raise InvalidRequest(f"{len(named)} documents are called {text!r}: name one by its uri") from None
        if not named:
            raise NotFound(f"{text!r} is neither the uri nor the title of a document") from None
        return named[0]


def _events(scope: ScopeType, names: Sequence[str]) -> tuple[EventKind, ...]:
    """The events of a scope, or those of them that are named. Raises InvalidRequest."""
    heard = HEARD[scope]
    if unknown := [name for name in names if name not in heard]:
        raise InvalidRequest(f"--event {unknown[0]} is never heard of a {scope}: {', '.join(heard)}")
    return tuple(kind for kind in heard if kind in names) if names else heard


def _cadence(name: str | None) -> Cadence | None:
    if name is not None and name not in set(Cadence):
        raise InvalidRequest(f"--cadence {name!r} is none: {', '.join(Cadence)}")
    return Cadence(name) if name else None
