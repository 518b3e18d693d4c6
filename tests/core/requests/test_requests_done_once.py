"""What is asked twice under one name is done once, whoever asks and whatever dies in between."""

import threading

import pytest

from core.errors import NotFound
from core.requests.engine import KEPT
from core.requests.views import LEASE, Begun, Standing
from core.store.tables import IdempotencyKey
from tests.support.memories import rows

NAME, CONTENT = b"n" * 32, b"c" * 32
SAID = {"status": 201, "body": "{}"}


@pytest.fixture
def key(memory):
    return memory.api_keys.principal_of(memory.api_keys.create("default", "one", ["member"]).secret)


def begin(memory, key, name=NAME, content=CONTENT):
    return memory.requests.begin(key, name, content)


def test_the_second_is_told_what_the_first_was_also_after_a_restart(memory, key, reopen):
    begun = begin(memory, key)
    assert begun.standing is Standing.FRESH
    memory.requests.end(key, NAME, begun, SAID)
    assert begin(memory, key) == begin(reopen(), key) == Begun(Standing.DONE, said=SAID)


def test_one_that_is_worked_on_is_worked_on_once(memory, key, reopen):
    others, found = [reopen(), reopen()], []
    threads = [threading.Thread(target=lambda m=m: found.append(begin(m, key).standing)) for m in (memory, *others)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [Standing.BUSY, Standing.BUSY, Standing.FRESH]


def test_a_name_stands_for_one_request(memory, key):
    begun = begin(memory, key)
    assert begin(memory, key, content=b"d" * 32).standing is Standing.OTHER
    memory.requests.end(key, NAME, begun, SAID)
    assert begin(memory, key, content=b"d" * 32).standing is Standing.OTHER


def test_a_name_is_of_one_key_alone(memory, key):
    begin(memory, key)
    other = memory.api_keys.principal_of(memory.api_keys.create("default", "two", ["member"]).secret)
    assert begin(memory, other).standing is Standing.FRESH


def test_what_failed_may_be_asked_again(memory, key):
    memory.requests.give_up(key, NAME, begin(memory, key))
    assert begin(memory, key).standing is Standing.FRESH


def test_whoever_died_over_it_holds_it_for_a_while_and_then_records_nothing(memory, key, clock):
    lost = begin(memory, key)
    clock.advance(LEASE - 1)
    assert begin(memory, key).standing is Standing.BUSY
    clock.advance(1)
    taken = begin(memory, key)
    assert taken.standing is Standing.FRESH
    memory.requests.end(key, NAME, lost, {"status": 500})
    memory.requests.give_up(key, NAME, lost)
    assert begin(memory, key).standing is Standing.BUSY
    memory.requests.end(key, NAME, taken, SAID)
    assert begin(memory, key).said == SAID


def test_whoever_is_still_at_it_keeps_it_however_long_it_takes(memory, key, clock):
    begun = first = begin(memory, key)
    for _ in "123":
        clock.advance(LEASE - 1)
        begun = memory.requests.keep(key, NAME, begun)
    clock.advance(LEASE - 1)
    assert begin(memory, key).standing is Standing.BUSY
    memory.requests.end(key, NAME, first, {"status": 500})
    memory.requests.end(key, NAME, begun, SAID)
    assert begin(memory, key).said == SAID
    assert memory.requests.keep(key, NAME, begun) == begun


def test_what_another_has_taken_over_is_kept_no_more(memory, key, clock):
    lost = begin(memory, key)
    clock.advance(LEASE)
    taken = begin(memory, key)
    assert memory.requests.keep(key, NAME, lost) == lost
    memory.requests.end(key, NAME, taken, SAID)
    assert begin(memory, key).said == SAID


def test_a_day_later_the_name_is_free_and_the_row_is_pruned(memory, key, clock):
    memory.requests.end(key, NAME, begin(memory, key), SAID)
    clock.advance(KEPT - 1)
    assert begin(memory, key).standing is Standing.DONE
    clock.advance(1)
    again = begin(memory, key, content=b"d" * 32)
    assert again.standing is Standing.FRESH
    memory.requests.end(key, NAME, again, SAID)
    clock.advance(KEPT + 1)
    assert memory.retention.prune("default") == 1
    assert rows(memory, IdempotencyKey) == []


def test_who_has_no_key_has_no_names(memory, ada):
    with pytest.raises(NotFound):
        begin(memory, ada)
    with pytest.raises(NotFound):
        memory.requests.keep(ada, NAME, Begun(Standing.FRESH))
