"""A source that is erased is found nowhere, down to the bytes; and nothing else is touched."""

import logging
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Thread
from uuid import UUID

import pytest
from sqlalchemy import event, make_url, text

import core.generate.engine as generate
from core.clock import DAY
from core.erasure.surfaces import DONE, Copies, Surface
from core.errors import Erased, InsufficientEvidence, InvalidRequest, NotFound
from core.jobs.kinds import JobKind
from core.model.answers import SavedAnswer
from core.model.card_states import CardState
from core.model.erased import ERASED
from core.model.watching import ScopeType
from core.model.work import Offer
from core.planner.request import PlanRequest
from core.store.tables import Audit, CardMessage, Feed, Job, NodeVersion, Source, SourceVersion, Trace, Watch
from tests.support.memories import (
    add_person,
    document,
    dump,
    open_memory,
    page,
    place_of,
    put,
    rows,
    section,
    source_id,
    watch_request,
)
from tests.support.room import room_for

CANARY = "marzipan"
QUESTION = "What may a meal cost at most?"
URI = "secret.md"
SOURCE = source_id(URI)


def secret(price: int) -> bytes:
    front = f"---\ntitle: The {CANARY} paper\nowner: {CANARY}\n---\n\n"
    return front.encode() + page(
        "Secret", {f"Meals with {CANARY}": f"A meal may cost at most {price} EUR of {CANARY}."}
    )


class World:
    """Somebody asked, saved, watched and was sent cards; the document has changed since."""

    def __init__(self, memory, clock):
        self.memory = memory
        self.ada, self.bob = add_person(memory, "Ada"), add_person(memory, "Bob")
        put(memory, URI, secret(40))
        put(memory, "other.md", page("Other", {"Trains": "A train may be booked in first class by everybody."}))
        self.trace_id = memory.generate(QUESTION, self.ada).trace_id
        self.answer_id = memory.save_answer(self.trace_id, self.ada)
        node = section(URI, "Secret", f"Meals with {CANARY}")
        self.watch_id = memory.watch(self.watching(node), self.ada).watch_id
        self.memory.sweep()
        clock.advance(DAY)
        put(memory, URI, secret(55))
        memory.check_answer(self.answer_id)
        self.sent = self.post("answer", f"55 EUR of {CANARY}", [SOURCE])
        self.told(self.sent)
        self.listed = self.post("watching", f"You watch: {CANARY}", [], target=str(self.watch_id))
        self.told(self.listed)
        self.waiting = self.post("later", f"wait: {CANARY}", [SOURCE])
        self.innocent = self.post("trains", "first class", [source_id("other.md")])
        self.told(self.innocent)

    def watching(self, node):
        return watch_request(self.ada, ScopeType.ENTITY, node, name=f"Meals with {CANARY}")

    def post(self, subject, words, source_ids, target=""):
        card = {"words": words, "buttons": [{"target": target}]}
        return self.memory.messages.post(
            "default", self.ada.person_id, place_of(self.ada.person_id), subject, "reply",
            lambda _: card, Offer(), source_ids,
        )  # fmt: skip

    def told(self, message_id):
        """A card goes out to the inbox that this database keeps."""
        card = self.memory.delivery.take("default", message_id, lambda *_: {})
        ref = self.memory.local.post("default", card.person_id, card.delivery_key, "bot", {"card": card.card})
        self.memory.outcomes.sent(card, str(ref))

    def erase(self, reason="somebody asked for it"):
        return self.memory.erase(SOURCE, reason)

    def message(self, message_id):
        return next(row for row in rows(self.memory, CardMessage) if row.message_id == message_id)


@pytest.fixture
def world(memory, clock):
    return World(memory, clock)


def files(memory):
    """The bytes of the database's own files; of PostgreSQL, the tables', since its log is its administrator's."""
    url = memory._database.url
    if memory._database.is_sqlite:
        return b"".join(file.read_bytes() for file in Path(url.database).parent.glob(f"{Path(url.database).name}*"))
    with memory._database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("CHECKPOINT"))
        folder = Path(connection.execute(text("SHOW data_directory")).scalar_one())
        base = connection.execute(text("SELECT oid FROM pg_database WHERE datname = current_database()")).scalar_one()
    return b"".join(file.read_bytes() for file in (folder / "base" / str(base)).iterdir() if file.is_file())


def test_no_byte_is_left_in_the_files_or_in_a_dump(world, caplog):
    caplog.set_level(logging.DEBUG)
    with world.memory._database.engine.begin() as connection:
        connection.execute(text("ANALYZE"))  # so that statistics hold common values, as in time they do
    assert CANARY in dump(world.memory)
    assert CANARY.encode() in files(world.memory), "else this would prove nothing"
    assert world.erase().rewritten
    assert CANARY not in dump(world.memory)
    assert CANARY.encode() not in files(world.memory)
    assert CANARY not in caplog.text


