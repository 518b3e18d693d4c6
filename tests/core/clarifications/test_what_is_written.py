"""What becomes of a record once people have settled what is in question: what it says, on what, and for whom."""

import pytest

from core.clarifications.opening import Opening
from core.clock import DAY
from core.errors import InvalidRequest, NotFound
from core.graph.records import Record
from core.ids import derived
from tests.support.memories import add_person, dump, page, put, source_id
from tests.support.questions import MEALS, dispute, newest, price, says, state, stewards


def test_what_people_choose_is_written_with_the_words_that_they_chose(memory, ada):
    [steward] = stewards(memory, "Stew")
    asked = dispute(memory)
    put(memory, "b.md", page("b.md", {"Before": "Something new.", "Meals": "A meal may cost 55 EUR."}))
    memory.clarify.vote(asked, 1, steward)
    node = memory.get_as_of(MEALS, ada)
    assert node.props == {"price": 55}
    [span] = node.spans()
    text = next(view for view in memory.documents.standing("default") if view.uri == "b.md")
    assert (span.source_id, span.source_version_tx) == (source_id("b.md"), text.version_tx), "where it stands today"


def test_choosing_what_stands_writes_nothing(memory, ada):
    [steward] = stewards(memory, "Stew")
    asked = dispute(memory)
    before = memory.get_as_of(MEALS, ada)
    memory.clarify.vote(asked, 0, steward)
    assert memory.get_as_of(MEALS, ada) == before
    assert state(memory, asked) == "bound"


def test_readers_of_the_chosen_words_do_not_come_to_read_what_others_said(memory, ada):
    boss = add_person(memory, "Boss", roles=("board", "steward"))
    memory.put_node(says(memory, "a.md", 40, readers=("board",), owner="Grace"))
    [asked] = memory.put_node(says(memory, "b.md", 55)).in_question
    memory.clarify.vote(asked, 1, boss)
    assert memory.get_as_of(MEALS, boss).props == {"price": 55, "owner": "Grace"}
    with pytest.raises(NotFound):
        memory.get_as_of(MEALS, ada)


def test_words_that_say_all_that_stands_are_all_it_rests_on(memory, ada):
    [steward] = stewards(memory, "Stew")
    memory.put_node(says(memory, "a.md", 40, unit="EUR"))
    [asked] = memory.put_node(says(memory, "b.md", 55, unit="EUR")).in_question
    memory.clarify.vote(asked, 1, steward)
    assert memory.get_as_of(MEALS, ada).sources == {source_id("b.md")}


def test_two_properties_in_question_are_settled_each_for_itself(memory, ada):
    [steward] = stewards(memory, "Stew")
    memory.put_node(says(memory, "a.md", 40, unit="EUR"))
    told = memory.put_node(says(memory, "b.md", 55, unit="USD"))
    of = {memory.questions.get(one, ada).prop: one for one in told.in_question}
    assert of.keys() == {"price", "unit"}
    memory.clarify.vote(of["price"], 1, steward)
    node = memory.get_as_of(MEALS, ada)
    assert (node.props, node.sources) == ({"price": 55, "unit": "EUR"}, {source_id("a.md"), source_id("b.md")})
    memory.clarify.vote(of["unit"], 1, steward)
    node = memory.get_as_of(MEALS, ada)
    assert (node.props, node.sources) == ({"price": 55, "unit": "USD"}, {source_id("b.md")})


def test_what_an_option_said_beside_is_erased_with_it(memory, ada):
    dispute(memory)
    memory.put_node(says(memory, "c.md", 60, owner="zanzibar"))
    assert "zanzibar" in dump(memory)
    memory.erase(source_id("c.md"), "asked by mail")
    assert "zanzibar" not in dump(memory)


def test_what_somebody_asked_about_a_record_is_erased_with_what_it_rested_on(memory, ada):
    """Also where it rests on something else by now; what documents say of it is each document's own."""
    boss = add_person(memory, "Boss", roles=("member", "board", "steward"))
    memory.put_node(says(memory, "hr.md", 90, readers=("board",)))
    memory.put_node(says(memory, "b.md", 80))
    own = Opening(MEALS, "Is the marzipan 90?", ("board",), ("Yes, marzipan", "No"))
    memory.clarify.vote(memory.clarify.open("default", own, boss).clarification_id, 0, boss)
    elsewhere = Opening(derived("document", source_id("b.md")), "Is b.md right?", ("board",))
    memory.clarify.open("default", elsewhere, boss)
    memory.clarify.override("default", newest_of(memory, "price"), 1)
    assert memory.erase(source_id("hr.md"), "asked by mail").surfaces["clarifications"] == 4
    assert "marzipan" not in dump(memory)
    [kept] = [one for one in memory.questions.every("default") if one.prop == "price"]
    assert [option.value for option in kept.options] == [80]
    assert "Is b.md right?" in dump(memory)


