"""Whatever of Memory takes a principal shows them nothing that they may not read; a new method needs a case here."""

import inspect
from dataclasses import replace

import pytest

from core.clock import DAY
from core.errors import CoreError
from core.graph.records import Record
from core.ids import derived, random_id
from core.memory import Memory
from core.model.principals import person_reader
from core.model.spans import SpanRef
from core.model.threads import ASSISTANT, Asked, Said, Turn, thread_of
from core.model.watching import ScopeType
from core.planner.request import PlanRequest
from core.store.tables import Person, SourceVersion
from core.verify.request import Against, VerifyRequest
from tests.support.memories import add_person, change_row, page, place_of, put, rows, section, source_id, watch_request

BEFORE, AFTER = "marzipan", "zanzibar"
QUESTION = "What may a meal cost at most?"
URI, NODE, RECORD = "secret.md", ("secret.md", "Secret", "Meals"), derived("record", "secret")
DISPUTED = derived("record", "sweet")


class World:
    """A document of the board's, cited, saved and watched by somebody of the board, changed since."""

    def __init__(self, memory, clock):
        self.memory = memory
        self.reader = add_person(memory, "Ada", roles=("member", "board"))
        self.other = add_person(memory, "Bob")
        self._say(f"A meal may cost at most 40 EUR of {BEFORE}.")
        memory.put_node(Record(RECORD, "PAY", {"title": BEFORE}, ["board"]))
        self.trace_id = memory.generate(QUESTION, self.reader).trace_id
        place = place_of(self.reader.person_id)
        said = Said(ASSISTANT, BEFORE, source_ids=[source_id(URI)])
        memory.conversation.append("default", self.reader.person_id, place, Turn("e1", [said]))
        self.asked = Asked(thread_of("default", place))
        self.answer_id = memory.save_answer(self.trace_id, self.reader)
        self.watch_id = memory.watch(watch_request(self.reader, ScopeType.ENTITY, section(*NODE)), self.reader).watch_id
        memory.sweep()
        clock.advance(DAY)
        self._say(f"A meal may cost at most 55 EUR of {AFTER}.")
        memory.put_node(Record(RECORD, "PAY", {"title": AFTER}, ["board"]))
        clock.advance(DAY)
        memory.sweep()
        self.fire_id = memory.watched.fires(self.watch_id, self.reader)[0].fire_id
        self._disagree(BEFORE, AFTER)
        self.spans = [
            SpanRef(source_id(URI), version.version_tx, 0, 40)
            for version in rows(memory, SourceVersion)
            if version.source_id == source_id(URI)
        ]

    def _say(self, words):
        put(self.memory, URI, page("Secret", {"Meals": words}), readers=["board"])

    def _disagree(self, *sayings):
        """Two more documents of the board's say different things of one entity."""
        for number, said in enumerate(sayings):
            uri = f"said-{number}.md"
            result = put(self.memory, uri, f"The sweet is {said}.\n".encode(), readers=["board"])
            span = SpanRef(result.source_id, result.version_tx, 0, 10)
            self.memory.put_node(Record(DISPUTED, "SWEET", {"kind": said}, provenance=[span]))

    def demoted(self):
        """The reader, who is on the board no more."""
        change_row(self.memory, Person, ("default", self.reader.person_id), roles=["member"])
        return replace(self.reader, roles=frozenset({"member"}))


