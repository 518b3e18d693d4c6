"""Many rows at once.

SQLAlchemy looks at each value of each row on its way to the driver, and that is most of the processor time of a long
write transaction, in which other writers wait. Here values are turned a column at a time, by the column's own type, so
that what is read back is what was given; and they may be turned before the transaction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Dialect, Table
from sqlalchemy.engine import Connection
from sqlmodel import SQLModel

Columns = Mapping[str, Sequence[Any]]
"""Values by column, all of one length."""


def columns(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Columns:
    return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(names, ())


def by_name(rows: Sequence[Mapping[str, Any]]) -> Columns:
    """Of rows that all name the same columns."""
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a table, their values as the driver takes them."""

    table: Table
    columns: Columns


def rows(dialect: Dialect, table: type[SQLModel], columns: Columns) -> Rows:
    described: Table = table.__table__  # type: ignore[attr-defined]  # SQLModel does not say that it is there
    return Rows(described, {name: _turned(dialect, described, name, values) for name, values in columns.items()})


def insert(connection: Connection, rows: Rows, *, unless_there: bool = False, **same: Any) -> None:
    """Insert rows. `same`: what is alike in all of them. `unless_there`: but for those whose key stands already."""
    dialect = connection.dialect
    number = len(next(iter(rows.columns.values()), ()))
    alike = [_turned(dialect, rows.table, name, [value]) * number for name, value in same.items()]
    values = list(zip(*alike, *rows.columns.values(), strict=True))
    if values:
        statement = _statement(dialect, rows.table, [*same, *rows.columns])
        connection.exec_driver_sql(statement + " ON CONFLICT DO NOTHING" * unless_there, values)


def _turned(dialect: Dialect, table: Table, name: str, values: Sequence[Any]) -> list[Any]:
    turn = table.columns[name].type.dialect_impl(dialect).bind_processor(dialect)
    return list(map(turn, values) if turn else values)


def _statement(dialect: Dialect, table: Table, names: Sequence[str]) -> str:
    spelt = dialect.identifier_preparer
    listed = ", ".join(spelt.format_column(table.columns[name]) for name in names)
    places = ", ".join("?" if dialect.paramstyle == "qmark" else "%s" for _ in names)
    return f"INSERT INTO {spelt.format_table(table)} ({listed}) VALUES ({places})"
