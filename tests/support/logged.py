"""What a bot that runs in the test's own process logs; of no test does that outlast it, whatever became of it."""

import io
import logging
import sys
import threading
from collections.abc import Callable, Generator
from typing import Any

import pytest
import structlog

from bot import logs


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, Any, Any]:
    """A later test would log to a stream of this one, which is closed by then."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
    try:
        return (yield)
    finally:
        if structlog.is_configured():
            structlog.reset_defaults()
            logging.captureWarnings(capture=False)
            root.handlers[:] = handlers
            root.setLevel(level)
            sys.excepthook, threading.excepthook, sys.unraisablehook = hooks


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """Everything so far, as text."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    logs.configure(logging.DEBUG)
    return stream.getvalue