def newest_of(memory, prop):
    return next(one.clarification_id for one in memory.questions.every("default") if one.prop == prop)


def test_what_was_believed_before_stays_believed(memory, ada, clock):
    [steward] = stewards(memory, "Stew")
    asked = dispute(memory)
    before = clock.now()
    clock.advance(DAY)
    memory.clarify.vote(asked, 1, steward)
    assert memory.get_as_of(MEALS, ada, valid_time=before).props["price"] == 40
    assert price(memory, ada) == 55


@pytest.fixture
def decided(memory, ada):
    """People chose 55, which b.md says, and turned down 40, which a.md says."""
    [steward] = stewards(memory, "Stew")
    asked = dispute(memory)
    memory.clarify.vote(asked, 1, steward)
    return asked


def test_what_agrees_with_people_is_nothing_new(memory, ada, decided):
    assert memory.put_node(says(memory, "c.md", 55)).written
    assert (price(memory, ada), memory.clarifications(ada)) == (55, [])


def test_what_was_turned_down_is_nothing_new_however_often_it_is_said(memory, ada, decided):
    told = memory.put_node(says(memory, "a.md", 40))
    assert (told.written, told.in_question, told.decided) == (False, (), (decided,))
    assert (price(memory, ada), memory.clarifications(ada)) == (55, [])


@pytest.mark.parametrize(("uri", "amount"), [("c.md", 60), ("c.md", 40), ("a.md", 45), ("b.md", 50)])
def test_what_disagrees_with_people_opens_a_new_question(memory, ada, decided, uri, amount):
    told = memory.put_node(says(memory, uri, amount))
    assert not told.written
    [asked] = memory.clarifications(ada)
    assert told.in_question == (asked.clarification_id,) != (decided,)
    assert [option.value for option in asked.options] == [55, amount], "though its words be gone, it was decided"
    assert price(memory, ada) == 55
    assert state(memory, decided) == "bound"


def test_it_can_be_settled_anew_and_the_older_decision_is_history(memory, ada, decided):
    [asked] = memory.put_node(says(memory, "b.md", 50)).in_question
    with pytest.raises(InvalidRequest, match="asked anew in a later"):
        memory.clarify.override("default", decided, 0)
    memory.clarify.override("default", asked, 1)
    assert price(memory, ada) == 50
    assert memory.put_node(says(memory, "b.md", 50)).written


def test_a_decision_ends_with_the_record_and_a_new_dispute_is_a_new_question(memory, ada, decided):
    memory.remove_node(MEALS)
    memory.clock.advance(DAY)
    assert memory.put_node(says(memory, "a.md", 40)).written
    [asked] = memory.put_node(says(memory, "b.md", 56)).in_question
    assert asked != decided
    assert state(memory, decided) == "bound"


def test_somebodys_own_word_settles_what_is_in_question(memory, ada):
    asked = dispute(memory)
    memory.put_node(Record(MEALS, "LIMIT", {"price": 70}, ["everyone"]))
    assert (price(memory, ada), memory.clarifications(ada)) == (70, [])
    assert (memory.questions.get(asked, ada).chosen, newest(memory, asked).settled_by) == (70, "word")
    assert not memory.put_node(says(memory, "b.md", 55)).written, "it was known, and not chosen"
    assert price(memory, ada) == 70


# ── somebody's own word, and then the words of a document ──


def own_word(memory, readers, **props):
    """hr.md, for the board, says 90, b.md says 80, and somebody's own word is 85; the clarification."""
    memory.put_node(says(memory, "hr.md", 90, readers=("board",)))
    [asked] = memory.put_node(says(memory, "b.md", 80)).in_question
    memory.put_node(Record(MEALS, "LIMIT", {"price": 85} | props, readers))
    return asked


