"""How far behind the kept sources are: said only when they are late."""

from collections.abc import Sequence

from bot.config import SourceSettings
from bot.memory_gateway import MemoryGateway
from core.clock import DAY, HOUR, MINUTE, SECOND

_MISSED_ROUNDS = 3
"""One round may be slow and one may fail; after three nobody should take the documents for today's."""


class Freshness:
    def __init__(self, gateway: MemoryGateway, tenant_id: str, kept: Sequence[SourceSettings]) -> None:
        self._gateway = gateway
        self._tenant_id = tenant_id
        self._kept = kept

    async def note(self) -> str:
        """A sentence naming the source set that is furthest behind; empty while all are in step."""
        memory = self._gateway.memory
        behind: list[tuple[int, str]] = []
        for source in self._kept:
            synced_at = await self._gateway.call(memory.documents.last_checked, self._tenant_id, source.name)
            if synced_at is not None:
                late = memory.clock.now() - synced_at
                behind += [(late, source.name)] if late > _MISSED_ROUNDS * source.every_secs * SECOND else []
        return f"“{max(behind)[1]}” was last read {ago(max(behind)[0])}; newer changes are not in it." if behind else ""


def ago(micros: int) -> str:
    """`3 hours ago`, in the largest unit of which there is at least one."""
    for unit, name in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        if (count := micros // unit) >= 1:
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    return "a moment ago"
