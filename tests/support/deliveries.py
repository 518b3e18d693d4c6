"""The road from a change to a card, walked by one worker."""

from dataclasses import dataclass, field
from typing import Any

from core.jobs.kinds import Audience, JobKind
from core.memory import Memory
from core.model.notices import Notice, Outgoing


@dataclass
class Worker:
    """Carries cards by hand: everything it has taken lies in `taken`, what each says in `notices`."""

    memory: Memory
    taken: list[Outgoing] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def present(self, notice: Notice, nonce: str) -> dict[str, Any]:
        self.notices.append(notice)
        return {"nonce": nonce}

    def spread(self) -> int:
        leased = self.memory.jobs.lease(Audience.CLARIFY, [JobKind.NOTIFY_WATCH], "worker", 100)
        for job in leased:
            self.memory.delivery.spread(job)
        return len(leased)

    def brief(self) -> int:
        """Make the cards of the briefs that are due."""
        for tenant_id in self.memory.people.tenants():
            self.memory.briefs.schedule(tenant_id)
        leased = self.memory.jobs.lease(Audience.CLARIFY, [JobKind.NOTIFY_BRIEF], "worker", 100)
        for job in leased:
            self.memory.briefs.make(job)
        return len(leased)

    def take(self) -> list[Outgoing]:
        """Everything that may be sent now, in hand."""
        self.memory.delivery.gather()
        due = self.memory.delivery.due()
        cards = [self.memory.delivery.take(one.tenant_id, one.message_id, self.present) for one in due]
        mine = [card for card in cards if card is not None]
        self.taken += mine
        return mine

    def send(self) -> list[Outgoing]:
        """Spread, gather, take and have everything accepted."""
        self.spread()
        mine = self.take()
        for card in mine:
            assert self.memory.outcomes.sent(card, f"ref-{card.message_id}")
        return mine
