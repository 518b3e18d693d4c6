"""Column kinds that read alike on SQLite and PostgreSQL."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, ColumnElement, and_, or_
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field

JSON_KIND = JSON().with_variant(JSONB(), "postgresql")


def ts(*, primary_key: bool = False, index: bool = False, default: Any = ...) -> Any:
    """A Ts, or any other 64-bit integer."""
    return Field(default=default, primary_key=primary_key, index=index, sa_type=BigInteger)


def json(*, nullable: bool = False) -> Any:
    """A JSON value; NULL only where `nullable`."""
    return Field(default=None if nullable else ..., sa_column=Column(JSON_KIND, nullable=nullable))


def after(order: Sequence[Any], place: Sequence[Any]) -> ColumnElement[bool]:
    """That a row comes after a place, in the order of two columns."""
    (first, second), (one, other) = order, place
    return or_(first > one, and_(first == one, second > other))


def before(order: Sequence[Any], place: Sequence[Any]) -> ColumnElement[bool]:
    """The same, in their descending order."""
    (first, second), (one, other) = order, place
    return or_(first < one, and_(first == one, second < other))
