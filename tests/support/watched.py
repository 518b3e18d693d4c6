"""What is so of a few documents and who may know it, kept the plainest way: all that was ever handed in, looked through
from the beginning. Nothing here asks the engine, but for the number of its newest transaction.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from core.clock import HOUR
from core.ids import derived
from core.model.nodes import DOCUMENT, SECTION
from core.model.watching import EventKind, ScopeType
from tests.support.memories import CHANGES, document, page, section, source_id

HEADINGS = ("Meals", "Hotels")
MOVED = (EventKind.NEW_SOURCE_VERSION, EventKind.FACT_TOMBSTONED)
Moment = tuple[int, int]
"""(valid, tx)."""
Amounts = tuple[int | None, ...]
"""By heading; None: it has no such section."""


@dataclass(eq=False)
class Paper:
    """A document, or a record where `label` says so. `handed_in`: (tx, valid, what it says; None: it is gone)."""

    tenant: str
    uri: str
    readers: set[str]
    handed_in: list[tuple[int, int, Amounts | None]] = field(default_factory=list)
    erased: bool = False

    def at(self, moment: Moment) -> Amounts | None:
        """Of what had been said by a tx, the last that was said about the time up to a moment."""
        valid, tx = moment
        known = [(v, turn, said) for turn, (t, v, said) in enumerate(self.handed_in) if t <= tx and v <= valid]
        return max(known, key=lambda one: one[:2])[2] if known else None

    def data(self, amounts: Amounts) -> bytes:
        said = {h: self.sentence(h, a) for h, a in zip(HEADINGS, amounts, strict=True) if a is not None}
        return page(self.uri, said)

    def sentence(self, heading: str, amount: int) -> str:
        return f"{heading} of {self.uri} cost {amount} EUR."

    def parts(self) -> list["Part"]:
        return [Part(self, kind) for kind in (*HEADINGS, "title", DOCUMENT, "source")]


@dataclass(frozen=True)
class Part:
    """Something that a watch hears of: a section, the document's node, the source."""

    paper: Paper
    kind: str

    @property
    def ref_id(self) -> UUID:
        uri, tenant = self.paper.uri, self.paper.tenant
        if self.kind == DOCUMENT:
            return UUID(document(uri, tenant))
        if self.kind == "source":
            return source_id(uri, tenant)  # type: ignore[no-any-return]
        path = (uri,) if self.kind == "title" else (uri, self.kind)
        return UUID(section(uri, *path, tenant=tenant))

    @property
    def headings(self) -> tuple[str, ...]:
        """Whose words it has."""
        if self.kind in HEADINGS:
            return (self.kind,)
        return () if self.kind == "title" else HEADINGS

    def stands(self, moment: Moment) -> Any:
        """What there is of it to be told from what there was: None where it is not there."""
        said = self.paper.at(moment)
        if said is None or self.kind == "title":
            return None if said is None else "there"
        return said[HEADINGS.index(self.kind)] if self.kind in HEADINGS else said

    def words(self, moment: Moment) -> frozenset[str]:
        """Its headings and sentences."""
        said = self.paper.at(moment)
        if said is None:
            return frozenset()
        amounts = {heading: amount for heading, amount in zip(HEADINGS, said, strict=True) if amount is not None}
        mine = {heading: amounts[heading] for heading in self.headings if heading in amounts}
        title = set() if self.kind in HEADINGS else {self.paper.uri}
        return frozenset(title | mine.keys() | {self.paper.sentence(*one) for one in mine.items()})


@dataclass
class Somebody:
    tenant: str
    name: str
    person_id: UUID
    roles: set[str]
    active: bool = True
    within_reach: bool = True
    muted_until: int = 0
    quiet: tuple[int, int] | None = None

    def may_read(self, paper: Paper) -> bool:
        return bool(paper.readers & (self.roles | {"everyone"}))

    def wants_none(self, now: int) -> bool:
        """Muted, or in the quiet hours; everybody lives by UTC here."""
        hour = now // HOUR % 24
        start, end = self.quiet or (0, 0)
        asleep = start <= hour < end if start <= end else hour >= start or hour < end
        return self.muted_until > now or asleep


@dataclass
class Standing:
    """A watch. `coords`: by person and paper, when its state counts as known to them: nobody has to tell them of it.

    `silent`: by person, until when they want to hear nothing of it.
    """

    owner: Somebody
    scope: ScopeType
    refs: tuple[str, ...]
    parts: tuple[Part, ...]
    role: str | None
    created_tx: int = 0
    enabled: bool = False
    silent: dict[UUID, int] = field(default_factory=dict)
    watch_id: UUID | None = None
    coords: dict[tuple[UUID, str], list[Moment]] = field(default_factory=dict)

    @property
    def events(self) -> tuple[EventKind, ...]:
        return MOVED if self.scope is ScopeType.SOURCE else CHANGES

    def tells(self, person: Somebody) -> bool:
        mine = self.owner is person if self.role is None else self.role in person.roles
        return mine and person.active and person.tenant == self.owner.tenant

    def hears(self, cell: Part) -> bool:
        """Whether it is on a section, or on something that has it."""
        return any(part.paper is cell.paper and cell.kind in part.headings for part in self.parts)

    @property
    def on_nothing_open(self) -> bool:
        """Its owner may read nothing of what it is on."""
        specific = self.scope is not ScopeType.LABEL
        return specific and not any(self.owner.may_read(part.paper) for part in self.parts)

    @property
    def goes_on(self) -> bool:
        return self.enabled and self.owner.active and self.owner.within_reach and not self.on_nothing_open


def wishes(owner: Somebody, papers: list[Paper]) -> Iterator[Standing]:
    """Watches of each scope, that somebody may ask for."""
    every = [part for paper in papers for part in paper.parts()]
    first, last = papers[0], papers[-2]
    for part in (Part(first, "Meals"), Part(last, DOCUMENT), Part(last, "Hotels")):
        yield Standing(owner, ScopeType.ENTITY, (str(part.ref_id),), (part,), None)
    for paper in (first, last):
        part = Part(paper, "source")
        yield Standing(owner, ScopeType.SOURCE, (str(part.ref_id),), (part,), None)
    for label in (SECTION, DOCUMENT):
        labelled = tuple(p for p in every if (p.kind == DOCUMENT) == (label == DOCUMENT) and p.kind != "source")
        yield Standing(owner, ScopeType.LABEL, (label,), labelled, None)
        if "steward" in owner.roles:
            yield Standing(owner, ScopeType.LABEL, (label,), labelled, "member")
    if "steward" in owner.roles:
        part = Part(first, "source")
        yield Standing(owner, ScopeType.SOURCE, (str(part.ref_id),), (part,), "member")


def record_id(tenant: str) -> UUID:
    return derived("record of", tenant)
