"""People settle what is in question: who may, what it takes, and what becomes of the record."""

from collections import Counter
from dataclasses import replace
from uuid import UUID

import pytest

from core.clarifications.opening import Opening
from core.errors import InvalidRequest, NotFound
from core.graph.records import Record
from core.ids import derived
from core.model.clarifying import ClarificationState, Voted
from core.model.principals import Principal, person_reader
from core.store.tables import Clarification, Feed, Job
from tests.support.memories import add_person, audited, page, put, rows, section, source_id
from tests.support.questions import LUNCH, MEALS, dispute, newest, opened, price, says, state, stewards

PENDING, BOUND, CONFLICTED = ClarificationState.PENDING, ClarificationState.BOUND, ClarificationState.CONFLICTED


def fed(memory):
    return [row.change for row in rows(memory, Feed) if row.ref_type == "clarification"]


# ── votes ──


def test_it_is_bound_when_enough_agree_and_every_step_is_a_version(memory, ada, bob):
    asked = opened(memory, quorum=2)
    assert memory.clarify.vote(asked, 1, ada) == Voted(PENDING, counted=True)
    assert memory.clarify.vote(asked, 1, bob) == Voted(BOUND, counted=True)
    assert (newest(memory, asked).bound, newest(memory, asked).settled_by) == (1, "votes")
    assert fed(memory) == ["clarification_opened", "clarification_bound"]
    assert len(rows(memory, Clarification)) == 3
    assert memory.questions.get(asked, ada).chosen == "At one"


def test_a_vote_may_be_changed_while_it_is_pending_and_not_after(memory, ada, bob):
    add_person(memory, "Cleo")
    asked = opened(memory, quorum=2)
    for choice in (0, None, 1):
        assert memory.clarify.vote(asked, choice, ada).state is PENDING
    assert newest(memory, asked).votes == {str(ada.person_id): 1}
    memory.clarify.vote(asked, 1, bob)
    assert memory.clarify.vote(asked, 0, ada) == Voted(BOUND, counted=False)
    assert newest(memory, asked).votes[str(ada.person_id)] == 1


def test_the_same_vote_twice_is_no_version(memory, ada, bob):
    asked = opened(memory, quorum=2)
    for _ in range(3):
        memory.clarify.vote(asked, 0, ada)
    assert len(rows(memory, Clarification)) == 2


def test_it_is_conflicted_when_no_option_can_win_any_more(memory, ada, bob):
    asked = opened(memory, quorum=2)
    memory.clarify.vote(asked, 0, ada)
    assert memory.clarify.vote(asked, 1, bob) == Voted(CONFLICTED, counted=True)
    assert memory.clarify.vote(asked, 0, bob) == Voted(CONFLICTED, counted=False)
    assert fed(memory)[-1] == "clarification_conflicted"


def test_who_leaves_takes_their_vote_along_and_may_make_it_impossible(memory, ada, bob):
    asked = opened(memory, quorum=2)
    memory.clarify.vote(asked, 0, ada)
    memory.people.set_active("default", bob.person_id, False)
    assert memory.clarify.recount("default") == 1
    assert state(memory, asked) == "conflicted"
    assert memory.clarify.recount("default") == 0


def test_the_votes_of_who_came_back_count_again(memory, ada, bob):
    add_person(memory, "Cleo")
    asked = opened(memory, quorum=2)
    memory.clarify.vote(asked, 0, ada)
    memory.people.set_active("default", ada.person_id, False)
    assert memory.clarify.vote(asked, 0, bob).state is PENDING, "one of two, and Cleo is left"
    memory.people.set_active("default", ada.person_id, True)
    assert memory.clarify.recount("default") == 1
    assert state(memory, asked) == "bound"


def test_a_question_without_options_is_one_of_yes_or_no(memory, ada):
    asked = opened(memory, options=())
    assert [option.value for option in memory.questions.get(asked, ada).options] == ["Yes", "No"]


def test_the_same_question_is_not_asked_twice_while_it_is_open(memory, ada):
    asked = opened(memory)
    assert opened(memory) == asked
    memory.clarify.vote(asked, 0, ada)
    assert opened(memory) != asked


