"""What a plan says of what it left out, and which error says why there is none."""

import pytest
from sqlmodel import delete

from core.errors import InsufficientEvidence, InvalidRequest, SemanticUnavailable
from core.graph.records import Record
from core.ids import derived
from core.model.nodes import PASSAGE
from core.planner.candidates import MOST_TOKENS
from core.planner.request import PlanRequest
from core.store.tables import NodeVersion, SourceVersion, Span
from tests.support.memories import change_row, page, put, rows, source_id

ALL = PlanRequest(find="PASSAGE")
MEALS, HOTELS = "Meals cost 40 EUR.", "Hotels are near the café."


@pytest.fixture
def pages(memory):
    for name in ("a", "b"):
        put(memory, f"{name}.md", page(name, {"Meals": MEALS, "Hotels": HOTELS}))


def stats(memory, who, request=ALL):
    return memory.plan(request, who).plan.stats


def refused(memory, who, request):
    with pytest.raises(InsufficientEvidence) as caught:
        memory.plan(request, who)
    return caught.value.stats


# ── what is lacking ──


def test_of_a_whole_library_nothing_is_lacking(memory, pages, ada):
    recall = stats(memory, ada).recall
    assert (recall.query, recall.union) == (10, 10)
    assert (recall.kind_missing, recall.slices_missing, recall.nodes_without_spans, recall.pool_truncated) == (0,) * 4


def test_a_span_without_its_row_is_body_at_the_full_prior_and_counted(memory, pages, ada):
    before = {span.span: span.weight for span in memory.plan(ALL, ada).spans}
    with memory._database.write("default") as tx:
        tx.session.exec(delete(Span).where(Span.kind == "heading", Span.source_id == source_id("a.md")))
    planned = memory.plan(ALL, ada)
    assert planned.plan.stats.recall.kind_missing == 3
    lacking = [span for span in planned.spans if span.kind == "body"]
    assert len(lacking) == 3
    assert [span.weight for span in lacking] == pytest.approx([before[span.span] / 0.6 for span in lacking])


def bytes_of(word):
    text = page("a", {"Meals": MEALS, "Hotels": HOTELS})
    return text.index(word.encode())


@pytest.mark.parametrize(
    "place",
    [(3, 3), (0, 9999), (9998, 9999), (9, 3), (bytes_of("é") + 1, bytes_of("é") + 3), (0, bytes_of("é") + 1)],
    ids=["empty", "beyond the end", "all beyond", "backwards", "begins in a character", "ends in a character"],
)
def test_a_span_that_cannot_be_cut_is_passed_over_and_counted(memory, pages, ada, place):
    lost = next(span for span in memory.plan(ALL, ada).spans if span.text == MEALS)
    held = [[lost.source_version_tx, lost.start, lost.end]]
    passages = [row for row in rows(memory, NodeVersion) if (row.label, row.source_id) == (PASSAGE, lost.source_id)]
    [row] = [row for row in passages if row.provenance == held]
    key = ("default", row.node_id, row.tx_start, row.valid_start)
    change_row(memory, NodeVersion, key, provenance=[[lost.source_version_tx, *place]])
    planned = memory.plan(ALL, ada)
    assert planned.plan.stats.recall.slices_missing == 1
    assert planned.plan.stats.pool_spans == 9
    assert lost.span not in {span.span for span in planned.spans}


def test_a_version_that_is_gone_fails_no_plan(memory, pages, ada):
    with memory._database.write("default") as tx:
        tx.session.exec(delete(SourceVersion).where(SourceVersion.source_id == source_id("a.md")))
    planned = memory.plan(ALL, ada)
    assert planned.plan.stats.recall.slices_missing == 5
    assert {span.source_id for span in planned.spans} == {source_id("b.md")}


def test_a_record_is_recalled_and_has_no_span_to_give(memory, pages, ada):
    memory.put_node(Record(derived("r"), "RATE", {"eur": 50}, ["everyone"]))
    assert stats(memory, ada, PlanRequest(find=None, question=MEALS)).recall.nodes_without_spans == 0
    alone = refused(memory, ada, PlanRequest(find="RATE")).recall
    assert (alone.query, alone.union, alone.nodes_without_spans) == (1, 1, 1)