MATCH = [{"prop": "text", "op": "match", "value": f"meal {BEFORE} {AFTER}"}]
CALLS = {
    "resolve": lambda w, who: w.memory.resolve(w.spans, who),
    "get_as_of": lambda w, who: w.memory.get_as_of(RECORD, who),
    "query": lambda w, who: (
        [w.memory.query(label, MATCH, who) for label in ("PASSAGE", "SECTION", "DOCUMENT")]
        + [w.memory.query(label, [], who) for label in ("PASSAGE", "SECTION", "DOCUMENT", "PAY")]
    ),
    "plan": lambda w, who: w.memory.plan(PlanRequest(question=QUESTION, find="SECTION", expand_depth=2), who),
    "context": lambda w, who: w.memory.context(PlanRequest(question=QUESTION, find="SECTION", expand_depth=2), who),
    "verify": lambda w, who: [
        w.memory.verify(VerifyRequest([f"A meal may cost at most {words}."], against), who).results[0].evidence
        for words in (f"40 EUR of {BEFORE}", f"55 EUR of {AFTER}")
        for against in (Against(), Against("SECTION"), Against("PAY"))
    ],
    "generate": lambda w, who: w.memory.generate(QUESTION, who),
    "explain_thread": lambda w, who: w.memory.explain_thread(w.asked, who),
    "find_sections": lambda w, who: w.memory.find_sections("meals", who),
    "find_questions": lambda w, who: w.memory.find_questions("kind", who),
    "quote": lambda w, who: [w.memory.quote(QUESTION, span, who) for span in w.spans],
    "trace": lambda w, who: w.memory.trace(w.trace_id, who),
    "save_answer": lambda w, who: w.memory.save_answer(w.trace_id, who),
    "answer": lambda w, who: w.memory.answer(w.answer_id, who),
    "answers": lambda w, who: w.memory.answers(who),
    "answer_history": lambda w, who: w.memory.answer_history(w.answer_id, who),
    "refresh_answer": lambda w, who: w.memory.refresh_answer(w.answer_id, who),
    "watch": lambda w, who: w.memory.watch(
        watch_request(who, ScopeType.ENTITY, section(*NODE), name=str(random_id())), who
    ),
    "watches": lambda w, who: w.memory.watches(who),
    "recent_fires": lambda w, who: w.memory.recent_fires(who),
    "explain_fire": lambda w, who: w.memory.explain_fire(w.fire_id, who),
    "clarifications": lambda w, who: w.memory.clarifications(who),
    "erase": lambda w, who: w.memory.erase(source_id(URI), "curious", who),
    "mute_for": lambda w, who: w.memory.mute_for(who, "1y"),
    "mute_watch": lambda w, who: w.memory.mute_watch(w.watch_id, who, 0),
    "mute_all": lambda w, who: w.memory.mute_all(who, 0),
    "prefer": lambda w, who: w.memory.prefer(who, "brief_day", "fri"),
}


def shown(world, name, who):
    """What a call gives away, its refusal's words included."""
    try:
        return repr(CALLS[name](world, who))
    except CoreError as refusal:
        return repr(refusal) + str(refusal)


@pytest.fixture
def world(memory, clock):
    return World(memory, clock)


def test_every_method_for_a_principal_has_a_case():
    public = {name: f for name, f in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")}
    assert {name for name, f in public.items() if "principal" in inspect.signature(f).parameters} == set(CALLS)


@pytest.mark.parametrize(
    "name", ["query", "plan", "context", "verify", "generate", "answer", "get_as_of", "clarifications"]
)
def test_whoever_may_read_is_shown_the_words(world, name):
    assert {BEFORE, AFTER} & set(shown(world, name, world.reader).replace(".", " ").replace("'", " ").split())


@pytest.mark.parametrize("name", CALLS)
def test_somebody_else_is_shown_nothing(world, name):
    given = shown(world, name, world.other)
    assert BEFORE not in given
    assert AFTER not in given


@pytest.mark.parametrize("name", CALLS)
def test_whoever_lost_their_role_is_shown_nothing_that_came_since(world, name):
    assert AFTER not in shown(world, name, world.demoted())


def test_a_record_for_one_person_is_theirs_alone(world):
    own = derived("record", "own")
    world.memory.put_node(Record(own, "NOTE", {"title": BEFORE}, [person_reader(world.reader.person_id)]))
    assert world.memory.get_as_of(own, world.reader).props["title"] == BEFORE
    assert world.memory.query("NOTE", [], world.other) == []
