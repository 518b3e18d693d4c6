"""Phase A on a store: the legs, what they reach, when and for whom."""

import pytest

from core.clock import DAY
from core.errors import InsufficientEvidence, InvalidQuery, InvalidRequest
from core.planner.request import PlanRequest
from core.store.tables import Source
from tests.support.memories import NOW, add_person, change_row, last_tx, page, put, source_id

MEALS = PlanRequest(question="What do meals cost a day?")


def meals(amount):
    return page("Travel", {"Meals": f"Meals cost at most {amount} EUR a day."})


def fill(memory):
    """A small library: documents that share words, and one that stands alone."""
    put(memory, "travel.md", meals(40))
    put(
        memory, "parking.md", page("Parking", {"Garage": "Parking costs 5 EUR a day.", "Street": "The street is free."})
    )
    put(
        memory, "office.md", page("Office", {"Hours": "The office opens at nine.", "Meals": "Lunch meals are at noon."})
    )


def texts(planned):
    return [span.text for span in planned.spans]


def heaviest(planned):
    return max(planned.spans, key=lambda span: span.weight).text


# ── legs ──


def test_the_semantic_leg_finds_by_words_and_meaning(memory, ada):
    fill(memory)
    planned = memory.plan(MEALS, ada)
    assert heaviest(planned) == "Meals cost at most 40 EUR a day."
    assert planned.best_cosine > 0
    assert planned.plan.stats.recall.query == 0


def test_the_structured_leg_finds_by_label_alone(memory, ada):
    fill(memory)
    planned = memory.plan(PlanRequest(find="SECTION", where=[{"prop": "title", "op": "eq", "value": "Garage"}]), ada)
    assert texts(planned) == ["Parking costs 5 EUR a day."] or "Parking costs 5 EUR a day." in texts(planned)
    assert (planned.best_cosine, planned.plan.stats.recall.query, planned.plan.stats.recall.semantic) == (0.0, 1, 0)


def test_both_legs_make_one_pool(memory, ada):
    fill(memory)
    both = memory.plan(PlanRequest(question=MEALS.question, find="SECTION"), ada).plan.stats.recall
    assert both.query > 0
    assert both.semantic > 0
    assert max(both.query, both.semantic) <= both.union <= both.query + both.semantic


def test_no_leg_at_all_is_refused():
    with pytest.raises(InvalidRequest, match="nothing to look for"):
        PlanRequest(question="  ")


def test_an_unknown_operator_is_refused_by_its_place(memory, ada):
    with pytest.raises(InvalidQuery, match="like"):
        memory.plan(PlanRequest(find="SECTION", where=[{"prop": "title", "op": "like", "value": "x"}]), ada)


def test_an_unknown_label_finds_nothing_and_says_why(memory, ada):
    fill(memory)
    with pytest.raises(InsufficientEvidence) as caught:
        memory.plan(PlanRequest(find="UNHEARD_OF"), ada)
    assert caught.value.stats.recall.union == 0


def test_a_hop_follows_a_link_at_a_discount(memory, ada):
    put(memory, "b.md", b"Bicycles are lent at the desk.\n")
    put(memory, "a.md", page("Alpha", {"Zebra": "Zebra rules stand [elsewhere](b.md)."}))
    zebra = {"find": "PASSAGE", "where": [{"any": [{"prop": "kind", "op": "eq", "value": "paragraph"}]}]}
    alone = memory.plan(PlanRequest(question="Zebra rules?"), ada)
    reached = memory.plan(PlanRequest(question="Zebra rules?", expand_depth=1), ada)
    assert "Bicycles are lent at the desk." not in texts(alone)
    weights = {span.text: span.weight for span in reached.spans}
    assert 0 < weights["Bicycles are lent at the desk."] < max(weights.values())
    assert reached.plan.stats.recall.expansion > 0
    assert memory.plan(PlanRequest(**zebra), ada).spans


