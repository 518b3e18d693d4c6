"""Whether what a card says may still be shown to the one it was made for: rights end while it waits, and after it."""

from uuid import UUID

from core.model.work import Place, stranger
from core.store import people, sources
from core.store.database import ReadTx
from core.store.tables import CardMessage


def may_see(tx: ReadTx, message: CardMessage) -> bool:
    """Whether they are active, and may read all that the card is from; a stranger's is from nothing."""
    if message.person_id == stranger(Place(**message.place)):
        return True
    person = people.get(tx, message.person_id)
    if person is None or not person.active:
        return False
    needed = set(map(UUID, message.source_ids))
    return not needed or needed <= sources.readable(tx, people.principal(person))