def test_who_asks_what_is_asked_already_is_told_so_and_however_it_is_spaced_it_is_the_same(memory, ada):
    asked = opened(memory)
    node = UUID(section("day.md", "day.md", "Lunch"))
    for words in (f"  {LUNCH}\n", LUNCH.replace(" ", "\t\n ")):
        again = memory.clarify.open("default", Opening(node, words, ["everyone"], ["Never", "Always"]))
        assert (again.clarification_id, again.fresh) == (asked, False)
    view = memory.questions.get(asked, ada)
    assert ([one.value for one in view.options], view.audience) == (["At noon", "At one"], ("member",))


def test_a_new_question_is_kept_in_one_line(memory, ada):
    opened(memory)
    other = Opening(UUID(section("day.md", "day.md", "Lunch")), " What is\n served? ", ["member"])
    made = memory.clarify.open("default", other)
    assert made.fresh
    assert memory.questions.get(made.clarification_id, ada).question == "What is served?"


# ── who may ──


def test_only_the_audience_may_vote_and_everybody_else_is_told_that_there_is_nothing(memory, ada):
    boss = add_person(memory, "Boss", roles=("board",))
    asked = opened(memory, audience=("board",))
    for who, which in ((ada, asked), (boss, derived("none"))):
        with pytest.raises(NotFound) as told:
            memory.clarify.vote(which, 0, who)
        assert str(told.value) == str(NotFound())
    key = Principal("default", None, frozenset({"board"}), derived("key"))
    with pytest.raises(NotFound):
        memory.clarify.vote(asked, 0, key)
    assert memory.clarify.vote(asked, 0, boss).counted


def test_a_person_may_be_named_and_whoever_lost_their_role_may_not_vote(memory, ada, bob):
    asked = opened(memory, audience=(person_reader(ada.person_id), "member"), quorum=2)
    memory.people.put("default", "Ada", roles=["guest"])
    memory.people.put("default", "Bob", roles=["guest"])
    assert memory.clarify.vote(asked, 0, ada).counted
    with pytest.raises(NotFound):
        memory.clarify.vote(asked, 0, bob)


def test_who_may_not_read_the_node_can_neither_ask_vote_nor_settle(memory, ada):
    [steward] = stewards(memory, "Stew")
    put(memory, "board.md", page("board.md", {"Pay": "Pay is secret."}), ("board",))
    node = derived("document", source_id("board.md"))
    with pytest.raises(NotFound):
        memory.clarify.open("default", Opening(node, LUNCH, ["everyone"]), ada)
    add_person(memory, "Boss", roles=("board",))
    asked = memory.clarify.open("default", Opening(node, LUNCH, ["everyone"])).clarification_id
    for act in (
        lambda: memory.clarify.vote(asked, 0, ada),
        lambda: memory.clarify.override("default", asked, 0, steward),
        lambda: memory.clarify.mark_conflicted("default", asked, steward),
        lambda: memory.questions.get(asked, ada),
    ):
        with pytest.raises(NotFound):
            act()
    assert memory.clarifications(ada) == []


def test_an_option_whose_source_one_may_not_read_cannot_be_chosen(memory):
    [steward] = stewards(memory, "Stew")
    memory.put_node(says(memory, "a.md", 40))
    [asked] = memory.put_node(says(memory, "secret.md", 55, readers=("board",))).in_question
    with pytest.raises(InvalidRequest, match="option 1 is not there to choose; these are: 0"):
        memory.clarify.vote(asked, 1, steward)


@pytest.mark.parametrize("choice", [-1, 2, 99, True, 0.0])
def test_an_option_that_there_is_not_is_refused_with_those_there_are(memory, ada, choice):
    asked = opened(memory)
    with pytest.raises(InvalidRequest, match=f"option {choice} is not there to choose; these are: 0, 1"):
        memory.clarify.vote(asked, choice, ada)


def test_nobody_settles_a_question_by_no_option(memory, ada):
    asked = opened(memory)
    with pytest.raises(InvalidRequest, match="no option is named"):
        memory.clarify.override("default", asked, None)
    assert state(memory, asked) == PENDING


