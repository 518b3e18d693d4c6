"""What differs in the properties that a document's front matter gives it. Pure."""

from collections.abc import Mapping
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
    old, new = _head(before.props), _head(after.props)
    return [
        SectionChange((), old.get(name, ""), new.get(name, ""))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


def _head(props: Mapping[str, Any]) -> dict[str, str]:
    return {name: f"{name}: {_said(value)}" for name, value in props.items() if name not in _OURS}


def _said(value: Any) -> str:
    return value if isinstance(value, str) else canonical_json(value).decode()
