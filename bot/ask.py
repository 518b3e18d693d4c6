"""Questions: from a direct message to an answer card, once, whatever crashes between."""

from uuid import UUID

from bot.commands import Commands, Reply
from bot.delivery import Courier
from bot.freshness import Freshness
from bot.memory_gateway import MemoryGateway
from bot.presenters import answer_card, answer_offer, answer_sources
from cards.codec import to_json
from cards.model import Card
from cards.notices import error, notice
from core.errors import CoreError, InsufficientEvidence


class Ask:
    def __init__(self, gateway: MemoryGateway, courier: Courier, commands: Commands, freshness: Freshness) -> None:
        self._gateway = gateway
        self._memory = gateway.memory
        self._courier = courier
        self._commands = commands
        self._freshness = freshness

    async def question(self, tenant_id: str, person_id: UUID, event_id: str, text: str) -> UUID:
        """Answer a message, once per event; the id of the card that answers it."""
        try:
            reply = await self._commands.reply(tenant_id, person_id, text) or await self._answer(
                tenant_id, person_id, text
            )
        except CoreError as problem:
            reply = _unanswered(problem)
        message_id = await self._gateway.call(
            self._memory.delivery.post,
            tenant_id,
            person_id,
            f"event:{event_id}",
            reply.kind,
            lambda nonce: to_json(reply.card(nonce)),
            reply.offer,
            reply.source_ids,
        )
        await self._courier.send(tenant_id, message_id)
        return message_id

    async def _answer(self, tenant_id: str, person_id: UUID, text: str) -> Reply:
        principal = await self._gateway.call(self._memory.people.principal, tenant_id, person_id)
        found = await self._gateway.call(self._memory.generate, text, principal)
        note, sources = await self._freshness.note(), tuple(answer_sources(found))
        return Reply(lambda nonce: answer_card(found, nonce, note=note), answer_offer(found), "answer", sources)


def _unanswered(problem: CoreError) -> Reply:
    card = _unanswered_card(problem)
    return Reply(lambda _: card, kind="notice")


def _unanswered_card(problem: CoreError) -> Card:
    if isinstance(problem, InsufficientEvidence):
        hint = "Try other words, or ask whoever keeps your documents whether this is written down."
        return notice("I don’t know", "Nothing in the documents that you can read answers this.", hint)
    return error(str(problem), "Try again in a moment; if it stays so, tell whoever runs this bot.")
