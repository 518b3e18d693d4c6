"""What the engine keeps of documents over time: histories in any order, lineage, rights, races, no work done twice."""

import itertools
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.clock import DAY, FOREVER, HOUR, ManualClock
from core.errors import InvalidRequest, NotFound, StoreUnavailable, UnreadableDocument
from core.model.node_ids import document_id
from core.model.nodes import LINKS_TO, PASSAGE, SECTION
from core.model.watching import EventKind, ScopeType
from core.planner import PlanRequest
from core.store import sources
from core.store.tables import EdgeVersion, Feed, NodeVersion, RecallEntry, Source, SourceVersion, Span
from core.store.versions import NODES
from tests.support.embedders import CountingEmbedder, MeddlingEmbedder, MeetingEmbedder
from tests.support.memories import (
    NOW,
    add_person,
    document,
    last_tx,
    open_memory,
    page,
    put,
    rows,
    section,
    source_id,
    watch_request,
    without_table,
)
from tests.support.threads import at_once

TRAVEL = page("Travel", {"Meals": "Meals cost at most 40 EUR a day.", "Hotels": "Hotels cost at most 150 EUR."})
DEARER = page("Travel", {"Meals": "Meals cost at most 45 EUR a day.", "Hotels": "Hotels cost at most 150 EUR."})
STORED = (Source, SourceVersion, Span, NodeVersion, EdgeVersion, RecallEntry)


def counts(memory, tenant="default"):
    return {table.__name__: len(rows(memory, table, tenant)) for table in STORED}


def text_at(memory, uri, valid_t, tenant="default"):
    """The text believed today to hold at a valid time; None where the document is gone or was not there."""
    with memory._database.read(tenant) as tx:
        source = sources.by_uri(tx, uri)
        node_id = document_id(source.source_id)
        node = NODES.as_of(tx, [node_id], valid_t, tx.last_tx).get(node_id)
        if node is None or node.tombstone:
            return None
        version = (source.source_id, node.props["version_tx"])
        return sources.texts(tx, [version])[version].text


def standing(memory, label, tenant="default"):
    with memory._database.read(tenant) as tx:
        found = NODES.labelled(tx, label, memory.clock.now(), tx.last_tx)
        return {node.node_id for node in found if not node.tombstone}


def versions_of(memory, node_id):
    return [row for row in rows(memory, NodeVersion) if str(row.node_id) == str(node_id)]


def feed_after(memory, tx, ref_id):
    return [row for row in rows(memory, Feed) if row.tx > tx and str(row.ref_id) == str(ref_id)]


# ── nothing new ──


def test_the_same_text_again_is_a_no_op_that_says_so(memory):
    first = put(memory, "travel.md", TRAVEL)
    before, feed = counts(memory), len(rows(memory, Feed))
    again = put(memory, "travel.md", TRAVEL)
    assert (first.outcome, again.outcome, again.version_tx) == ("new", "unchanged", first.version_tx)
    assert (counts(memory), len(rows(memory, Feed))) == (before, feed)


def test_newlines_and_a_byte_order_mark_are_no_new_version(memory):
    put(memory, "travel.md", TRAVEL)
    assert put(memory, "travel.md", b"\xef\xbb\xbf" + TRAVEL.replace(b"\n", b"\r\n")).outcome == "unchanged"


def test_a_whole_history_replayed_changes_nothing(memory):
    history = [(NOW - 3 * DAY, TRAVEL), (NOW - 2 * DAY, DEARER), (NOW - DAY, TRAVEL)]
    for at, data in history:
        put(memory, "travel.md", data, valid_start=at)
    before = counts(memory)
    assert [put(memory, "travel.md", data, valid_start=at).outcome for at, data in history] == ["unchanged"] * 3
    assert counts(memory) == before


# ── histories in any order ──


def fact(words):
    return page("Doc", {"Fact": f"The fact is {words}."})


@pytest.fixture(scope="module")
def histories(migrated_file, tmp_path_factory):
    """One memory for every example, and names for tenants of each one's own."""
    file = shutil.copy(migrated_file, tmp_path_factory.mktemp("histories") / "memory.db")
    memory = open_memory(f"sqlite:///{file}", ManualClock(NOW))
    yield memory, (f"tenant-{number}" for number in itertools.count())
    memory.close()


