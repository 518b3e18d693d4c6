"""A line of the log is JSON with names and ids; nothing that anybody said comes into one, whoever wrote it."""

import io
import json
import logging
import sys
import threading
import warnings

import pytest
import structlog

from bot import logs

SECRET = "the salary of Quentin"


@pytest.fixture
def lines(monkeypatch):
    """What is logged from now on, a line each."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    root = logging.getLogger()
    before = root.handlers[:], root.level
    for module, hook in ((sys, "excepthook"), (sys, "unraisablehook"), (threading, "excepthook")):
        monkeypatch.setattr(module, hook, getattr(module, hook))
    logs.configure(logging.INFO)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    structlog.reset_defaults()
    root.handlers[:], root.level = before
    logging.captureWarnings(capture=False)


def test_an_event_is_one_line_with_its_time_its_level_and_what_is_bound(lines):
    with structlog.contextvars.bound_contextvars(request="r1"):
        structlog.get_logger().info("delivery.ended", outcome="sent", tenant="default")
    structlog.get_logger().debug("not.told")
    [line] = lines()
    assert line.pop("timestamp").startswith("20")
    assert line == {"event": "delivery.ended", "level": "info", "outcome": "sent", "request": "r1", "tenant": "default"}


def raises():
    raise ValueError(SECRET)


def test_of_an_error_the_kind_and_place_are_told_and_not_its_words(lines):
    try:
        raises()
    except ValueError as error:
        structlog.get_logger().exception("step.failed")
        structlog.get_logger().error("step.failed", exc_info=error)
    assert [line["error"].split(" at ")[0] for line in lines()] == ["ValueError", "ValueError"]
    assert SECRET not in str(lines())


def test_of_a_library_the_place_is_told_and_not_what_it_says(lines):
    logger = logging.getLogger("aiohttp.server")
    logger.info("not told")
    logger.warning("got %s", SECRET)
    try:
        raises()
    except ValueError:
        logger.exception("failed on %s", SECRET)
    warned, failed = lines()
    assert (warned["event"], warned["logger"], warned["level"]) == ("library.said", "aiohttp.server", "warning")
    assert warned["at"].startswith("test_logs.py:")
    assert failed["error"].startswith("ValueError at test_logs.py:")
    assert SECRET not in str(lines())


def test_a_warning_is_a_line_like_any_other(lines):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(SECRET, stacklevel=1)
    assert [line["logger"] for line in lines()] == ["py.warnings"]
    assert SECRET not in str(lines())


def test_what_nobody_caught_is_a_line_too_wherever_it_fell(lines):
    class Falls:
        def __del__(self):
            raises()

    thread = threading.Thread(target=raises)
    thread.start()
    thread.join()
    Falls()
    try:
        raises()
    except ValueError as error:
        sys.excepthook(ValueError, error, error.__traceback__)
    assert [line["event"] for line in lines()] == ["thread.crashed", "error.dropped", "process.crashed"]
    assert {line["error"].partition(":")[0] for line in lines()} == {"ValueError at test_logs.py"}
    assert SECRET not in str(lines())
