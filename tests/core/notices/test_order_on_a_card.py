"""What stands on one card stands in an order that its reader understands: as it stands on the page, as it was asked."""

from core.clock import MINUTE
from core.model.notices import AnswersNotice, ChangeNotice
from core.model.watching import ScopeType
from tests.support.briefs import MONDAY, arrive, change, revise
from tests.support.deliveries import Worker
from tests.support.memories import page, put, section, watch_request

NAMES = ("Meals", "Hotels", "Trains", "Bicycles", "Taxis", "Fares")


def fees(amount):
    return page("Fees", {name: f"{name} cost at most {amount} EUR." for name in NAMES})


def headings(notice):
    return [line.changes[0].path[-1] for line in notice.lines]


def test_what_changed_together_on_a_page_stands_as_on_the_page(memory, ada):
    put(memory, "fees.md", fees(40), ["member"])
    memory.sweep()
    worker = Worker(memory)
    memory.watch(watch_request(ada, ScopeType.LABEL, "SECTION"), ada)
    revise(memory, worker, fees(50), "fees.md")
    [notice] = worker.notices
    assert isinstance(notice, ChangeNotice)
    assert headings(notice) == list(NAMES)


def test_so_it_does_in_a_brief(memory, ada):
    put(memory, "fees.md", fees(40), ["member"])
    memory.sweep()
    worker = Worker(memory)
    memory.watch(watch_request(ada, ScopeType.LABEL, "SECTION", cadence="weekly"), ada)
    change(memory, worker, fees(50), "fees.md")
    [brief] = arrive(memory, worker, MONDAY)
    assert [line.change.changes[0].path[-1] for line in brief.lines] == list(NAMES)


def test_the_watches_that_heard_of_a_card_are_named_the_oldest_first(memory, ada):
    put(memory, "fees.md", fees(40), ["member"])
    memory.sweep()
    worker = Worker(memory)
    for name in NAMES:
        memory.watch(watch_request(ada, ScopeType.ENTITY, section("fees.md", "Fees", name), name=name), ada)
    revise(memory, worker, fees(50), "fees.md")
    [notice] = worker.notices
    assert [reason.name for reason in notice.reasons] == list(NAMES)


def test_of_saved_answers_the_one_that_was_saved_first_comes_first(memory, ada):
    put(memory, "fees.md", fees(40), ["member"])
    memory.sweep()
    worker = Worker(memory)
    saved = [saved_answer(memory, ada, name) for name in NAMES]
    change(memory, worker, fees(50), "fees.md")
    for answer_id in reversed(saved):
        memory.check_answer(answer_id)
    memory.sweep()
    memory.clock.advance(MINUTE)
    worker.send()
    [notice] = worker.notices
    assert isinstance(notice, AnswersNotice)
    assert [answer.answer_id for answer in notice.answers] == saved


def saved_answer(memory, person, name):
    memory.clock.advance(MINUTE)
    return memory.save_answer(memory.generate(f"What do {name.lower()} cost at most?", person).trace_id, person)


def test_of_two_cards_that_wait_the_one_of_what_was_watched_first_goes_first(memory, ada):
    for turn in range(4):
        uri = f"{turn}.md"
        put(memory, uri, fees(40), ["member"])
        memory.sweep()
        worker = Worker(memory)
        wanted = ["memory_change", "answer_updated"]
        memory.watch(watch_request(ada, ScopeType.ENTITY, section(uri, "Fees", "Taxis")), ada)
        answer_id = saved_answer(memory, ada, "meals")
        change(memory, worker, fees(50), uri)
        memory.check_answer(answer_id)
        memory.sweep()
        memory.clock.advance(MINUTE)
        kinds = [card.kind for _ in wanted for card in worker.send()]
        assert kinds == wanted
        memory.remove(uri)
        memory.sweep()
        memory.clock.advance(MINUTE)
        worker.send(), worker.send()
