"""What somebody may read by now: rights end while a card waits, after it was shown, and while a model writes."""

from dataclasses import replace
from uuid import UUID

from core.errors import NotFound, UnknownKey
from core.model.principals import Principal
from core.model.work import Place, stranger
from core.store import people, sources
from core.store.database import ReadTx
from core.store.tables import ApiKey, CardMessage


def today(tx: ReadTx, principal: Principal) -> Principal:
    """Who asks, with the roles they hold now. Raises NotFound for one who is gone, UnknownKey for a revoked key."""
    if principal.api_key is not None:
        key = tx.session.get(ApiKey, (tx.tenant_id, principal.api_key))
        if key is None or key.revoked_at:
            raise UnknownKey
        return replace(principal, roles=frozenset(key.roles))
    if principal.person is None:
        return principal
    person = people.get(tx, principal.person)
    if person is None or not person.active:
        raise NotFound(f"there is no person {principal.person}")
    return people.principal(person)


def may_see(tx: ReadTx, message: CardMessage) -> bool:
    """Whether a card may still be shown to the one it was made for.

    They must be active, and may read all that it is from; a stranger's is from nothing.
    """
    if message.person_id == stranger(Place(**message.place)):
        return True
    person = people.get(tx, message.person_id)
    if person is None or not person.active:
        return False
    needed = set(map(UUID, message.source_ids))
    return not needed or needed <= sources.readable(tx, people.principal(person))
