"""A person who is erased leaves ids behind, and nothing that they said, asked, saved or were called."""

from collections import Counter
from dataclasses import asdict, replace
from threading import Thread
from uuid import UUID

import pytest
from sqlmodel import SQLModel, func, select

from core.clock import DAY
from core.errors import NotFound
from core.jobs.kinds import JobKind
from core.jsonhash import json_hash
from core.model.card_states import CardState
from core.model.watching import ScopeType
from core.model.work import Place, stranger
from core.planner.request import PlanRequest
from core.store import messages
from core.store.tables import Audit, CardMessage, ChatIdentity, Inbox, Job, LastShown, Person, Watch
from core.verify.request import VerifyRequest
from tests.support.memories import add_person, dump, page, place_of, put, rows, section, watch_request

QUESTION = "What may a meal of Quentin cost at most?"
NAME = "Quentin"
HERS = Place("slack", "T1", "U0QUENTIN")
ADDRESS = "a:where-quentin-is-written-to"


@pytest.fixture
def quentin(memory):
    """Somebody who asked, saved, watched, chose, and was sent cards in two places."""
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 40 EUR."}))
    person_id = memory.people.put("default", NAME, email="quentin@example.com", zone="Asia/Kolkata")
    memory.people.bind("default", person_id, place_of(person_id))
    memory.people.bind("default", person_id, HERS)
    memory.addresses.keep("default", HERS, {"conversation": ADDRESS})
    person = memory.people.principal("default", person_id)
    lived(memory, person)
    return person


def lived(memory, person):
    answer = memory.generate(QUESTION, person)
    memory.save_answer(answer.trace_id, person)
    memory.watch(watch_request(person, ScopeType.ENTITY, section("travel.md", "Travel", "Meals"), name=NAME), person)
    memory.prefer(person, "brief_day", "friday")
    place = next(one.place for one in memory.people.places("default") if one.person_id == person.person_id)
    memory.inbound.receive("default", place, f"e-{person.person_id}", "question", {"text": QUESTION})
    local = memory.local.post
    local("default", person.person_id, f"event:{person.person_id}", "person", {"text": QUESTION})
    sent = memory.messages.post("default", person.person_id, place, "event:1", "reply", lambda _: {"words": QUESTION})
    memory.outcomes.sent(memory.delivery.take("default", sent, lambda *_: {}), "r1")


def counted(memory, but_for):
    """Rows by table and person, of everybody else and of nobody."""
    counts = Counter()
    for table in SQLModel.metadata.sorted_tables:
        rows_of = select(func.count()).select_from(table)
        if "person_id" in table.columns:
            rows_of = rows_of.where(table.columns.person_id.is_distinct_from(but_for))
        with memory._database.engine.connect() as connection:
            counts[table.name] = connection.execute(rows_of).scalar_one()
    return counts


def test_nothing_that_they_said_or_were_called_is_left(memory, quentin):
    for words in (NAME, "quentin@example.com", HERS.user_id, ADDRESS, "Kolkata"):
        assert words in dump(memory), "else this would prove nothing"
    report = memory.erase(quentin.person_id, "left, and asked for it")
    left = dump(memory).replace(HERS.user_id, "", dump(memory).count(HERS.user_id) if report.copies else 0)
    for words in (NAME, "quentin@example.com", ADDRESS, "Kolkata"):
        assert words not in left
    assert report.rewritten
    assert {"answers", "traces", "watches", "cards", "chat_identities", "chat_addresses", "events"} <= set(
        report.surfaces
    )


def test_no_hash_is_left_that_would_confirm_a_guess_at_what_they_asked_or_claimed(memory, quentin):
    memory.context(PlanRequest(question=QUESTION), quentin)
    memory.verify(VerifyRequest([QUESTION]), quentin)
    guessed = [json_hash(asdict(one)) for one in (PlanRequest(question=QUESTION), VerifyRequest([QUESTION]))]
    assert all(one in dump(memory) for one in guessed), "else this would prove nothing"
    memory.erase(quentin.person_id, "left")
    assert not any(one in dump(memory) for one in guessed)


def test_where_they_were_found_is_kept_only_until_their_cards_are_redacted(memory, quentin):
    memory.erase(quentin.person_id, "left")
    [message] = rows(memory, CardMessage)
    assert message.place["user_id"], "or nobody could redact it"
    [job] = [row for row in rows(memory, Job) if row.kind == JobKind.NOTIFY_REDACT]
    memory.outcomes.redact("default", message.message_id)
    card = memory.outcomes.updating("default", message.message_id, lambda left: left)
    memory.outcomes.updated(card)
    [message] = rows(memory, CardMessage)
    assert (message.state, message.card, job.payload) == (
        CardState.REDACTED, {}, {"message_id": str(message.message_id)},
    )  # fmt: skip
    assert HERS.user_id not in dump(memory)


def test_they_are_nobody_from_then_on(memory, quentin, clock):
    memory.erase(quentin.person_id, "left")
    with pytest.raises(NotFound):
        memory.people.principal("default", quentin.person_id)
    assert memory.people.at("default", HERS) is None
    assert not memory.people.places("default")
    assert memory.inbound.lease() == [], "what they had said is worked on no more"
    assert {watch.enabled for watch in rows(memory, Watch)} == {False}
    clock.advance(DAY)
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 55 EUR."}))
    memory.sweep()
    assert not [job for job in rows(memory, Job) if job.kind == JobKind.NOTIFY_WATCH]


