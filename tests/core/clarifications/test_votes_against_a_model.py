"""People join, leave, come back, vote and change their minds: what comes of it is what the plainest model says."""

from itertools import count

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from core.clarifications.opening import Opening
from core.errors import NotFound
from core.graph.records import Record
from core.ids import derived
from core.store.tables import Clarification, Feed
from tests.support.memories import rows

NAMES = st.sampled_from(("Ada", "Bo", "Cleo", "Dan"))
OPTIONS = ("red", "green")


class Votes(RuleBasedStateMachine):
    """`inside`: who may vote now. `votes`: the last word of each. `state` is settled only when somebody counts."""

    def __init__(self, memory, tenant):  # type: ignore[no-untyped-def]
        super().__init__()
        self.memory, self.tenant = memory, tenant
        memory.people.ensure_tenant(tenant, tenant)
        self.inside = {"Ada", "Bo", "Cleo"}
        self.people = {name: memory.people.put(tenant, name) for name in sorted(self.inside)}
        self.principals = {name: memory.people.principal(tenant, one) for name, one in self.people.items()}
        self.votes: dict[str, int | None] = {}
        self.state, self.bound, self.moves = "pending", None, 1

    @initialize(quorum=st.integers(1, 3))
    def ask(self, quorum: int) -> None:
        memory, tenant, self.quorum = self.memory, self.tenant, quorum
        node = derived("record", tenant)
        memory.put_node(Record(node, "COLOUR", {"name": "wall"}, ["everyone"]), tenant=tenant)
        opening = Opening(node, "Which colour?", ["member"], OPTIONS, quorum)
        self.asked = memory.clarify.open(tenant, opening).clarification_id

    def counted(self) -> None:
        """Judge as one would on paper."""
        if self.state != "pending" or not self.inside:
            return
        heard = {name: vote for name, vote in self.votes.items() if name in self.inside}
        silent = len(self.inside) - len(heard)
        sums = [sum(vote == number for vote in heard.values()) for number in range(len(OPTIONS))]
        won = [number for number, total in enumerate(sums) if total >= self.quorum]
        if len(won) == 1:
            self.state, self.bound, self.moves = "bound", won[0], self.moves + 1
        elif won or max(sums) + silent < self.quorum:
            self.state, self.moves = "conflicted", self.moves + 1

    @rule(name=NAMES, choice=st.none() | st.sampled_from(range(len(OPTIONS))))
    def vote(self, name: str, choice: int | None) -> None:
        if name not in self.people:
            return
        if name not in self.inside:
            try:
                self.memory.clarify.vote(self.asked, choice, self.principals[name])
            except NotFound:
                return
            raise AssertionError(f"{name} is not of the audience, and voted")
        told = self.memory.clarify.vote(self.asked, choice, self.principals[name])
        assert told.counted == (self.state == "pending")
        if told.counted:
            self.votes[name] = choice
            self.counted()
        assert told.state == self.state

    @rule()
    def recount(self) -> None:
        self.memory.clarify.recount(self.tenant)
        self.counted()

    @rule(name=NAMES)
    def leave(self, name: str) -> None:
        if name in self.inside:
            self.memory.people.set_active(self.tenant, self.people[name], False)
            self.inside.discard(name)

    @rule(name=NAMES)
    def lose_the_role(self, name: str) -> None:
        if name in self.inside:
            self.memory.people.put(self.tenant, name, roles=["guest"])
            self.inside.discard(name)

    @rule(name=NAMES)
    def come_or_come_back(self, name: str) -> None:
        self.people[name] = self.memory.people.put(self.tenant, name, roles=["member"])
        self.memory.people.set_active(self.tenant, self.people[name], True)
        self.principals[name] = self.memory.people.principal(self.tenant, self.people[name])
        self.inside.add(name)

    @precondition(lambda self: self.state == "conflicted")
    @rule(choice=st.sampled_from(range(len(OPTIONS))))
    def override(self, choice: int) -> None:
        self.memory.clarify.override(self.tenant, self.asked, choice)
        self.state, self.bound, self.moves = "bound", choice, self.moves + 1

    @invariant()
    def the_store_says_the_same(self) -> None:
        newest = max(rows(self.memory, Clarification, self.tenant), key=lambda row: row.tx_start)
        assert (newest.state, newest.bound) == (self.state, self.bound)
        assert newest.votes == {str(self.people[name]): vote for name, vote in self.votes.items()}
        assert (
            len([row for row in rows(self.memory, Feed, self.tenant) if row.ref_type == "clarification"]) == self.moves
        )


def test_votes_come_to_what_a_count_on_paper_does(memory):
    number = count()

    few = settings(max_examples=12, stateful_step_count=12, deadline=None)
    run_state_machine_as_test(lambda: Votes(memory, f"t{next(number)}"), settings=few)
