"""Whoever has an account on the machine reads neither the memory nor what is derived from it."""

import os
from contextlib import closing

import pytest

from core.clock import ManualClock
from tests.support.memories import open_memory, page, put


@pytest.fixture
def open_to_all():
    """What a process makes may be read and written by everybody, unless it says otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


def test_a_database_is_made_for_the_eyes_of_its_owner_and_so_is_what_is_kept_beside_it(tmp_path, open_to_all):
    file = tmp_path / "deep/memory.db"
    with closing(open_memory(f"sqlite:///{file}", ManualClock(1))) as memory:
        memory.people.ensure_tenant("default", "Default")
        put(memory, "salaries.md", page("Salaries", {"Ada": "She earns 100 EUR."}))
        modes = {one.name: one.stat().st_mode & 0o777 for one in file.parent.iterdir()}
    assert modes == {"memory.db": 0o600, "memory.db-wal": 0o600, "memory.db-shm": 0o600}


def test_a_database_that_is_there_keeps_the_mode_that_its_owner_gave_it(sqlite_url, tmp_path):
    (tmp_path / "memory.db").chmod(0o640)
    with closing(open_memory(sqlite_url, ManualClock(1))):
        assert (tmp_path / "memory.db").stat().st_mode & 0o777 == 0o640
