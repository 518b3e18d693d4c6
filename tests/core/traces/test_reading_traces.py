"""A trace is read by whoever asked, and its words only while they may read what these are from."""

import pytest

from core.errors import NotFound, UnknownKey
from core.ids import random_id
from core.model.principals import Principal
from core.planner.request import PlanRequest
from core.verify.request import VerifyRequest
from tests.support.memories import page, put

QUESTION = "What may a meal cost?"


@pytest.fixture
def pages(memory):
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 40 EUR."}), ["member"])


@pytest.fixture
def key(memory):
    return memory.api_keys.principal_of(memory.api_keys.create("default", "one", ["member"]).secret)


def asked(memory, who):
    """A trace of each kind."""
    return {
        "context": memory.context(PlanRequest(question=QUESTION), who).trace_id,
        "verification": memory.verify(VerifyRequest(["A meal may cost 40 EUR."]), who).trace_id,
        "generate": memory.generate(QUESTION, who).trace_id,
    }


def test_who_asked_reads_it_whatever_its_kind(memory, pages, ada, key):
    for who in (ada, key):
        for kind, trace_id in asked(memory, who).items():
            found = memory.trace(trace_id, who)
            assert (found.kind, found.trace_id, found.withheld) == (kind, trace_id, False)
            assert found.body["claims" if kind == "generate" else "requestHash"]


def test_what_another_asked_is_told_like_what_nobody_did(memory, pages, ada, bob, key):
    other = memory.api_keys.principal_of(memory.api_keys.create("default", "two", ["member"]).secret)
    memory.people.ensure_tenant("other", "Other")
    stranger = memory.api_keys.principal_of(memory.api_keys.create("other", "x", ["member"]).secret)
    operator = Principal("default", None, frozenset({"member"}))
    ids = [*asked(memory, ada).values(), *asked(memory, operator).values(), random_id()]
    said = set()
    for who in (bob, key, other, stranger, operator):
        for trace_id in ids:
            with pytest.raises(NotFound) as caught:
                memory.trace(trace_id, who)
            said.add(str(caught.value))
    assert len(said) == 1
    for trace_id in asked(memory, key).values():
        with pytest.raises(NotFound):
            memory.trace(trace_id, other)


def test_a_key_of_a_person_reads_what_they_asked(memory, pages, ada):
    made = memory.api_keys.create("default", "script", person_id=ada.person_id)
    trace_id = memory.generate(QUESTION, ada).trace_id
    assert memory.trace(trace_id, memory.api_keys.principal_of(made.secret)).body["claims"]


def test_words_are_withheld_once_their_source_may_not_be_read(memory, pages, ada):
    trace_id = memory.generate(QUESTION, ada).trace_id
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 40 EUR."}), ["board"])
    found = memory.trace(trace_id, ada)
    assert found.withheld
    assert "40 EUR" not in str(found.body)
    assert found.body["coordinates"], "where it was is not what it said"


def test_a_revoked_key_reads_none(memory, pages, key):
    trace_id = memory.generate(QUESTION, key).trace_id
    memory.api_keys.revoke("default", key.api_key)
    with pytest.raises(UnknownKey):
        memory.trace(trace_id, key)