def test_a_pool_that_is_too_large_keeps_the_heaviest_and_says_how_many_went(reopen, ada):
    small = reopen(planner={"max_pool_spans": 4})
    put(small, "a.md", page("a", {"Meals": MEALS, "Hotels": HOTELS}))
    planned = small.plan(ALL, ada)
    assert (planned.plan.stats.pool_spans, planned.plan.stats.recall.pool_truncated) == (4, 1)
    assert {MEALS, HOTELS} <= {span.text for span in planned.spans}, "headings weigh less"


# ── what may not be read ──


def test_what_may_not_be_read_leads_nowhere_and_is_not_counted(memory, ada):
    """Two open pages link to one that is shut: through it alone the second is two hops from the first."""
    put(memory, "mid.md", b"Nothing to see.\n", ["legal"])
    put(memory, "far.md", b"Bicycles are lent; see [mid](mid.md).\n")
    put(memory, "near.md", page("Near", {"Zebra": "Zebra rules stand [there](mid.md)."}))
    request = PlanRequest(question="Zebra rules?", expand_depth=2)
    shut = memory.plan(request, ada)
    assert {span.source_id for span in shut.spans} == {source_id("near.md")}
    put(memory, "mid.md", b"Nothing to see.\n", ["member"])
    opened = memory.plan(request, ada)
    assert {span.source_id for span in opened.spans} == set(map(source_id, ("near.md", "mid.md", "far.md")))
    assert opened.plan.stats.recall.expansion > shut.plan.stats.recall.expansion


def test_forbidden_and_unheard_of_are_said_alike_failure_by_its_name_and_none_names_a_title(memory, reopen, ada):
    put(memory, "salaries.md", page("Salaries", {"Meals": MEALS}), ["board"])

    def said(refusal, asked, question):
        with pytest.raises(refusal) as caught:
            asked.generate(question, ada)
        assert not any(word in str(caught.value) for word in ("Salaries", "salaries", "board", "40"))
        return str(caught.value)

    forbidden = said(InsufficientEvidence, memory, MEALS)
    assert forbidden == said(InsufficientEvidence, memory, "What do zebras eat?")
    assert "you can read" in forbidden
    assert said(SemanticUnavailable, reopen(embedder=None), MEALS) != forbidden
    put(memory, "open.md", page("Open", {"Meals": MEALS}))
    assert memory.generate(MEALS, ada).text == MEALS, "what may be read is answered all the same"


# ── no plan ──


def test_no_evidence_says_what_was_recalled_and_why_none_of_it_fits(memory, pages, ada):
    tight = refused(memory, ada, PlanRequest(find="PASSAGE", budget_tokens=1))
    assert (tight.pool_spans, tight.unpackable, tight.selected_spans, tight.recall.query) == (10, 10, 0, 10)
    assert refused(memory, ada, PlanRequest(find="NOBODY")).recall.union == 0


def test_a_budget_beyond_all_bounds_is_refused(memory, pages, ada):
    with pytest.raises(InvalidRequest, match="budget"):
        memory.plan(PlanRequest(find="PASSAGE", budget_tokens=2 * MOST_TOKENS), ada)


def test_without_a_model_the_semantic_leg_is_refused_and_the_structured_one_works(reopen, ada):
    memory = reopen(embedder=None)
    put(memory, "a.md", page("a", {"Meals": MEALS}))
    for request in (PlanRequest(question="Meals"), PlanRequest(question="Meals", find="PASSAGE")):
        with pytest.raises(SemanticUnavailable):
            memory.plan(request, ada)
    assert MEALS in {span.text for span in memory.plan(ALL, ada).spans}
    words = [{"prop": "text", "op": "match", "value": "meals"}]
    assert MEALS in {span.text for span in memory.plan(PlanRequest(find="PASSAGE", where=words), ada).spans}


def test_where_nothing_was_taken_in_yet_a_question_finds_nothing(memory, ada):
    assert refused(memory, ada, PlanRequest(question="Meals")).recall.semantic == 0
