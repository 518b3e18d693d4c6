"""API keys: made and shown once, kept as a hash, and named to the tenant and the roles they stand for.

A key is 256 random bits, so a fast hash is as safe as a slow one: there is nothing to guess. A key is looked up by its
hash alone; for one that is unknown, malformed or revoked the same is done, and the same is said.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from blake3 import blake3
from sqlmodel import col, select

from core.errors import InvalidRequest, NotFound, UnknownKey
from core.ids import api_key, random_id
from core.model.principals import OPERATOR, Principal, role_names
from core.store import audit
from core.store.database import ANY_TENANT, Database, WriteTx
from core.store.tables import ApiKey

_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class NewKey:
    """`secret` is what a caller sends, and is nowhere else: it cannot be shown again."""

    key_id: UUID
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeyView:
    """`revoked_at`: Ts; 0 for a key that stands."""

    key_id: UUID
    name: str
    roles: tuple[str, ...]
    created_at: int
    revoked_at: int


class KeysEngine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, tenant_id: str, name: str, roles: Iterable[str], actor: str = OPERATOR) -> NewKey:
        """Make a key that reads by `roles`. Raises InvalidRequest without a name or a role."""
        held = role_names(roles)
        if not name.strip() or len(name) > _LONGEST_NAME:
            raise InvalidRequest(f"a key needs a name of 1 to {_LONGEST_NAME} characters that says what uses it")
        if not held:
            raise InvalidRequest("a key needs at least one role: it reads what its roles may read")
        made = NewKey(random_id(), api_key())
        with self._database.write(tenant_id) as tx:
            row = ApiKey(
                tenant_id=tenant_id,
                key_id=made.key_id,
                name=name.strip(),
                key_hash=_hash(made.secret),
                roles=held,
                created_at=tx.now,
            )
            tx.session.add(row)
            audit.record(tx, actor, "key_made", _target(made.key_id), detail={"roles": held})
        return made

    def all(self, tenant_id: str) -> list[KeyView]:
        """Every key that was made, the oldest first."""
        with self._database.read(tenant_id) as tx:
            made = select(ApiKey).where(ApiKey.tenant_id == tenant_id)
            rows = tx.session.exec(made.order_by(col(ApiKey.created_at), col(ApiKey.key_id))).all()
        return [KeyView(row.key_id, row.name, tuple(row.roles), row.created_at, row.revoked_at) for row in rows]

    def revoke(self, tenant_id: str, key_id: UUID, actor: str = OPERATOR) -> None:
        """Let a key stand for nobody, from the next request on. Raises NotFound."""
        with self._database.write(tenant_id) as tx:
            row = _locked(tx, key_id)
            if not row.revoked_at:
                row.revoked_at = tx.now
                tx.session.add(row)
                audit.record(tx, actor, "key_revoked", _target(key_id))

    def principal_of(self, secret: str) -> Principal:
        """Whom a key stands for. Raises UnknownKey, alike for one that was revoked and one that never was."""
        with self._database.read(ANY_TENANT) as tx:
            row = tx.session.exec(select(ApiKey).where(ApiKey.key_hash == _hash(secret))).one_or_none()
        if row is None or row.revoked_at:
            raise UnknownKey
        return Principal(row.tenant_id, None, frozenset(row.roles), row.key_id)


def _locked(tx: WriteTx, key_id: UUID) -> ApiKey:
    row = tx.session.get(ApiKey, (tx.tenant_id, key_id), with_for_update=True)
    if row is None:
        raise NotFound(f"there is no key {key_id}")
    return row


def _hash(secret: str) -> bytes:
    return blake3(secret.encode(errors="surrogatepass")).digest()


def _target(key_id: UUID) -> str:
    return f"key:{key_id}"
