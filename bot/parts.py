"""How the parts of the bot hang together: one wiring, for the process and for its tests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.actions import Actions, Signer
from bot.ask import PATIENCE, Ask
from bot.channels.base import Channel
from bot.commands import Commands
from bot.config import SourceSettings
from bot.conversation import Conversation
from bot.delivery import Courier
from bot.freshness import Freshness
from bot.home import Home
from bot.identity import Identity
from bot.ingress import Ingress
from bot.memory_gateway import MemoryGateway
from bot.refreshing import Refresher
from bot.talks import Ended, Talks
from bot.webhooks import WebhookSender
from bot.worker import Worker
from core.ids import nonce


@dataclass(frozen=True)
class Parts:
    gateway: MemoryGateway
    courier: Courier
    actions: Actions
    commands: Commands
    ask: Ask
    worker: Worker
    ingress: Ingress


def wire(
    gateway: MemoryGateway,
    channels: Mapping[str, Channel],
    signer: Callable[[], Signer],
    tenant: str,
    keys: Path,
    sources: Sequence[SourceSettings] = (),
    *,
    ended: Ended = lambda _: None,
    owner: str | None = None,
    patience: float = PATIENCE,
) -> Parts:
    """The bot over a memory and its channels.

    `keys`: the folder of the keys that sign. `owner` names this worker to the others; None: any name.
    """
    courier = Courier(gateway, channels)
    actions = Actions(gateway, courier, signer)
    commands = Commands(gateway)
    ask = Ask(gateway, courier, commands, Freshness(gateway, tenant, sources), patience)
    identity = Identity(gateway, courier, channels)
    conversation = Conversation(gateway, identity, ask, actions, Home(gateway, courier))
    webhooks = WebhookSender(gateway, keys)
    talks = Talks(gateway, conversation.handlers, ended)
    worker = Worker(gateway, courier, talks, Refresher(gateway, actions), webhooks, owner or nonce())
    return Parts(gateway, courier, actions, commands, ask, worker, Ingress(gateway, worker.wake))