def test_the_report_says_what_was_done_on_each_surface(world):
    report = world.erase("asked on the phone")
    assert set(report.surfaces) <= set(DONE), "each surface has words for what is done there"
    assert report.surfaces[Surface.VERSIONS] == 2
    for surface in (Surface.SPANS, Surface.NODES, Surface.RECALL_ENTRIES, Surface.ANSWERS, Surface.TRACES):
        assert report.surfaces[surface] > 0, surface
    assert report.surfaces[Surface.WATCHES] == 1, "not the one that has her answer checked: it is called as she asked"
    assert report.surfaces[Surface.CARDS] == 3
    assert report.copies == {str(world.sent): Copies.WAITING, str(world.listed): Copies.WAITING}
    assert (report.reason, report.actor, report.subject_id) == ("asked on the phone", "operator", SOURCE)
    assert world.memory.erasure.reports("default") == [report]
    [audited] = [row for row in rows(world.memory, Audit) if row.action == "erase"]
    assert audited.target == f"source:{SOURCE}"


def test_coordinates_hashes_and_tombstones_stay(world):
    before = [(row.version_tx, row.text_hash) for row in rows(world.memory, SourceVersion) if row.source_id == SOURCE]
    world.erase()
    after = [row for row in rows(world.memory, SourceVersion) if row.source_id == SOURCE]
    assert [(row.version_tx, row.text_hash) for row in after] == before
    assert {row.text for row in after} == {""}
    [source] = [row for row in rows(world.memory, Source) if row.source_id == SOURCE]
    assert (source.hash_key, source.readers) == (b"", []), "no hash of a short text can be guessed any more"
    nodes = [row for row in rows(world.memory, NodeVersion) if row.source_id == SOURCE]
    assert {row.node_id for row in nodes} == {row.node_id for row in nodes if row.tombstone}, "each stands no more"


def test_an_answer_that_rested_on_it_is_invalidated_and_says_so_once(world):
    world.memory.sweep()
    world.erase()
    saved = world.memory.answer(world.answer_id, world.ada)
    assert isinstance(saved, SavedAnswer)
    assert (saved.status, saved.question, saved.text) == ("invalidated", QUESTION, ERASED)
    assert {claim.text for claim in saved.claims} == {ERASED}
    world.memory.check_answer(world.answer_id)
    assert world.memory.answer(world.answer_id, world.ada).status == "invalidated", "it never comes back"
    stale = [row for row in rows(world.memory, Feed) if row.change == "answer_stale" and row.ref_id == world.answer_id]
    assert len(stale) <= 2, "one when it changed, one when it was erased"


def test_a_superseded_answer_keeps_its_status(world):
    new = world.memory.refresh_answer(world.answer_id, world.ada).answer_id
    assert new != world.answer_id
    world.erase()
    old = world.memory.answer(world.answer_id, world.ada)
    assert (old.status, old.text) == ("superseded", ERASED)
    assert world.memory.answer(new, world.ada).status == "invalidated"


def test_nothing_can_be_saved_from_a_trace_of_it(world):
    trace_id = world.memory.generate(QUESTION, world.bob).trace_id
    world.erase()
    with pytest.raises(InvalidRequest):
        world.memory.save_answer(trace_id, world.bob)


def test_it_is_found_no_more_here_or_in_another_process(world, reopen):
    other = reopen()
    question = PlanRequest(question=f"{CANARY} meal")
    assert SOURCE in {span.span.source_id for span in other.plan(question, world.bob).spans}
    other.generate(QUESTION, world.bob)  # so that it keeps the document as parsed
    kept = other._engines.recall._tenants["default"].index
    world.erase()
    trains = PlanRequest(question="Who may book a train in first class?")
    for memory in (other, reopen()):
        with pytest.raises(InsufficientEvidence):
            memory.plan(question, world.bob)
        assert {span.span.source_id for span in memory.plan(trains, world.bob).spans} == {source_id("other.md")}
        memory.generate(trains.question, world.bob)
    assert not kept._rows.entries_of(SOURCE).size, "nor kept in its memory"
    assert SOURCE not in {key[1] for key in other._engines.library._kept}


