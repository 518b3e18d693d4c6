"""Up to which tx a person was shown a thing never goes back."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from core.clock import ManualClock
from core.store import messages
from core.store.database import Database
from tests.support.memories import NOW

ADA, REF = UUID(int=1), UUID(int=2)


def shown_after(url, arrivals):
    """What is remembered once cards that told up to these tx have arrived, one after the other; undone then."""
    database = Database(url, ManualClock(NOW))
    try:
        with database.write("default") as tx:
            for upto in arrivals:
                messages.show(tx, ADA, {REF: upto})
                tx.session.flush()
            remembered = messages.last_shown(tx, ADA, [REF])
            tx.session.rollback()
    finally:
        database.close()
    return remembered


def test_in_whatever_order_cards_arrive_the_newest_is_remembered(sqlite_url):
    @given(st.lists(st.integers(1, 2**53), min_size=1, max_size=5))
    def holds(arrivals):
        assert shown_after(sqlite_url, arrivals) == {REF: max(arrivals)}

    holds()


def test_each_thing_and_each_person_is_remembered_alone(database_url):
    database = Database(database_url, ManualClock(NOW))
    with database.write("default") as tx:
        messages.show(tx, ADA, {REF: 9, UUID(int=3): 4})
        messages.show(tx, UUID(int=7), {REF: 2})
    with database.read("default") as tx:
        assert messages.last_shown(tx, ADA, [REF, UUID(int=3), UUID(int=4)]) == {REF: 9, UUID(int=3): 4}
        assert messages.last_shown(tx, UUID(int=7), [REF]) == {REF: 2}
    database.close()