def test_erased_twice_is_once(memory, quentin):
    first = memory.erase(quentin.person_id, "left")
    assert memory.erase(quentin.person_id, "left, as was said").erasure_id == first.erasure_id
    memory.people.put("default", NAME, email="quentin@example.com")
    assert memory.erase(quentin.person_id, "came back, and left").erasure_id != first.erasure_id


def test_everybody_else_keeps_everything(memory, quentin):
    """Of another person, and of another tenant."""
    other = add_person(memory, "Bob")
    lived(memory, other)
    memory.people.ensure_tenant("second", "Second")
    add_person(memory, NAME, tenant="second")
    near = [("default", replace(HERS, user_id="U0")), ("default", replace(HERS, workspace="T2")), ("second", HERS)]
    for tenant, place in near:
        memory.addresses.keep(tenant, place, {"conversation": "theirs"})
    before = counted(memory, quentin.person_id)
    saved = memory.answers(other)
    memory.erase(quentin.person_id, "left")
    after = counted(memory, quentin.person_id)
    grown = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    assert grown.pop("chat_address") == -1
    theirs = {"watch_pending", "job", "job_lane", "feed", "node_version", "audit", "erasure"}
    assert set(grown) <= theirs, "what is Quentin's has no column that says so"
    assert all(memory.addresses.find(tenant, place) for tenant, place in near)
    assert memory.answers(other) == saved
    assert len(memory.watches(other)) == 2
    assert NAME in {person.display_name for person in memory.people.all("second")}


def test_who_comes_back_begins_anew(memory, quentin):
    memory.erase(quentin.person_id, "left")
    again = memory.people.put("default", NAME, email="quentin@example.com")
    person = memory.people.principal("default", again)
    assert (memory.answers(person), memory.watches(person)) == ([], [])
    assert (memory.people.get("default", again).zone, person.roles) == ("UTC", {"member"})


def test_who_comes_back_hears_of_what_they_watch_again(memory, quentin, clock):
    memory.erase(quentin.person_id, "left")
    again = memory.people.principal("default", memory.people.put("default", NAME, email="quentin@example.com"))
    node = section("travel.md", "Travel", "Meals")
    assert memory.watch(watch_request(again, ScopeType.ENTITY, node, name="meals"), again).name == "meals"
    memory.sweep()
    clock.advance(DAY)
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 55 EUR."}))
    memory.sweep()
    assert [job for job in rows(memory, Job) if job.kind == JobKind.NOTIFY_WATCH]


def test_the_audit_names_them_by_id_alone(memory, quentin):
    memory.erase(quentin.person_id, "left")
    assert {row.target for row in rows(memory, Audit) if row.action == "erase"} == {f"person:{quentin.person_id}"}
    assert NAME not in str([row.model_dump() for row in rows(memory, Audit)])
    assert not rows(memory, ChatIdentity)
    assert not [row for row in rows(memory, Inbox) if row.body]
    [row] = rows(memory, Person)
    assert (row.email, row.roles, row.active) == (None, [], False)
    with pytest.raises(NotFound):
        memory.erase(UUID(int=1), "nobody")


def test_what_they_said_before_anybody_knew_them_goes_too(memory):
    early, other = Place("slack", "T1", "U0EARLY"), Place("slack", "T1", "U0OTHER")
    for place in (early, other):
        memory.inbound.receive("default", place, "e1", "question", {"text": f"{place.user_id} said cinnamon"})
        memory.messages.greet("default", place, "2026-01-01", {"words": f"tell them {place.user_id}, and nutmeg"})
    person_id = memory.people.put("default", "Emma")
    memory.people.bind("default", person_id, early)
    memory.erase(person_id, "left")
    [event] = rows(memory, Inbox)
    assert (event.speaker, bool(event.body)) == ("slack:T1:U0OTHER", True), "of another stranger nothing is taken"
    cards = {row.person_id: row.card for row in rows(memory, CardMessage)}
    assert (cards[stranger(early)], bool(cards[stranger(other)])) == ({}, True)


def test_an_answer_made_while_its_asker_is_erased_is_not_kept(memory, quentin, monkeypatch):
    engine = memory._engines.generate
    trace = engine._trace

    def erased_meanwhile(*given):
        memory.erase(quentin.person_id, "left")
        trace(*given)

    monkeypatch.setattr(engine, "_trace", erased_meanwhile)
    with pytest.raises(NotFound):
        memory.generate("May Quentin have saffron?", quentin)
    assert "saffron" not in dump(memory)


def test_an_erasure_and_a_card_that_arrives_wait_for_each_other(memory, quentin):
    """Whoever records that a card has arrived locks it first, and then what its person was shown."""
    [message] = rows(memory, CardMessage)
    thing = UUID(int=7)
    with memory._database.write("default") as tx:
        messages.show(tx, quentin.person_id, {thing: 1})
    reports = []
    erasing = Thread(target=lambda: reports.append(memory.erase(quentin.person_id, "left")))
    with memory._database.write("default") as tx:
        messages.locked(tx, message.message_id)
        erasing.start()
        erasing.join(0.3)
        messages.show(tx, quentin.person_id, {thing: 2})
    erasing.join()
    assert reports
    assert not rows(memory, LastShown)
