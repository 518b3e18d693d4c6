"""How often one hears of a watch: it shows in the list, is chosen there, and the card of an hour or a day says so."""

from datetime import UTC, datetime

import pytest

from cards.actions import Button
from core.clock import DAY, HOUR, from_datetime
from core.model.watching import Cadence, ScopeType
from core.store.tables import Audit
from tests.support.bots import buttons, choices
from tests.support.memories import document, rows, watch_request

FRIDAY = from_datetime(datetime(2026, 12, 4, 12, tzinfo=UTC))
SATURDAY = from_datetime(datetime(2026, 12, 5, 8, tzinfo=UTC))
"""Nine in the morning, by the clocks of Berlin."""


@pytest.fixture
def clock(clock):
    clock.ts = FRIDAY
    return clock


@pytest.fixture
async def watched(memory, parts, revise, adas, ada):
    """Ada's watch on a page, which tells at once."""
    revise()
    view = memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md"), name="travel"), ada)
    await parts.worker.settle()
    return view


async def choose(talk, cadence):
    """Choose it in the list of watches; the words that come of it."""
    [choice] = choices(await talk.ask("watching"))
    return await talk.press(Button(choice.kind, choice.target, choice.nonce, choice.label, cadence))


async def test_the_list_shows_how_often_each_tells_and_lets_it_be_chosen(watched, memory, adas, ada):
    assert await choose(adas, "daily") == "You hear of “travel” once a day from now on."
    assert [view.cadence for view in memory.watches(ada)] == [Cadence.DAILY]
    card = await adas.ask("watching")
    assert "You hear once a day" in adas.texts()[-1]
    [choice] = choices(card)
    assert (choice.target, choice.chosen) == (str(watched.watch_id), "daily")
    assert [option.arg for option in choice.options] == ["immediate", "hourly", "daily", "weekly"]


async def test_whoever_chooses_the_week_learns_how_to_see_when_that_is(watched, adas):
    assert await choose(adas, "weekly") == "You hear of “travel” once a week from now on. Write “brief” to see when."


async def test_the_card_shows_the_choice_and_the_audit_keeps_who_made_it(watched, memory, adas):
    await choose(adas, "hourly")
    assert "You hear of “travel” every hour from now on." in adas.texts()[-1]
    assert "watch_pace" in [row.action for row in rows(memory, Audit)]


@pytest.mark.parametrize("cadence", ["fortnightly", "stop", None])
async def test_no_other_pace_can_be_chosen(watched, memory, adas, ada, cadence):
    assert "could not be done" in await choose(adas, cadence)
    assert [view.cadence for view in memory.watches(ada)] == [Cadence.IMMEDIATE]


async def test_the_pace_of_a_stopped_watch_cannot_be_chosen(watched, memory, adas, ada):
    [choice] = choices(await adas.ask("watching"))
    await adas.press(adas.button("watch_mute", "stop"))
    words = await adas.press(Button(choice.kind, choice.target, choice.nonce, choice.label, "daily"))
    assert "could not be done" in words


@pytest.mark.parametrize(
    ("cadence", "title", "at"),
    [
        ("hourly", "Your hour in memory: 1 change", FRIDAY + 2 * HOUR),
        ("daily", "Your day in memory: 1 change", SATURDAY),
    ],
    ids=["hourly", "daily"],
)
async def test_its_changes_come_as_one_card_of_that_period_that_says_how_to_stop(
    watched, parts, revise, clock, adas, cadence, title, at
):
    await choose(adas, cadence)
    revise(meals=55)
    await parts.worker.settle()
    before = len(adas.texts())
    clock.ts = at
    await parts.worker.settle()
    [brief] = adas.texts()[before:]
    assert brief.startswith(title)
    assert "Meals: 40 EUR → 55 EUR" in brief
    assert "Write “watching” to stop one." in brief
    assert buttons(adas.cards()[-1]) == []
    clock.ts = at + DAY
    await parts.worker.settle()
    assert len(adas.texts()) == before + 1


async def test_why_says_that_what_is_for_a_brief_waits(watched, parts, revise, adas):
    await choose(adas, "daily")
    revise(meals=55)
    await parts.worker.settle()
    await adas.ask("why")
    assert "It waits to be sent." in adas.texts()[-1]