def test_a_card_nobody_has_seen_is_not_sent_and_one_that_stands_is_redacted_by_a_job(world):
    world.erase()
    assert world.message(world.waiting).state == CardState.SKIPPED
    assert world.message(world.innocent).card["words"] == "first class"
    jobs = [row for row in rows(world.memory, Job) if row.kind == JobKind.NOTIFY_REDACT]
    assert {row.payload["message_id"] for row in jobs} == {str(world.sent), str(world.listed)}
    assert not world.memory.outcomes.outdated(), "the job does it"
    world.memory.outcomes.redact("default", world.sent)
    card = world.memory.outcomes.updating("default", world.sent, lambda left: {"redacted": left})
    assert card.card == {"redacted": {}}
    world.memory.outcomes.updated(card)
    assert world.message(world.sent).state == CardState.REDACTED
    assert world.message(world.sent).place["user_id"] == "", "it is needed no more"
    [report] = world.memory.erasure.reports("default")
    assert report.copies[str(world.sent)] == Copies.REDACTED


def test_a_platform_that_will_not_change_its_copy_is_named_in_the_report(world):
    world.erase()
    world.memory.outcomes.redact("default", world.sent)
    card = world.memory.outcomes.updating("default", world.sent, lambda left: left)
    world.memory.outcomes.not_updated(card, None, for_good=True)
    [report] = world.memory.erasure.reports("default")
    assert report.copies[str(world.sent)] == Copies.REFUSED


def test_a_card_of_which_nobody_knows_is_listed(world):
    lost = world.post("lost", f"lost: {CANARY}", [SOURCE])
    card = world.memory.delivery.take("default", lost, lambda *_: {})
    world.memory.outcomes.lost(card, "time-out")
    report = world.erase()
    assert report.copies[str(lost)] == Copies.UNKNOWN


def test_a_card_that_arrives_after_the_erasure_is_redacted_too(world):
    """It was in flight: the platform takes it, and the job has its copy changed."""
    late = world.post("late", f"late: {CANARY}", [SOURCE])
    card = world.memory.delivery.take("default", late, lambda *_: {})
    world.erase()
    ref = world.memory.local.post("default", card.person_id, card.delivery_key, "bot", {"card": card.card})
    assert CANARY not in dump(world.memory), "not even in the inbox that is kept here"
    world.memory.outcomes.redact("default", late)
    world.memory.outcomes.sent(card, str(ref))
    assert late in {one.message_id for one in world.memory.outcomes.outdated()}


def test_words_that_were_read_before_are_not_written_after(world, monkeypatch):
    """An answer is made while its document is erased."""
    engine = world.memory._engines.generate
    trace = engine._trace

    def erased_meanwhile(*given):
        world.erase()
        trace(*given)

    monkeypatch.setattr(engine, "_trace", erased_meanwhile)
    with pytest.raises(NotFound):
        world.memory.generate(QUESTION, world.bob)
    assert CANARY not in dump(world.memory)


def test_an_erasure_waits_for_whoever_is_about_to_write_words_down(world, monkeypatch):
    """They have looked, and nothing is erased yet: the erasure must come after what they write, not in between."""
    erasing = Thread(target=world.erase)
    looked = generate._refuse_erased

    def looks(*given):
        looked(*given)
        erasing.start()
        erasing.join(0.3)

    monkeypatch.setattr(generate, "_refuse_erased", looks)
    trace_id = world.memory.generate(QUESTION, world.bob).trace_id
    erasing.join()
    assert trace_id in {row.trace_id for row in rows(world.memory, Trace)}
    assert CANARY not in dump(world.memory)


def test_a_card_made_of_what_was_erased_meanwhile_holds_nothing(world):
    world.erase()
    late = world.post("too late", f"late: {CANARY}", [SOURCE])
    assert world.message(late).card == {}
    assert world.memory.delivery.take("default", late, lambda *_: {}) is None


def test_it_is_not_taken_in_again_unless_somebody_says_so(world):
    world.erase()
    with pytest.raises(Erased, match="readmits"):
        put(world.memory, URI, secret(60))
    assert CANARY not in dump(world.memory)
    world.memory.documents.readmit("default", URI)
    result = put(world.memory, URI, secret(60))
    assert (result.outcome, result.source_id != SOURCE) == ("new", True), "a source of its own, with a key of its own"
    assert CANARY in world.memory.generate(QUESTION, world.bob).text
    assert world.memory.answer(world.answer_id, world.ada).status == "invalidated"


def test_only_what_was_erased_is_readmitted(world):
    with pytest.raises(NotFound, match=r"other\.md"):
        world.memory.documents.readmit("default", "other.md")


