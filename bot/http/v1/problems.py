"""Every error of `/v1`, as RFC 9457 has it: one table of codes, with what each means and its HTTP status."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import CoreError, ModelMismatch

MEDIA_TYPE = "application/problem+json"
_TYPE = "urn:clarify-bot:problem:"


@dataclass(frozen=True, slots=True)
class Kind:
    """A code's status and its words; `headers` go with each such answer."""

    status: int
    title: str
    headers: Mapping[str, str] = field(default_factory=dict)


_LATER = {"Retry-After": "1"}
_MUCH_LATER = {"Retry-After": "60"}
"""What took too long goes on: asked for at once, it would be done twice over."""

KINDS: Mapping[str, Kind] = {
    "MALFORMED_JSON": Kind(400, "The body is no JSON that can be read"),
    "UNAUTHENTICATED": Kind(401, "A valid API key is needed", {"WWW-Authenticate": 'Bearer realm="clarify-bot"'}),
    "PERSON_REQUIRED": Kind(403, "This key stands for no person, and only people have this"),
    "NOT_FOUND": Kind(404, "There is nothing here that you can see"),
    "NO_SUCH_ROUTE": Kind(404, "No endpoint has this path"),
    "METHOD_NOT_ALLOWED": Kind(405, "This endpoint knows other methods"),
    "BODY_TOO_SLOW": Kind(408, "The body did not arrive in time"),
    "LIMIT_REACHED": Kind(409, "A limit is reached"),
    "ERASED": Kind(409, "The document was erased"),
    "IN_PROGRESS": Kind(409, "A request with this Idempotency-Key is being worked on", _LATER),
    "BODY_TOO_LARGE": Kind(413, "The body is too large"),
    "UNSUPPORTED_MEDIA_TYPE": Kind(415, "The body is of a kind that is not read here"),
    "INVALID_REQUEST": Kind(422, "The request is not valid"),
    "INVALID_QUERY": Kind(422, "The query is not valid"),
    "UNREADABLE_DOCUMENT": Kind(422, "The document cannot be read as text"),
    "INSUFFICIENT_EVIDENCE": Kind(422, "Nothing that you can read answers this"),
    "VERIFY_UNAVAILABLE": Kind(422, "There is no embedding model to verify with"),
    "SEMANTIC_UNAVAILABLE": Kind(422, "There is no embedding model to look with"),
    "KEY_REUSED": Kind(422, "The Idempotency-Key was used for another request"),
    "TOO_MANY_REQUESTS": Kind(429, "Too many requests are being worked on", _LATER),
    "INTERNAL": Kind(500, "Something went wrong here"),
    "GENERATE_UNAVAILABLE": Kind(503, "The language model gave no answer", _LATER),
    "EMBED_UNAVAILABLE": Kind(503, "The embedding model gave no vectors", _LATER),
    "STORE_UNAVAILABLE": Kind(503, "The database cannot be used just now", _LATER),
    "MODEL_MISMATCH": Kind(503, "The database was embedded under another model", _LATER),
    "STOPPING": Kind(503, "The server is stopping", _LATER),
    "TIMED_OUT": Kind(503, "The request took too long", _MUCH_LATER),
}

_CONSTANT = {
    "UNAUTHENTICATED",
    "NOT_FOUND",
    "INTERNAL",
    "STORE_UNAVAILABLE",
    "GENERATE_UNAVAILABLE",
    "EMBED_UNAVAILABLE",
    "MODEL_MISMATCH",
}
"""Of these nothing more is said: it could tell what is there for others, or how this server is set up."""
_OTHERWISE = {
    "unknown_key": "UNAUTHENTICATED",
    "invalid_config": "INTERNAL",
    "core_error": "INTERNAL",
    "context_plan": "INTERNAL",
}
"""Codes of core that have another here; the rest are the same in capitals."""


class Problem(Exception):
    """An answer that is an error. `errors`: places in the request, and what would be right there."""

    def __init__(
        self,
        code: str,
        detail: str = "",
        errors: Sequence[Mapping[str, str]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.kind = KINDS[code]
        self.detail = detail
        self.errors = errors
        self.headers = {**self.kind.headers, **(headers or {})}

    def to_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {
            "type": _TYPE + self.code,
            "title": self.kind.title,
            "status": self.kind.status,
            "code": self.code,
        }
        if self.detail:
            body["detail"] = self.detail
        if self.errors:
            body["errors"] = [dict(error) for error in self.errors]
        return body


def of_core(error: CoreError) -> Problem:
    """What core raised, as a caller is told of it; a database under another model as everywhere, whoever met it."""
    if isinstance(error.__cause__, ModelMismatch):
        error = error.__cause__
    code = _OTHERWISE.get(error.code, error.code.upper())
    if code not in KINDS:
        code = "INTERNAL"
    if code in _CONSTANT:
        return Problem(code)
    return Problem(code, str(error))