def test_a_hop_never_leads_to_what_one_may_not_read(memory, ada):
    put(memory, "b.md", b"Bicycles are lent at the desk.\n", ["legal"])
    put(memory, "a.md", page("Alpha", {"Zebra": "Zebra rules stand [elsewhere](b.md)."}))
    planned = memory.plan(PlanRequest(question="Zebra rules?", expand_depth=2), ada)
    assert {span.source_id for span in planned.spans} == {source_id("a.md")}


def test_every_span_is_its_documents_own_words_within_the_budget(memory, ada):
    fill(memory)
    planned = memory.plan(PlanRequest(question=MEALS.question, find="SECTION", budget_tokens=30), ada)
    with memory._database.read("default") as tx:
        stored = memory._engines.library.slices(tx, [span.span for span in planned.spans])
    assert [stored[span.span] for span in planned.spans] == texts(planned)
    assert sum(span.tokens for span in planned.spans) <= 30


# ── when ──


def test_a_plan_as_of_a_valid_time_sees_what_held_then(memory, ada):
    for days, amount in ((20, 30), (10, 40), (-10, 50)):
        put(memory, "travel.md", meals(amount), valid_start=NOW - days * DAY)
    for days, amount in ((15, 30), (5, 40), (0, 40), (-15, 50)):
        request = PlanRequest(question=MEALS.question, valid_time=NOW - days * DAY)
        assert heaviest(memory.plan(request, ada)) == f"Meals cost at most {amount} EUR a day."


def test_a_plan_as_of_a_tx_sees_what_was_believed_then(memory, ada):
    put(memory, "travel.md", meals(40))
    believed = last_tx(memory)
    put(memory, "travel.md", meals(50), valid_start=NOW)
    now = PlanRequest(question=MEALS.question)
    assert heaviest(memory.plan(now, ada)) == "Meals cost at most 50 EUR a day."
    then = PlanRequest(question=MEALS.question, tx_time=believed)
    assert heaviest(memory.plan(then, ada)) == "Meals cost at most 40 EUR a day."


def test_before_anything_was_known_there_is_no_evidence(memory, ada):
    put(memory, "travel.md", meals(40))
    for request in (PlanRequest(question="Meals?", valid_time=NOW - DAY), PlanRequest(question="Meals?", tx_time=1)):
        with pytest.raises(InsufficientEvidence):
            memory.plan(request, ada)


def test_a_removed_document_is_cited_no_more_but_can_be_asked_about_as_it_was(memory, ada):
    put(memory, "travel.md", meals(40))
    memory.clock.advance(DAY)
    memory.remove("travel.md")
    memory.clock.advance(1)
    with pytest.raises(InsufficientEvidence):
        memory.plan(MEALS, ada)
    assert memory.plan(PlanRequest(question=MEALS.question, valid_time=NOW), ada).spans


# ── for whom ──


def test_a_reader_with_few_rights_gets_a_full_plan_that_depends_on_nothing_else(memory):
    guest = add_person(memory, "Guest", ["guest"])
    put(memory, "guests.md", page("Guests", {"Meals": "Meals for guests cost nothing a day."}), ["guest"])
    request = PlanRequest(question=MEALS.question, valid_time=memory.clock.now())
    before = memory.plan(request, guest)
    for number in range(60):
        put(memory, f"inside{number}.md", meals(number), ["member"], valid_start=NOW)
    after = memory.plan(request, guest)
    assert (after.plan_hash, after.best_cosine) == (before.plan_hash, before.best_cosine)


def test_rights_are_todays_whatever_the_coordinates(memory):
    guest = add_person(memory, "Guest", ["guest"])
    put(memory, "travel.md", meals(40), ["guest"])
    believed = last_tx(memory)
    change_row(memory, Source, ("default", source_id("travel.md")), readers=["member"])
    with pytest.raises(InsufficientEvidence):
        memory.plan(PlanRequest(question=MEALS.question, tx_time=believed), guest)


def test_another_tenant_sees_nothing(memory):
    memory.people.ensure_tenant("other", "Other")
    eve = add_person(memory, "Eve", tenant="other")
    put(memory, "travel.md", meals(40))
    with pytest.raises(InsufficientEvidence):
        memory.plan(MEALS, eve)
