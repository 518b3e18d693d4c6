"""What is done with one request on a thread: it is read, core is called, and what comes of it is rendered."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from bot.http.v1.idempotency import name_of, once
from bot.http.v1.problems import MEDIA_TYPE, Problem
from bot.http.v1.reading import body_of, of_query, of_request, query_of
from bot.http.v1.route import Call, Document, Outcome, Reply, Route
from core.errors import InvalidQuery, InvalidRequest
from core.memory import Memory
from core.model.principals import Principal


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request as it came. `principal`: whom its key stood for then. `at`: what its path names.

    `names`: its `Idempotency-Key`s.
    """

    principal: Principal
    secret: str = field(repr=False)
    raw: bytes = b""
    content_type: str = ""
    query: Sequence[tuple[str, str]] = ()
    at: str = ""
    names: Sequence[str] = ()


def answer(memory: Memory, route: Route, incoming: Incoming) -> Outcome:
    """By the rights that the key has now. Raises Problem, CoreError."""
    return _answer(memory, route, replace(incoming, principal=memory.api_keys.principal_of(incoming.secret)))


def _answer(memory: Memory, route: Route, incoming: Incoming) -> Outcome:
    if route.personal and incoming.principal.person is None:
        raise Problem("PERSON_REQUIRED")
    call = _call(memory, route, incoming)
    name = name_of(incoming.names) if route.creates else None
    if name is None:
        return _done(route, call)
    body = call.body.model_dump_json() if call.body else ""
    asked = f"{route.method} {route.path} {call.at} {body}".encode()
    return once(memory, incoming.principal, incoming.secret, name, asked, lambda: _done(route, call))


def _done(route: Route, call: Call[Any, Any]) -> Outcome:
    try:
        return rendered(route.handler(call))
    except InvalidQuery as error:
        given = call.body.model_dump(mode="json", by_alias=True) if call.body else {}
        raise of_query(error, route.query_at, given) from error
    except InvalidRequest as error:
        raise of_request(error) if error.at else error from error


def _call(memory: Memory, route: Route, incoming: Incoming) -> Call[Any, Any]:
    query = query_of(route.query, incoming.query)
    at = _as_id(incoming.at) if "{id}" in route.path else incoming.at
    return Call(memory, incoming.principal, _body(route, incoming), query, at)


def _body(route: Route, incoming: Incoming) -> Any:
    if route.body is None:
        return None
    if issubclass(route.body, Document):
        return Document(incoming.raw, incoming.content_type)
    return body_of(route.body, incoming.raw)


def _as_id(text: str) -> str:
    """An id as it is always written; what is none names nothing. Raises Problem NOT_FOUND."""
    try:
        written = str(UUID(text))
    except ValueError:
        written = ""
    if written != text.lower():
        raise Problem("NOT_FOUND")
    return written


def rendered(reply: Reply) -> Outcome:
    """What a handler handed back, with the fields that it set."""
    headers = {"Location": f"/v1{reply.location}"} if reply.location else {}
    if reply.body is None:
        return Outcome(reply.status, b"", headers)
    body = reply.body.model_dump_json(by_alias=True, exclude_unset=True).encode()
    return Outcome(reply.status, body, headers | {"Content-Type": "application/json"})


def of_problem(problem: Problem) -> Outcome:
    body = json.dumps(problem.to_json(), ensure_ascii=False).encode()
    return Outcome(problem.kind.status, body, problem.headers | {"Content-Type": MEDIA_TYPE})
