"""From the ledger to Teams and back: whatever Teams says, and whenever the bot dies, no card is out twice or lost."""

import asyncio

import pytest

from bot.channels.teams.address import Address
from bot.delivery import Courier
from bot.memory_gateway import MemoryGateway
from cards.codec import to_json
from cards.model import with_outcome
from cards.teams import to_teams
from core.clock import DAY, HOUR, MINUTE, SECOND
from core.model.card_states import CardState
from core.model.work import NOTHING_OFFERED, Place, Rewritten
from core.outcomes.engine import LOOK_AFTER, MOST_REFUSALS
from core.store.tables import CardMessage
from tests.fakes.teams_openid import TENANT_ID, USER_ID
from tests.fakes.teams_world import BOT
from tests.support.memories import rows
from tests.support.teams_out import ADA, CARD

BOBS_ID = "00000000-dddd-4ddd-8ddd-000000000004"
SECOND_SAYING = with_outcome(CARD, "Muted for a day")


@pytest.fixture
def ada(memory, teams, user):
    """Ada, who is known and has spoken to the bot."""
    memory.workspaces.connect("default", "teams", TENANT_ID, "Acme", {}, trusted=False)
    person_id = memory.people.put("default", "Ada")
    memory.people.bind("default", person_id, ADA)
    address = {"service_url": teams.service_url, "conversation": teams.world.chat(user)}
    memory.addresses.keep("default", ADA, address | {"user": user.teams_id, "bot": BOT})
    return person_id


@pytest.fixture
def gateway(memory):
    opened = MemoryGateway(memory)
    yield opened
    opened.stop()


@pytest.fixture
def courier(gateway, channel, ada):
    return Courier(gateway, {"teams": channel})


@pytest.fixture
def card(memory, ada):
    """A card that waits to be sent to Ada."""
    return memory.messages.post("default", ada, ADA, "event", "answer", lambda _: to_json(CARD), NOTHING_OFFERED)


@pytest.fixture
async def shown(memory, courier, card):
    """One that stands, and is to say something else."""
    await carry(courier)
    rewrite(memory, card)
    return card


def rewrite(memory, card, saying=SECOND_SAYING):
    memory.messages.rewrite("default", card, lambda *_: Rewritten(to_json(saying)))


async def carry(courier):
    """Let what is due be carried to its end; how many cards that were."""
    begun = await courier.carry()
    await courier.lanes.finish()
    return begun


def row(memory):
    [message] = rows(memory, CardMessage)
    return message


def standing(teams, user):
    return [message.card for message in teams.world.messages[user.conversation]]


# ── sending ──


@pytest.mark.parametrize("header", ["7", "none"])
async def test_asked_for_quiet_twice_in_a_row_the_tenant_is_left_alone_each_time(
    memory, clock, courier, teams, user, card, header
) -> None:
    teams.script("send", f"429:{header}", f"429:{header}")
    for _ in range(2):
        await carry(courier)
        quiet = row(memory).not_before - clock.now()
        assert quiet >= (7 if header == "7" else 30) * SECOND
        clock.advance(quiet - 1)
        assert await carry(courier) == 0
        clock.advance(1)
    await carry(courier)
    assert (row(memory).state, len(standing(teams, user))) == (CardState.SENT, 1)


async def test_meanwhile_no_other_workspace_waits(memory, courier, teams, card, ada) -> None:
    teams.script("send", "429:60")
    await carry(courier)
    held = Place("teams", "00000000-eeee-4eee-8eee-000000000005", USER_ID)
    memory.workspaces.connect("default", "teams", held.workspace, "Other", {}, trusted=False)
    memory.people.bind("default", ada, held)
    memory.messages.post("default", ada, held, "other", "answer", lambda _: to_json(CARD))
    assert await carry(courier) == 1


