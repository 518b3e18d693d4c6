"""Over real HTTP, against a Teams that says no in every way: a card is out once, or it is known that it is not."""

from bot.channels.base import Sent
from cards.teams import to_teams
from tests.support.teams_out import CARD, outgoing


async def test_a_card_is_a_message_in_the_persons_own_chat(channel, teams, user) -> None:
    sent = await channel.send(outgoing())
    [message] = teams.world.messages[user.conversation]
    assert sent == Sent(f"{user.conversation}|{message.activity_id}")
    assert message.card == to_teams(CARD)
