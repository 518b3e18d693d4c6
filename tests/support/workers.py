"""How many workers `-n auto` starts: a third of its time each waits for a browser, a process or a database."""

import os


def pytest_xdist_auto_num_workers() -> int:
    return (os.cpu_count() or 1) + 1