def replayed(memory, tenant, history, times):
    memory.people.ensure_tenant(tenant, tenant)
    for at, words in history:
        put(memory, "doc.md", fact(words), tenant=tenant, valid_start=at)
    return [text_at(memory, "doc.md", at, tenant) for at in times]


@settings(max_examples=20, deadline=None)
@given(texts=st.lists(st.sampled_from("ABC"), min_size=1, max_size=5), data=st.data())
def test_a_history_is_believed_alike_in_whatever_order_it_arrives(histories, texts, data):
    memory, tenants = histories
    history = [(NOW - (10 - place) * DAY, words) for place, words in enumerate(texts)]
    times = [at + offset for at, _ in history for offset in (-HOUR, 0, HOUR)]
    straight = replayed(memory, next(tenants), history, times)
    assert replayed(memory, next(tenants), data.draw(st.permutations(history)), times) == straight
    assert straight[1::3] == [fact(words).decode() for words in texts]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_there_and_back_again_ends_where_it_began(memory, order):
    history = [(NOW - 3 * DAY, TRAVEL), (NOW - 2 * DAY, DEARER), (NOW - DAY, TRAVEL)]
    for place in order:
        put(memory, "travel.md", history[place][1], valid_start=history[place][0])
    assert [text_at(memory, "travel.md", at) for at, _ in history] == [data.decode() for _, data in history]


def test_a_late_arriving_older_version_never_overwrites_the_present(memory, ada):
    put(memory, "travel.md", DEARER, valid_start=NOW - DAY)
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION), ada)
    put(memory, "travel.md", TRAVEL, valid_start=NOW - 2 * DAY)
    assert text_at(memory, "travel.md", memory.clock.now()) == DEARER.decode()
    assert text_at(memory, "travel.md", NOW - 2 * DAY) == TRAVEL.decode()
    assert memory.sweep().fires == 0


def test_a_text_seen_again_today_is_not_overwritten_by_a_late_one(memory, clock):
    put(memory, "travel.md", DEARER)
    clock.advance(DAY)
    put(memory, "travel.md", DEARER)
    put(memory, "travel.md", TRAVEL, valid_start=clock.now() - HOUR)
    assert text_at(memory, "travel.md", clock.now()) == DEARER.decode()


def test_looking_at_an_unchanged_document_every_day_keeps_no_row_a_day(memory, clock):
    put(memory, "travel.md", TRAVEL)
    before = len(rows(memory, sources.SourceSighting))
    for _ in range(5):
        clock.advance(DAY)
        put(memory, "travel.md", TRAVEL)
    assert len(rows(memory, sources.SourceSighting)) <= before + 1


# ── removal and return ──


def test_a_removed_document_is_gone_and_its_return_is_noticed(memory):
    put(memory, "travel.md", TRAVEL)
    assert memory.remove("travel.md").outcome == "removed"
    memory.clock.advance(HOUR)
    assert (memory.documents.standing("default"), standing(memory, SECTION), standing(memory, PASSAGE)) == (
        [],
        set(),
        set(),
    )
    assert memory.remove("travel.md").outcome == "unchanged"
    memory.clock.advance(HOUR)
    back = put(memory, "travel.md", TRAVEL)
    assert (back.outcome, back.source_id) == ("changed", source_id("travel.md"))
    assert text_at(memory, "travel.md", memory.clock.now()) == TRAVEL.decode()


def test_a_removal_learnt_late_does_not_remove_what_came_after(memory):
    put(memory, "travel.md", TRAVEL, valid_start=NOW - 3 * DAY)
    put(memory, "travel.md", DEARER, valid_start=NOW - DAY)
    memory.remove("travel.md", valid_start=NOW - 2 * DAY)
    times = (NOW - 3 * DAY, NOW - 2 * DAY, NOW - DAY)
    assert [text_at(memory, "travel.md", at) for at in times] == [TRAVEL.decode(), None, DEARER.decode()]


def test_a_removed_document_does_not_come_back_with_its_neighbours(memory):
    put(memory, "travel.md", TRAVEL)
    put(memory, "other.md", fact("A"))
    memory.remove("travel.md")
    memory.clock.advance(HOUR)
    put(memory, "other.md", fact("B"))
    assert [view.uri for view in memory.documents.standing("default")] == ["other.md"]


def test_what_was_read_as_another_kind_of_text_is_read_anew(memory):
    put(memory, "travel", TRAVEL, media_type="text/plain")
    again = put(memory, "travel", TRAVEL, media_type="text/markdown")
    assert (again.outcome, len(standing(memory, SECTION)) > 0) == ("changed", True)
    assert put(memory, "travel", TRAVEL, media_type="text/markdown").outcome == "unchanged"


