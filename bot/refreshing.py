"""A saved answer is asked for anew, and the card it was asked from shows what that led to."""

from dataclasses import replace
from uuid import UUID

import structlog

from bot.actions import Actions
from bot.faults import described
from bot.memory_gateway import MemoryGateway
from core.errors import CoreError, GenerateUnavailable, InvalidRequest
from core.model.answers import Refreshed
from core.model.principals import Principal
from core.model.work import Leased

log = structlog.get_logger()


class Refresher:
    def __init__(self, gateway: MemoryGateway, actions: Actions) -> None:
        self._gateway = gateway
        self._memory = gateway.memory
        self._actions = actions

    async def refresh(self, job: Leased) -> None:
        """Raises what may pass, so that the job is tried again; at its last attempt the card offers its button too."""
        answer_id, message_id = UUID(job.payload["answer_id"]), UUID(job.payload["delivery_key"])
        try:
            refreshed = await self._refreshed(job, answer_id)
        except Exception as error:
            lasts = _lasts(error)
            if lasts or job.attempts >= self._memory.config.watch.max_attempts:
                await self._actions.not_refreshed(job.tenant_id, answer_id, message_id)
            if not lasts:
                raise
            log.warning("refresh.refused", tenant=job.tenant_id, error=described(error))
            return
        await self._actions.refreshed(job.tenant_id, answer_id, message_id, refreshed)

    async def _refreshed(self, job: Leased, answer_id: UUID) -> Refreshed:
        person_id = UUID(job.payload["person_id"])
        principal = await self._gateway.call(self._memory.people.principal, job.tenant_id, person_id)
        refreshed = await self._gateway.at_length(self._memory.refresh_answer, answer_id, principal)
        return await self._shown_again(refreshed, principal) if refreshed.already else refreshed

    async def _shown_again(self, refreshed: Refreshed, principal: Principal) -> Refreshed:
        """With today's answer, to be shown: whoever refreshed it before may have died before the card said so."""
        saved = await self._gateway.call(self._memory.answer, refreshed.answer_id, principal)
        try:
            found = await self._gateway.at_length(self._memory.generate, saved.question, principal)
        except CoreError:
            return refreshed
        return replace(refreshed, answer=found) if found.known else refreshed


def _lasts(error: Exception) -> bool:
    """Whether the same would be refused again, however often it is tried and whatever a model takes for each try."""
    return isinstance(error, InvalidRequest) or (isinstance(error, GenerateUnavailable) and not error.passing)
