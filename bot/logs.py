"""What a process writes down of itself: one JSON object a line on stderr, names and ids, never anybody's words.

Libraries write sentences, in which there may be an address, a token or what somebody said; of theirs only the logger,
the level, the place in the code and the kind of an error are kept.
"""

import logging
import sys
import threading
from typing import Any

import structlog

from bot.faults import described


def _described(_logger: Any, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """The kind and place of an error in place of its traceback, which quotes what somebody said."""
    info = event.pop("exc_info", None)
    error = info if isinstance(info, BaseException) else sys.exception() if info else None
    if error:
        event["error"] = described(error)
    return event


PROCESSORS = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso"),
    _described,
)
"""What becomes of an event before it is written."""


def configure(level: int) -> None:
    """Let this process log from a level on."""
    structlog.configure(
        processors=[*PROCESSORS, structlog.processors.JSONRenderer(default=str)],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
    )
    logging.captureWarnings(capture=True)
    logging.basicConfig(level=logging.WARNING, handlers=[Libraries()], force=True)
    sys.excepthook = lambda _, error, __: _fell("process.crashed", error)
    threading.excepthook = lambda fall: _fell("thread.crashed", fall.exc_value)
    sys.unraisablehook = lambda fall: _fell("error.dropped", fall.exc_value)


def _fell(event: str, error: BaseException | None) -> None:
    """What Python would write down by itself with all its words."""
    structlog.get_logger().critical(event, exc_info=error)


class Libraries(logging.Handler):
    """Makes an event of what a library says."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        place = f"{record.filename}:{record.lineno}"
        more = {"error": described(error)} if error else {}
        structlog.get_logger().log(record.levelno, "library.said", logger=record.name, at=place, **more)