def test_removing_what_is_not_there_says_so(memory):
    with pytest.raises(NotFound, match=r"nowhere\.md"):
        memory.remove("nowhere.md")


def test_a_rename_keeps_the_source(memory):
    first = put(memory, "travel.md", TRAVEL)
    memory.documents.rename("default", "travel.md", "policies/travel.md")
    again = put(memory, "policies/travel.md", DEARER)
    assert (again.source_id, again.outcome) == (first.source_id, "changed")
    with pytest.raises(NotFound):
        memory.remove("travel.md")


def test_a_new_document_under_a_renamed_ones_old_uri_is_another_source(memory):
    first = put(memory, "travel.md", TRAVEL)
    memory.documents.rename("default", "travel.md", "policies/travel.md")
    assert put(memory, "travel.md", TRAVEL).source_id != first.source_id


def test_a_rename_onto_another_source_is_refused(memory):
    put(memory, "a.md", TRAVEL)
    put(memory, "b.md", TRAVEL)
    with pytest.raises(InvalidRequest, match=r"b\.md"):
        memory.documents.rename("default", "a.md", "b.md")


# ── what changed and what did not ──


def test_a_changed_section_gets_one_version_and_one_feed_row_and_its_neighbours_none(memory):
    put(memory, "travel.md", TRAVEL)
    before = last_tx(memory)
    result = put(memory, "travel.md", DEARER)
    meals, hotels = section("travel.md", "Travel", "Meals"), section("travel.md", "Travel", "Hotels")
    assert result.sections == 1
    assert (len(feed_after(memory, before, meals)), len(feed_after(memory, before, hotels))) == (1, 0)
    assert len(versions_of(memory, hotels)) == 1
    assert [row.tx_end for row in versions_of(memory, meals) if row.tx_start > before] == [FOREVER] * 2


def test_reformatting_alone_is_no_event(memory, ada):
    put(memory, "travel.md", TRAVEL)
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION), ada)
    memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md")), ada)
    moved = (EventKind.NEW_SOURCE_VERSION,)
    memory.watch(watch_request(ada, ScopeType.SOURCE, str(source_id("travel.md")), events=moved), ada)
    reformatted = TRAVEL.replace(b"at most 40 EUR", b"at\nmost  **40 EUR**")
    assert put(memory, "travel.md", reformatted).outcome == "changed"
    assert memory.sweep().fires == 0


def test_facts_that_share_a_word_do_not_retire_each_other(memory):
    put(memory, "a.md", page("Alpha", {"Uses": "Alpha uses Beta."}))
    put(memory, "b.md", page("Beta", {"Uses": "Beta uses Gamma."}))
    assert {row.tx_end for row in rows(memory, NodeVersion)} == {FOREVER}


def test_every_stored_span_is_its_blocks_own_words_in_the_whole_document(memory):
    same = "One sentence twice."
    put(memory, "doc.md", page("Doc", {"First": same, "Second": same, "Drittens": "Größe: 漢字 😀."}))
    raw = rows(memory, SourceVersion)[0].text.encode()
    spans = sorted((row.start, row.end) for row in rows(memory, Span))
    assert [raw[start:end].decode() for start, end in spans] == [
        "Doc",
        "First",
        same,
        "Second",
        same,
        "Drittens",
        "Größe: 漢字 😀.",
    ]
    assert len({row.node_id for row in rows(memory, NodeVersion)}) == len(rows(memory, NodeVersion))


def test_a_link_is_an_edge_to_the_document_it_names_known_or_not_yet(memory):
    put(memory, "docs/a.md", page("A", {"See": "Read [the other](b.md)."}))
    put(memory, "docs/b.md", fact("B"))
    links = [row for row in rows(memory, EdgeVersion) if row.label == LINKS_TO]
    assert [str(row.to_id) for row in links] == [document("docs/b.md")]
    assert links[0].from_id in standing(memory, PASSAGE)


def test_a_link_that_is_gone_is_cut(memory):
    put(memory, "a.md", page("A", {"See": "Read [the other](b.md)."}))
    put(memory, "a.md", page("A", {"See": "Read nothing."}))
    links = [row for row in rows(memory, EdgeVersion) if row.label == LINKS_TO and row.tx_end == FOREVER]
    assert [row.tombstone for row in links if row.valid_end == FOREVER] == [True]


