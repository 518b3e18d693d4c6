"""How the tables of a database compare with this program's."""

from enum import StrEnum


class TablesState(StrEnum):
    CURRENT = "current"
    ABSENT = "absent"
    OLDER = "older"
    NEWER = "newer"
