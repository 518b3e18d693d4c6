"""A memory grows for years: what is taken in or read must not go through all that is there already."""

from uuid import UUID

import pytest

from core.clock import HOUR, SECOND
from core.graph.records import Record
from core.jobs.kinds import Audience, JobKind
from core.model.paging import Part
from core.model.watching import ScopeType
from core.store import jobs
from tests.support.memories import NOW, add_person, open_memory, page, put, watch_request
from tests.support.steps import steps

FEW, MANY = 5, 120
NODE = UUID(int=7)


@pytest.fixture
def memory(sqlite_url, clock):
    memory = open_memory(sqlite_url, clock)
    memory.people.ensure_tenant("default", "Default")
    yield memory
    memory.close()


def text(word, number=0):
    return page(f"Page {number}", {"One": f"{word} one.", "Two": f"{word} two."})


def as_many_steps(memory, grow, act):
    """How many times as many steps `act` takes once there is much as it took while there was little."""
    grow(range(FEW))
    with steps(memory) as few:
        act("few")
    grow(range(FEW, MANY))
    with steps(memory) as many:
        act("many")
    return many[0] / few[0]


DOCUMENTS = {
    "taken in": lambda memory, uri: put(memory, f"{uri}.md", text("New")),
    "said again": lambda memory, uri: [put(memory, f"{uri}.md", text("New")) for _ in range(2)],
    "changed": lambda memory, uri: [put(memory, f"{uri}.md", text(word)) for word in ("Old", "New")],
    "removed": lambda memory, uri: [put(memory, f"{uri}.md", text("New")), memory.remove(f"{uri}.md")],
}


@pytest.mark.parametrize("what", DOCUMENTS)
def test_a_document_costs_the_same_among_many_as_among_few(memory, what):
    def grow(numbers):
        for number in numbers:
            put(memory, f"{number}.md", text("Other", number))

    assert as_many_steps(memory, grow, lambda uri: DOCUMENTS[what](memory, uri)) < 1.5


@pytest.mark.parametrize("after", [None, ("1.md",)], ids=["first", "further on"])
def test_a_page_of_the_documents_costs_the_same_among_many_as_among_few(memory, after):
    """Also to whoever may read only some of them."""
    admin, ada = add_person(memory, "Root", ("admin",)), add_person(memory, "Ada")

    def grow(numbers):
        for number in numbers:
            put(memory, f"{number}.md", text("Other", number), ["admin"] if number % 3 == 2 else ["member"])

    def act(_):
        for who in (admin, ada):
            assert len(memory.documents.part(who, Part(after, 2))) == 2

    assert as_many_steps(memory, grow, act) < 1.5


def test_a_page_of_fires_costs_the_same_among_many_as_among_few(memory):
    ada = add_person(memory, "Ada")
    watched = memory.watch(watch_request(ada, ScopeType.LABEL, "SECTION"), ada)
    memory.sweep()

    def grow(numbers):
        for number in numbers:
            put(memory, "a.md", text("Other", number))
            memory.clock.advance(HOUR)
            memory.sweep()

    def act(_):
        assert len(memory.watched.fires(watched.watch_id, ada, Part(limit=2))) == 2

    assert as_many_steps(memory, grow, act) < 1.5


HISTORY = {
    "now": lambda memory, ada: memory.get_as_of(NODE, ada),
    "then": lambda memory, ada: memory.get_as_of(NODE, ada, valid_time=NOW + SECOND),
    "as believed then": lambda memory, ada: memory.get_as_of(NODE, ada, tx_time=NOW + SECOND),
    "written once more": lambda memory, _: write(memory, "once more"),
}


def write(memory, number):
    memory.clock.advance(SECOND)
    memory.put_node(Record(NODE, "PRICE", {"n": number}, readers=("everyone",)))


@pytest.mark.parametrize("what", HISTORY)
def test_a_node_of_many_versions_costs_the_same_as_one_of_few(memory, what):
    ada = add_person(memory, "Ada")

    def grow(numbers):
        for number in numbers:
            write(memory, number)

    assert as_many_steps(memory, grow, lambda _: HISTORY[what](memory, ada)) < 1.5


def test_what_waits_and_the_newest_of_the_audit_cost_the_same_after_years_of_work(memory):
    """Done jobs stay for a while, and the audit for ever."""

    def grow(numbers):
        for number in numbers:
            memory.clock.advance(SECOND)
            memory.api_keys.revoke("default", memory.api_keys.create("default", f"key {number}", ["member"]).key_id)
            with memory._database.write("default") as tx:
                jobs.enqueue(tx, JobKind.NOTIFY_BRIEF, Audience.CLARIFY, number, "any", {}, 0)
            [job] = memory.jobs.lease(Audience.CLARIFY, [JobKind.NOTIFY_BRIEF], "worker")
            memory.jobs.complete(job)

    assert as_many_steps(memory, grow, lambda _: (memory.backlog(), memory.audit(3))) < 1.5


def test_the_count_sees_what_goes_through_everything(memory):
    """So that the tests above can fail."""

    def grow(numbers):
        for number in numbers:
            put(memory, f"{number}.md", text("Other", number))

    assert as_many_steps(memory, grow, lambda _: memory.documents.standing("default")) > 5
