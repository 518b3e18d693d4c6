"""Questions: from a direct message to an answer card, once, whatever crashes between."""

from uuid import UUID

from bot.commands import Commands
from bot.delivery import Courier
from bot.memory_gateway import MemoryGateway
from bot.presenters import answer_card, answer_offer, answer_sources
from cards.codec import to_json
from cards.model import Card
from cards.notices import error, notice
from core.errors import CoreError, InsufficientEvidence
from core.model.work import NOTHING_OFFERED


class Ask:
    def __init__(self, gateway: MemoryGateway, courier: Courier, commands: Commands) -> None:
        self._gateway = gateway
        self._memory = gateway.memory
        self._courier = courier
        self._commands = commands

    async def question(self, tenant_id: str, person_id: UUID, event_id: str, text: str) -> UUID:
        """Answer a message, once per event; the id of the card that answers it."""
        post = self._gateway.memory.delivery.post
        subject = f"event:{event_id}"
        reply = await self._commands.reply(tenant_id, person_id, text)
        if reply is not None:
            message_id = await self._gateway.call(
                post, tenant_id, person_id, subject, "reply", lambda nonce: to_json(reply.card(nonce)), reply.offer
            )
        else:
            message_id = await self._answer(tenant_id, person_id, subject, text)
        await self._courier.send(tenant_id, message_id)
        return message_id

    async def _answer(self, tenant_id: str, person_id: UUID, subject: str, text: str) -> UUID:
        post = self._memory.delivery.post
        try:
            principal = await self._gateway.call(self._memory.people.principal, tenant_id, person_id)
            found = await self._gateway.call(self._memory.generate, text, principal)
        except CoreError as problem:
            card, offer = _unanswered(problem), NOTHING_OFFERED
            return await self._gateway.call(
                post, tenant_id, person_id, subject, "notice", lambda _: to_json(card), offer
            )
        offer = answer_offer(found)
        return await self._gateway.call(
            post,
            tenant_id,
            person_id,
            subject,
            "answer",
            lambda nonce: to_json(answer_card(found, nonce)),
            offer,
            answer_sources(found),
        )


def _unanswered(problem: CoreError) -> Card:
    if isinstance(problem, InsufficientEvidence):
        hint = "Try other words, or ask whoever keeps your documents whether this is written down."
        return notice("I don’t know", "Nothing in the documents that you can read answers this.", hint)
    return error(str(problem), "Try again in a moment; if it stays so, tell whoever runs this bot.")
