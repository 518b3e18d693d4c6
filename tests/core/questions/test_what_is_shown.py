"""What of a question is shown: whose votes count by now, and what may still be read of one's own."""

from core.graph.records import Record
from tests.support.memories import add_person
from tests.support.questions import MEALS, opened, says


def composed(memory, who, asked):
    with memory._database.read("default") as tx:
        return memory.questions.compose(tx, memory.people.principal("default", who.person_id), asked).notice


def shown(memory, who, asked):
    """How many have voted, as everybody is told who may ask."""
    one = memory.questions.get(asked, who)
    [listed] = memory.clarifications(who)
    [every] = memory.questions.every("default")
    assert one == listed == every
    return one.voted, [option.votes for option in one.options]


def test_only_votes_of_who_is_there_and_of_the_audience_are_shown_as_counted(memory, ada, bob):
    for name in ("Cleo", "Dan"):
        add_person(memory, name)
    asked = opened(memory, quorum=3)
    memory.clarify.vote(asked, 0, ada)
    memory.clarify.vote(asked, 0, bob)
    assert shown(memory, bob, asked) == (2, [2, 0])
    memory.people.set_active("default", ada.person_id, False)
    assert shown(memory, bob, asked) == (1, [1, 0])
    memory.people.put("default", "Bob", roles=["guest"])
    assert shown(memory, bob, asked) == (0, [0, 0]), "who is of the audience no more"
    memory.people.set_active("default", ada.person_id, True)
    assert shown(memory, bob, asked) == (1, [1, 0])


def test_who_voted_and_may_no_longer_read_what_they_chose_is_told_just_that(memory):
    boss = add_person(memory, "Boss", roles=("member", "steward", "board"))
    memory.put_node(says(memory, "b.md", 80))
    [asked] = memory.put_node(says(memory, "hr.md", 90, readers=("board",))).in_question
    assert not composed(memory, boss, asked).withheld, "nobody has chosen"
    memory.clarify.vote(asked, 1, boss)
    assert (composed(memory, boss, asked).voted_for.value, composed(memory, boss, asked).withheld) == (90, False)
    memory.people.put("default", "Boss", roles=["member", "steward"])
    memory.put_node(Record(MEALS, "LIMIT", {"price": 85}, ["everyone"]))
    notice = composed(memory, boss, asked)
    assert (notice.voted, notice.voted_for, notice.withheld) == (True, None, True)


def test_who_does_not_know_is_withheld_nothing(memory, ada, bob):
    asked = opened(memory, quorum=2)
    memory.clarify.vote(asked, None, ada)
    notice = composed(memory, ada, asked)
    assert (notice.voted, notice.voted_for, notice.withheld) == (True, None, False)
