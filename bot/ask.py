"""Questions: from a direct message to an answer card, once, whatever crashes between."""

import asyncio
from functools import partial
from uuid import UUID

import structlog

from bot.commands import Commands, Reply
from bot.delivery import Courier
from bot.faults import described
from bot.freshness import Freshness
from bot.memory_gateway import MemoryGateway
from bot.presenters import answer_card, answer_offer, answer_sources
from cards.codec import to_json
from cards.model import Card
from cards.notices import error, looking, notice
from core.clock import FOREVER
from core.errors import CoreError, InsufficientEvidence
from core.model.threads import ASSISTANT, USER, Asked, Said, Turn, thread_of
from core.model.work import PLACEHOLDER, Inbound

log = structlog.get_logger()

NOT_KNOWN = Said(ASSISTANT, "Nothing in the documents answers this.")
PATIENCE = 0.5
"""Seconds after which a placeholder says that the question was heard: sooner the answer itself says so."""


class Ask:
    def __init__(
        self,
        gateway: MemoryGateway,
        courier: Courier,
        commands: Commands,
        freshness: Freshness,
        patience: float = PATIENCE,
    ) -> None:
        self._gateway = gateway
        self._memory = gateway.memory
        self._courier = courier
        self._commands = commands
        self._freshness = freshness
        self._patience = patience

    async def question(self, event: Inbound, person_id: UUID) -> UUID:
        """Answer a message where it was asked, once per event; the id of the card that answers it."""
        since = await self._gateway.call(self._memory.messages.moment, event.tenant_id)
        reply = asyncio.create_task(self._reply(event, person_id))
        if not (await asyncio.wait({reply}, timeout=self._patience))[0]:
            await self._put(event, person_id, Reply(lambda _: looking(), kind=PLACEHOLDER))
        return await self._put(event, person_id, await reply, since)

    async def _reply(self, event: Inbound, person_id: UUID) -> Reply:
        asked = (event.tenant_id, person_id, event.body["text"])
        try:
            return await self._commands.reply(*asked) or await self._answer(event, *asked)
        except CoreError as problem:
            return _unanswered(problem)
        except Exception as mistake:
            if event.attempts < self._memory.config.watch.max_attempts:
                raise
            log.error("question.given_up", tenant=event.tenant_id, error=described(mistake))
            return _notice(error("Something is broken on my side.", "Tell whoever runs this bot."))

    async def _put(self, event: Inbound, person_id: UUID, reply: Reply, since: int = FOREVER) -> UUID:
        message_id = await self._gateway.call(
            self._memory.messages.post,
            event.tenant_id,
            person_id,
            event.place,
            f"event:{event.event_id}",
            reply.kind,
            lambda nonce: to_json(reply.card(nonce)),
            reply.offer,
            reply.source_ids,
            since,
            _turn(event, reply),
        )
        await self._courier.send(event.tenant_id, message_id)
        await self._courier.bring_up_to_date(event.tenant_id, message_id)
        return message_id

    async def _answer(self, event: Inbound, tenant_id: str, person_id: UUID, text: str) -> Reply:
        principal = await self._gateway.call(self._memory.people.principal, tenant_id, person_id)
        asked = Asked(thread_of(tenant_id, event.place), event.event_id)
        found = await self._gateway.at_length(self._memory.generate, text, principal, asked=asked)
        note, sources = await self._freshness.note(), tuple(answer_sources(found))
        said = Said(ASSISTANT, found.text, source_ids=sources) if found.known else NOT_KNOWN
        return Reply(partial(answer_card, found, note=note), answer_offer(found), "answer", sources, said)


def _turn(event: Inbound, reply: Reply) -> Turn | None:
    """What the conversation remembers of a question."""
    return Turn(event.event_id, (Said(USER, event.body["text"]), reply.said)) if reply.said else None


def _unanswered(problem: CoreError) -> Reply:
    said = NOT_KNOWN if isinstance(problem, InsufficientEvidence) else None
    return _notice(_in_words(problem), said)


def _notice(card: Card, said: Said | None = None) -> Reply:
    return Reply(lambda _: card, kind="notice", said=said)


def _in_words(problem: CoreError) -> Card:
    if isinstance(problem, InsufficientEvidence):
        hint = "Try other words, or ask whoever keeps your documents whether this is written down."
        return notice("I don’t know", "Nothing in the documents that you can read answers this.", hint)
    return error(str(problem), "Try again in a moment; if it stays so, tell whoever runs this bot.")
