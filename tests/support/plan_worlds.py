"""One library and what is planned of it: the same in every store, process and order of arrival.

Full of ties: more pages and rows that score exactly alike than any leg may take. Run as a program it takes the library
in anew, in an order of its own, and prints what it plans there and of libraries that others have taken in.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from core.clock import DAY, SECOND, ManualClock
from core.memory import Memory
from core.model.principals import Principal
from core.planner import plan_hash
from core.planner.engine import Planned
from core.planner.request import PlanRequest
from tests.support.memories import NOW, add_person, open_memory, page, put

FEW = {"planner": {"semantic_k": 3, "query_limit": 4}}
QUESTION = "What do meals cost a day?"
TABLE = b"# Rates\n\n| City | Meals cost a day |\n|---|---|\n" + b"| Oslo | 40 |\n" * 6
PAGES = {
    **{f"copy{number}.md": page("Travel", {"Meals": "Meals cost at most 40 EUR a day."}) for number in range(6)},
    "rates.md": TABLE,
    "parking.md": page("Parking", {"Garage": "Parking costs 5 EUR a day, [meals](copy1.md) more."}),
}
REQUESTS = (
    PlanRequest(question=QUESTION),
    PlanRequest(question=QUESTION, expand_depth=2),
    PlanRequest(find="PASSAGE"),
    PlanRequest(find="PASSAGE", where=[{"prop": "text", "op": "match", "value": "meals cost"}]),
    PlanRequest(question="Parking?", find="SECTION", budget_tokens=60, expand_depth=1),
)


def filled(url: str, order: Sequence[str] = tuple(PAGES)) -> Memory:
    """The library and its reader; each page valid since yesterday, taken in a second after the other."""
    memory = open_memory(url, ManualClock(NOW), **FEW)
    memory.people.ensure_tenant("default", "Default")
    add_person(memory, "Reader")
    for uri in order:
        put(memory, uri, PAGES[uri], valid_start=NOW - DAY)
    return memory


def reopened(url: str) -> Memory:
    return open_memory(url, ManualClock(NOW + len(PAGES) * SECOND), **FEW)


def reader(memory: Memory) -> Principal:
    return memory.people.principal("default", memory.people.named("default", "Reader").person_id)


def plans(memory: Memory) -> list[Planned]:
    return [memory.plan(replace(request, valid_time=NOW), reader(memory)) for request in REQUESTS]


def told(memory: Memory) -> list[Any]:
    """All that must be the same to the bit: every plan's hash, and what is answered, and from where."""
    answer = memory.generate(QUESTION, reader(memory))
    cited = [[str(one.span.source_id), one.span.start] for claim in answer.claims for one in claim.citations]
    return [*(planned.plan_hash for planned in plans(memory)), answer.text, cited, answer.best_cosine]


def told_but_tx(memory: Memory) -> list[str]:
    """The hashes as if all had arrived at once: an order of arrival shows in each tx, and may show in nothing else."""
    return [
        plan_hash(
            [replace(span, source_version_tx=0) for span in planned.spans],
            budget=planned.plan.budget,
            used=planned.plan.used,
        )
        for planned in plans(memory)
    ]


def shuffled(seed: int) -> list[str]:
    order = list(PAGES)
    Random(seed).shuffle(order)
    return order


def main(own: str, seed: str, *standing: str) -> None:
    with filled(own, shuffled(int(seed))) as memory:
        here = told_but_tx(memory)
    there = []
    for url in standing:
        with reopened(url) as memory:
            there.append(told(memory))
    sys.stdout.write(json.dumps([here, there]))


if __name__ == "__main__":
    main(*sys.argv[1:])
