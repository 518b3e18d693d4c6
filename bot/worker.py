"""The background work: what is due is done, then it waits to be woken or for the next tick.

Each step takes a bounded batch and says how much it did; `settle` runs them all until none finds anything more.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from uuid import UUID

import structlog

from bot.actions import Actions
from bot.ask import Ask
from bot.delivery import Courier
from bot.memory_gateway import MemoryGateway
from core.errors import CoreError
from core.jobs.kinds import Audience, JobKind
from core.memory import Refreshed
from core.model.card_states import CardState
from core.model.grants import CardAction
from core.model.principals import Principal
from core.model.work import Inbound, Leased

log = structlog.get_logger()

_SETTLED = frozenset({CardState.SENT, CardState.PARKED, CardState.SKIPPED, CardState.REDACTED})
"""States in which a reply needs no more driving: it is out, or an admin has to act."""

Step = Callable[[], Awaitable[int]]
Ended = Callable[[str, UUID], None]
"""Told tenant and person when one of the person's events was worked on: their page shows what waits."""


class Worker:
    def __init__(
        self, gateway: MemoryGateway, courier: Courier, ask: Ask, actions: Actions, owner: str, ended: Ended
    ) -> None:
        self._gateway = gateway
        self._memory = gateway.memory
        self._courier = courier
        self._ask = ask
        self._actions = actions
        self._owner = owner
        self._ended = ended
        self._woken = asyncio.Event()
        self._stopping = False
        self._steps: tuple[Step, ...] = (
            self._inbound,
            self._sweep,
            self._own_jobs,
            self._notify_jobs,
            self._gather,
            courier.send_due,
            courier.reconcile,
        )

    def wake(self) -> None:
        """Something came in: do not wait for the tick."""
        self._woken.set()

    def stop(self) -> None:
        """Let `run` end after the step in hand: a card on its way is recorded, and no lease is left behind."""
        self._stopping = True
        self._woken.set()

    async def run(self, tick_secs: float) -> None:
        """Work until stopped. An error in one step is logged, and the others go on."""
        while not self._stopping:
            busy = await self.round()
            if not busy:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), tick_secs)
                self._woken.clear()

    async def settle(self) -> None:
        """Work until nothing is due."""
        while await self.round():
            pass

    async def round(self) -> int:
        """Each step once, until stopped; how much was done."""
        return sum([await self._guarded(step) for step in self._steps if not self._stopping])

    async def _guarded(self, step: Step) -> int:
        try:
            return await step()
        except Exception as error:  # one bad step must not stop the others; it is tried again at the next tick
            log.exception("worker.step_failed", step=step.__name__, error=repr(error))
            return 0

    async def _sweep(self) -> int:
        tenants = await self._gateway.call(self._memory.people.tenants)
        swept = [await self._gateway.call(self._memory.sweep, tenant_id) for tenant_id in tenants]
        return sum(one.fires + one.backlog for one in swept)

    async def _notify_jobs(self) -> int:
        return await self._jobs(Audience.CLARIFY, (JobKind.NOTIFY_WATCH,), self._notify)

    async def _own_jobs(self) -> int:
        kinds = (JobKind.CHECK_ANSWER, JobKind.REFRESH_ANSWER)
        return await self._jobs(Audience.INTERNAL, kinds, self._own)

    async def _jobs(
        self, audience: Audience, kinds: tuple[JobKind, ...], handle: Callable[[Leased], Awaitable[None]]
    ) -> int:
        leased = await self._gateway.call(self._memory.jobs.lease, audience, kinds, self._owner, 20)
        for job in leased:
            try:
                await handle(job)
            except Exception as error:  # noqa: BLE001  # whatever it is, the job is tried again later and given up in the end
                log.warning("job.failed", tenant=job.tenant_id, kind=job.kind, error=repr(error))
                await self._gateway.call(self._memory.jobs.fail, job, repr(error))
        return len(leased)

    async def _notify(self, job: Leased) -> None:
        await self._gateway.call(self._memory.delivery.spread, job)

    async def _own(self, job: Leased) -> None:
        if job.kind == JobKind.CHECK_ANSWER:
            answer_id = UUID(job.payload["answer_id"])
            await self._gateway.call(self._memory.check_answer, answer_id, tenant=job.tenant_id)
        else:
            await self._refresh(job)
        await self._gateway.call(self._memory.jobs.complete, job)

    async def _refresh(self, job: Leased) -> None:
        answer_id, message_id = UUID(job.payload["answer_id"]), UUID(job.payload["delivery_key"])
        person_id = UUID(job.payload["person_id"])
        principal = await self._gateway.call(self._memory.people.principal, job.tenant_id, person_id)
        refreshed = await self._gateway.call(self._memory.refresh_answer, answer_id, principal)
        if refreshed.already:
            refreshed = await self._shown_again(refreshed, principal)
        await self._actions.refreshed(job.tenant_id, answer_id, message_id, refreshed)

    async def _shown_again(self, refreshed: Refreshed, principal: Principal) -> Refreshed:
        """With today's answer, to be shown: whoever refreshed it before may have died before the card said so."""
        saved = await self._gateway.call(self._memory.answer, refreshed.answer_id, principal)
        try:
            found = await self._gateway.call(self._memory.generate, saved.question, principal)
        except CoreError:
            return refreshed
        return replace(refreshed, answer=found) if found.known else refreshed

    async def _gather(self) -> int:
        return await self._gateway.call(self._memory.delivery.gather)

    async def _inbound(self) -> int:
        events = await self._gateway.call(self._memory.inbound.lease)
        for event in events:
            try:
                await self._handle(event)
            except Exception as error:  # noqa: BLE001  # kept in the inbox and driven again
                log.warning("inbound.failed", tenant=event.tenant_id, kind=event.kind, error=repr(error))
                await self._gateway.call(self._memory.inbound.fail, event, repr(error))
            self._ended(event.tenant_id, event.person_id)
        return len(events)

    async def _handle(self, event: Inbound) -> None:
        body = event.body
        if event.kind == "tap":
            action = CardAction(body["kind"], body["target"], body.get("arg"))
            words = await self._actions.tap(event.person_id, body["nonce"], action)
            await self._gateway.call(self._memory.inbound.finish, event, words)
            return
        message_id = await self._ask.question(event.tenant_id, event.person_id, event.event_id, body["text"])
        state = await self._gateway.call(self._memory.delivery.state, event.tenant_id, message_id)
        if state in _SETTLED:
            await self._gateway.call(self._memory.inbound.finish, event, "answered")
        else:
            await self._gateway.call(self._memory.inbound.fail, event, f"the card is {state}")
