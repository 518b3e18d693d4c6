"""Another embedding model: refused until everything is embedded anew, which may be stopped and disturbed."""

from collections import Counter
from contextlib import closing

import numpy as np
import pytest

from core.clock import DAY, SECOND, ManualClock
from core.embed.hashing import HashingEmbedder
from core.errors import ModelMismatch, SemanticUnavailable
from core.maintenance import reembed
from core.planner.request import PlanRequest
from core.reembed.engine import ReembedEngine
from core.store.database import Database
from core.store.tables import Audit, RecallEntry, SourceVersion, Tenant
from tests.support.embedders import CountingEmbedder, MirroredEmbedder, WideEmbedder
from tests.support.memories import NOW, add_person, change_row, last_tx, open_memory, page, put, rows, source_id
from tests.support.threads import at_once

QUESTION = "What may a meal cost at most?"
MEALS, OFFICE = "A meal may cost at most 40 EUR.", "The office opens at eight."
MATCH = PlanRequest(find="PASSAGE", where=({"prop": "text", "op": "match", "value": "meal"},))


def fill(memory):
    """Documents with a past, equal texts, a name that is only the file's, and one that is gone."""
    put(memory, "travel.md", page("Travel", {"Meals": MEALS, "Again": f"{MEALS}\n\n{MEALS}\n\n{OFFICE}"}))
    put(memory, "notes.txt", b"Bring a meal.\n\nBring a coat.\n\nBring a meal.\n")
    put(memory, "table.csv", b"City,Meal\nOslo,40\nBern,50\n")
    put(memory, "gone.md", page("Gone", {"Meals": "A meal was free."}))
    memory.documents.rename("default", "notes.txt", "things to bring.txt")
    memory.remove("gone.md")
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 55 EUR.", "Again": OFFICE}))
    return memory


def another(url, clock, embedder):
    """Reembed, as another process would."""
    return reembed(url, embedder, clock=clock)


def in_batches(url, clock, embedder, on_progress):
    """The same, two texts at a time."""
    with closing(Database(url, clock)) as database:
        return ReembedEngine(database, embedder, 2).run(on_progress)


def nothing(_done, _total):
    pass


def entries(memory, tenant="default"):
    """What is recalled by, without what is random in each database."""
    found = rows(memory, RecallEntry, tenant)
    return sorted((row.model, str(row.source_id), row.dense, str(sorted(row.terms.items()))) for row in found)


def plans(memory, person):
    """What is found now and in the past, to the bit."""
    requests = [
        PlanRequest(QUESTION),
        PlanRequest("coat", valid_time=NOW + 2 * SECOND),
        PlanRequest("free meal"),
        MATCH,
    ]
    return [memory.plan(request, person).plan_hash for request in requests]


def spans(memory, person):
    return [(one.span, one.text) for one in memory.plan(MATCH, person).plan.spans]


# ── the mismatch ──


@pytest.mark.parametrize("embedder", [MirroredEmbedder(), WideEmbedder()])
def test_afterwards_everything_is_as_if_it_had_been_ingested_under_the_new_model(
    reopen, database_url, clock, tmp_path, embedder
):
    fill(reopen()).close()
    with pytest.raises(ModelMismatch, match=rf"hashing-256-v1 \(256 .*{embedder.model} \({embedder.dim}.*reembed"):
        reopen(embedder=embedder)
    [done] = another(database_url, clock, embedder)
    moved = reopen(embedder=embedder)

    with closing(open_memory(f"sqlite:///{tmp_path / 'fresh.db'}", ManualClock(NOW), embedder=embedder)) as fresh:
        fresh.people.ensure_tenant("default", "Default")
        fill(fresh)
        assert entries(moved) == entries(fresh)
        assert plans(moved, add_person(moved, "Ada")) == plans(fresh, add_person(fresh, "Ada"))
    assert (done.was, done.unread) == ("hashing-256-v1 (256 dimensions)", 0)
    assert done.removed == len(entries(moved))


def test_the_very_texts_that_were_ingested_are_embedded_each_once(reopen, database_url, clock):
    """A renamed document is read under the title that it had."""
    ingested, again = CountingEmbedder(), MirroredEmbedder()
    fill(reopen(embedder=ingested))
    [done] = another(database_url, clock, again)
    assert again.seen == Counter(dict.fromkeys(ingested.seen, 1))
    assert done.embedded == len(ingested.seen)


def test_a_second_time_there_is_nothing_to_do(reopen, database_url, clock):
    fill(reopen()).close()
    another(database_url, clock, MirroredEmbedder())
    before = entries(reopen(embedder=MirroredEmbedder()))
    again = MirroredEmbedder()
    [done] = another(database_url, clock, again)
    assert (done.changed, done.embedded, again.seen) == (False, 0, Counter())
    assert entries(reopen(embedder=again)) == before


def test_it_is_told_how_far_it_is_and_audited(reopen, database_url, clock):
    memory = fill(reopen())
    told = []
    in_batches(database_url, clock, MirroredEmbedder(), lambda done, total: told.append((done, total)))
    count = len(rows(memory, RecallEntry))
    assert told == sorted(told)
    assert told[-1] == (count, count)
    [row] = [row for row in rows(memory, Audit) if row.action == "reembedded"]
    assert ("hashing" in row.detail["was"], "mirrored" in row.detail["now"]) == (True, True)
    assert row.detail["tx"] == last_tx(memory)


