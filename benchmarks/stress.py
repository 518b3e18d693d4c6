"""`make stress`: four writers, sweepers and readers in two processes on one database, for a minute each on both.

One writer's model takes two seconds. In the end nothing was locked, nothing acknowledged is lost, the feed has no hole
that a sweep could have seen, and each change was heard once; exit code 1 where that does not hold. Printed is how long
the longest write kept others waiting, by what was written: processor time of its thread, and wall time, which is longer
where more threads than cores are at work.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.support import progress
from core.clock import SystemClock
from core.store.database import Database
from core.store.migrate import upgrade
from tests.support.postgres import running
from tests.support.stress import Load, Report, run

SIZES = ((200,), (1, 20), (20, 1), (1_000, 10_000))
"""Of each writer's documents, in sections; the first is the one whose model is slow."""


@dataclass(frozen=True, slots=True)
class Outcome:
    database: str
    report: Report
    broken: list[str]


def main(arguments: Sequence[str] | None = None) -> None:
    asked = _asked(arguments)
    load = Load(SIZES, model_secs=asked.model_seconds, seconds=asked.seconds)
    outcomes = [_outcome(name, asked.postgresql, load) for name in asked.databases or ("sqlite", "postgresql")]
    print(json.dumps([_json(one) for one in outcomes], indent=2) if asked.json else "\n\n".join(map(_table, outcomes)))
    sys.exit(any(one.broken for one in outcomes))


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stress", description=__doc__.partition("\n")[0])
    parser.add_argument("databases", nargs="*", metavar="DATABASE", help="sqlite, postgresql; both if none is named")
    parser.add_argument("--seconds", type=float, default=60, help="how long the writers go on (default: %(default)s)")
    parser.add_argument("--model-seconds", type=float, default=2, help="what the slow model takes (%(default)s)")
    parser.add_argument("--postgresql", metavar="URL", help="an empty database; without it a server is started")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.databases) - {"sqlite", "postgresql"}:
        parser.error(f"no database is named {', '.join(sorted(unknown))}; there are sqlite, postgresql")
    return asked


def _outcome(name: str, given: str | None, load: Load) -> Outcome:
    progress(f"{name}: {load.seconds:g} s …")
    with _sqlite() if name == "sqlite" else _postgresql(given) as url:
        return Outcome(name, *run(url, load))


@contextmanager
def _sqlite() -> Iterator[str]:
    with TemporaryDirectory() as folder:
        yield f"sqlite:///{Path(folder) / 'memory.db'}"


@contextmanager
def _postgresql(given: str | None) -> Iterator[str]:
    if given is not None:
        database = Database(given, SystemClock())
        upgrade(database)
        database.close()
        yield given
        return
    with running() as server, server.database("migrated") as url:
        yield url


def _json(outcome: Outcome) -> dict[str, object]:
    longest = {what: {"cpu_s": cpu, "wall_s": wall} for what, (cpu, wall) in outcome.report.longest.items()}
    return {"database": outcome.database, **_counts(outcome.report), "longest": longest, "broken": outcome.broken}


def _counts(report: Report) -> dict[str, int]:
    return {"ingests": len(report.written), "sweeps": report.sweeps, "reads": report.reads}


def _table(outcome: Outcome) -> str:
    counted = ", ".join(f"{number:,} {what}" for what, number in _counts(outcome.report).items())
    lines = [f"{outcome.database}: {counted}"]
    for what, (cpu, wall) in sorted(outcome.report.longest.items(), key=lambda each: each[1][1]):
        lines.append(f"  longest write, {what:32} {cpu:8.3f} s of a processor {wall:8.3f} s in all")
    return "\n".join([*lines, *(f"  BROKEN: {what}" for what in outcome.broken or ())])


if __name__ == "__main__":
    main()
