"""The background work: what is due is done, then it waits to be woken or for the next tick.

Each step takes a bounded batch and says how much it did; `settle` runs them all until none finds anything more.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

import structlog
from structlog.contextvars import bound_contextvars

from bot.delivery import Courier
from bot.faults import described
from bot.keeping import BEATS, LeaseLost, kept
from bot.memory_gateway import MemoryGateway
from bot.presenters import present
from bot.refreshing import Refresher
from bot.talks import Talks
from bot.vitals import Vital
from bot.webhooks import WebhookSender
from core.clock import HOUR
from core.jobs.kinds import Audience, JobKind
from core.model.apart import apart
from core.model.bell import Bell
from core.model.work import Leased

log = structlog.get_logger()

AT_ONCE = 8
"""Jobs in hand at once: as many as there are threads, so that none waits out its lease."""

PRUNE_EVERY = HOUR
"""How much gathers in an hour is little to keep and little to delete."""

TOGETHER_SECS = 0.02
"""What wakes a loop within so short a time is looked at together: a hundred taps are not a hundred looks."""

Step = Callable[[], Awaitable[int]]


@dataclass(frozen=True)
class Loop:
    """Steps that take turns, and the bell that wakes them."""

    vital: Vital
    steps: tuple[Step, ...]
    woken: asyncio.Event = field(default_factory=asyncio.Event)


class Worker:
    def __init__(
        self,
        gateway: MemoryGateway,
        courier: Courier,
        talks: Talks,
        refresher: Refresher,
        webhooks: WebhookSender,
        owner: str,
    ) -> None:
        self._gateway = gateway
        self._memory = gateway.memory
        self._courier = courier
        self._talks = talks
        self._refresher = refresher
        self._webhooks = webhooks
        self._owner = owner
        self._beat_secs = gateway.memory.config.watch.lease_secs / BEATS
        self._bell: Bell | None = None
        talks.lanes.ended = courier.lanes.ended = self.wake
        self._stopping = False
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self._prune_at = 0
        self._hearing = Vital("bells", self._memory.clock, 0)
        self._sweeping = Vital("sweep", self._memory.clock, 300)
        steps = self._sweep, self._briefs, self._checks, self._notify_jobs, self._gather
        self._loops = (
            self._loop("inbound", 120, talks.begin),
            Loop(self._sweeping, steps),
            self._loop("refreshes", 900, self._refreshes),
            self._loop("webhooks", 120, self._webhook_jobs),
            self._loop("retention", 3600, self._prune),
            self._loop("courier", 120, courier.carry),
        )

    def _loop(self, name: str, patience_secs: int, step: Step) -> Loop:
        return Loop(Vital(name, self._memory.clock, patience_secs), (step,))

    @property
    def vitals(self) -> list[Vital]:
        return [self._hearing, *(loop.vital for loop in self._loops)]

    def wake(self) -> None:
        """Something came in, or ended: do not wait for the tick."""
        for loop in self._loops:
            loop.woken.set()

    def stop(self) -> None:
        """Let `run` end after the steps in hand: a card on its way is recorded, and no lease is left behind."""
        self._stopping = True
        self._talks.stop()
        self._courier.stop()
        if self._bell is not None:
            self._bell.stop()
        self.wake()

    def abandon(self) -> None:
        """Let go of what is in hand: each gives its lease back, and a card on its way is in doubt."""
        for task in self._tasks:
            task.cancel()
        self._talks.lanes.cancel()
        self._courier.lanes.cancel()

    def is_stopping(self) -> bool:
        return self._stopping

    async def run(self, tick_secs: float) -> None:
        """Work until stopped, each loop for itself: what takes long in one, or ends it, holds up no other."""
        tasks = [self._hearing.start(self._listen(tick_secs))]
        tasks += [loop.vital.start(self._run(loop, tick_secs)) for loop in self._loops]
        self._tasks = tuple(tasks)
        try:
            await asyncio.wait(tasks)
            await self._finish()
        finally:
            for task in tasks:
                task.cancel()

    async def _listen(self, tick_secs: float) -> None:
        """Wake the loops as soon as a job is due that anybody has made."""
        self._bell = self._memory.jobs.bell()
        try:
            while not self._stopping:
                if await self._gateway.at_the_bell(self._bell.wait, tick_secs):
                    self.wake()
        finally:
            self._bell.stop()
            await self._gateway.at_the_bell(self._bell.close)

    async def _run(self, loop: Loop, tick_secs: float) -> None:
        while not self._stopping:
            if await self._round(loop):
                self.wake()  # what one loop has done may be work for another
                continue
            loop.vital.rests()
            with suppress(TimeoutError):
                await asyncio.wait_for(loop.woken.wait(), tick_secs)
                await asyncio.sleep(TOGETHER_SECS)
            loop.woken.clear()

    async def settle(self) -> None:
        """Work until nothing is due."""
        while await self.round():
            pass

    async def round(self) -> int:
        """Each step once, until stopped, and what they began to its end; how much was done."""
        done = sum([await self._round(loop) for loop in self._loops])
        await self._finish()
        return done

    async def _finish(self) -> None:
        await self._talks.lanes.finish()
        await self._courier.lanes.finish()

    async def _round(self, loop: Loop) -> int:
        return sum([await self._guarded(loop, step) for step in loop.steps if not self._stopping])

    async def _guarded(self, loop: Loop, step: Step) -> int:
        loop.vital.begins()
        try:
            return await step()
        except Exception as error:  # noqa: BLE001  # one bad step must not stop the others; it is tried again at the next tick
            self._memory.metrics.step_failures.labels(loop.vital.name).inc()
            said = described(error)
            if times := loop.vital.fails(f"{step.__name__}: {said}"):
                log.error("worker.step_failed", step=step.__name__, error=said, times=times)
            return 0

    async def _sweep(self) -> int:
        return await self._of_each_tenant(self._swept)

    async def _swept(self, tenant_id: str) -> int:
        swept = await self._gateway.at_length(self._memory.sweep, tenant_id)
        if swept.rows:  # documents may agree by now, or no longer say what was to be chosen
            await self._gateway.at_length(self._memory.clarify.recount, tenant_id)
        return swept.fires + swept.backlog

    async def _briefs(self) -> int:
        """Make the jobs of the briefs that are due."""
        schedule = self._memory.briefs.schedule
        return await self._of_each_tenant(lambda tenant_id: self._gateway.call(schedule, tenant_id))

    async def _prune(self) -> int:
        """Delete what is done with, until nothing is left to delete, and end erasures; then not again for a while.

        Erasures last: they need room on the disk, which deleting makes, and without it would end the turns of all.
        """
        now = self._memory.clock.now()
        if now < self._prune_at:
            return 0
        self._prune_at = now + PRUNE_EVERY
        try:
            done = await self._of_each_tenant(self._pruned)
            if done:
                self._prune_at = now
        finally:
            await self._of_each_tenant(
                lambda tenant_id: self._gateway.at_length(self._memory.erasure.finish, tenant_id)
            )
        return done

    async def _pruned(self, tenant_id: str) -> int:
        pruned = await self._gateway.at_length(self._memory.retention.prune, tenant_id)
        await self._gateway.at_length(self._memory.clarify.recount, tenant_id)  # people come and go
        return pruned

    async def _of_each_tenant(self, step: Callable[[str], Awaitable[int]]) -> int:
        """How much was done of all; raises ExceptionGroup of what failed for some, when the others have had theirs."""
        done = 0
        with apart("tenants") as turn:
            for tenant_id in await self._gateway.call(self._memory.people.tenants):
                with turn():
                    done += await step(tenant_id)
        return done

    async def _checks(self) -> int:
        return await self._all(partial(self._jobs, Audience.INTERNAL, (JobKind.CHECK_ANSWER,), self._own))

    async def _refreshes(self) -> int:
        return await self._jobs(Audience.INTERNAL, (JobKind.REFRESH_ANSWER,), self._own)

    async def _notify_jobs(self) -> int:
        kinds = (JobKind.NOTIFY_WATCH, JobKind.NOTIFY_BRIEF, JobKind.NOTIFY_REDACT, JobKind.CLARIFY_ASK)
        return await self._all(partial(self._jobs, Audience.CLARIFY, kinds, self._notify))

    async def _webhook_jobs(self) -> int:
        """By themselves: a program that answers slowly must hold up no card."""
        return await self._jobs(Audience.CLARIFY, (JobKind.NOTIFY_WEBHOOK,), self._webhooks.deliver)

    async def _jobs(
        self, audience: Audience, kinds: tuple[JobKind, ...], handle: Callable[[Leased], Awaitable[None]]
    ) -> int:
        leased = await self._gateway.call(self._memory.jobs.lease, audience, kinds, self._owner, AT_ONCE)
        await asyncio.gather(*(self._job(job, handle) for job in leased))
        return len(leased)

    async def _all(self, step: Step) -> int:
        """A step until it finds nothing more: what becomes of it together is told in one card."""
        done = 0
        while not self._stopping and (more := await step()):
            done += more
            self._sweeping.begins()
        return done

    async def _job(self, job: Leased, handle: Callable[[Leased], Awaitable[None]]) -> None:
        fire = {"fire_id": job.payload["fire_id"]} if "fire_id" in job.payload else {}
        with bound_contextvars(job_id=str(job.job_id), **fire):
            await self._job_kept(job, handle)

    async def _job_kept(self, job: Leased, handle: Callable[[Leased], Awaitable[None]]) -> None:
        extend = partial(self._gateway.call, self._memory.jobs.extend, job)
        try:
            await kept(handle(job), extend, self._beat_secs)
        except LeaseLost:
            log.warning("job.lost", tenant=job.tenant_id, kind=job.kind)
        except asyncio.CancelledError:
            await self._gateway.call(self._memory.jobs.release, job)
            raise
        except Exception as error:  # noqa: BLE001  # whatever it is, the job is tried again later and given up in the end
            log.warning("job.failed", tenant=job.tenant_id, kind=job.kind, error=described(error))
            await self._gateway.call(self._memory.jobs.fail, job, described(error))

    async def _notify(self, job: Leased) -> None:
        match job.kind:
            case JobKind.NOTIFY_REDACT:
                message_id = UUID(job.payload["message_id"])
                await self._gateway.call(self._memory.outcomes.redact, job.tenant_id, message_id)
                await self._gateway.call(self._memory.jobs.complete, job)
            case JobKind.NOTIFY_BRIEF:
                await self._gateway.call(self._memory.briefs.make, job)
            case JobKind.CLARIFY_ASK:
                await self._gateway.call(self._memory.delivery.ask, job, present)
            case _:
                await self._gateway.call(self._memory.delivery.spread, job)

    async def _own(self, job: Leased) -> None:
        if job.kind == JobKind.CHECK_ANSWER:
            answer_id = UUID(job.payload["answer_id"])
            await self._gateway.at_length(self._memory.check_answer, answer_id, tenant=job.tenant_id)
        else:
            await self._refresher.refresh(job)
        await self._gateway.call(self._memory.jobs.complete, job)

    async def _gather(self) -> int:
        return await self._gateway.call(self._memory.delivery.gather)
