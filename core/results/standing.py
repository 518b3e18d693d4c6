"""A query that stands, and what of its result moved. Pure.

Two states of a thing are judged, as last swept and as it is now, both by what its watch's owner may read today. It has
moved where one of them is found and the other is not, or both are and say something else. What only was written anew,
such as a version that an older one was put before, is another version in the result and no news; nor is it one that
the owner may read something since, or may not any more: rights are not what a watch tells of.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import xxhash

from core.errors import InvalidQuery
from core.graph.query import Query, matches, read
from core.jsonhash import canonical_json
from core.model.nodes import LABEL, Node
from core.text import strict_json

LONGEST = 8 * 1024
"""Characters of a query: it is read again whenever something that it sees changes."""

_SHAPE = '{"find": LABEL or null, "where": [conditions]}'


@dataclass(frozen=True, slots=True)
class Standing:
    """`find`, `where`: as they are written; `query`: as they are asked."""

    find: str | None
    where: Sequence[Mapping[str, Any]]
    query: Query

    @property
    def text(self) -> str:
        """Canonical JSON: two ways to write one query are one."""
        return canonical_json({"find": self.find, "where": self.where}).decode()


def standing(text: str) -> Standing:
    """Raises InvalidQuery, naming the place."""
    body = _parsed(text)
    if unknown := sorted(body.keys() - {"find", "where"}):
        raise InvalidQuery(f"{unknown[0]}: not known here; a watch's query is {_SHAPE}")
    find, where = body.get("find"), body.get("where", [])
    if find is not None and not (isinstance(find, str) and LABEL.fullmatch(find)):
        raise InvalidQuery("find: must be a label in capitals, as in SECTION or PROJECT, or null")
    return Standing(find, where, read(find, where))


def _parsed(text: str) -> dict[str, Any]:
    if len(text) > LONGEST:
        raise InvalidQuery(f"the query has {len(text)} characters; it may have {LONGEST}")
    try:
        body = strict_json.parse(text.encode(errors="surrogatepass"))
    except ValueError as error:
        raise InvalidQuery(f"the query is no JSON: {error}; write {_SHAPE}") from error
    if not isinstance(body, dict):
        raise InvalidQuery(f"the query must be {_SHAPE}")
    return body


def fingerprint(found: Iterable[Node]) -> str:
    """xxh3_64 over the sorted (node id, version), as 16 hexadecimal digits."""
    digest = xxhash.xxh3_64()
    for node_id, version in sorted((node.node_id, _version(node)) for node in found):
        digest.update(node_id.bytes + b"".join(ts.to_bytes(8, "big") for ts in version))
    return digest.hexdigest()


def _version(node: Node) -> tuple[int, int]:
    """Which version of its node it is: one write opens one before and one after what it says, all at its tx."""
    return node.tx_start, node.valid_start


@dataclass(frozen=True, slots=True)
class Change:
    """A thing before and after, each as far as one person may read it today.

    `by_rights`: that they may read one of them and not the other, or not as news, is what differs.
    """

    before: Node | None
    after: Node | None
    by_rights: bool


class Move(Enum):
    """What became of a thing in a result: nothing, another version of it that tells nothing, or news."""

    NONE = auto()
    SILENT = auto()
    NEWS = auto()


def change(before: Node | None, after: Node | None, shows: Callable[[Node], bool]) -> Change:
    """`shows`: whether a version may be read today."""
    was, stays = (node if node is not None and shows(node) else None for node in (before, after))
    hidden = stays is None and after is not None and not after.tombstone
    uncovered = was is None and before is not None and not before.tombstone
    same = before is not None and after is not None and before.key == after.key
    return Change(was, stays, hidden or (uncovered and same))


def move(query: Query, seen: Change, *, was_hit: bool = True, is_hit: bool = True) -> Move:
    """`was_hit`, `is_hit`: whether the thing held the words that the query matches, and does, if it matches any."""
    was = seen.before if was_hit and found_by(query, seen.before) else None
    stays = seen.after if is_hit and found_by(query, seen.after) else None
    if was is stays or (was and _version(was)) == (stays and _version(stays)):
        return Move.NONE
    if was and stays:
        return Move.SILENT if was.key == stays.key else Move.NEWS
    return Move.SILENT if seen.by_rights else Move.NEWS


def found_by(query: Query, node: Node | None) -> bool:
    """Whether a query finds a version that may be read, but for its words."""
    return node is not None and node.label == query.label and matches(query.tree, node.props)
