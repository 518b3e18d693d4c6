"""What is written without a document is watched as documents are: told to whoever may read it, and to nobody else."""

import pytest

from core.clock import DAY, MINUTE
from core.errors import NotFound
from core.graph.records import Record
from core.ids import derived
from core.model.spans import SpanRef
from core.model.watching import EventKind, ScopeType
from core.store.tables import CardMessage, NotifyDelivery
from tests.support.briefs import FRIDAY, MONDAY, arrive
from tests.support.deliveries import Worker
from tests.support.memories import add_person, put, rows, watch_request

PRICE = derived("record", "price")
QUERY = '{"find":"PRICE","where":[{"prop":"amount","op":"ge","value":50}]}'


@pytest.fixture
def worker(memory, clock):
    clock.ts = FRIDAY
    write(memory, amount=40)
    memory.sweep()
    return Worker(memory)


def write(memory, readers=("member",), **props):
    memory.put_node(Record(PRICE, "PRICE", {"name": "The price"} | props, readers))


def watch(memory, who, scope=ScopeType.ENTITY, ref=str(PRICE), **more):
    return memory.watch(watch_request(who, scope, ref, **more), who)


def news(memory, worker, clock):
    """Sweep, let it settle, and send; what the cards say, as (title, what stood, what stands)."""
    memory.sweep()
    clock.advance(MINUTE)
    worker.notices.clear()
    worker.send()
    lines = [line for notice in worker.notices for line in notice.lines]
    return [(line.source_name, one.before, one.after) for line in lines for one in line.changes]


def test_a_property_that_changes_is_told_and_what_stays_is_not(memory, worker, clock, ada):
    watch(memory, ada)
    write(memory, amount=55, currency="EUR")
    assert news(memory, worker, clock) == [
        ("The price", "amount: 40", "amount: 55"),
        ("The price", "", "currency: EUR"),
    ]


def test_by_its_entity_its_label_and_a_query_it_is_one_card_that_names_all_three(memory, worker, clock, ada):
    watch(memory, ada, name="the price")
    watch(memory, ada, ScopeType.LABEL, "PRICE", name="every price")
    moved = (EventKind.QUERY_RESULTS_CHANGED,)
    watch(memory, ada, ScopeType.QUERY, QUERY, events=moved, name="high prices")
    write(memory, amount=55)
    assert news(memory, worker, clock) == [("The price", "amount: 40", "amount: 55")]
    [notice] = worker.notices
    assert {reason.name for reason in notice.reasons} == {"the price", "every price", "high prices"}
    assert len(rows(memory, CardMessage)) == 1


def test_and_in_the_weeks_brief_it_is_one_line(memory, worker, clock, ada):
    watch(memory, ada)
    watch(memory, ada, ScopeType.LABEL, "PRICE", name="every price")
    write(memory, amount=55)
    news(memory, worker, clock)
    [brief] = arrive(memory, worker, MONDAY)
    assert [(line.change.source_name, [one.after for one in line.change.changes]) for line in brief.lines] == [
        ("The price", ["amount: 55"])
    ]


def test_two_records_that_change_alike_are_two_lines_of_a_brief(memory, worker, clock, ada):
    watch(memory, ada, ScopeType.LABEL, "PRICE")
    with_same = Record(derived("record", "other"), "PRICE", {"amount": 55, "name": "Another"}, ["member"])
    write(memory, amount=55)
    memory.put_node(with_same)
    news(memory, worker, clock)
    [brief] = arrive(memory, worker, MONDAY)
    assert {line.change.source_name for line in brief.lines} == {"The price", "Another"}


def test_one_that_goes_is_told_by_the_name_it_had(memory, worker, clock, ada):
    watch(memory, ada)
    memory.remove_node(PRICE)
    assert news(memory, worker, clock) == [
        ("The price", "amount: 40", ""),
        ("The price", "name: The price", ""),
    ]


def test_a_fact_that_becomes_true_tomorrow_is_told_tomorrow(memory, worker, clock, ada):
    watch(memory, ada)
    later = Record(PRICE, "PRICE", {"name": "The price", "amount": 55}, ["member"], valid_start=clock.ts + DAY)
    memory.put_node(later)
    assert news(memory, worker, clock) == []
    clock.advance(DAY)
    assert news(memory, worker, clock) == [("The price", "amount: 40", "amount: 55")]


def test_who_may_not_read_it_cannot_watch_it_and_is_told_nothing_of_its_label(memory, worker, clock):
    board = add_person(memory, "Bo", roles=("board",))
    with pytest.raises(NotFound):
        watch(memory, board)
    watch(memory, board, ScopeType.LABEL, "PRICE")
    write(memory, amount=55)
    assert news(memory, worker, clock) == []
    assert [delivery.reason for delivery in rows(memory, NotifyDelivery)] == ["not_authorised"]


def test_what_rested_on_a_document_that_its_reader_may_not_see_is_not_told(memory, worker, clock, ada):
    secret = put(memory, "secret.md", b"The price is 55.\n", ["board"])
    watch(memory, ada)
    span = SpanRef(secret.source_id, secret.version_tx, 0, 16)
    memory.put_node(Record(PRICE, "PRICE", {"name": "The price", "amount": 55}, ["member"], provenance=[span]))
    assert news(memory, worker, clock) == []
    write(memory, amount=60)
    assert ("The price", "amount: 40", "amount: 60") in news(memory, worker, clock)
