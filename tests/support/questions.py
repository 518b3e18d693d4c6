"""Questions in question: documents that name prices, and people who are asked."""

from typing import Any
from uuid import UUID

from core.clarifications.opening import Opening
from core.graph.records import Record
from core.ids import derived
from core.memory import Memory
from core.model.principals import Principal
from core.model.spans import SpanRef
from core.store.tables import Clarification
from tests.support.memories import add_person, page, put, rows, section, source_id

MEALS = derived("record", "meals")
LUNCH = "When does lunch begin?"


def says(memory: Memory, uri: str, price: Any, readers: tuple[str, ...] = ("everyone",), **props: Any) -> Record:
    """A document that names a price, and the record that somebody made of those words."""
    words = f"A meal may cost {price} EUR."
    text = page(uri, {"Meals": words})
    put(memory, uri, text, readers)
    version = next(view.version_tx for view in memory.documents.standing("default") if view.uri == uri)
    start = text.index(words.encode())
    span = SpanRef(source_id(uri), version, start, start + len(words.encode()))
    return Record(MEALS, "LIMIT", {"price": price} | props, provenance=[span])


def dispute(memory: Memory, **readers: tuple[str, ...]) -> UUID:
    """Two documents disagree on a price: 40 stands, and 55 is said too; the clarification."""
    assert memory.put_node(says(memory, "a.md", 40, **readers)).written
    [asked] = memory.put_node(says(memory, "b.md", 55)).in_question
    return asked


def stewards(memory: Memory, *names: str) -> list[Principal]:
    return [add_person(memory, name, roles=("member", "steward")) for name in names]


def opened(
    memory: Memory,
    quorum: int = 1,
    options: tuple[str, ...] = ("At noon", "At one"),
    audience: tuple[str, ...] = ("member",),
) -> UUID:
    """A question that an operator asks about a section."""
    put(memory, "day.md", page("day.md", {"Lunch": "Lunch is served daily."}))
    opening = Opening(UUID(section("day.md", "day.md", "Lunch")), LUNCH, audience, options, quorum)
    return memory.clarify.open("default", opening).clarification_id


def newest(memory: Memory, clarification_id: UUID) -> Clarification:
    found = [row for row in rows(memory, Clarification) if row.clarification_id == clarification_id]
    return max(found, key=lambda row: row.tx_start)


def state(memory: Memory, clarification_id: UUID) -> str:
    return newest(memory, clarification_id).state


def price(memory: Memory, who: Principal) -> Any:
    return memory.get_as_of(MEALS, who).props["price"]
