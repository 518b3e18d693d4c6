"""What a tenant may be called: the id that every row of it carries for ever, and a name for people."""

import re
from dataclasses import dataclass

from core.errors import InvalidRequest

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class TenantView:
    tenant_id: str
    name: str


def checked_id(tenant_id: str) -> str:
    """Raises InvalidRequest. Blanks and look-alike letters are none, so that no two ids look the same."""
    if not _ID.fullmatch(tenant_id):
        raise InvalidRequest(
            f"{tenant_id!r} cannot be a tenant: write up to 63 letters from a to z, digits and . _ -, "
            "with a letter or a digit first, such as acme"
        )
    return tenant_id


def checked_name(name: str) -> str:
    """The name without blanks around it. Raises InvalidRequest."""
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InvalidRequest(f"a tenant's name is one line of 1 to {_LONGEST_NAME} characters, such as 'Acme Ltd.'")
    return name