@pytest.mark.parametrize("fault", ["502:html", "cut-stored", "empty-stored", "garbage"])
async def test_a_card_in_doubt_is_given_up_after_one_look_and_never_sent_again(
    memory, clock, courier, teams, card, fault
) -> None:
    teams.script("send", fault)
    await carry(courier)
    assert row(memory).state == CardState.UNKNOWN
    clock.advance(LOOK_AFTER)
    assert [await carry(courier), await carry(courier)] == [1, 0]
    clock.advance(DAY)
    assert (await carry(courier), row(memory).state, len(teams.made("send"))) == (0, CardState.SKIPPED, 1)


async def test_a_bot_that_died_while_it_sent_leaves_a_card_in_doubt(memory, clock, courier, teams, card) -> None:
    memory.delivery.take("default", card, lambda *_: {})
    clock.advance(HOUR)
    await carry(courier)
    clock.advance(LOOK_AFTER)
    await carry(courier)
    assert (row(memory).state, teams.made("send")) == (CardState.SKIPPED, [])


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("403:ConversationBlockedByUser", "ConversationBlockedByUser"),
        ("403:BotDisabledByAdmin", "BotDisabledByAdmin"),
        ("403:BotNotInConversationRoster", "BotNotInConversationRoster"),
        ("403:sub:MessageWritesBlocked", "MessageWritesBlocked"),
        ("403", "HTTP 403, and the answer has no code"),
    ],
)
async def test_row_34_who_blocks_the_bot_is_out_of_reach_until_they_come_back(
    memory, courier, teams, card, fault, reason
) -> None:
    teams.script("send", fault)
    await carry(courier)
    [view] = memory.people.places("default")
    assert (view.state, row(memory).state) == ("unreachable", CardState.SKIPPED)
    assert view.reason == reason
    memory.people.returned("default", ADA)
    assert memory.people.places("default")[0].state == "bound"


async def test_credentials_that_are_refused_pause_the_tenant_and_keep_the_card(memory, courier, teams, card) -> None:
    teams.script("token", "AADSTS7000222")
    await carry(courier)
    [paused] = memory.workspaces.all("default")
    assert (paused.paused, paused.reason) == (True, "Entra gives no token: invalid_client (AADSTS7000222)")
    memory.workspaces.connect("default", "teams", TENANT_ID, "Acme", {}, trusted=False)
    await carry(courier)
    assert row(memory).state == CardState.SENT


async def test_row_36_a_chat_that_stays_unknown_is_asked_about_less_and_less_and_given_up_in_the_end(
    memory, clock, courier, teams, card
) -> None:
    teams.script("send", *["404:ConversationNotFound"] * 99)
    while row(memory).state != CardState.PARKED:
        assert await carry(courier) == 1
        clock.advance(row(memory).not_before - clock.now())
    assert (row(memory).reason, row(memory).attempts) == ("ConversationNotFound", MOST_REFUSALS)
    assert (len(teams.made("send")), len(teams.made("open"))) == (2 * MOST_REFUSALS, MOST_REFUSALS)
    clock.advance(DAY)
    assert await carry(courier) == 0


# ── updating ──


@pytest.mark.parametrize("fault", ["412:PreconditionFailed", "429:7", "502:html", "502:html-stored", "504:html"])
async def test_row_38_an_update_that_met_trouble_is_made_again(
    memory, clock, courier, teams, user, shown, fault
) -> None:
    teams.script("update", fault, fault)
    for _ in range(3):
        await carry(courier)
        clock.advance(HOUR)
    assert (standing(teams, user), row(memory).update_at) == ([to_teams(SECOND_SAYING)], None)


async def test_row_31_a_card_that_is_gone_comes_back_once_and_is_updated_there(
    memory, courier, teams, user, shown
) -> None:
    old = row(memory).message_ref
    teams.world.messages[user.conversation].clear()
    for _ in range(3):
        await carry(courier)
    assert standing(teams, user) == [to_teams(SECOND_SAYING)]
    assert row(memory).message_ref not in {old, None}
    rewrite(memory, shown, CARD)
    await carry(courier)
    assert (standing(teams, user), len(teams.made("send"))) == ([to_teams(CARD)], 2)


