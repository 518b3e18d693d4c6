"""What of the audit somebody wants to see."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """What is None or blank says nothing. `since` and `until`: Ts, [since, until).

    `target` may end in ":", as in "source:", for whatever is of a kind. `before`: an entry that these come before.
    """

    actor: str = ""
    action: str = ""
    target: str = ""
    outcome: str = ""
    since: int | None = None
    until: int | None = None
    before: UUID | None = None


EVERYTHING = AuditFilter()