def test_an_ingest_that_was_under_way_is_refused(world, monkeypatch):
    engine = world.memory._engines.ingest
    prepare = engine._prepare

    def erased_meanwhile(*given):
        prepared = prepare(*given)
        world.memory.remove(URI)
        world.erase()
        return prepared

    monkeypatch.setattr(engine, "_prepare", erased_meanwhile)
    monkeypatch.setattr(world.memory._database, "rewrite", lambda: False)  # the ingest itself reads the file meanwhile
    with pytest.raises(Erased):
        put(world.memory, URI, secret(70))
    assert CANARY not in dump(world.memory)


def test_the_same_document_elsewhere_stays(world):
    """Erased from one place only (and from one tenant only)."""
    put(world.memory, "copy.md", secret(40))
    world.memory.people.ensure_tenant("other", "Other")
    put(world.memory, URI, secret(40), tenant="other")
    stranger = add_person(world.memory, "Cy", tenant="other")
    world.erase()
    assert CANARY in world.memory.generate(QUESTION, world.bob).text
    assert CANARY in world.memory.generate(QUESTION, stranger).text


def test_a_neighbour_ingested_again_brings_nothing_back(world):
    world.erase()
    put(world.memory, "other.md", page("Other", {"Trains": "See [the secret](secret.md). Second class from now on."}))
    assert CANARY not in dump(world.memory)
    assert document(URI) not in {str(node.node_id) for node in world.memory.query("DOCUMENT", [], world.bob)}


def test_what_people_watch_keeps_its_life_and_loses_its_name(world):
    world.erase()
    [watch] = [row for row in rows(world.memory, Watch) if row.watch_id == world.watch_id]
    assert watch.name == ERASED
    world.memory.sweep()


def test_erasing_twice_is_once_and_finishes_what_was_begun(world, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(world.memory._database, "rewrite", lambda: False)
        first = world.erase()
    assert not first.rewritten, "a reader was in the way"
    again = world.erase("another reason")
    assert (again.erasure_id, again.rewritten, again.reason) == (first.erasure_id, True, first.reason)


def test_a_file_that_somebody_reads_is_written_anew_later(sqlite_url, clock, monkeypatch):
    monkeypatch.setattr("core.store.database.REWRITE_WAIT_MS", 10)
    with (
        closing(open_memory(sqlite_url, clock)) as memory,
        closing(sqlite3.connect(make_url(sqlite_url).database)) as db,
    ):
        memory.people.ensure_tenant("default", "Default")
        put(memory, URI, secret(40))
        db.execute("BEGIN")
        db.execute("SELECT * FROM source").fetchall()
        assert not memory.erase(SOURCE, "somebody reads").rewritten
        assert not memory.erasure.finish("default")
        assert CANARY not in dump(memory), "no row holds a word of it all the same"
        db.rollback()
        assert memory.erasure.finish("default")
        assert memory.erasure.reports("default")[0].rewritten
        assert CANARY.encode() not in files(memory)


def test_without_room_to_write_the_file_anew_what_was_erased_is_reported_all_the_same(sqlite_url, clock):
    file = Path(make_url(sqlite_url).database)
    with closing(open_memory(sqlite_url, clock)) as memory:
        memory.people.ensure_tenant("default", "Default")
        put(memory, URI, secret(40))
        with closing(sqlite3.connect(file)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with room_for(file.stat().st_size):
            report = memory.erase(SOURCE, "asked by mail")
        assert (report.rewritten, report.surfaces["versions"]) == (False, 1)
        assert str(file) in report.hindered
        again = memory.erase(SOURCE, "there is room")
        assert (again.erasure_id, again.rewritten, again.hindered) == (report.erasure_id, True, "")


def test_an_admin_may_and_nobody_else_finds_anything_to_erase(world):
    boss = add_person(world.memory, "Boss", roles=("admin",))
    for subject in (SOURCE, UUID(int=1), world.bob.person_id):
        with pytest.raises(NotFound):
            world.memory.erase(subject, "curious", world.ada)
    report = world.memory.erase(SOURCE, "asked", boss)
    assert report.actor == f"person:{boss.person_id}"


def test_nothing_is_erased_without_a_reason_or_where_there_is_nothing(world):
    with pytest.raises(InvalidRequest, match="why"):
        world.erase("  ")
    assert CANARY in dump(world.memory), "and nothing is half done"
    with pytest.raises(NotFound):
        world.memory.erase(UUID(int=1), "none such")


def test_many_cards_are_emptied_with_few_statements(world):
    """Every other writer waits meanwhile."""
    for number in range(60):
        world.told(world.post(f"card {number}", f"55 EUR of {CANARY}", [SOURCE]))
    statements: list[str] = []
    event.listen(world.memory._database.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    report = world.erase()
    assert len(report.copies) > 60
    about_cards = [one for one in statements if "card_message" in one or "INTO job" in one]
    assert len(about_cards) < 30
