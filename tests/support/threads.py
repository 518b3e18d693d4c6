"""Two or more things at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any


def at_once(*tasks: Callable[[], Any]) -> list[Any]:
    """Start all tasks together; what each returned or raised, in order."""
    start = Barrier(len(tasks), timeout=20)

    def run(task: Callable[[], Any]) -> Any:
        start.wait()
        try:
            return task()
        except Exception as error:  # noqa: BLE001  # the caller compares what each came to
            return error

    with ThreadPoolExecutor(len(tasks)) as pool:
        return list(pool.map(run, tasks))