# ── without a model ──


def test_what_was_ingested_without_a_model_is_not_silently_found_by_nothing(reopen, database_url, clock):
    blind = reopen(embedder=None)
    fill(blind)
    ada = add_person(blind, "Ada")
    assert blind.plan(MATCH, ada).spans
    with pytest.raises(ModelMismatch, match=r"no model \(embedder none\).*hashing-256-v1.*reembed"):
        reopen()
    another(database_url, clock, HashingEmbedder())
    assert reopen().plan(PlanRequest(QUESTION), ada).best_cosine > 0.5


def test_a_memory_without_a_model_reads_on_across_the_move_and_may_not_add(reopen, database_url, clock):
    fill(reopen())
    blind = reopen(embedder=None)
    ada = add_person(blind, "Ada")
    before = spans(blind, ada)
    for embedder in (MirroredEmbedder(), HashingEmbedder()):
        another(database_url, clock, embedder)
        assert spans(blind, ada) == before
        with pytest.raises(SemanticUnavailable):
            blind.plan(PlanRequest(QUESTION), ada)
        with pytest.raises(ModelMismatch, match="no model"):
            put(blind, "new.md", page("New", {"Meals": "Anything goes."}))


def test_vectors_can_be_given_up(reopen, database_url, clock):
    fill(reopen())
    [done] = another(database_url, clock, None)
    assert (done.embedded, done.unread) == (0, 0)
    blind = reopen(embedder=None)
    put(blind, "new.md", page("New", {"Meals": "Any meal goes."}))
    assert {row.dense for row in rows(blind, RecallEntry)} == {b""}
    assert len(blind.plan(MATCH, add_person(blind, "Ada")).spans) > 1


# ── while others work ──


def test_a_process_under_the_old_model_is_refused_from_the_move_on(reopen, database_url, clock):
    old = fill(reopen())
    ada = add_person(old, "Ada")
    assert old.plan(PlanRequest(QUESTION), ada).spans
    another(database_url, clock, MirroredEmbedder())
    for call in (
        lambda: old.plan(PlanRequest(QUESTION), ada),
        lambda: old.plan(MATCH, ada),
        lambda: put(old, "travel.md", page("Travel", {"Meals": "A meal is free."})),
    ):
        for _ in range(2):
            with pytest.raises(ModelMismatch, match="reembed"):
                call()
    assert {row.model for row in rows(old, RecallEntry)} == {"mirrored-v1"}


def test_an_ingest_that_was_under_way_when_the_model_changed_is_refused(reopen, database_url, clock):
    class Overtaken(HashingEmbedder):
        def embed(self, texts):
            another(database_url, clock, MirroredEmbedder())
            return super().embed(texts)

    fill(reopen()).close()
    late = reopen(embedder=Overtaken())
    versions = len(rows(late, SourceVersion))
    with pytest.raises(ModelMismatch):
        put(late, "late.md", page("Late", {"Meals": "No meal."}))
    assert len(rows(late, SourceVersion)) == versions
    assert {row.model for row in rows(late, RecallEntry)} == {"mirrored-v1"}


def test_what_is_ingested_between_batches_is_done_too_and_no_writer_waits_for_the_model(reopen, database_url, clock):
    """Were a write transaction open while the model works, the other's ingest would wait for it in vain."""

    class Disturbed(MirroredEmbedder):
        calls = 0

        def embed(self, texts):
            self.calls += 1
            if self.calls <= 12:
                put(old, f"{self.calls}.md", page(f"More {self.calls}", {"Meals": "It is for free."}))
            return super().embed(texts)

    old = fill(reopen())
    disturbed = Disturbed()
    [done] = in_batches(database_url, clock, disturbed, nothing)
    assert set(disturbed.seen.values()) == {1}
    assert done.embedded == disturbed.seen.total()
    new = reopen(embedder=MirroredEmbedder())
    assert len(new.documents.standing("default")) == 3 + 12
    assert all(row.dense and row.model == "mirrored-v1" for row in rows(new, RecallEntry))
    assert new.plan(PlanRequest("More 12, meals: free"), add_person(new, "Ada")).best_cosine > 0.5


def test_a_text_that_comes_again_between_batches_has_its_vector_already(reopen, database_url, clock):
    class Disturbed(MirroredEmbedder):
        def embed(self, texts):
            if self.seen.total() > 6:
                put(old, "travel.md", page("Travel", {"Again": "\n\n".join([MEALS] * self.seen.total())}))
            return super().embed(texts)

    old, disturbed = fill(reopen()), Disturbed()
    in_batches(database_url, clock, disturbed, nothing)
    [(_, repeats)] = Counter((str(row.terms), row.dense) for row in rows(old, RecallEntry)).most_common(1)
    assert repeats > 6
    assert set(disturbed.seen.values()) == {1}


