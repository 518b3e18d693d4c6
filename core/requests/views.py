"""What has become of a request by its name."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.clock import SECOND

LEASE = 180 * SECOND
"""How long whoever works on a request may say nothing before it is another's."""


class Standing(StrEnum):
    """What became of a request by its name."""

    FRESH = "fresh"
    """It is the caller's to do."""
    BUSY = "busy"
    """Somebody is at it."""
    OTHER = "other"
    """The name was used for something else."""
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Begun:
    """`since`: under which turn it is to be ended. `said`: of one that is done, what was said."""

    standing: Standing
    since: int = 0
    said: Mapping[str, Any] | None = None
