"""What was erased disappears from what the platform shows, from the bot's own store, and was never in its logs."""

import pytest
from structlog.testing import capture_logs

from bot.actions import INACTIVE
from core.clock import DAY, HOUR
from core.erasure.surfaces import Copies
from core.model.watching import ScopeType
from tests.support.bots import parts_over
from tests.support.memories import dump, page, put, section, source_id, watch_request

CANARY = "marzipan"
ASKED = "What may a meal cost at most?"


def say(memory, price):
    words = {f"Meals with {CANARY}": f"A meal may cost at most {price} EUR of {CANARY}."}
    put(memory, "secret.md", page(f"The {CANARY} paper", words))


@pytest.fixture
async def told(memory, adas, clock):
    """Ada has seen the document's words on every kind of card."""
    say(memory, 40)
    put(memory, "trains.md", page("Trains", {"Classes": "First class is for journeys over four hours."}))
    await adas.save(ASKED)
    node = section("secret.md", f"The {CANARY} paper", f"Meals with {CANARY}")
    memory.watch(watch_request(adas.person, ScopeType.ENTITY, node, name=f"Meals with {CANARY}"), adas.person)
    memory.sweep()
    clock.advance(DAY)
    say(memory, 55)
    await adas.parts.worker.settle()
    clock.advance(DAY)
    await adas.parts.worker.settle()
    for words in ("watching", "watch meals", "why", "brief now", "What is first class for?"):
        await adas.ask(words)
    assert sum(CANARY in text for text in adas.texts()) >= 5
    return adas


async def test_every_card_that_showed_it_is_redacted_and_no_other(told, memory):
    trains = [text for text in told.texts() if CANARY not in text]
    memory.erase(source_id("secret.md"), "asked by mail")
    assert CANARY not in dump(memory), "before any platform has been told"
    await told.parts.worker.settle()
    assert not [text for text in told.texts() if CANARY in text]
    assert [text for text in told.texts() if text in trains] == trains
    [report] = memory.erasure.reports("default")
    assert set(report.copies.values()) == {Copies.REDACTED}
    assert CANARY not in dump(memory)


async def test_the_words_come_back_on_no_road(told, memory, clock):
    button = told.button("watch_mute")
    memory.erase(source_id("secret.md"), "asked by mail")
    await told.parts.worker.settle()
    assert await told.press(button) == INACTIVE
    for words in (ASKED, "watching", "saved", "why", "brief now"):
        await told.ask(words)
    clock.advance(8 * DAY)
    await told.parts.worker.settle()
    assert not [text for text in told.texts() if CANARY in text]
    assert CANARY not in dump(memory)


async def test_the_owner_hears_that_the_answer_rests_on_nothing_any_more(told, memory, clock):
    memory.erase(source_id("secret.md"), "asked by mail")
    clock.advance(DAY)
    await told.parts.worker.settle()
    assert any("[erased]" in text for text in told.texts()), "with a mark where the words stood"


async def test_no_log_line_holds_a_word_of_it(memory, adas, room):
    room.script("cut")
    with capture_logs() as lines:
        say(memory, 40)
        adas.write(ASKED)
        await adas.parts.worker.settle()
        memory.erase(source_id("secret.md"), "asked by mail")
        await adas.parts.worker.settle()
    assert CANARY not in str(lines)
    assert lines, "else this would prove nothing"


async def test_the_redaction_goes_on_after_a_restart(told, memory, channel):
    memory.erase(source_id("secret.md"), "asked by mail")
    parts = parts_over(memory, {"fake": channel}, owner="another")
    await parts.worker.settle()
    assert not [text for text in told.texts() if CANARY in text]
    parts.gateway.stop()


async def test_the_files_are_written_anew_by_the_bot_where_a_reader_was_in_the_way(told, memory, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(memory._database, "rewrite", lambda: False)
        assert not memory.erase(source_id("secret.md"), "asked by mail").rewritten
    told.parts.worker._prune_at = 0
    await told.parts.worker.settle()
    assert memory.erasure.reports("default")[0].rewritten


async def test_an_erased_persons_cards_are_emptied_where_they_stand(told, memory):
    report = memory.erase(told.person.person_id, "left")
    assert report.copies
    await told.parts.worker.settle()
    assert not [text for text in told.texts() if CANARY in text or "class" in text]
    assert set(memory.erasure.reports("default")[0].copies.values()) == {Copies.REDACTED}


@pytest.mark.parametrize("words", ["watching", "watch meals"])
async def test_a_list_made_while_what_it_names_is_erased_is_made_anew(told, memory, monkeypatch, clock, words):
    """It is from no document in particular, so that nothing on it would tell."""
    erase_before(memory, monkeypatch, "post")
    told.write(words)
    await told.parts.worker.settle()
    clock.advance(HOUR)
    await told.parts.worker.settle()
    assert CANARY not in dump(memory)
    assert not [text for text in told.texts() if CANARY in text]


async def test_the_page_made_while_what_it_names_is_erased_is_made_anew(told, memory, monkeypatch, clock):
    erase_before(memory, monkeypatch, "show")
    memory.inbound.receive("default", told.place, "looks", "home", {})
    await told.parts.worker.settle()
    clock.advance(HOUR)
    await told.parts.worker.settle()
    assert CANARY not in dump(memory)
    assert any("[erased]" in text for text in told.texts())


def erase_before(memory, monkeypatch, name):
    """Let the document be erased when a card has been made of it, and is about to be put down."""
    keep = getattr(memory.messages, name)

    def late(*given, **more):
        if not memory.erasure.reports("default"):
            memory.erase(source_id("secret.md"), "asked by mail")
        return keep(*given, **more)

    monkeypatch.setattr(memory.messages, name, late)