# ── asking ──


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"question": " \n"}, "question is blank"),
        ({"question": "x" * 501}, "question is 501 characters; it must be at most 500"),
        ({"question": "a\x00"}, "without NUL"),
        ({"options": ["one"]}, "give 2 to 5"),
        ({"options": list("abcdef")}, "give 2 to 5"),
        ({"options": "yes"}, "give 2 to 5"),
        ({"options": ["a", " "]}, "option 2 is blank"),
        ({"options": ["a", "A "]}, "option 2 says the same as option 1"),
        ({"options": ["a", "b" * 201]}, "option 2 is 201 characters"),
        ({"options": [1, 2]}, "option 1 is blank"),
        ({"audience": []}, "audience: name who"),
        ({"audience": "everyone"}, "audience: name who"),
        ({"audience": ["person:me"]}, "names no person"),
        ({"audience": [" "]}, "is no role"),
        ({"quorum": 0}, "at least 1"),
    ],
)
def test_what_is_wrong_with_a_question_is_said(wrong, told):
    right = {"node_id": MEALS, "question": LUNCH, "audience": ["member"]}
    with pytest.raises(InvalidRequest, match=told):
        Opening(**(right | wrong))


def test_a_quorum_that_the_audience_cannot_reach_is_refused(memory, ada, bob):
    with pytest.raises(InvalidRequest, match="quorum is 3, and 2 people"):
        opened(memory, quorum=3)
    with pytest.raises(InvalidRequest, match="quorum is 1, and 0 people"):
        opened(memory, audience=("nobody",))
    with pytest.raises(NotFound):
        memory.clarify.open("default", Opening(derived("none"), LUNCH, ["member"]), ada)


@pytest.mark.parametrize(
    ("roles", "told"), [(("member",), "too few"), (("admin",), "2 people"), (("steward",), "2 people")]
)
def test_how_many_may_read_it_is_told_to_admins_and_stewards_alone(roles, told, memory, ada, bob):
    opened(memory)
    asker = add_person(memory, "Asker", roles)
    opening = Opening(UUID(section("day.md", "day.md", "Lunch")), "Daily?", ("member",), quorum=100_000)
    with pytest.raises(InvalidRequest, match=f"quorum is 100000, and {told} of the audience") as refused:
        memory.clarify.open("default", opening, asker)
    assert refused.value.at == ("quorum",)


def test_a_person_is_asked_however_their_id_is_written(memory, ada):
    opened(memory, audience=(f"person:{{{str(ada.person_id).upper()}}}",))
    asked = [job.payload["person_id"] for job in rows(memory, Job) if job.kind == "clarify:ask"]
    assert asked == [str(ada.person_id)]


def test_everybody_of_the_audience_is_asked_once(memory, ada, bob):
    opened(memory)
    opened(memory)
    asked = [job.payload["person_id"] for job in rows(memory, Job) if job.kind == "clarify:ask"]
    assert sorted(asked) == sorted([str(ada.person_id), str(bob.person_id)])


def test_who_joins_later_is_not_chased_but_may_vote(memory, ada):
    asked = opened(memory)
    bob = add_person(memory, "Bob")
    memory.clarify.recount("default")
    assert len([job for job in rows(memory, Job) if job.kind == "clarify:ask"]) == 1
    assert memory.clarify.vote(asked, 0, bob).state is BOUND


def test_what_nobody_could_be_asked_is_asked_once_somebody_is_there(memory, ada):
    asked = dispute(memory)
    assert newest(memory, asked).asked == []
    [steward] = stewards(memory, "Stew")
    assert memory.clarify.recount("default") == 1
    assert memory.clarify.recount("default") == 0
    assert [job.payload["person_id"] for job in rows(memory, Job) if job.kind == "clarify:ask"] == [
        str(steward.person_id)
    ]


# ── stewards ──


def test_a_steward_settles_what_is_pending_conflicted_or_was_settled_wrongly(memory, ada, bob):
    [steward] = stewards(memory, "Stew")
    asked = opened(memory, quorum=2)
    memory.clarify.mark_conflicted("default", asked, steward)
    memory.clarify.override("default", asked, 0, steward)
    memory.clarify.override("default", asked, 0, steward)
    memory.clarify.override("default", asked, 1, steward)
    assert (newest(memory, asked).bound, newest(memory, asked).settled_by) == (1, steward.actor)
    assert fed(memory) == [
        "clarification_opened",
        "clarification_conflicted",
        "clarification_bound",
        "clarification_bound",
    ]
    assert Counter(row.action for row in audited(memory)) == {
        "clarification_open": 1,
        "clarification_conflict": 1,
        "clarification_override": 2,
    }
    with pytest.raises(InvalidRequest, match="bound cannot conflict"):
        memory.clarify.mark_conflicted("default", asked, steward)
    for act in (memory.clarify.mark_conflicted, lambda *of: memory.clarify.override(*of[:2], 0, *of[2:])):
        with pytest.raises(NotFound):
            act("default", asked, ada)


