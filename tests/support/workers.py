"""How many workers `-n auto` starts, what each begins with, and what it keeps for the next run.

A third of its time a worker waits for a browser, a process or a database, so there is one more than there are cores.
The longest tests come first, all in one worker, which gives away what comes after them; were one of them the last of
all, every other worker would wait for it. What is compiled is kept, whatever the machine says: each bot that a test
starts would else compile all modules anew.
"""

import os
import sys

import pytest

LONG = (
    "tests/bot/http/v1/test_v1_document.py",
    "tests/core/planner/test_plan_equality.py",
    "tests/docs/test_api_guide.py",
    "tests/e2e/test_crash.py",
    "tests/e2e/test_inbox_main_job.py",
    "tests/e2e/test_many_changes.py",
    "tests/e2e/test_sharing_processes.py",
    "tests/e2e/test_stopping.py",
)
"""Each has tests of five seconds and more; all together take far less than a worker's share."""


def pytest_xdist_auto_num_workers() -> int:
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


def keep_compiled() -> None:
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
