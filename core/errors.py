"""The errors core raises, one tree. A docstring is the default message; foreign errors are translated at the border.

CoreError
├── InvalidRequest          the caller's words are off (exit 2, HTTP 400)
│   ├── InvalidQuery        names the place in the query
│   ├── InvalidConfig       names file, key, value and what is allowed
│   ├── UnreadableDocument  names the document and the byte
│   └── Erased              the document was erased, and is taken in again only when somebody says so
├── NotFound                nothing there, or nothing the principal may read: the same answer
├── InsufficientEvidence    carries the plan's stats
├── SemanticUnavailable     the semantic leg was asked for and there is no model or no vectors
│   └── EmbedUnavailable    there is a model, and it gave no vectors
├── VerifyUnavailable       no embedding model to verify with
├── GenerateUnavailable     the language model did not give an answer that can be used
├── ModelMismatch           the database was embedded under another model
├── StoreUnavailable        locked, read-only, corrupt, full, unreachable
├── LimitReached            a per-person limit
├── UnknownKey              an API key that is unknown or was revoked: the same answer (HTTP 401)
├── ContextPlanError        a conversation cannot be fitted into a window; carries the kind (page: contextplan)
│   ├── PayloadNotFound     an event's words are not in the store it was planned from
│   └── PayloadRevoked      they are, and may be shown to nobody: a plan leaves them out and says so
└── Refused                 a write token refused; carries the code (page: bot, the write token)
"""

from typing import Any


class CoreError(Exception):
    """The memory engine could not do this."""

    code = "core_error"

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class InvalidRequest(CoreError):
    """The request is not valid."""

    code = "invalid_request"

    def __init__(self, message: str | None = None, *, at: tuple[str | int, ...] = ()) -> None:
        """`at`: which part of the request is not, by the names of core; a list's by their numbers."""
        super().__init__(message)
        self.at = at


class InvalidQuery(InvalidRequest):
    """The query is not valid."""

    code = "invalid_query"


class InvalidConfig(InvalidRequest):
    """The configuration is not valid."""

    code = "invalid_config"


class UnreadableDocument(InvalidRequest):
    """The document cannot be read as text."""

    code = "unreadable_document"


class Erased(InvalidRequest):
    """The document was erased; it is taken in again only when somebody says so."""

    code = "erased"


class NotFound(CoreError):
    """There is nothing here that you can see."""

    code = "not_found"


class InsufficientEvidence(CoreError):
    """Nothing in the documents you can read answers this."""

    code = "insufficient_evidence"

    def __init__(self, message: str | None = None, *, stats: Any = None) -> None:
        super().__init__(message)
        self.stats = stats


class SemanticUnavailable(CoreError):
    """Semantic recall was asked for, and there is no embedding model or there are no vectors."""

    code = "semantic_unavailable"


class EmbedUnavailable(SemanticUnavailable):
    """The embedding model gave no vectors."""

    code = "embed_unavailable"


class VerifyUnavailable(CoreError):
    """Verification needs an embedding model, and none is configured."""

    code = "verify_unavailable"


class GenerateUnavailable(CoreError):
    """The language model did not answer."""

    code = "generate_unavailable"

    def __init__(self, message: str | None = None, *, passing: bool = False) -> None:
        """`passing`: it is a failure of the moment, and the same may be answered later."""
        super().__init__(message)
        self.passing = passing


class ModelMismatch(CoreError):
    """The database was embedded under another model."""

    code = "model_mismatch"


class StoreUnavailable(CoreError):
    """The database cannot be used."""

    code = "store_unavailable"


class LimitReached(CoreError):
    """A limit is reached."""

    code = "limit_reached"


class UnknownKey(CoreError):
    """The API key is not known here, or was revoked."""

    code = "unknown_key"


class ContextPlanError(CoreError):
    """The conversation cannot be fitted into the window."""

    code = "context_plan"

    def __init__(self, kind: str, message: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind


class PayloadNotFound(ContextPlanError):
    """The words of an event of the conversation are not in the store."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__("payload_not_found", message)


class PayloadRevoked(ContextPlanError):
    """The words of an event of the conversation were revoked."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__("payload_revoked", message)


class Refused(CoreError):
    """The write token was refused."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
