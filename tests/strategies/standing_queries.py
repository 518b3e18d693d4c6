"""Small worlds that change under standing queries: records, documents, rights, moments ahead, and sweeps."""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from core.clock import MINUTE

TOPIC = "TOPIC"
QUERIES: dict[str, tuple[str | None, list[dict[str, Any]]]] = {
    "all records": (TOPIC, []),
    "open records": (TOPIC, [{"prop": "state", "op": "eq", "value": "open"}]),
    "records not open": (TOPIC, [{"prop": "state", "op": "ne", "value": "open"}]),
    "either": (
        TOPIC,
        [{"any": [{"prop": "rank", "op": "ge", "value": 1}, {"prop": "state", "op": "exists", "value": False}]}],
    ),
    "final documents": ("DOCUMENT", [{"prop": "state", "op": "eq", "value": "final"}]),
    "sections": ("SECTION", []),
    "sections on tea": ("SECTION", [{"prop": "text", "op": "match", "value": "tea"}]),
    "documents on tea": ("DOCUMENT", [{"prop": "text", "op": "match", "value": "tea"}]),
    "passages on tea": (None, [{"prop": "text", "op": "match", "value": "tea"}]),
    "nothing ever": ("NOTHING", []),
}

readers = st.sampled_from(["everyone", "board"])
moments = st.none() | st.sampled_from([-2 * MINUTE, 2 * MINUTE, 5 * MINUTE])
"""From when on, counted from now; None: now."""


@dataclass(frozen=True)
class Put:
    which: str
    state: str | None
    rank: int
    readers: str
    start: int | None
    lasts: int | None

    @property
    def props(self) -> dict[str, Any]:
        return {"rank": self.rank} | ({} if self.state is None else {"state": self.state})


@dataclass(frozen=True)
class Remove:
    which: str
    start: int | None


@dataclass(frozen=True)
class Write:
    uri: str
    state: str
    sections: tuple[tuple[str, str], ...]
    readers: str
    start: int | None

    @property
    def text(self) -> bytes:
        parts = [
            f"---\nstate: {self.state}\n---\n# Drinks",
            *(f"## {head}\n\n{words}" for head, words in self.sections),
        ]
        return "\n\n".join(parts).encode()


@dataclass(frozen=True)
class Gone:
    uri: str


@dataclass(frozen=True)
class Role:
    holds: bool


@dataclass(frozen=True)
class Wait:
    span: int


@dataclass(frozen=True)
class Sweep: ...


@dataclass(frozen=True)
class Watching:
    query: str


names = st.sampled_from("abc")
uris = st.sampled_from(["x.md", "y.md"])
puts = st.builds(
    Put,
    names,
    st.sampled_from([None, "open", "shut"]),
    st.integers(0, 2),
    readers,
    moments,
    st.none() | st.just(3 * MINUTE),
)
sections = st.tuples(
    st.sampled_from(["Hot", "Cold"]), st.sampled_from(["Tea is served.", "Coffee is served.", "Tea and coffee."])
)
writes = st.builds(
    Write, uris, st.sampled_from(["draft", "final"]), st.lists(sections, max_size=3).map(tuple), readers, moments
)
steps = st.one_of(
    puts,
    puts,
    writes,
    writes,
    st.builds(Remove, names, moments),
    st.builds(Gone, uris),
    st.builds(Role, st.booleans()),
    st.builds(Wait, st.sampled_from([0, MINUTE, 4 * MINUTE])),
    st.builds(Sweep),
    st.builds(Sweep),
    st.builds(Watching, st.sampled_from(sorted(QUERIES))),
)
histories = st.lists(steps, min_size=3, max_size=14)
