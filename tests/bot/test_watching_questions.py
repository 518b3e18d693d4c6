"""What people are asked can be watched in a chat: chosen by its words, told by a card and a brief, and stopped."""

from dataclasses import replace
from uuid import UUID

import pytest

from core.clarifications.opening import Opening
from core.clock import DAY, HOUR
from core.model.grants import CardAction
from core.model.watching import ScopeType, TargetKind, watch_on_question
from core.store.tables import CardMessage, NotifyDelivery
from tests.support.bots import buttons
from tests.support.memories import add_person, page, put, rows, section
from tests.support.questions import LUNCH, dispute, opened, says

OFFERED = "clarification"


@pytest.fixture
def memory(reopen):
    """News settles before a watch tells it, and the card that asks is renewed at once."""
    return reopen()


@pytest.fixture(autouse=True)
def stew(memory):
    """Who is asked, where others only watch."""
    return add_person(memory, "Stew", roles=("steward",))


def unasked(memory):
    return opened(memory, audience=("steward",))


def opened_about(memory, number):
    node = UUID(section("day.md", "day.md", f"Lunch {number}"))
    return memory.clarify.open("default", Opening(node, f"Is lunch {number} good?", ["steward"]))


async def watching(chat, words="lunch"):
    await chat.ask(f"watch {words}")
    return await chat.press(chat.button("watch_create", OFFERED))


async def later(parts, clock, hours=1):
    clock.advance(hours * HOUR)
    await parts.worker.settle()
    clock.advance(HOUR)
    await parts.worker.settle()


async def test_watch_offers_an_open_question_that_the_words_name(memory, parts, adas, ada):
    unasked(memory)
    await adas.ask("watch lunch")
    text = adas.texts()[-1]
    assert LUNCH in text
    assert "A question that is open." in text
    assert await adas.press(adas.button("watch_create", OFFERED)) == f"Watching “{LUNCH}”."
    assert [(view.name, view.scope_type) for view in memory.watches(ada)] == [(LUNCH, ScopeType.CLARIFICATION)]
    await adas.ask("watching lunch")
    assert LUNCH in adas.texts()[-1]
    await adas.press(adas.button("watch_mute", "stop"))
    assert memory.watches(ada) == []


async def test_watch_offers_sections_beside_questions_and_at_most_two_of_these(memory, adas):
    put(memory, "day.md", page("day.md", {f"Lunch {n}": f"Lunch {n} is served." for n in range(9)}))
    for number in range(3):
        opened_about(memory, number)
    card = await adas.ask("watch lunch")
    assert [button.arg for button in buttons(card)] == [OFFERED, OFFERED, None, None, None]
    assert "7 more" in adas.texts()[-1]


async def test_watch_offers_no_question_that_is_settled_or_about_what_may_not_be_read(memory, adas, parts):
    memory.put_node(says(memory, "hr.md", 40, ("board",)))
    memory.put_node(says(memory, "b.md", 55))
    memory.clarify.override("default", opened(memory), 0)
    for words in ("lunch", "price"):
        card = await adas.ask(f"watch {words}")
        assert OFFERED not in [button.arg for button in buttons(card)]


async def test_a_button_for_a_question_makes_no_watch_on_a_section_nor_the_other_way(memory, adas, parts):
    opened(memory)
    await adas.ask("watch lunch")
    offered = adas.button("watch_create", OFFERED)
    card = memory.messages.tapped(offered.nonce)
    for arg in (None, "entity"):
        words = await parts.actions.tap(adas.person.person_id, card, CardAction("watch_create", offered.target, arg))
        assert words.startswith("That could not be done")
    assert memory.watches(adas.person) == []


async def test_who_may_no_longer_read_it_cannot_watch_it_any_more(memory, adas, parts):
    opened(memory)
    await adas.ask("watch lunch")
    button = adas.button("watch_create", OFFERED)
    put(memory, "day.md", page("day.md", {"Lunch": "Lunch is served daily."}), ("board",))
    assert (await adas.press(button)).startswith("That could not be done")
    assert memory.watches(adas.person) == []


async def test_a_card_tells_a_watcher_who_was_not_asked_and_why_says_what_they_watch(memory, parts, clock, adas):
    asked = unasked(memory)
    await watching(adas)
    await parts.worker.settle()
    clock.advance(HOUR)
    memory.clarify.override("default", asked, 1)
    await later(parts, clock)
    text = adas.texts()[-1]
    assert text.startswith(f"{LUNCH} Settled: At one")
    assert f"You watch {LUNCH}" in text
    await adas.ask("why")
    assert "1 change: a question was settled" in adas.texts()[-1]
    assert LUNCH in adas.texts()[-1]


async def test_who_was_asked_and_watches_hears_of_one_outcome_once(memory, parts, clock, adas):
    asked = opened(memory)
    await parts.worker.settle()
    await watching(adas)
    clock.advance(HOUR)
    memory.clarify.override("default", asked, 1)
    await parts.worker.settle()
    await later(parts, clock)
    assert sum("Settled: At one" in text for text in adas.texts()) == 1
    assert [(row.state, row.reason) for row in rows(memory, NotifyDelivery)] == [("skipped", "no_net_change")]


async def test_who_was_asked_where_the_card_could_not_be_renewed_hears_of_it_by_the_watch(memory, parts, clock, adas):
    asked = opened(memory)
    await parts.worker.settle()
    await watching(adas)
    clock.advance(HOUR)
    memory.clarify.override("default", asked, 1)
    with memory._database.write("default") as tx:
        for card in rows(memory, CardMessage):
            tx.session.merge(card).update_at = None
    memory.jobs.lease("clarify", ["clarify:ask"], "gone", 100)
    await later(parts, clock, hours=0)
    assert any(text.startswith(f"{LUNCH} Settled: At one") for text in adas.texts())


async def test_a_brief_has_a_question_in_a_line_and_offers_a_teams_to_be_watched(memory, parts, clock, adas, ada, stew):
    asked = dispute(memory)
    await parts.worker.settle()
    team = {"kind": TargetKind.SHARED, "audience": {"persons": [str(ada.person_id)]}}
    memory.watch(replace(watch_on_question(asked, "price", stew), target=team), stew)
    await parts.worker.settle()
    clock.advance(HOUR)
    memory.clarify.mark_conflicted("default", asked)
    await later(parts, clock)
    for _ in range(8):
        clock.advance(DAY)
        await parts.worker.settle()
    text = adas.texts()[-1]
    assert text.startswith("Your week in memory: 1 change")
    assert "Important: Sources disagree on “price” of this limit. Which is right? In dispute" in text
    assert (await adas.press(adas.button("watch_create", OFFERED))).startswith("Watching “Sources disagree on")
    assert [view.scope_type for view in memory.watches(ada)] == [ScopeType.CLARIFICATION]
