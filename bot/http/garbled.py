"""What is no HTTP: another protocol, a scan of ports, a head that is broken or too long. It is refused with 400."""

import logging
from functools import partial

import structlog
from aiohttp.http_exceptions import HttpProcessingError

from core.metrics import Metrics

log = structlog.get_logger()


def server_logger(metrics: Metrics) -> logging.Logger:
    """For aiohttp's server: what was no HTTP is counted and has a line of its own, with nothing of its bytes.

    At DEBUG, since of a method that nobody knows it says so there.
    """
    logger = logging.Logger("aiohttp.server", logging.DEBUG)  # noqa: LOG001  # the one by that name is everybody's
    logger.parent = logging.getLogger()
    logger.addFilter(partial(_is_something_else, metrics))
    return logger


def _is_something_else(metrics: Metrics, record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if not isinstance(error, HttpProcessingError):
        return True
    metrics.http_garbled.inc()
    log.info("http.garbled", kind=type(error).__name__)
    return False
