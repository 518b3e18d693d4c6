"""The `Idempotency-Key` of a request (draft-ietf-httpapi-idempotency-key-header): what it may be."""

from typing import Any

KEY_SCHEMA: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"}
