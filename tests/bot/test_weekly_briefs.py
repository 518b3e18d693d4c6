"""A week's brief by the whole bot: it comes once, says what changed, and what is tapped or written about it holds."""

from datetime import UTC, datetime

import pytest

from cards.plain import to_plain
from core.clock import DAY, HOUR, from_datetime
from core.model.nodes import SECTION
from core.model.watching import ScopeType, TargetKind, WatchRequest
from core.store.tables import CardMessage
from tests.fakes.platform_channel import PLATFORM, PlatformChannel
from tests.support.bots import buttons, parts_over
from tests.support.memories import CHANGES, document, made_steward, rows, watch_request

FRIDAY = from_datetime(datetime(2026, 12, 4, 12, tzinfo=UTC))
MONDAY = from_datetime(datetime(2026, 12, 7, 8, tzinfo=UTC))
"""Nine in the morning, by the clocks of Berlin."""
WEEK = 7 * DAY


@pytest.fixture
def clock(clock):
    clock.ts = FRIDAY
    return clock


@pytest.fixture
async def changed(memory, parts, revise, adas, ada):
    """Ada has been told at once of a change in what she watches."""
    revise()
    memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md"), name="travel"), ada)
    await parts.worker.settle()
    revise(meals=55)
    await parts.worker.settle()
    assert len(adas.texts()) == 1


async def until(clock, parts, ts):
    clock.ts = ts
    await parts.worker.settle()


async def test_on_monday_morning_the_week_comes_as_one_card(changed, parts, clock, adas, room):
    await until(clock, parts, MONDAY - 1)
    assert len(adas.texts()) == 1
    await until(clock, parts, MONDAY)
    [_, brief] = adas.texts()
    assert brief.startswith("Your week in memory: 1 change")
    assert "Meals: 40 EUR → 55 EUR" in brief
    assert "From your watches travel." in brief
    assert [(b.kind, b.target, b.arg) for b in buttons(adas.cards()[-1])] == [("preference_set", "brief_day", "off")]
    assert await parts.worker.round() == 0
    await until(clock, parts, MONDAY + WEEK)
    assert room.tried() == 2


async def test_two_workers_send_each_person_one_brief(changed, memory, parts, room, clock, adas):
    other = parts_over(memory, {PLATFORM: PlatformChannel(room.url, timeout_secs=2)}, "other")
    clock.ts = MONDAY
    for worker in (parts.worker, other.worker, parts.worker, other.worker):
        await worker.round()
    assert [text.startswith("Your week") for text in adas.texts()] == [False, True]
    other.gateway.stop()


async def test_its_button_stops_it_and_says_so(changed, memory, parts, clock, adas, revise):
    await until(clock, parts, MONDAY)
    words = await adas.press(adas.button("preference_set"))
    assert words == "Stopped: no more weekly briefs. Write “brief on” to have them again."
    assert words in adas.texts()[-1]
    assert "[Stop weekly brief]" not in adas.texts()[-1]
    revise(meals=60)
    await until(clock, parts, MONDAY + WEEK)
    assert len([card for card in rows(memory, CardMessage) if card.kind == "brief"]) == 1


async def test_what_is_only_watched_by_others_can_be_watched_from_it(memory, parts, revise, clock, adas, ada, bob):
    revise()
    target = {"kind": TargetKind.SHARED, "audience": {"persons": [str(ada.person_id)]}}
    memory.watch(
        WatchRequest("sections", ScopeType.LABEL, (SECTION,), CHANGES, target, debounce_secs=0),
        made_steward(memory, bob),
    )
    await parts.worker.settle()
    revise(meals=55)
    await parts.worker.settle()
    await until(clock, parts, MONDAY)
    assert await adas.press(adas.button("watch_create")) == "Watching “Meals”."
    assert [view.name for view in memory.watches(ada)] == ["Meals"]


async def test_a_saved_answer_to_look_at_stands_on_top(memory, parts, revise, clock, adas):
    revise()
    await adas.save("What may a meal cost at most?")
    await parts.worker.settle()
    clock.advance(HOUR)
    revise(meals=55)
    await parts.worker.settle()
    await until(clock, parts, MONDAY)
    text = adas.texts()[-1]
    assert text.startswith("Your week in memory: 1 saved answer to look at")
    assert "What may a meal cost at most?" in text


# ── in words ──


async def test_brief_now_shows_the_week_so_far_and_leaves_mondays_as_it_is(changed, parts, clock, adas):
    text = to_plain(await adas.ask("brief now"))
    assert text.startswith("Your week in memory: 1 change")
    await until(clock, parts, MONDAY)
    assert adas.texts()[-1].startswith("Your week in memory: 1 change")
    assert to_plain(await adas.ask("brief now")).startswith("Nothing new")


async def test_brief_now_is_an_answer_and_waits_for_nothing(changed, memory, parts, clock, adas, ada):
    memory.mute_all(ada, clock.now() + DAY)
    assert to_plain(await adas.ask("Brief NOW")).startswith("Your week in memory")


async def test_the_button_of_a_brief_that_was_asked_for_works_too(changed, adas, memory, ada):
    await adas.ask("brief now")
    await adas.press(adas.button("preference_set"))
    assert memory.people.preferences("default", ada.person_id).brief_day is None


@pytest.mark.parametrize(
    ("text", "words", "day"),
    [
        ("brief", "Your weekly brief. It comes on Mondays at 9:00, Europe/Berlin time", 0),
        ("brief on", "Your weekly brief. It comes on Mondays at 9:00, Europe/Berlin time", 0),
        ("brief off", "Your weekly brief. It is off.", None),
        ("Brief off!", "Your weekly brief. It is off.", None),
    ],
)
async def test_on_off_and_how_it_stands(memory, adas, ada, text, words, day):
    assert (await adas.ask(text)).fallback_text.startswith(words)
    assert memory.people.preferences("default", ada.person_id).brief_day == day


async def test_on_leaves_the_day_that_was_chosen(memory, adas, ada):
    memory.prefer(ada, "brief_day", "friday")
    assert "Fridays" in (await adas.ask("brief on")).fallback_text
    assert memory.people.preferences("default", ada.person_id).brief_day == 4


async def test_off_and_on_again_has_it_again(memory, adas, ada):
    await adas.ask("brief off")
    await adas.ask("brief on")
    assert memory.people.preferences("default", ada.person_id).brief_day == 0


@pytest.mark.parametrize(
    "text", ["brief me on refunds", "brief now and then", "brief history of the company", "briefs"]
)
async def test_other_words_after_it_make_a_question(parts, ada, text):
    assert await parts.commands.reply("default", ada.person_id, text) is None


# ── what no card could carry ──


async def test_with_the_brief_off_it_is_told_when_the_person_next_writes(memory, parts, revise, clock, adas, ada, room):
    revise()
    memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md"), name="travel"), ada)
    memory.prefer(ada, "brief_day", "off")
    await parts.worker.settle()
    room.script("403")
    revise(meals=55)
    await parts.worker.settle()
    await until(clock, parts, MONDAY + WEEK)
    assert adas.texts() == []
    await adas.ask("status")
    assert sorted(text.splitlines()[0] for text in adas.texts()) == ["Meals: 40 EUR → 55 EUR", "What I remember"]
