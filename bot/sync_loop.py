"""Keeping a source set in step for as long as the process runs: without that no card would ever come."""

import asyncio

import structlog

from bot.config import Settings, SourceSettings
from bot.faults import described
from bot.memory_gateway import MemoryGateway
from bot.sync import sync
from core.errors import CoreError

log = structlog.get_logger()


async def keep_in_step(gateway: MemoryGateway, settings: Settings, source: SourceSettings) -> None:
    """Read the set now and then every `every_secs`; a failure is logged, and the next round tries again."""
    while True:
        try:
            report = await gateway.at_length(sync, gateway.memory, settings.tenant, source, cache=settings.cache)
            log.info("source.synced", source=source.name, changed=report.changed, problems=len(report.problems))
        except (CoreError, OSError) as error:
            log.warning("source.failed", source=source.name, error=str(error))
        except Exception as error:  # noqa: BLE001  # one bad round must not be the last
            log.error("source.failed", source=source.name, error=described(error))
        await asyncio.sleep(source.every_secs)