def test_what_is_chosen_over_somebodys_own_word_rests_on_the_words_that_say_it(memory, ada):
    boss = add_person(memory, "Boss", roles=("board",))
    memory.clarify.override("default", own_word(memory, ["everyone"]), 0)
    node = memory.get_as_of(MEALS, boss)
    assert (node.props, node.sources) == ({"price": 90}, {source_id("hr.md")})
    with pytest.raises(NotFound):
        memory.get_as_of(MEALS, ada)
    assert memory.erase(source_id("hr.md"), "asked by mail").surfaces["records"] == 1
    with pytest.raises(NotFound):
        memory.get_as_of(MEALS, boss)


def test_readers_of_the_chosen_words_do_not_come_to_read_somebodys_own(memory, ada):
    boss = add_person(memory, "Boss", roles=("board",))
    memory.clarify.override("default", own_word(memory, ["board"], owner="Grace"), 1)
    assert memory.get_as_of(MEALS, boss).props == {"price": 80, "owner": "Grace"}
    with pytest.raises(NotFound):
        memory.get_as_of(MEALS, ada)


def test_somebodys_own_word_can_be_chosen_back(memory, ada):
    asked = own_word(memory, ["everyone"])
    memory.clarify.override("default", asked, 1)
    assert price(memory, ada) == 80
    memory.clarify.override("default", asked, 2)
    node = memory.get_as_of(MEALS, ada)
    assert (node.props, node.spans(), node.readers) == ({"price": 85}, [], ["everyone"])


def test_somebodys_own_word_rests_on_what_stands_where_its_readers_are_not_known_any_more(memory, ada):
    asked = own_word(memory, ["everyone"])
    memory.clarify.override("default", asked, 1)
    corrected = says(memory, "b.md", 80)
    memory.put_node(corrected)
    memory.clarify.override("default", asked, 2)
    node = memory.get_as_of(MEALS, ada)
    assert (node.props, node.spans()) == ({"price": 85}, list(corrected.provenance))


# ── words that go ──


@pytest.mark.parametrize("beside", [{}, {"city": "Bern"}])
def test_an_option_whose_words_are_gone_is_chosen_on_the_words_that_still_say_the_same(memory, ada, beside):
    boss = add_person(memory, "Boss", roles=("board",))
    memory.put_node(says(memory, "b.md", 80, **beside))
    [asked] = memory.put_node(says(memory, "hr.md", 90, readers=("board",))).in_question
    memory.put_node(says(memory, "hr2.md", 90, readers=("board",)))
    says(memory, "hr.md", 91, readers=("board",))
    memory.clarify.override("default", asked, 1)
    assert newest(memory, asked).bound == 2
    node = memory.get_as_of(MEALS, boss)
    assert node.props == {"price": 90} | beside
    assert node.sources == {source_id("hr2.md"), *([source_id("b.md")] if beside else [])}
    with pytest.raises(NotFound):
        memory.get_as_of(MEALS, ada)


def test_an_option_that_stands_is_chosen_itself_beside_others_that_say_the_same(memory, ada):
    memory.put_node(says(memory, "b.md", 80))
    [asked] = memory.put_node(says(memory, "hr.md", 90, readers=("board",))).in_question
    memory.put_node(says(memory, "c.md", 90))
    memory.clarify.override("default", asked, 2)
    assert memory.get_as_of(MEALS, ada).sources == {source_id("c.md")}


@pytest.mark.parametrize("beside", [{}, {"city": "Bern"}])
def test_what_was_decided_rests_on_the_words_it_was_chosen_for_when_they_are_gone(memory, ada, beside):
    boss = add_person(memory, "Boss", roles=("board",))
    memory.put_node(says(memory, "b.md", 80, **beside))
    [asked] = memory.put_node(says(memory, "hr.md", 90, readers=("board",))).in_question
    memory.clarify.override("default", asked, 1)
    [anew] = memory.put_node(says(memory, "c.md", 70, **beside)).in_question
    memory.clarify.override("default", anew, 1)
    assert price(memory, ada) == 70
    says(memory, "hr.md", 91, readers=("board",))
    memory.clarify.override("default", anew, 0)
    assert memory.get_as_of(MEALS, boss).props == {"price": 90} | beside
    with pytest.raises(NotFound):
        memory.get_as_of(MEALS, ada)
    assert memory.erase(source_id("hr.md"), "asked by mail").surfaces["records"] == 1
