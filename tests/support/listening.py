"""Each test is heard: the one in which something leaks fails, and names the kind of it and not the secret.

Heard is what the bot would write, whatever a test did to logging: events as its own processors leave them, records of
libraries and warnings (where the bot's own handler stands, of these only the place), labels of metrics, and what other
processes say on stderr. What a fixture put in is looked for until its module ends, for it may be a wider one's.
"""

import functools
import logging
import subprocess
import warnings
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.metrics import MetricWrapperBase
from pydantic.types import _SecretBase
from structlog import BoundLoggerBase

from bot import logs
from core.inbound.engine import InboundEngine
from core.memory import Memory
from tests.support.leaks import SECRET_FROM, Leaks

LEAKS = Leaks()
_files: set[Path] = set()


def listen() -> None:
    """From now on, to all that this process writes, and to what is put in."""
    _before(BoundLoggerBase, "_process_event", _event)
    _before(logging.Logger, "handle", _record)
    _before(warnings, "_showwarnmsg", lambda said: LEAKS.hear("a warning", [said.message]))
    _before(MetricWrapperBase, "__init__", _label)
    _before(subprocess.Popen, "__init__", _child)
    _after(subprocess.Popen, "communicate", lambda said: LEAKS.hear_stderr(said[1] or ""))
    _before(_SecretBase, "__init__", _secret)
    _before(Memory, "ingest", lambda _, uri, data, **more: _put(data))
    _before(Memory, "generate", lambda _, question, *more, **others: _put(question))
    _before(Memory, "plan", lambda _, request, who: _put(request.question))
    _before(Memory, "context", lambda _, request, who: _put(request.question))
    _before(Memory, "verify", lambda _, request, who: _put(*request.claims))
    _before(InboundEngine, "receive", lambda _, tenant, place, event, kind, body, *more: _put(body.get("text")))


def _before(owner: Any, name: str, tell: Callable[..., None]) -> None:
    done = getattr(owner, name)

    @functools.wraps(done)
    def _told(*given: Any, **more: Any) -> Any:
        tell(*given, **more)
        return done(*given, **more)

    setattr(owner, name, _told)


def _after(owner: Any, name: str, tell: Callable[[Any], None]) -> None:
    done = getattr(owner, name)

    @functools.wraps(done)
    def _told(*given: Any, **more: Any) -> Any:
        result = done(*given, **more)
        tell(result)
        return result

    setattr(owner, name, _told)


def _event(logger: Any, method: str, event: str | None, more: dict[str, Any]) -> None:
    said: Any = {**logger._context, **more, "event": event}
    for process in logs.PROCESSORS:
        said = process(None, method, said)
    LEAKS.hear(str(event), [value for name, value in said.items() if name != "timestamp"])


def _record(_: logging.Logger, record: logging.LogRecord) -> None:
    """As Python writes it by itself; where the bot's own handler stands, it makes an event of it."""
    if record.levelno >= logging.WARNING and not any(isinstance(one, logs.Libraries) for one in logging.root.handlers):
        LEAKS.hear(f"a record of {record.name}", [logging.Formatter().format(record)])


def _label(_: Any, name: str, *more: Any, _labelvalues: tuple[str, ...] = (), **others: Any) -> None:
    if _labelvalues:
        LEAKS.hear(f"a label of {name}", _labelvalues)


def _child(_: Any, *more: Any, stdout: Any = None, stderr: Any = None, **others: Any) -> None:
    """Where its stderr is a file, that is read when the test ends."""
    name = getattr(stdout if stderr == subprocess.STDOUT else stderr, "name", None)
    if isinstance(name, str):
        _files.add(Path(name))


def _secret(_: Any, value: Any) -> None:
    if len(value) >= SECRET_FROM:
        LEAKS.secrets[str(value)] = None


def _put(*texts: Any) -> None:
    LEAKS.put.update((text, None) for text in texts if isinstance(text, str | bytes))


class Ear:
    """The plugin: fails a test of which something leaked, and forgets what it put in."""

    def __init__(self) -> None:
        self._module = ""
        self._of_fixtures = self._collected = (0, 0)

    def pytest_collection_finish(self) -> None:
        LEAKS.written.clear()
        self._collected = _sizes()

    def pytest_runtest_logstart(self, location: tuple[str, int | None, str]) -> None:
        if location[0] != self._module:
            _forget(self._collected)
        self._module = location[0]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        report = yield
        if call.when == "setup":
            self._of_fixtures = _sizes()
        for said in [text for name, text in report.sections if name == f"Captured stderr {call.when}"]:
            LEAKS.hear_stderr(said)
        while call.when == "teardown" and _files:
            file = _files.pop()
            LEAKS.hear_stderr(file.read_bytes() if file.is_file() else b"")
        found = LEAKS.found()
        if found and not report.failed:
            report.outcome, report.longrepr = "failed", f"Written down: {'; '.join(found)}"
        return report

    def pytest_runtest_logfinish(self) -> None:
        _forget(self._of_fixtures)
        logging.root.handlers[:] = [one for one in logging.root.handlers if not isinstance(one, logs.Libraries)]


def _sizes() -> tuple[int, int]:
    return len(LEAKS.put), len(LEAKS.secrets)


def _forget(kept: tuple[int, int]) -> None:
    """What came later."""
    for what, size in zip((LEAKS.put, LEAKS.secrets), kept, strict=True):
        while len(what) > size:
            what.popitem()