# ── rights and refusals ──


def test_whoever_adds_a_document_says_who_may_read_it(memory):
    with pytest.raises(InvalidRequest, match="who may read"):
        memory.ingest("travel.md", TRAVEL, readers=[])
    assert rows(memory, Source) == []


def test_what_is_no_text_is_refused_and_leaves_nothing(memory):
    with pytest.raises(UnreadableDocument, match=r"image\.md"):
        memory.ingest("image.md", b"\x89PNG\r\n\x1a\n\x00\x00", readers=["everyone"])
    assert counts(memory) == dict.fromkeys(counts(memory), 0)


def test_a_change_of_readers_alone_is_a_feed_row_and_no_version(memory):
    put(memory, "travel.md", TRAVEL, ["sales", "everyone"])
    before, tx = counts(memory), last_tx(memory)
    assert put(memory, "travel.md", TRAVEL, ["everyone", "sales"]).outcome == "unchanged"
    assert feed_after(memory, tx, source_id("travel.md")) == []
    put(memory, "travel.md", TRAVEL, ["legal"])
    assert [row.change for row in feed_after(memory, tx, source_id("travel.md"))] == ["readers_changed"]
    assert (counts(memory), rows(memory, Source)[0].readers) == (before, ["legal"])


# ── tenants ──


def test_the_same_document_in_two_tenants_is_two_documents(memory):
    memory.people.ensure_tenant("other", "Other")
    put(memory, "travel.md", TRAVEL)
    put(memory, "travel.md", TRAVEL, tenant="other")
    before = counts(memory, "other")
    assert rows(memory, Source)[0].source_id != rows(memory, Source, "other")[0].source_id
    memory.remove("travel.md")
    memory.clock.advance(HOUR)
    assert [view.uri for view in memory.documents.standing("other")] == ["travel.md"]
    assert counts(memory, "other") == before


def test_an_unknown_tenant_is_named(memory):
    with pytest.raises(NotFound, match="'nowhere'"):
        put(memory, "travel.md", TRAVEL, tenant="nowhere")


# ── races ──


def test_two_threads_that_take_in_one_new_document_make_one_source(reopen):
    memory = reopen(embedder=MeetingEmbedder())
    results = at_once(*[lambda: memory.ingest("travel.md", TRAVEL, readers=["everyone"])] * 2)
    assert sorted(result.outcome for result in results) == ["new", "unchanged"]
    assert (len(rows(memory, Source)), len(rows(memory, SourceVersion))) == (1, 1)


def test_two_threads_with_different_texts_leave_one_present(reopen):
    memory = reopen(embedder=MeetingEmbedder())
    results = at_once(
        lambda: memory.ingest("travel.md", TRAVEL, readers=["everyone"]),
        lambda: memory.ingest("travel.md", DEARER, readers=["everyone"]),
    )
    assert sorted(result.outcome for result in results) == ["changed", "new"]
    present = [row for row in versions_of(memory, document("travel.md")) if row.tx_end == FOREVER]
    assert [row.valid_end for row in present if not row.tombstone] == [FOREVER]


def test_two_threads_that_bring_one_text_at_two_times_embed_it_without_a_clash(reopen):
    """Both find its passages missing; what one has written the other must not write again."""
    memory = reopen(embedder=MeddlingEmbedder())
    put(memory, "doc.md", fact("A"), valid_start=NOW - 9 * DAY)
    put(memory, "doc.md", fact("C"), valid_start=NOW - 5 * DAY)
    embedder = memory._embedder
    embedder.meddle = lambda: _once(embedder, lambda: put(memory, "doc.md", fact("X"), valid_start=NOW - 7 * DAY))
    put(memory, "doc.md", fact("X"), valid_start=NOW - DAY)
    days = [text_at(memory, "doc.md", NOW - day * DAY) for day in (9, 7, 5, 1)]
    assert days == [fact(words).decode() for words in "AXCX"]


def _once(embedder, act):
    embedder.meddle = lambda: None
    return act()


def test_a_source_that_keeps_changing_is_given_up_with_a_clear_word(reopen):
    memory = reopen(embedder=MeddlingEmbedder())
    embedder, numbers = memory._embedder, itertools.count()

    def change_it() -> None:
        with memory._database.write("default") as tx:
            tx.session.merge(
                sources.SourceSighting(
                    tenant_id="default",
                    source_id=source_id("doc.md"),
                    at=NOW + 10 * DAY - next(numbers),
                    version_tx=0,
                )
            )

    put(memory, "doc.md", fact("A"))
    embedder.meddle = change_it
    # Each try embeds anew only what is not stored, so every try meets the meddler.
    with pytest.raises(StoreUnavailable, match=r"doc\.md"):
        put(memory, "doc.md", fact("B"))


