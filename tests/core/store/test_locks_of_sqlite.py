"""What a process holds of a SQLite file, others respect, however many connections it opens and closes."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

from core.clock import ManualClock
from core.store.database import ANY_TENANT, Database
from tests.support.memories import NOW, open_memory

COME_AND_GO = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('select * from tenant').fetchall()"


def test_another_process_that_comes_and_goes_does_not_take_a_file_for_left(tmp_path):
    """The last to close a file takes away the log beside it: here that is none but this process."""
    path = tmp_path / "m.db"
    with closing(open_memory(f"sqlite:///{path}", ManualClock(NOW))) as memory:
        memory.people.ensure_tenant("default", "Default")
        first, second = (Database(f"sqlite:///{path}", ManualClock(NOW)) for _ in range(2))
        with first.read(ANY_TENANT) as tx:
            tx.session.connection()
            with second.read(ANY_TENANT) as other:
                other.session.connection()
            subprocess.run([sys.executable, "-c", COME_AND_GO + "; c.close()", str(path)], check=True)
            assert Path(f"{path}-wal").exists()
        first.close()
        second.close()
