"""The OpenAPI 3.1 document, made of the table of routes, the models of bodies and the table of problems. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import getdoc
from itertools import groupby
from typing import Any

from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from pydantic.json_schema import models_json_schema

from bot.http.v1.documents import URI_SCHEMA
from bot.http.v1.idempotency import KEY_SCHEMA
from bot.http.v1.problems import KINDS, MEDIA_TYPE
from bot.http.v1.route import Document, Route
from bot.http.v1.shapes import ProblemDetails

_REF = "#/components/schemas/{model}"
_EVERYWHERE = (
    "UNAUTHENTICATED",
    "INVALID_REQUEST",
    "TOO_MANY_REQUESTS",
    "INTERNAL",
    "STORE_UNAVAILABLE",
    "STOPPING",
    "TIMED_OUT",
)
_OF_BODIES = ("UNSUPPORTED_MEDIA_TYPE", "BODY_TOO_LARGE", "BODY_TOO_SLOW")
_PATHS: Mapping[str, dict[str, Any]] = {
    "id": {"type": "string", "format": "uuid"},
    "uri": URI_SCHEMA,
}
_LEADS_TO: Mapping[str, str] = {
    "answer_id": "/answers/{id}",
    "watch_id": "/watches/{id}",
    "clarification_id": "/clarifications/{id}",
    "trace_id": "/trace/{id}",
}
_SAID: Mapping[int, str] = {200: "Done.", 201: "Made.", 204: "Done; there is nothing to say."}


def document(routes: Sequence[Route], version: str) -> dict[str, Any]:
    """Paths begin with `/v1`."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(f"/v1{route.path}", {})[route.method.lower()] = _operation(route, routes)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "clarify-bot",
            "version": version,
            "description": "Team memory: evidence, verdicts, answers that know when they went stale, and watches.",
        },
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": "An API key."}},
            "schemas": _schemas(routes),
        },
    }


def codes(route: Route) -> list[str]:
    """Every code that an endpoint may answer with."""
    found = [*_EVERYWHERE, *route.problems]
    if route.body is not None:
        found += _OF_BODIES
    if route.body is not None and route.body is not Document:
        found.append("MALFORMED_JSON")
    if "{" in route.path:
        found.append("NOT_FOUND")
    if route.personal:
        found.append("PERSON_REQUIRED")
    if route.creates:
        found += ["IN_PROGRESS", "KEY_REUSED"]
    return sorted(set(found), key=lambda code: (KINDS[code].status, code))


def _operation(route: Route, routes: Sequence[Route]) -> dict[str, Any]:
    said = getdoc(route.handler) or ""
    found: dict[str, Any] = {
        "operationId": route.handler.__name__,
        "summary": said.partition("\n")[0],
        "parameters": list(_parameters(route)),
        "responses": dict(_responses(route, links(route, routes))),
    }
    if more := said.partition("\n\n")[2]:
        found["description"] = more
    if route.body is not None:
        found["requestBody"] = {"required": True, "content": _content(route.body)}
    return found


def _content(body: type[BaseModel] | type[Document]) -> dict[str, Any]:
    if body is Document:
        return {"*/*": {"schema": {}}}
    return {"application/json": {"schema": _ref(body)}}


def _ref(model: type) -> dict[str, str]:
    return {"$ref": _REF.format(model=model.__name__)}


def _parameters(route: Route) -> Iterator[dict[str, Any]]:
    for name, schema in _PATHS.items():
        if f"{{{name}}}" in route.path:
            yield {"name": name, "in": "path", "required": True, "schema": schema}
    asked = route.query.model_json_schema()
    for name, schema in asked["properties"].items() if "properties" in asked else ():
        yield {"name": name, "in": "query", "required": name in asked.get("required", ()), "schema": schema}
    if route.creates:
        yield {"name": "Idempotency-Key", "in": "header", "required": False, "schema": KEY_SCHEMA}


def links(route: Route, routes: Sequence[Route]) -> dict[str, dict[str, Any]]:
    """Where one may go from what an endpoint tells: by each id in it, to the endpoints that take it."""
    named = route.answers.model_fields if route.answers else {}
    found: dict[str, dict[str, Any]] = {}
    for field in named.keys() & _LEADS_TO.keys():
        said = f"$response.body#/{to_camel(field)}"
        for other in routes:
            if other.path.startswith(_LEADS_TO[field]):
                found[other.handler.__name__] = {"operationId": other.handler.__name__, "parameters": {"id": said}}
            elif other.body is not None and field in getattr(other.body, "model_fields", {}):
                body = {to_camel(field): said}
                found[other.handler.__name__] = {"operationId": other.handler.__name__, "requestBody": body}
    return dict(sorted(found.items()))


def _responses(route: Route, leads: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for status in route.statuses:
        found: dict[str, Any] = {"description": _SAID[status]}
        if route.answers is not None:
            found["content"] = {"application/json": {"schema": _ref(route.answers)}}
        if status == 201:
            found["headers"] = {"Location": {"required": True, "schema": {"type": "string"}}}
        if leads:
            found["links"] = leads
        yield str(status), found
    for status, of_status in groupby(codes(route), key=lambda code: KINDS[code].status):
        yield str(status), _problem(list(of_status))


def _problem(of_status: Sequence[str]) -> dict[str, Any]:
    said = "; ".join(f"`{code}`: {KINDS[code].title}" for code in of_status)
    narrowed = {"properties": {"code": {"enum": list(of_status)}}}
    found: dict[str, Any] = {
        "description": said,
        "content": {MEDIA_TYPE: {"schema": {"allOf": [_ref(ProblemDetails), narrowed]}}},
    }
    always = set.intersection(*(set(KINDS[code].headers) for code in of_status))
    if always:
        found["headers"] = {name: {"required": True, "schema": {"type": "string"}} for name in sorted(always)}
    return found


def _schemas(routes: Iterable[Route]) -> dict[str, Any]:
    asked = {route.body for route in routes if route.body is not None and route.body is not Document}
    told = {route.answers for route in routes if route.answers is not None} | {ProblemDetails}
    wanted: Any = [(model, "validation") for model in asked] + [(model, "serialization") for model in told]
    _, found = models_json_schema(wanted, ref_template=_REF)
    return dict(sorted(found["$defs"].items()))