# ── no work twice, none under a lock ──


def test_no_text_of_a_source_is_embedded_twice(reopen):
    embedder = CountingEmbedder()
    memory = reopen(embedder=embedder)
    put(memory, "travel.md", TRAVEL)
    assert [put(memory, "travel.md", data).embedded for data in (DEARER, TRAVEL, DEARER)] == [1, 0, 0]
    memory.remove("travel.md")
    memory.clock.advance(HOUR)
    assert put(memory, "travel.md", TRAVEL).embedded == 0
    assert max(embedder.seen.values()) == 1


def test_the_model_never_runs_under_the_write_lock(reopen, clock):
    """Another writer gets through while the model works: it would wait for ever if the lock were held."""
    embedder = MeddlingEmbedder()
    memory = reopen(embedder=embedder)
    written = itertools.count()
    embedder.meddle = lambda: memory.people.put("default", f"Person {next(written)}")
    ada = add_person(memory, "Ada")
    put(memory, "travel.md", TRAVEL)
    answer = memory.generate("How much do meals cost a day?", ada)
    answer_id = memory.save_answer(answer.trace_id, ada)
    put(memory, "travel.md", DEARER)
    memory.check_answer(answer_id)
    memory.refresh_answer(answer_id, ada)
    assert next(written) >= 4


def test_a_failure_in_the_middle_of_a_write_leaves_nothing(memory):
    """The feed is written last: without its table everything before it must be undone."""
    with without_table(memory, "feed"), pytest.raises(StoreUnavailable):
        memory.ingest("travel.md", TRAVEL, readers=["everyone"])
    assert counts(memory) == dict.fromkeys(counts(memory), 0)
    assert last_tx(memory) == 0


def test_the_same_text_again_is_compared_with_what_another_writer_put_meanwhile(memory, clock, database_url):
    put(memory, "travel.md", TRAVEL)
    meanwhile = iter([lambda: None, lambda: put(memory, "travel.md", DEARER)])

    class Busy:
        """Another writer comes in between looking and writing: at the second glance at the clock."""

        def now(self):
            next(meanwhile, lambda: None)()
            return clock.now()

    other = open_memory(database_url, Busy())
    assert other.ingest("travel.md", TRAVEL, readers=["everyone"]).outcome == "changed"
    assert text_at(memory, "travel.md", clock.now()) == TRAVEL.decode()
    other.close()


@pytest.mark.parametrize("text", ["# Leave\n\nSame.\n", "# Leave\n\nOther.\n"])
def test_a_page_taken_in_by_hand_and_later_by_a_set_is_kept_by_that_set(memory, text):
    memory.ingest("handbook/leave.md", b"# Leave\n\nSame.\n", readers=["everyone"])
    memory.ingest("handbook/leave.md", text.encode(), readers=["everyone"], source_set="handbook")
    assert [view.uri for view in memory.documents.standing("default", "handbook")] == ["handbook/leave.md"]
    memory.ingest("handbook/leave.md", text.encode(), readers=["everyone"])
    assert len(memory.documents.standing("default", "handbook")) == 1


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("---\ntitle: Book\n---\n\nIt is 25 days.\n", "---\ntitle: Almanac\n---\n\nIt is 25 days.\n", "almanac"),
        ("# Leave\n\nEmployees get:\n\n- 25 days\n", "# Leave\n\nContractors get:\n\n- 25 days\n", "contractor"),
        ("| Who | Days |\n|---|---|\n| Ada | 25 |\n", "| Who | Vacation |\n|---|---|\n| Ada | 25 |\n", "vacat"),
    ],
)
def test_a_passage_is_found_by_the_title_lead_and_header_it_stands_under_today(memory, ada, old, new, word):
    """What a passage is found by is settled with its id: another context is another passage."""
    for text in (old, new):
        memory.ingest("page.md", text.encode(), readers=["everyone"])
    match = {"prop": "text", "op": "match", "value": word}
    found = memory.plan(PlanRequest(find=PASSAGE, where=[match]), ada)
    assert any("25" in span.text for span in found.spans)
