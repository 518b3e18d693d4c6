"""Who is asking, and what they may read."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

EVERYONE = "everyone"
"""The reader that stands for every person of the tenant; a word one types, never a default."""
OPERATOR, BOT = "operator", "bot"
"""Who acts where no principal does: whoever is at the command line, and the running bot by itself."""


@dataclass(frozen=True, slots=True)
class Principal:
    """A person of one tenant, with the roles they hold now. Every read takes one."""

    tenant_id: str
    person_id: UUID
    roles: frozenset[str] = frozenset()

    @property
    def keys(self) -> frozenset[str]:
        """Every reader name that admits this principal."""
        return self.roles | {EVERYONE, person_reader(self.person_id)}


def person_reader(person_id: UUID) -> str:
    return f"person:{person_id}"


def visible_to(principal: Principal, readers: Iterable[str]) -> bool:
    """The one rule of reading: some reader name admits the principal. No readers, nobody."""
    return not principal.keys.isdisjoint(readers)
