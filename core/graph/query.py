"""The query language: a list of `{prop, op, value}` joined by AND, `{any: [...]}` for OR. Parsed once, then matched.

Comparison is typed and total: numbers with numbers, text with text (by code point), true and false with each other; any
other pair is unequal and has no order. An absent or null property matches `exists: false` and `ne`, nothing else; `ne`
is the exact opposite of `eq`. `contains` finds a part of a text, or an element of a list. `match` finds words: the
recall index answers it, so it may stand once, under AND, and counts as met here.
"""

import math
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

from core.errors import InvalidQuery
from core.model.nodes import PASSAGE

Scalar = str | int | float | bool
Value = Scalar | tuple[Scalar, ...]

DEEPEST = 8
"""`any` inside `any`, so that a hostile query cannot exhaust the stack."""


class Op(StrEnum):
    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    IN = "in"
    CONTAINS = "contains"
    EXISTS = "exists"
    MATCH = "match"


@dataclass(frozen=True, slots=True)
class Condition:
    prop: str
    op: Op
    value: Value


@dataclass(frozen=True, slots=True)
class AnyOf:
    parts: "tuple[Condition | AnyOf, ...]"


@dataclass(frozen=True, slots=True)
class AllOf:
    """A whole query; an empty one matches everything."""

    parts: tuple[Condition | AnyOf, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """`label`: of what is found. `words`: what `match` asks for, in a passage or in any that is part of it."""

    label: str
    tree: AllOf
    words: str | None

    @property
    def sees(self) -> frozenset[str]:
        """The labels of all nodes on which it depends what is found."""
        return frozenset({self.label} if self.words is None else {self.label, PASSAGE})


def read(find: str | None, where: object) -> Query:
    """Without a label: the passages that `match` leads to. Raises InvalidQuery, naming the place."""
    tree = parse(where)
    words = match_text(tree)
    if find is None and words is None:
        raise InvalidQuery("find: name a label, or give a match condition")
    return Query(find or PASSAGE, tree, words)


def parse(where: object) -> AllOf:
    """Raises InvalidQuery, naming the place, as in `where[2].any[0].op`."""
    if not isinstance(where, list | tuple):
        _fail("where", "must be a list of conditions", where)
    tree = AllOf(tuple(_part(item, f"where[{i}]", depth=0) for i, item in enumerate(where)))
    matching = [i for i, part in enumerate(tree.parts) if isinstance(part, Condition) and part.op is Op.MATCH]
    if len(matching) > 1:
        raise InvalidQuery(f"where[{matching[1]}].op: match may stand once; put all words into one value")
    return tree


def match_text(tree: AllOf) -> str | None:
    """The words of the `match` condition, for the recall index."""
    words = (str(part.value) for part in tree.parts if isinstance(part, Condition) and part.op is Op.MATCH)
    return next(words, None)


def matches(tree: AllOf, props: Mapping[str, Any]) -> bool:
    return all(_holds(part, props) for part in tree.parts)


def _holds(part: Condition | AnyOf, props: Mapping[str, Any]) -> bool:
    if isinstance(part, AnyOf):
        return any(_holds(alternative, props) for alternative in part.parts)
    return _TESTS[part.op](props.get(part.prop), part.value)


def _kind(value: object) -> type | None:
    """What a value can be compared with; None for lists, objects and null."""
    if isinstance(value, bool):
        return bool
    if isinstance(value, int | float):
        return float
    return str if isinstance(value, str) else None


def _equal(found: Any, value: Any) -> bool:
    kind = _kind(found)
    return kind is not None and kind is _kind(value) and bool(found == value)


def _ordered(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda found, value: _kind(found) is _kind(value) and test(found, value)


def _contains(found: Any, value: Any) -> bool:
    if isinstance(found, str):
        return isinstance(value, str) and value in found
    return isinstance(found, list | tuple) and any(_equal(item, value) for item in found)


_TESTS: Mapping[Op, Callable[[Any, Any], bool]] = {
    Op.EQ: _equal,
    Op.NE: lambda found, value: not _equal(found, value),
    Op.LT: _ordered(lambda found, value: found < value),
    Op.LE: _ordered(lambda found, value: found <= value),
    Op.GT: _ordered(lambda found, value: found > value),
    Op.GE: _ordered(lambda found, value: found >= value),
    Op.IN: lambda found, value: any(_equal(found, one) for one in value),
    Op.CONTAINS: _contains,
    Op.EXISTS: lambda found, value: (found is not None) is value,
    Op.MATCH: lambda found, value: True,  # noqa: ARG005  the recall index has answered it
}


def _part(item: object, at: str, depth: int) -> Condition | AnyOf:
    if not isinstance(item, Mapping):
        _fail(at, "must be {prop, op, value} or {any: [...]}", item)
    if "any" in item:
        return _any_of(item, at, depth)
    return _condition(item, at, top=depth == 0)


def _any_of(item: Mapping[Any, Any], at: str, depth: int) -> AnyOf:
    _only_keys(item, {"any"}, at)
    parts = item["any"]
    if depth == DEEPEST:
        raise InvalidQuery(f"{at}.any: nested more than {DEEPEST} deep")
    if not isinstance(parts, list | tuple) or not parts:
        _fail(f"{at}.any", "must be a list of at least one condition", parts)
    return AnyOf(tuple(_part(part, f"{at}.any[{i}]", depth + 1) for i, part in enumerate(parts)))


def _condition(item: Mapping[Any, Any], at: str, *, top: bool) -> Condition:
    _only_keys(item, {"prop", "op", "value"}, at)
    prop, op = item.get("prop"), item.get("op")
    if not isinstance(prop, str) or not prop:
        _fail(f"{at}.prop", "must be the name of a property", prop)
    if not isinstance(op, str) or op not in _TESTS:
        _fail(f"{at}.op", f"must be one of {' '.join(Op)}", op)
    if op == Op.MATCH and not top:
        raise InvalidQuery(f"{at}.op: match cannot stand inside any; put it into the outer list")
    return Condition(prop, Op(op), _value(Op(op), item.get("value"), f"{at}.value"))


def _only_keys(item: Mapping[Any, Any], known: set[str], at: str) -> None:
    if unknown := [key for key in item if key not in known]:
        raise InvalidQuery(f"{at}.{unknown[0]}: not known here; only {', '.join(sorted(known))} may stand together")


def _value(op: Op, value: object, at: str) -> Value:
    accepts, wanted = _VALUES.get(op, _SCALAR)
    if not accepts(value):
        _fail(at, f"must be {wanted} for {op}", value)
    return tuple(value) if isinstance(value, list) else value  # type: ignore[return-value]  # `accepts` has checked it


def _is_scalar(value: object) -> bool:
    return _kind(value) is not None and not (isinstance(value, float) and not math.isfinite(value))


_SCALAR = (_is_scalar, "text, a finite number, true or false")
_ORDERED = (lambda value: _is_scalar(value) and not isinstance(value, bool), "text or a finite number")
_VALUES: Mapping[Op, tuple[Callable[[Any], bool], str]] = {
    Op.LT: _ORDERED,
    Op.LE: _ORDERED,
    Op.GT: _ORDERED,
    Op.GE: _ORDERED,
    Op.IN: (
        lambda value: isinstance(value, list | tuple) and len(value) > 0 and all(map(_is_scalar, value)),
        "a list of at least one text, finite number, true or false",
    ),
    Op.EXISTS: (lambda value: isinstance(value, bool), "true or false"),
    Op.MATCH: (lambda value: isinstance(value, str) and bool(value.strip()), "one or more words"),
}


def _fail(at: str, rule: str, found: object) -> NoReturn:
    raise InvalidQuery(f"{at}: {rule}, not {reprlib.repr(found)}")