async def test_row_36_a_chat_that_is_unknown_for_a_while_gets_no_second_card(
    memory, clock, courier, teams, user, shown
) -> None:
    teams.script("update", *["404:ConversationNotFound"] * 3)
    for _ in range(5):
        await carry(courier)
        clock.advance(HOUR)
    assert (standing(teams, user), len(teams.made("send"))) == ([to_teams(SECOND_SAYING)], 1)


@pytest.mark.parametrize("fault", ["cut-stored", "502:html"])
async def test_a_new_card_of_which_nobody_knows_the_end_is_not_repeated(
    memory, clock, courier, teams, user, shown, fault
) -> None:
    teams.world.messages[user.conversation].clear()
    teams.script("send", fault)
    for _ in range(4):
        await carry(courier)
        clock.advance(HOUR)
    assert (len(teams.made("send")), row(memory).state) == (2, CardState.SKIPPED)


@pytest.mark.parametrize("after", ["the update", "the new card"])
async def test_a_bot_that_dies_after_finding_it_gone_sends_no_second(
    memory, clock, gateway, channel, courier, teams, user, shown, after
) -> None:
    """Killed before it could write down what it had learnt: the next bot finds the same, or leaves it in doubt."""
    teams.world.messages[user.conversation].clear()
    dying = Courier(gateway, {"teams": _Dying(channel, after)})
    for _ in range(3):
        await carry_until_death(dying)
    clock.advance(HOUR)
    for _ in range(4):
        await carry(courier)
        clock.advance(HOUR)
    assert len(standing(teams, user)) == 1


class _Dying:
    """A channel of a bot that is gone before it hears the answer."""

    def __init__(self, channel, after) -> None:
        self._channel = channel
        self._after = after

    async def update(self, card):
        outcome = await self._channel.update(card)
        if self._after == "the update":
            raise asyncio.CancelledError
        return outcome

    async def send(self, card):
        await self._channel.send(card)
        raise asyncio.CancelledError


async def carry_until_death(courier):
    await courier.carry()
    await asyncio.gather(courier.lanes.finish(), return_exceptions=True)


async def test_the_redaction_of_a_card_that_is_gone_needs_no_new_one(memory, courier, teams, user, ada, shown) -> None:
    teams.world.messages[user.conversation].clear()
    memory.erase(ada, "left")
    memory.outcomes.redact("default", shown)
    await carry(courier)
    assert (standing(teams, user), row(memory).state) == ([], CardState.REDACTED)
    assert len(teams.made("send")) == 1


async def test_a_card_of_somebody_who_was_erased_is_redacted_where_it_stands(memory, courier, teams, user, ada, shown):
    memory.erase(ada, "left")
    memory.outcomes.redact("default", shown)
    assert memory.addresses.find("default", ADA) is None
    await carry(courier)
    assert row(memory).state == CardState.REDACTED
    assert [one for one in standing(teams, user) if "Muted" in str(one)] == []


async def test_a_long_quiet_is_one_of_the_workspace(memory, clock, courier, teams, card) -> None:
    teams.script("send", "429:120")
    await carry(courier)
    clock.advance(MINUTE)
    assert (await carry(courier), len(teams.made("send"))) == (0, 1)


async def test_a_stranger_who_has_removed_the_app_meanwhile_is_not_greeted(memory, courier, clock, teams, user) -> None:
    """Teams would say 200, and open the chat anew."""
    bob = teams.world.add_user(BOBS_ID)
    place, chat = Place("teams", TENANT_ID, BOBS_ID), Address(teams.service_url, teams.world.chat(bob), "29:b", BOT)
    memory.inbound.receive("default", place, "e1", "question", {"text": "Hello"}, chat.to_row())
    memory.messages.greet("default", place, "2026-06-01", to_json(CARD))
    teams.script("send", "429:2")
    await carry(courier)
    memory.inbound.left("default", place, "gone", "app_removed")
    memory.inbound.receive("default", place, "e1", "question", {"text": "Hello"}, chat.to_row())
    for _ in range(3):
        clock.advance(HOUR)
        await carry(courier)
    assert (len(teams.made("send")), teams.made("open")) == (1, [])
    assert row(memory).state == CardState.SKIPPED
