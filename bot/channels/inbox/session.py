"""From a one-time link to a cookie for one person.

A link is 256 random bits, kept in memory until it is used or expires: a restart voids it, so that none can be used
twice. A cookie is a statement under HMAC-SHA256: it needs no table and outlives a restart that keeps the secret.
The cookie names the person, so whoever holds it sees that person's inbox and nobody else's.
"""

import base64
import hmac
import json
from dataclasses import dataclass, field
from uuid import UUID

from bot.channels.inbox.backend import PersonKey
from core.clock import HOUR, MINUTE, Clock
from core.ids import random_key
from core.jsonhash import canonical_json

LINK_LIFE = 10 * MINUTE
COOKIE_LIFE = 12 * HOUR
_PURPOSE = b"clarify inbox cookie 1\0"


def sign(secret: bytes, person: PersonKey, expires: int) -> str:
    """The cookie that says `person` until the Ts `expires`."""
    statement = base64.urlsafe_b64encode(canonical_json([person.tenant_id, str(person.person_id), expires]))
    return f"{statement.decode()}.{_mac(secret, statement)}"


def read(secret: bytes, cookie: str, now: int) -> PersonKey | None:
    """Whom `cookie` names; None when it is forged, malformed or expired."""
    statement, _, mac = cookie.encode("utf-8", "replace").partition(b".")
    if not hmac.compare_digest(mac, _mac(secret, statement).encode()):
        return None
    tenant_id, person_id, expires = json.loads(base64.urlsafe_b64decode(statement))
    return PersonKey(tenant_id, UUID(person_id)) if now < expires else None


def _mac(secret: bytes, statement: bytes) -> str:
    return hmac.digest(secret, _PURPOSE + statement, "sha256").hex()


@dataclass(slots=True)
class Sessions:
    secret: bytes = field(repr=False)
    clock: Clock
    _links: dict[str, tuple[PersonKey, int]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) < 32:
            raise ValueError(f"the inbox secret has {len(self.secret)} bytes; give it 32 random ones or more")

    def issue(self, person: PersonKey) -> str:
        """A token that opens `person`'s inbox once within LINK_LIFE."""
        now = self.clock.now()
        self._links = {token: link for token, link in self._links.items() if now < link[1]}
        token = random_key().hex()
        self._links[token] = (person, now + LINK_LIFE)
        return token

    def redeem(self, token: str) -> str | None:
        """The cookie for whom `token` was issued; None when it is unknown, used or expired."""
        person, expires = self._links.pop(token, (None, 0))
        now = self.clock.now()
        return sign(self.secret, person, now + COOKIE_LIFE) if person and now < expires else None

    def person(self, cookie: str | None) -> PersonKey | None:
        return read(self.secret, cookie, self.clock.now()) if cookie else None
