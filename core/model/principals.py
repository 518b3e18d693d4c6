"""Who is asking, and what they may read."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from core.errors import InvalidRequest

EVERYONE = "everyone"
"""The reader that stands for every person of the tenant; a word one types, never a default."""
OPERATOR, BOT = "operator", "bot"
"""Who acts where no principal does: whoever is at the command line, and the running bot by itself."""
ADMIN, STEWARD = "admin", "steward"
"""The roles of whoever may erase, and of whoever settles what documents say."""
PERSON = "person:"


@dataclass(frozen=True, slots=True)
class Principal:
    """A person of one tenant, or one of its API keys, with the roles they hold now. Every read takes one.

    A key may stand for a person, and is they. Else `person` is None: it reads by its roles, and nothing is its own.
    With neither, it is the operator.
    """

    tenant_id: str
    person: UUID | None
    roles: frozenset[str] = frozenset()
    api_key: UUID | None = None

    @property
    def person_id(self) -> UUID:
        """Whose things these are. Raises InvalidRequest for a key."""
        if self.person is None:
            raise InvalidRequest(
                "this API key stands for no person: it has no answers, watches or preferences of its own"
            )
        return self.person

    @property
    def actor(self) -> str:
        """Who this is, for the audit."""
        if self.person:
            return person_reader(self.person)
        return f"key:{self.api_key}" if self.api_key else OPERATOR

    @property
    def keys(self) -> frozenset[str]:
        """Every reader name that admits this principal."""
        own = {person_reader(self.person)} if self.person else set()
        return self.roles | {EVERYONE} | own


def person_reader(person_id: UUID) -> str:
    return f"{PERSON}{person_id}"


def reader_name(name: str, at: tuple[str | int, ...] = ()) -> str:
    """A reader as it is always written. Raises InvalidRequest for what is neither a role nor a person nor everyone."""
    if name == EVERYONE:
        return name
    if not name.startswith(PERSON):
        return role_names([name])[0]
    try:
        return person_reader(UUID(name.removeprefix(PERSON)))
    except ValueError:
        raise InvalidRequest(f"{name!r} names no person; write {PERSON} and their id", at=at) from None


def visible_to(principal: Principal, readers: Iterable[str]) -> bool:
    """The one rule of reading: some reader name admits the principal. No readers, nobody."""
    return not principal.keys.isdisjoint(readers)


def role_names(names: Iterable[str]) -> list[str]:
    """Roles in order, each once. Raises InvalidRequest for a name that would admit its holder as somebody else."""
    roles = sorted(set(names))
    for role in roles:
        if not role.strip() or role != role.strip():
            raise InvalidRequest(f"{role!r} is no role: write a word such as member, steward or admin")
        if role == EVERYONE or role.startswith(PERSON):
            raise InvalidRequest(f"{role!r} is no role: it names a reader; write a word such as member or admin")
    return roles
