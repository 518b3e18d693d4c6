"""Column kinds that read alike on SQLite and PostgreSQL."""

from typing import Any

from sqlalchemy import JSON, BigInteger, Column
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field

JSON_KIND = JSON().with_variant(JSONB(), "postgresql")


def ts(*, primary_key: bool = False, index: bool = False, default: Any = ...) -> Any:
    """A Ts, or any other 64-bit integer."""
    return Field(default=default, primary_key=primary_key, index=index, sa_type=BigInteger)


def json(*, nullable: bool = False) -> Any:
    """A JSON value; NULL only where `nullable`."""
    return Field(default=None if nullable else ..., sa_column=Column(JSON_KIND, nullable=nullable))
