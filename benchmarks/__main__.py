"""`python -m benchmarks [NAME …]`: run the benchmarks and print their figures, with the goal where there is one.

A benchmark is a module `bench_NAME` with `run()`; `QUICK`, where it has one, is what `--quick` passes to it. `GOALS`
gives the highest figure allowed, by how a line's name begins.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from benchmarks.support import progress

NAMES = sorted(file.stem.removeprefix("bench_") for file in Path(__file__).parent.glob("bench_*.py"))


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    value: float
    goal: float | None
    note: str

    @property
    def verdict(self) -> str:
        if self.goal is None:
            return ""
        return f"≤ {self.goal:g} {'ok' if self.value <= self.goal else 'MISSED'}"


def main(arguments: Sequence[str] | None = None) -> None:
    asked = _asked(arguments)
    figures = [figure for name in asked.names or NAMES for figure in _measured(name, quick=asked.quick)]
    print(json.dumps([asdict(figure) for figure in figures], indent=2) if asked.json else _table(figures))
    sys.exit(any(figure.verdict.endswith("MISSED") for figure in figures))


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure the engine.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help="leave out the largest sizes")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    asked = parser.parse_args(arguments)
    if unknown := [name for name in asked.names if name not in NAMES]:
        parser.error(f"no benchmark is named {', '.join(unknown)}; there are {', '.join(NAMES)}")
    return asked


def _measured(name: str, *, quick: bool) -> Iterator[Figure]:
    progress(f"{name} …")
    module = import_module(f"benchmarks.bench_{name}")
    for line, value, note in module.run(**getattr(module, "QUICK", {}) if quick else {}):
        yield Figure(line, value, _goal(module, line), note)


def _goal(module: ModuleType, line: str) -> float | None:
    goals: dict[str, float] = getattr(module, "GOALS", {})
    return next((goal for start, goal in goals.items() if line.startswith(start)), None)


def _table(figures: Sequence[Figure]) -> str:
    width = max((len(figure.name) for figure in figures), default=0)
    return "\n".join(f"{each.name:{width}} {each.value:10.2f}  {each.verdict:14} {each.note}" for each in figures)


if __name__ == "__main__":
    main()
