"""From Slack to a card and back, over the real ingress, worker and memory: whatever comes twice has one effect."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from bot.actions import INACTIVE
from bot.memory_gateway import MemoryGateway
from core.clock import HOUR, SECOND
from core.model.work import Place
from core.store.tables import Inbox, Watch
from tests.fakes.slack_blocks import elements
from tests.fakes.slack_inbound import SlackRequest
from tests.support.bots import parts_over
from tests.support.memories import page, put, rows
from tests.support.slack import let_in, served
from tests.support.slack_cards import ADA, TEAM

pytestmark = pytest.mark.usefixtures("user")
ASKED = "What may a meal cost at most?"


@pytest.fixture
def ada(memory, acme):
    """Ada is known, and the handbook can be asked."""
    let_in(memory, acme)
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost 40 EUR at most."}))
    person_id = memory.people.put("default", "Ada")
    memory.people.bind("default", person_id, Place("slack", TEAM, ADA))
    return memory.people.principal("default", person_id)


@pytest.fixture
async def process(slack, channel, web, ada, reopen):
    """Starts another bot on the same database; gives its parts and its door."""
    async with AsyncExitStack() as stack:

        async def start(memory=None):
            parts = parts_over(memory or reopen(watch={"settle_secs": 0}), {"slack": channel})
            stack.callback(parts.gateway.stop)
            gateway = MemoryGateway(parts.gateway.memory)
            stack.callback(gateway.stop)
            return parts, await stack.enter_async_context(served(slack, gateway, parts.ingress, web))

        yield start


@pytest.fixture
async def bot(process, memory):
    return await process(memory)


def button(card, kind):
    return next(e["action_id"] for _, e in elements(card.blocks) if e["action_id"].startswith(kind))


def text_of(card):
    return str(card.blocks)


@pytest.fixture
async def answered(bot, acme, inbound):
    """Ada's question has been answered; the card."""
    parts, door = bot
    await door.hear(inbound.message(ADA, ASKED))
    await parts.worker.settle()
    [card] = acme.cards(ADA)
    return card


async def test_a_question_is_answered_in_its_thread(answered, acme):
    assert "40 EUR" in text_of(answered)
    assert answered.thread_ts == acme.messages(ADA)[0].ts


async def test_row_1_an_event_delivered_four_times_is_answered_once(bot, acme, inbound, clock, memory):
    parts, door = bot
    request = inbound.message(ADA, ASKED)
    statuses = []
    for number in range(4):
        statuses.append((await door.hear(request, retry=number)).status)
        clock.advance(4 * SECOND)
        await parts.worker.settle()
    assert statuses == [200] * 4
    assert (len(acme.cards(ADA)), len(rows(memory, Inbox))) == (1, 1)


async def test_a_message_that_two_events_tell_of_is_answered_once(bot, acme, inbound, memory):
    parts, door = bot
    said = acme.store(ADA, ASKED)
    first, second = inbound.told(said), inbound.told(said)
    second.payload["event"].pop("client_msg_id")
    assert first.payload["event_id"] != second.payload["event_id"]
    for request in (first, second, first):
        assert (await door.hear(request)).status == 200
        await parts.worker.settle()
    assert (len(acme.cards(ADA)), len(rows(memory, Inbox))) == (1, 1)


async def test_the_same_words_twice_are_two_questions(bot, acme, inbound):
    parts, door = bot
    for _ in range(2):
        await door.hear(inbound.message(ADA, ASKED))
        await parts.worker.settle()
    assert len(acme.cards(ADA)) == 2


async def test_a_file_without_words_is_answered_once_where_it_was_shared(bot, acme, inbound):
    parts, door = bot
    request = inbound.message(ADA, "")
    request.payload["event"] |= {"subtype": "file_share", "files": [{"id": "F1"}, {"id": "F2"}]}
    for number in range(2):
        await door.hear(request, retry=number)
        await parts.worker.settle()
    [card] = acme.cards(ADA)
    assert "I read words only" in text_of(card)
    assert card.thread_ts == acme.messages(ADA)[0].ts


async def test_row_1_all_four_at_the_same_time(bot, acme, inbound):
    parts, door = bot
    request = inbound.message(ADA, ASKED)
    replies = await asyncio.gather(*(door.hear(request, retry=number) for number in range(4)))
    await parts.worker.settle()
    assert [reply.status for reply in replies] == [200] * 4
    assert len(acme.cards(ADA)) == 1


async def test_two_people_s_events_of_one_id_are_two(bot, acme, inbound, memory):
    _, door = bot
    acme.add_user("U2", "Bob")
    first, second = inbound.message(ADA, ASKED), inbound.message("U2", ASKED)
    second.payload["event_id"] = first.payload["event_id"]
    for request in (first, second):
        await door.hear(request)
    assert len(rows(memory, Inbox)) == 2


async def test_row_3_a_handler_that_fails_is_driven_again_without_slack(bot, acme, inbound, clock):
    parts, door = bot
    acme.script("conversations.open", "500")
    assert (await door.hear(inbound.message(ADA, ASKED))).status == 200
    await parts.worker.settle()
    assert acme.cards(ADA) == []
    clock.advance(HOUR)
    await parts.worker.settle()
    assert len(acme.cards(ADA)) == 1


async def test_row_3_another_process_does_what_one_that_died_had_acknowledged(bot, process, acme, inbound):
    _, door = bot
    assert (await door.hear(inbound.message(ADA, ASKED))).status == 200
    parts, _ = await process()
    await parts.worker.settle()
    assert len(acme.cards(ADA)) == 1


