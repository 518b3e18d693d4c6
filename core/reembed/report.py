"""What became of each tenant."""

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[int, int], None]
"""Told (done, total) of a tenant's passages."""


@dataclass(frozen=True, slots=True)
class Reembedded:
    """What became of a tenant. `was` and `now` are models, and equal where it stayed.

    `embedded` counts texts. `unread`: passages whose words could not be read again; from now on words alone find them.
    `removed`: entries of other models that were deleted.
    """

    tenant_id: str
    was: str
    now: str
    embedded: int = 0
    unread: int = 0
    removed: int = 0

    @property
    def changed(self) -> bool:
        return self.was != self.now or self.removed > 0