# ── words that go ──


def test_an_option_whose_words_are_gone_is_not_there_to_choose(memory, ada):
    [steward] = stewards(memory, "Stew")
    asked = dispute(memory)
    memory.put_node(says(memory, "c.md", 60))
    put(memory, "b.md", page("b.md", {"Meals": "Meals are free now."}))
    assert [option.value for option in memory.clarifications(ada)[0].options] == [40, 60]
    with pytest.raises(InvalidRequest, match="these are: 0, 2"):
        memory.clarify.vote(asked, 1, steward)


def test_documents_that_agree_by_now_settle_it_without_anybody_speaking(memory, ada):
    asked = dispute(memory)
    put(memory, "a.md", page("a.md", {"Meals": "Meals are free now."}))
    assert memory.clarify.recount("default") == 1
    assert (state(memory, asked), price(memory, ada), newest(memory, asked).settled_by) == ("bound", 55, "sources")


def test_one_that_cannot_be_settled_keeps_no_other_from_being_counted(memory, ada, bob):
    """What its documents agree on is too much for one record, beside what that says already."""
    stuck = dispute(memory)
    stood = memory.get_as_of(MEALS, ada)
    much = "much " * 8_000
    memory.remove_node(MEALS)
    memory.put_node(Record(MEALS, "LIMIT", {"price": 40, "note": much}, provenance=stood.spans()))
    long = replace(says(memory, "c.md", 60), props={"price": much})
    assert memory.put_node(long).in_question == (stuck,)
    other = opened(memory, quorum=2)
    memory.clarify.vote(other, 0, ada)
    memory.people.set_active("default", bob.person_id, False)
    for uri in ("a.md", "b.md"):
        put(memory, uri, page(uri, {"Meals": "Meals are free now."}))
    for _ in range(2):
        with pytest.raises(ExceptionGroup) as failed:
            memory.clarify.recount("default")
        assert "bytes of JSON" in str(failed.value.exceptions)
        assert (state(memory, stuck), state(memory, other)) == ("pending", "conflicted")


def test_a_statement_reopens_what_people_could_not_agree_on(memory, ada):
    asked = dispute(memory)
    memory.clarify.mark_conflicted("default", asked)
    memory.put_node(says(memory, "b.md", 55))
    assert state(memory, asked) == "conflicted", "said before"
    memory.put_node(says(memory, "c.md", 60))
    assert state(memory, asked) == "pending"


def test_a_vote_for_what_is_still_there_outlives_a_new_option(memory, ada):
    first, second, _ = stewards(memory, "Stew", "Sue", "Sam")
    put(memory, "day.md", page("day.md", {"Lunch": "Lunch is served daily."}))
    asked = dispute(memory)
    memory.clarify.vote(asked, None, first)
    memory.put_node(says(memory, "c.md", 60))
    assert newest(memory, asked).votes == {str(first.person_id): None}
    memory.clarify.vote(asked, 1, second)
    assert price(memory, ada) == 55


def test_options_that_say_the_same_share_their_votes(memory, ada):
    [steward] = stewards(memory, "Stew")
    asked = dispute(memory)
    memory.put_node(says(memory, "c.md", 55))
    assert [option.value for option in memory.clarifications(ada)[0].options] == [40, 55, 55]
    memory.clarify.vote(asked, 2, steward)
    assert (newest(memory, asked).bound, price(memory, ada)) == (1, 55)


# ── tenants ──


def test_another_tenant_is_as_it_was(memory, ada):
    memory.people.ensure_tenant("other", "Other")
    add_person(memory, "Eve", roles=("steward",), tenant="other")
    asked = opened(memory)
    memory.clarify.vote(asked, 0, ada)
    memory.clarify.recount("other")
    for table in (Clarification, Feed, Job):
        assert rows(memory, table, "other") == []


def test_a_node_of_every_label_may_be_asked_about(memory, ada):
    opened(memory)
    for node in (section("day.md", "day.md", "Lunch"), str(derived("document", source_id("day.md")))):
        assert memory.clarify.open("default", Opening(UUID(node), "Is this so?", ["member"]), ada).fresh