def again(request):
    """The second of two clicks: the same button, another trigger."""
    return SlackRequest("interaction", request.payload | {"trigger_id": "99.second"})


async def test_row_4_a_double_click_has_one_effect(bot, answered, acme, inbound, memory):
    parts, door = bot
    click = inbound.tap(ADA, answered, button(answered, "watch_create"))
    replies = await asyncio.gather(door.hear(click), door.hear(again(click)))
    await parts.worker.settle()
    assert [(reply.status, reply.text) for reply in replies] == [(200, "")] * 2
    assert len(rows(memory, Watch)) == 1
    assert "Watching" in text_of(answered)
    assert acme.responses == []


async def test_row_4_a_double_click_that_two_processes_hear_has_one_effect(
    bot, process, answered, acme, inbound, memory
):
    (parts, door), (other_parts, other_door) = bot, await process()
    click = inbound.tap(ADA, answered, button(answered, "watch_create"))
    replies = await asyncio.gather(door.hear(click), other_door.hear(again(click)))
    await asyncio.gather(parts.worker.settle(), other_parts.worker.settle())
    assert [(reply.status, reply.text) for reply in replies] == [(200, "")] * 2
    assert len(rows(memory, Watch)) == 1
    assert "Watching" in text_of(answered)


async def test_row_5_tapped_again_after_success_changes_nothing(bot, answered, acme, inbound, memory):
    parts, door = bot
    click = inbound.tap(ADA, answered, button(answered, "watch_create"))
    await door.hear(click)
    await parts.worker.settle()
    before = answered.shown()
    assert (await door.hear(again(click))).status == 200
    await parts.worker.settle()
    assert answered.shown() == before
    assert len(rows(memory, Watch)) == 1


async def test_row_6_a_late_tap_is_told_what_to_do_now(bot, answered, acme, inbound, memory):
    """Its offer is gone: the card was made anew since, as on another device."""
    parts, door = bot
    click = inbound.tap(ADA, answered, button(answered, "watch_create"))
    value = click.payload["actions"][0]["value"]
    click.payload["actions"][0]["value"] = value.replace('"nonce":"', '"nonce":"gone')
    assert (await door.hear(click)).status == 200
    await parts.worker.settle()
    assert [said["text"] for said in acme.responses] == [INACTIVE]
    assert "write “watching”" in INACTIVE
    assert rows(memory, Watch) == []


async def test_somebody_else_s_card_is_not_theirs_to_tap(bot, answered, acme, inbound, memory):
    parts, door = bot
    acme.add_user("U2", "Bob")
    memory.people.bind("default", memory.people.put("default", "Bob"), Place("slack", TEAM, "U2"))
    await door.hear(inbound.tap("U2", answered, button(answered, "watch_create")))
    await parts.worker.settle()
    assert [said["text"] for said in acme.responses] == [INACTIVE]
    assert rows(memory, Watch) == []


@pytest.mark.parametrize("order", [("uninstalled", "tokens_revoked"), ("tokens_revoked", "uninstalled")])
async def test_row_23_a_removed_app_is_paused_once_in_either_order_and_loses_no_watch(
    bot, answered, acme, inbound, memory, order
):
    parts, door = bot
    await door.hear(inbound.tap(ADA, answered, button(answered, "watch_create")))
    await parts.worker.settle()
    requests = [getattr(inbound, name)() for name in order] * 2
    assert [(await door.hear(request)).status for request in requests] == [200] * 4
    [workspace] = memory.workspaces.all("default")
    assert (workspace.paused, len(rows(memory, Watch))) == (True, 1)
    posted = len(acme.calls("chat.postMessage"))
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost 55 EUR at most."}))
    await parts.worker.settle()
    assert len(acme.calls("chat.postMessage")) == posted
    let_in(memory, acme)
    await parts.worker.settle()
    assert len(acme.cards(ADA)) == 2
    assert "55 EUR" in text_of(acme.cards(ADA)[-1])


async def test_a_command_is_answered_in_the_conversation_with_the_bot(bot, acme, inbound):
    parts, door = bot
    await door.hear(inbound.command(ADA, "watching", channel="C1"))
    await parts.worker.settle()
    [card] = acme.cards(ADA)
    assert (card.channel[0], card.thread_ts) == ("D", None)


async def test_the_home_tab_is_drawn_when_it_is_looked_at(bot, acme, inbound):
    parts, door = bot
    await door.hear(inbound.home_opened(ADA))
    await parts.worker.settle()
    assert acme.home(ADA)["type"] == "home"


async def test_an_outdated_home_view_is_drawn_anew(bot, acme, inbound, memory):
    parts, door = bot
    await door.hear(inbound.home_opened(ADA))
    await parts.worker.settle()
    stale = acme.home(ADA)
    choice = next(control for _, control in elements(stale["blocks"]) if "options" in control)
    tap = inbound.tap_home(ADA, choice["action_id"], chosen=choice["options"][-1]["value"])
    await door.hear(inbound.home_opened(ADA))
    await parts.worker.settle()
    before = len(acme.calls("views.publish"))
    await door.hear(tap)
    await parts.worker.settle()
    assert len(acme.calls("views.publish")) == before + 1
    assert [row.kind for row in rows(memory, Inbox)] == ["home"] * 3
