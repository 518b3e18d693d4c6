"""How many watches a person may have, what does not count, and two taps that are one watch."""

import pytest

from core.errors import LimitReached
from core.model.nodes import SECTION
from core.model.watching import ScopeType, TargetKind, WatchRequest
from core.store.tables import Watch
from tests.support.memories import CHANGES, add_person, made_steward, page, put, rows, section, watch_request
from tests.support.threads import at_once


@pytest.fixture
def memory(reopen):
    return reopen(watch={"max_watches_per_person": 2})


@pytest.fixture(autouse=True)
def handbook(memory):
    put(memory, "travel.md", page("Travel", {"Meals": "Meals cost 40 EUR.", "Hotels": "Hotels cost 150 EUR."}))
    memory.sweep()


def on(memory, who, name):
    return memory.watch(watch_request(who, ScopeType.ENTITY, section("travel.md", "Travel", name), name=name), who)


def full(memory, who):
    return [on(memory, who, name) for name in ("Meals", "Hotels")]


def on_label(memory, who):
    return memory.watch(watch_request(who, ScopeType.LABEL, SECTION), who)


def test_the_limit_says_how_many_there_are_and_what_helps(memory, ada):
    full(memory, ada)
    with pytest.raises(LimitReached, match="you have 2 watches, the most there may be: stop one first"):
        on_label(memory, ada)


def test_a_watch_of_saved_answers_and_a_stopped_one_do_not_count(memory, ada):
    meals, _ = full(memory, ada)
    memory.save_answer(memory.generate("What do meals cost?", ada).trace_id, ada)
    with memory._database.write("default") as tx:
        memory._engines.watch.mute(tx, meals.watch_id, ada, None)
    assert on_label(memory, ada).fresh


def test_what_somebody_else_sets_for_them_does_not_count_and_counts_with_whoever_sets_it(memory, ada, bob):
    steward = made_steward(memory, bob)
    for scope in (SECTION, "DOCUMENT"):
        target = {"kind": TargetKind.PERSON, "person_id": str(ada.person_id)}
        memory.watch(WatchRequest("for Ada", ScopeType.LABEL, (scope,), CHANGES, target), steward)
    full(memory, ada)
    with pytest.raises(LimitReached):
        on(memory, steward, "Meals")


def test_one_that_stands_may_be_asked_for_again_at_the_limit(memory, ada):
    full(memory, ada)
    assert not on(memory, ada, "Meals").fresh


def test_two_taps_at_once_at_the_last_place_make_one_watch_and_no_refusal(memory, ada):
    on(memory, ada, "Hotels")
    views = at_once(*[lambda: on(memory, ada, "Meals")] * 4)
    assert sorted(view.fresh for view in views) == [False, False, False, True]
    assert len(rows(memory, Watch)) == 2


def test_two_watches_at_once_pass_the_limit_never(memory):
    eve = add_person(memory, "Eve")
    on(memory, eve, "Hotels")

    def one(name):
        try:
            return on(memory, eve, name).fresh if name != SECTION else on_label(memory, eve).fresh
        except LimitReached:
            return None

    made = at_once(lambda: one("Meals"), lambda: one(SECTION))
    assert sorted(made, key=str) == [None, True]
