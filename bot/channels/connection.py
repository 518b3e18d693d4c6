"""Whether a platform lets the bot in: looked at until cancelled, ever more seldom while it gives no clear answer."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable

import structlog

from core.errors import CoreError
from core.ids import jitter

log = structlog.get_logger()

FIRST_SECS, LONGEST_SECS = 5.0, 300.0


class Connection(ABC):
    """`platform`: its name in the log."""

    def __init__(
        self,
        platform: str,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        chance: Callable[[], float] = jitter,
    ) -> None:
        self._platform = platform
        self._sleep = sleep
        self._chance = chance
        self._failures = 0

    async def keep(self) -> None:
        """Look, wait, and look again, until cancelled."""
        while True:
            await self._sleep(await self.look())

    async def look(self) -> float:
        """Ask the platform if need be; in how many seconds to look again."""
        try:
            return await self._look()
        except Exception as error:  # noqa: BLE001  # whatever it is, it must not end the looking
            reason = str(error) if isinstance(error, CoreError) else ""
            name = f"{self._platform}.not_connected"
            log.error(name, error=type(error).__name__, reason=reason)  # a trace may quote
            return self._later()

    @abstractmethod
    async def _look(self) -> float:
        """The same, raising whatever goes wrong."""

    def _settled(self) -> float:
        """The platform has given a clear answer."""
        self._failures = 0
        return LONGEST_SECS

    def _later(self) -> float:
        """It has not."""
        self._failures += 1
        return wait_secs(self._failures, self._chance())


def wait_secs(failures: int, chance: float) -> float:
    """The wait after so many failures in a row, twice as long each time; `chance` in [0, 1) spreads half of it."""
    full = min(FIRST_SECS * 2.0 ** min(failures - 1, 10), LONGEST_SECS)
    return full / 2 + full / 2 * chance
