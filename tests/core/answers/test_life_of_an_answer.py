"""The life of a saved answer against a small model of what its evidence, its question and its owner's rights say."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.clock import HOUR, SECOND
from core.errors import StoreUnavailable
from core.ids import derived, random_id
from core.store import clarifications
from core.store.tables import Trace, Watch, WatchFire
from tests.support.memories import add_person, change_row, page, put, rows, without_table

SAID, NUMBER = "Meals cost at most 40 EUR a day.", "Meals cost at most 45 EUR a day."
WORDINGS = {
    "said": SAID,
    "wrapped": "Meals cost at\nmost **40 EUR** a day.",
    "reworded": "Please note: meals cost at most 40 EUR a day.",
    "number": NUMBER,
    "narrowed": "Meals of contractors cost at most 40 EUR a day.",
    "negated": "Meals do not cost at most 40 EUR a day.",
}
SAME = {"said", "wrapped", "reworded"}
STEPS = [*WORDINGS, "remove", "hide", "show", "bound", "conflicted", "pending", "check", "crash", "refresh"]
BADNESS = ["current", "stale", "pending", "conflicted", "invalidated"]


class Model:
    """What the answer rests on, and what a check must find."""

    def __init__(self):
        self.quoted, self.text, self.stands, self.readable = "said", "said", True, True
        self.question, self.asked = "pending", True
        self.status, self.history, self.told, self.erased = "pending", ["pending"], 0, False

    def found(self):
        if self.erased or not (self.stands and self.readable):
            return "invalidated"
        if self.text != self.quoted and not {self.text, self.quoted} <= SAME:
            return "stale"
        if not self.asked:
            return "current"
        return {"bound": "stale"}.get(self.question, self.question)

    def check(self):
        """A check that commits; what the owner hears is what is worse, or decided against the answer."""
        before, after = self.status, self.found()
        if after != before:
            self.status = after
            self.history.append(after)
            worse = BADNESS.index(after) > BADNESS.index(before)
            self.told += worse or (before in {"pending", "conflicted"} and after == "stale")


class World:
    """One answer of one person in one document of its own."""

    def __init__(self, memory):
        self.memory, self.name = memory, str(random_id())
        self.uri, self.role, self.question = f"{self.name}.md", f"r{self.name}", derived("question", self.name)
        self.owner = add_person(memory, self.name, [self.role])
        self.model, self.readers = Model(), [self.role]
        self.write("said")
        self.decide("pending")
        self.answer_id = self.save()

    def write(self, wording):
        self.memory.clock.advance(SECOND)
        put(self.memory, self.uri, page("Travel", {"Meals": WORDINGS[wording]}), self.readers)
        self.model.text, self.model.stands = wording, True

    def decide(self, state):
        body = {"question": "?", "options": [], "audience": [], "votes": {}, "state": state}
        change = {"pending": "clarification_opened"}.get(state, f"clarification_{state}")
        with self.memory._database.write("default") as tx:
            tx.lock()
            clarifications.write(tx, self.question, derived("node", self.name), body, change)
        self.model.question = state

    def save(self):
        answer = self.memory.generate("How much do meals cost a day?", self.owner)
        (trace,) = [row for row in rows(self.memory, Trace) if row.trace_id == answer.trace_id]
        claims = [{**claim, "clarifications": [str(self.question)]} for claim in trace.body["claims"]]
        change_row(self.memory, Trace, ("default", answer.trace_id), body={**trace.body, "claims": claims})
        return self.memory.save_answer(answer.trace_id, self.owner)

    def read(self, readers, *, readable):
        self.readers, self.model.readable = readers, readable
        if self.model.stands:
            put(self.memory, self.uri, page("Travel", {"Meals": WORDINGS[self.model.text]}), readers)

    def step(self, step):
        self.memory.clock.advance(HOUR)
        match step:
            case "remove" if self.model.stands:
                self.memory.remove(self.uri)
                self.model.stands = False
            case "hide":
                self.read(["nobody"], readable=False)
            case "show":
                self.read([self.role], readable=True)
            case "bound" | "conflicted" | "pending":
                self.decide(step)
            case "crash":
                self.crash()
            case "refresh":
                self.refresh()
            case _ if step in WORDINGS:
                self.write(step)
        if step != "crash":
            self.check()

    def check(self):
        checked = self.memory.check_answer(self.answer_id)
        self.model.check()
        assert checked.after == self.model.status
        again = self.memory.check_answer(self.answer_id)
        assert (again.before, again.after, again.changed_claims) == (checked.after, checked.after, ())

    def crash(self):
        """The check dies between what it has read and its commit: nothing of what it found is kept."""
        with without_table(self.memory, "job"), pytest.raises(StoreUnavailable):
            self.memory.check_answer(self.answer_id)

    def refresh(self):
        """With evidence to be read there is a new answer, that nothing is open about; without, nothing has happened."""
        refreshed = self.memory.refresh_answer(self.answer_id, self.owner)
        if not (self.model.stands and self.model.readable):
            assert (refreshed.answer, refreshed.answer_id) == (None, self.answer_id)
            return
        old = self.memory.answer(self.answer_id, self.owner)
        assert (old.status, old.superseded_by) == ("superseded", refreshed.answer_id)
        moves = self.memory.answer_history(self.answer_id, self.owner)
        assert statuses(moves) == [*self.model.history, "superseded"]
        assert self.memory.check_answer(self.answer_id) is None
        self.answer_id, told, question = refreshed.answer_id, self.model.told, self.model.question
        text, readers = self.model.text, self.model.readable
        self.model = Model()
        self.model.quoted = self.model.text = text
        self.model.asked, self.model.question, self.model.told, self.model.readable = False, question, told, readers
        self.model.status, self.model.history = "current", ["current"]

    def agrees(self):
        answer = self.memory.answer(self.answer_id, self.owner)
        moves = self.memory.answer_history(self.answer_id, self.owner)
        assert (answer.status, statuses(moves)) == (self.model.status, self.model.history)
        assert [move.at for move in moves] == sorted(move.at for move in moves)
        assert all(bool(claim.after) <= (claim.state == "affected" and self.model.readable) for claim in answer.claims)
        assert self.heard() == self.model.told

    def heard(self):
        """How often the owner was told of any answer of theirs."""
        mine = {row.watch_id for row in rows(self.memory, Watch) if row.owner_id == self.owner.person_id}
        told = [event for fire in rows(self.memory, WatchFire) if fire.watch_id in mine for event in fire.events]
        return len([event for event in told if event["kind"] == "answer_stale"])


def statuses(moves):
    """Without versions that changed what is shown of a claim and not how the answer stands."""
    return [move.status for place, move in enumerate(moves) if not place or moves[place - 1].status != move.status]


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=6))
def test_an_answer_is_at_every_step_what_its_evidence_its_question_and_its_rights_say(memory, steps):
    world = World(memory)
    for step in steps:
        world.step(step)
        world.agrees()


@pytest.mark.parametrize(
    "steps",
    [
        ["number", "said", "number", "said"],
        ["bound", "refresh", "number", "said", "refresh"],
        ["hide", "number", "show", "said"],
        ["remove", "refresh", "said", "conflicted", "bound", "pending"],
        ["narrowed", "crash", "check", "negated", "reworded", "wrapped"],
    ],
    ids="-".join,
)
def test_known_lives(memory, steps):
    world = World(memory)
    for step in steps:
        world.step(step)
        world.agrees()
    assert world.memory.erase(
        next(view.source_id for view in memory.documents.standing("default") if view.uri == world.uri), "asked for"
    ), "and after an erasure it says nothing and is invalid"
    answer = memory.answer(world.answer_id, world.owner)
    assert (answer.status, answer.text, {claim.after for claim in answer.claims}) == ("invalidated", "[erased]", {""})
    assert memory.check_answer(world.answer_id).changed_claims == ()
