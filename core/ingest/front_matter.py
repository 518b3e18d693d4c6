"""Front matter: the metadata fenced off at the very start of a Markdown file, `---` for YAML and `+++` for TOML.

It counts only at byte 0, with a closing fence in column 0 and a key on its first line of content; anything else is a
document that starts with a rule, and stays text. Values that cannot be read never cost more than themselves: when the
whole does not parse, each top-level line is read alone, and what is still unreadable is kept as the string it is.
What would cost its reader more than a second, or memory by the square of its length, is not read at all.
"""

import datetime as dt
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

_Loads = Callable[[str], Any]
_UNREADABLE = (yaml.YAMLError, ValueError, TypeError, RecursionError, OverflowError)
_LARGEST = 2**63
_MOST_BRACKETS = 64
"""In one line: the YAML scanner's time grows with the square of what is open there."""
_MOST_DOTS = 128
"""In one line: TOML's reader takes time and memory by the square of how many parts a key has."""
_LONGEST = 65_536
"""Characters: YAML's reader takes a second for so many at worst, and a number in base 60 the square of its length."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`length`: how many characters of the text it takes, closing fence and its newline included."""

    length: int = 0
    properties: Mapping[str, Any] = field(default_factory=dict)


class _Loader(yaml.SafeLoader):
    """YAML without aliases, which let a few lines stand for billions of values."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("front matter may not use aliases")
        return super().compose_node(parent, index)


def _timestamp(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Any:
    try:
        return loader.construct_yaml_timestamp(node)
    except ValueError:
        return node.value


_Loader.add_constructor("tag:yaml.org,2002:timestamp", _timestamp)


def _load_yaml(text: str) -> Any:
    if any(line.count("[") + line.count("{") > _MOST_BRACKETS for line in text.split("\n")):
        raise ValueError("too many brackets in one line")
    return yaml.load(text, Loader=_Loader)  # noqa: S506  # _Loader is a SafeLoader


def _load_toml(text: str) -> Any:
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise ValueError("too many dots in one line")
    return tomllib.loads(text)


@dataclass(frozen=True, slots=True)
class _Style:
    closings: tuple[str, ...]
    separator: str
    first: re.Pattern[str]
    loads: _Loads


_KEY = r"""(?:[\w-][\w .-]*|"[^"\n]*"|'[^'\n]*')\s*"""
_STYLES = {
    "---": _Style(("---", "..."), ":", re.compile(_KEY + r":(?:\s|$)"), _load_yaml),
    "+++": _Style(("+++",), "=", re.compile(_KEY + r"=|\["), _load_toml),
}


def front_matter(text: str) -> FrontMatter:
    lines = text.split("\n")
    style = _STYLES.get(lines[0].rstrip())
    if style is None:
        return FrontMatter()
    closing = next((i for i in range(1, len(lines)) if lines[i].rstrip() in style.closings), 0)
    if not closing or not _starts_with_key(lines[1:closing], style):
        return FrontMatter()
    length = min(len(text), sum(len(line) + 1 for line in lines[: closing + 1]))
    return FrontMatter(length, _properties(lines[1:closing], style) if length <= _LONGEST else {})


def _starts_with_key(lines: list[str], style: _Style) -> bool:
    content = (line for line in lines if line.strip() and not line.startswith("#"))
    first = next(content, None)
    return first is None or style.first.match(first) is not None


def _properties(lines: list[str], style: _Style) -> dict[str, Any]:
    try:
        return _read("\n".join(lines) + "\n", style)
    except _UNREADABLE:
        return _line_by_line(lines, style)


def _read(text: str, style: _Style) -> dict[str, Any]:
    loaded = json_safe(style.loads(text))
    return loaded if isinstance(loaded, dict) else {}


def _line_by_line(lines: list[str], style: _Style) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for line in lines:
        if not style.first.match(line) or style.separator not in line:
            continue
        key, _, raw = line.partition(style.separator)
        try:
            found.update(_read(line, style))
        except _UNREADABLE:
            found[_scalar(key.strip(" \t\"'"))] = _scalar(raw.strip())
    return found


def json_safe(value: Any) -> Any:
    """`value` in what JSON and both databases can hold: dates in ISO 8601, no NaN, no NUL, no giant integers."""
    match value:
        case dict():
            return {_scalar(key): json_safe(item) for key, item in value.items()}
        case list() | tuple():
            return [json_safe(item) for item in value]
        case set():
            return sorted(map(_scalar, value))
        case bool() | None:
            return value
        case int() | float() if -_LARGEST <= value < _LARGEST:
            return value
        case _:
            return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < _LARGEST else hex(value)
    text = value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
