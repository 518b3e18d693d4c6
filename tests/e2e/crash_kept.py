"""What a database holds, kept to be put back: each trial begins with the same rows, in the same database."""

from pathlib import Path
from typing import Protocol

import psycopg
from psycopg.sql import SQL, Identifier
from sqlmodel import SQLModel

from tests.support.connections import borrowed
from tests.support.postgres import emptied


class Kept(Protocol):
    def put_back(self) -> None: ...


class KeptFile:
    """A SQLite file that nobody has open."""

    def __init__(self, url: str) -> None:
        self._file = Path(url.removeprefix("sqlite:///"))
        self._data = self._file.read_bytes()

    def put_back(self) -> None:
        for part in self._file.parent.glob(f"{self._file.name}*"):
            part.unlink()
        self._file.write_bytes(self._data)


class KeptRows:
    """All rows of a PostgreSQL database: a twentieth of the time of copying the database itself."""

    def __init__(self, url: str) -> None:
        self._url = url
        with psycopg.connect(url) as connection:
            read = {table.name: _read(connection, table.name) for table in SQLModel.metadata.sorted_tables}
        self._rows = {name: rows for name, rows in read.items() if rows}

    def put_back(self) -> None:
        emptied(self._url)
        with borrowed(self._url) as connection, connection.transaction():
            for name, rows in self._rows.items():
                with connection.cursor().copy(SQL("COPY {} FROM STDIN").format(Identifier(name))) as copy:
                    copy.write(rows)


def _read(connection: psycopg.Connection, name: str) -> bytes:
    with connection.cursor().copy(SQL("COPY {} TO STDOUT").format(Identifier(name))) as copy:
        return b"".join(copy)


def kept(url: str) -> Kept:
    return KeptFile(url) if url.startswith("sqlite") else KeptRows(url)