def test_an_erasure_between_batches_stays_one(reopen, database_url, clock):
    class Erasing(MirroredEmbedder):
        def embed(self, texts):
            if any(MEALS in text for text in texts):
                memory.erase(source_id("travel.md"), "they asked")
            return super().embed(texts)

    memory = fill(reopen())
    in_batches(database_url, clock, Erasing(), nothing)
    left = rows(memory, RecallEntry)
    assert {row.model for row in left} == {"mirrored-v1"}
    assert source_id("travel.md") not in {row.source_id for row in left}


def test_two_at_once_end_as_one(reopen, database_url, clock):
    fill(reopen()).close()
    ended = at_once(*(lambda: in_batches(database_url, clock, MirroredEmbedder(), nothing) for _ in range(2)))
    assert [len(tenants) for tenants in ended] == [1, 1]
    memory = reopen(embedder=MirroredEmbedder())
    assert {row.model for row in rows(memory, RecallEntry)} == {"mirrored-v1"}
    assert memory.plan(PlanRequest(QUESTION), add_person(memory, "Ada")).best_cosine > 0.5


# ── stopped ──


class Killed(BaseException):
    pass


@pytest.mark.parametrize("at", ["model", "commit"])
def test_killed_at_every_batch_it_goes_on_and_embeds_nothing_twice(reopen, database_url, clock, at):
    class Mortal(MirroredEmbedder):
        def embed(self, texts):
            if self.seen and at == "model":
                raise Killed
            return super().embed(texts)

    def told(_done, _total):
        if at == "commit":
            raise Killed

    memory = fill(reopen())
    ada = add_person(memory, "Ada")
    before = memory.plan(PlanRequest(QUESTION), ada).plan_hash
    seen, deaths = Counter(), 0
    while True:
        mortal = Mortal()
        try:
            in_batches(database_url, clock, mortal, told)
            break
        except Killed:
            deaths += 1
            assert reopen().plan(PlanRequest(QUESTION), ada).plan_hash == before, "it is the old model's, and whole"
        finally:
            seen += mortal.seen
    assert deaths >= len(seen) // 2 - 1 > 3
    assert set(seen.values()) == {1}
    assert {row.model for row in rows(memory, RecallEntry)} == {"mirrored-v1"}


def test_old_entries_that_a_killed_run_left_are_cleared_by_the_next(reopen, database_url, clock):
    memory = fill(reopen())
    another(database_url, clock, MirroredEmbedder())
    with memory._database.write("default") as tx:
        row = rows(memory, RecallEntry)[0]
        tx.insert(RecallEntry, [row.model_dump() | {"model": "left"}])
    [done] = another(database_url, clock, MirroredEmbedder())
    assert (done.changed, done.embedded, done.removed) == (True, 0, 1)


# ── tenants, and what cannot be read again ──


def test_every_tenant_moves_and_one_without_documents_stays_free(reopen, database_url, clock):
    memory = reopen()
    memory.people.ensure_tenant("other", "Other")
    memory.people.ensure_tenant("empty", "Empty")
    fill(memory)
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost 10 EUR."}), tenant="other")
    done = {one.tenant_id: one for one in another(database_url, clock, MirroredEmbedder())}
    assert {name: one.changed for name, one in done.items()} == {"default": True, "other": True, "empty": False}
    moved = reopen(embedder=MirroredEmbedder())
    assert {row.tenant_id: row.embed_model for row in rows(moved, Tenant, None)} == {
        "default": "mirrored-v1",
        "other": "mirrored-v1",
        "empty": None,
    }
    texts = [moved.plan(PlanRequest(QUESTION), add_person(moved, "Eve", tenant=name)) for name in ("default", "other")]
    assert all(planned.best_cosine > 0.5 for planned in texts)
    assert {row.source_id for row in rows(moved, RecallEntry, "other")} == {source_id("travel.md", "other")}


def test_what_cannot_be_read_again_is_counted_and_still_found_by_its_words(reopen, database_url, clock):
    memory = reopen()
    put(memory, "travel.md", page("Travel", {"Meals": MEALS}))
    put(memory, "office.md", page("Office", {"Hours": OFFICE}))
    [version] = [row for row in rows(memory, SourceVersion) if row.source_id == source_id("travel.md")]
    change_row(memory, SourceVersion, ("default", version.source_id, version.version_tx), text="")
    [done] = another(database_url, clock, MirroredEmbedder())
    unread = [row for row in rows(memory, RecallEntry) if row.source_id == version.source_id]
    assert done.unread == len(unread) > 0
    assert all(row.dense == b"" and row.terms for row in unread)
    moved = reopen(embedder=MirroredEmbedder())
    clock.advance(DAY)
    put(moved, "travel.md", page("Travel", {"Meals": f"{MEALS}\n\n{MEALS}"}))
    known = {row.node_id for row in unread}
    [added] = [
        row for row in rows(moved, RecallEntry) if row.node_id not in known and row.source_id == version.source_id
    ]
    assert len(np.frombuffer(added.dense, np.float32)) == 256
    assert moved.plan(PlanRequest(QUESTION), add_person(moved, "Ada")).best_cosine > 0.3
