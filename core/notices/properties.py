"""What differs in properties: those that front matter gives a document, and those of a record. Pure."""

from collections.abc import Collection, Mapping
from typing import Any

from core.jsonhash import canonical_json
from core.model.evidence import SectionChange
from core.model.nodes import Node

_OURS = {"title", "version_tx", "text_hash"}
"""What every document's node says of itself; a title that changes shows in the headings."""


def head_changes(before: Node | None, after: Node | None) -> list[SectionChange]:
    """Each property that differs between two versions of a document, in the order of their names."""
    if before is None or after is None or before.tombstone or after.tombstone:
        return []
    return _differing(_said(before, _OURS), _said(after, _OURS))


def record_changes(before: Node | None, after: Node | None) -> list[SectionChange]:
    """Each property that differs between two versions of a record; all of them where it came or went."""
    return _differing(_said(before), _said(after))


def record_name(node: Node) -> str:
    """What people call a record: its title or name, and else its label."""
    named = (node.props.get(prop) for prop in ("title", "name"))
    return next((name for name in named if isinstance(name, str) and name.strip()), node.label)


def _differing(old: Mapping[str, str], new: Mapping[str, str]) -> list[SectionChange]:
    return [
        SectionChange((), old.get(name, ""), new.get(name, ""))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


def _said(node: Node | None, but: Collection[str] = ()) -> dict[str, str]:
    props = {} if node is None or node.tombstone else node.props
    return {name: f"{name}: {_in_words(value)}" for name, value in props.items() if name not in but}


def _in_words(value: Any) -> str:
    return value if isinstance(value, str) else canonical_json(value).decode()
