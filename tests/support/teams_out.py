"""What the bot sends in Teams: the transport to a fake connector, a channel over any transport, cards on their way."""

from typing import Any

from bot.channels.teams.addresses import Addresses
from bot.channels.teams.channel import TeamsChannel
from bot.channels.teams.keys import OpenIdKeys
from bot.channels.teams.pace import teams_pace
from bot.channels.teams.port import Transport
from bot.channels.teams.token import Token
from bot.channels.teams.transport import BotFrameworkTransport
from bot.channels.teams.verifier import Verifier
from bot.memory_gateway import MemoryGateway
from cards.model import Card
from core.clock import Clock
from core.model.notices import Outgoing
from core.model.work import Place
from tests.fakes.teams_connector import SECRET, FakeConnector
from tests.fakes.teams_openid import APP_ID, TENANT_ID, USER_ID
from tests.support.in_hand import CARD, CARDS, always, at_once, card_in_hand

__all__ = ["CARD", "CARDS"]

ADA = Place("teams", TENANT_ID, USER_ID)


def verifier(clock: Clock, url: str = "http://127.0.0.1:9/") -> Verifier:
    return Verifier(APP_ID, TENANT_ID, OpenIdKeys(clock, url, loopback=True), clock, loopback=True)


def transport_to(teams: FakeConnector, *, timeout_secs: float = 5, secret: str = SECRET) -> BotFrameworkTransport:
    token = Token(APP_ID, secret, TENANT_ID, teams.clock, teams.login_url, timeout_secs=timeout_secs)
    return BotFrameworkTransport(
        APP_ID, verifier(teams.clock), token, teams.clock, loopback=True, timeout_secs=timeout_secs
    )


def channel_over(transport: Transport, gateway: MemoryGateway, service_url: str, **more: Any) -> TeamsChannel:
    """A channel for which it is always its turn, and every card may go."""
    given: dict[str, Any] = {
        "pace": teams_pace(lambda: 0.0, at_once),
        "may_go": always,
        "workspace": lambda: TENANT_ID,
    } | more
    return TeamsChannel(transport, Addresses(gateway, "default", service_url), **given)


def outgoing(name: str = "first", card: Card = CARD, *, place: Place = ADA, **more: Any) -> Outgoing:
    """A card in hand; its delivery key comes from `name`."""
    return card_in_hand(name, card, place, **more)
