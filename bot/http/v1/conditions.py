"""The query language (`core.graph.query`) as JSON may say it; core checks what a schema cannot."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from bot.http.v1.shapes import Asked, clean, said

_LONGEST_VALUE = 2000
_MOST = 50

Text = Annotated[str, clean(_LONGEST_VALUE)]
Number = int | float
Prop = Annotated[str, said(200)]


class Equal(Asked):
    """Whether a property is, or holds, a value."""

    prop: Prop
    op: Literal["eq", "ne", "contains"]
    value: Text | bool | Number


class Ordered(Asked):
    """Whether a property comes before or after a value."""

    prop: Prop
    op: Literal["lt", "le", "gt", "ge"]
    value: Text | Number


class In(Asked):
    """Whether a property is one of some values."""

    prop: Prop
    op: Literal["in"]
    value: Annotated[list[Text | bool | Number], Field(min_length=1, max_length=_MOST)]


class Exists(Asked):
    """Whether there is a property at all."""

    prop: Prop
    op: Literal["exists"]
    value: bool


class Match(Asked):
    """What words the passages of it must be about; once in a query, and not within `any`."""

    prop: Prop
    op: Literal["match"]
    value: Annotated[str, said(_LONGEST_VALUE)]


def _variant(given: Any) -> str | None:
    """Which of the above it wants to be."""
    said = dict(given) if isinstance(given, dict | Asked) else {}
    if "any" in said:
        return "#any"
    op = said.get("op")
    return _VARIANTS.get(op) if isinstance(op, str) else None


_VARIANTS = {
    **dict.fromkeys(("eq", "ne", "contains"), "#equal"),
    **dict.fromkeys(("lt", "le", "gt", "ge"), "#ordered"),
    **{op: f"#{op}" for op in ("in", "exists", "match")},
}
"""Tags are marked as such: they are no names of fields."""


def _by_variant(*more: str) -> Discriminator:
    ops = " ".join([op for op in _VARIANTS if op != "match"] + list(more))
    return Discriminator(
        _variant,
        custom_error_type="no_condition",
        custom_error_message=f"must be {{any: [conditions]}}, or {{prop, op, value}} with an op of {ops}",
    )


class AnyOf(Asked):
    """Whether at least one of these holds."""

    any: Annotated[list["Inner"], Field(min_length=1, max_length=_MOST)]


Plain = (
    Annotated[Equal, Tag("#equal")]
    | Annotated[Ordered, Tag("#ordered")]
    | Annotated[In, Tag("#in")]
    | Annotated[Exists, Tag("#exists")]
    | Annotated[AnyOf, Tag("#any")]
)
Inner = Annotated[Plain, _by_variant()]
Condition = Annotated[Plain | Annotated[Match, Tag("#match")], _by_variant("match")]
AnyOf.model_rebuild()

Where = Annotated[list[Condition], Field(max_length=_MOST)]


def plain(where: list[Condition]) -> list[dict[str, Any]]:
    """Conditions as core reads them."""
    return [condition.model_dump(mode="json") for condition in where]
