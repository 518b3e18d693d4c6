"""API keys: made and shown once, kept as a hash, and named to the tenant and the roles they stand for.

A key is 256 random bits, so a fast hash is as safe as a slow one: there is nothing to guess. A key is looked up by its
hash alone; for one that is unknown, malformed, revoked or over the same is done, and the same is said. It stands for a
person, and is they while they are active, or for nobody, and reads by roles of its own.
"""

from collections.abc import Collection, Iterable
from uuid import UUID

from blake3 import blake3
from sqlmodel import col, select

from core.clock import DAY
from core.errors import InvalidRequest, NotFound
from core.ids import api_key, random_id
from core.keys.views import KeyView, NewKey
from core.model.principals import OPERATOR, Principal, role_names
from core.store import audit, people, rights
from core.store.database import ANY_TENANT, Database, WriteTx
from core.store.tables import ApiKey

_LONGEST_NAME = 100
_LONGEST_KEPT = 100 * 365 * DAY


class KeysEngine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def create(
        self,
        tenant_id: str,
        name: str,
        roles: Iterable[str] = (),
        actor: str = OPERATOR,
        *,
        person_id: UUID | None = None,
        keep_for: int | None = None,
    ) -> NewKey:
        """Make a key that reads by `roles`, or one that stands for a person; for so many microseconds, or for good.

        Raises InvalidRequest without a name, a role or a time; NotFound for a person that there is not.
        """
        held = role_names(roles)
        _check(name, held, person_id, keep_for)
        made = NewKey(random_id(), api_key())
        with self._database.write(tenant_id) as tx:
            if person_id is not None and people.get(tx, person_id) is None:
                raise NotFound(f"there is no person {person_id}")
            row = ApiKey(
                tenant_id=tenant_id,
                key_id=made.key_id,
                name=name.strip(),
                key_hash=_hash(made.secret),
                roles=held,
                person_id=person_id,
                created_at=tx.now,
                expires_at=tx.now + keep_for if keep_for else 0,
            )
            tx.session.add(row)
            stands_for = {"roles": held} if person_id is None else {"person_id": str(person_id)}
            audit.record(tx, actor, "key_made", _target(made.key_id), detail=stands_for)
        return made

    def all(self, tenant_id: str) -> list[KeyView]:
        """Every key that was made, the oldest first."""
        with self._database.read(tenant_id) as tx:
            made = select(ApiKey).where(ApiKey.tenant_id == tenant_id)
            rows = tx.session.exec(made.order_by(col(ApiKey.created_at), col(ApiKey.key_id))).all()
        return [_view(row) for row in rows]

    def revoke(self, tenant_id: str, key_id: UUID, actor: str = OPERATOR) -> None:
        """Let a key stand for nobody, from the next request on. Raises NotFound."""
        with self._database.write(tenant_id) as tx:
            row = _locked(tx, key_id)
            if not row.revoked_at:
                row.revoked_at = tx.now
                tx.session.add(row)
                audit.record(tx, actor, "key_revoked", _target(key_id))

    def principal_of(self, secret: str) -> Principal:
        """Whom a key stands for. Raises UnknownKey, alike for one that is over and one that never was."""
        with self._database.read(ANY_TENANT) as tx:
            row = tx.session.exec(select(ApiKey).where(ApiKey.key_hash == _hash(secret))).one_or_none()
            return rights.holder(tx, row, self._database.clock.now())


def _check(name: str, roles: Collection[str], person_id: UUID | None, keep_for: int | None) -> None:
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InvalidRequest(f"a key needs a name of 1 to {_LONGEST_NAME} printable characters that says what uses it")
    if person_id is None and not roles:
        raise InvalidRequest("a key needs at least one role: it reads what its roles may read")
    if person_id is not None and roles:
        raise InvalidRequest("a key that stands for a person has their roles, and none of its own")
    if keep_for is not None and not 0 < keep_for <= _LONGEST_KEPT:
        years = _LONGEST_KEPT // (365 * DAY)
        raise InvalidRequest(f"a key is kept for some time, at most {years} years, or for good where none is given")


def _view(row: ApiKey) -> KeyView:
    times = row.created_at, row.revoked_at
    return KeyView(row.key_id, row.name, tuple(row.roles), *times, row.person_id, row.expires_at)


def _locked(tx: WriteTx, key_id: UUID) -> ApiKey:
    row = tx.session.get(ApiKey, (tx.tenant_id, key_id), with_for_update=True)
    if row is None:
        raise NotFound(f"there is no key {key_id}")
    return row


def _hash(secret: str) -> bytes:
    return blake3(secret.encode(errors="surrogatepass")).digest()


def _target(key_id: UUID) -> str:
    return f"key:{key_id}"
