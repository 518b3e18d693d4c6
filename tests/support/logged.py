"""What a bot that runs in the test's own process logs."""

import io
import logging
import sys
from collections.abc import Callable, Iterator

import pytest
import structlog

from bot import logs


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """Everything so far, as text."""
    stream, root = io.StringIO(), logging.getLogger()
    before = root.handlers[:], root.level
    monkeypatch.setattr(sys, "stderr", stream)
    logs.configure(logging.DEBUG)
    yield stream.getvalue
    structlog.reset_defaults()
    root.handlers[:], root.level = before
    logging.captureWarnings(capture=False)
