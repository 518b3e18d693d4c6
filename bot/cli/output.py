"""What a terminal shows. Text that people and documents wrote loses whatever could drive the terminal first."""

import json
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import UUID

import typer

from cards.text import clean, one_line

if TYPE_CHECKING:
    from rich.table import Table

    from core.clock import Clock

_ANY_WIDTH = 1_000_000
"""Columns, where no terminal has fewer."""
_ID, _LEAST = 36, 6
"""Columns that an id needs, and that anything else does to be read."""


def say(text: str = "", *, aside: bool = False) -> None:
    """A line for people; `aside` on stderr, where it cannot mix with what a machine reads."""
    typer.echo(clean(text), err=aside)


def complain(text: str, code: str = "", *, as_json: bool = False) -> None:
    """What went wrong, on stderr: for people a sentence, for a machine an object with its code as well."""
    error = {"error": {"code": code, "message": one_line(text)}}
    typer.echo(json.dumps(error) if as_json else f"clarify-bot: {one_line(text)}", err=True)


def tell(words: str, value: Any, *, as_json: bool) -> None:
    """What was done: a sentence for people, or a value for a machine."""
    if as_json:
        say_json(value)
    else:
        say(words)


def say_json(value: Any) -> None:
    """One line of JSON, in ASCII, so that no control character reaches a terminal raw."""
    typer.echo(json.dumps(value, default=str))


def say_table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A row a line for a program. In a terminal what is too wide is folded, never cut; what people copy, ids, last.

    A terminal too narrow for a line with an id shows each row as lines of its own.
    """
    from rich.console import Console

    rows = list(rows)
    shown = [tuple(one_line(str(cell)) for cell in row) for row in rows]
    ids = {number for row in rows for number, cell in enumerate(row) if isinstance(cell, UUID)}
    console = Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else _ANY_WIDTH)
    least = sum(_ID if number in ids else max(len(header), _LEAST) for number, header in enumerate(headers))
    if least + len(headers) > console.width:
        _say_records(headers, shown)
    else:
        console.print(_table(headers, shown, ids))


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]], ids: Container[int]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, header in enumerate(headers):
        table.add_column(header, overflow="fold", no_wrap=number in ids)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _say_records(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    for row in rows:
        for header, cell in zip(headers, row, strict=True):
            say(f"{header}: {cell}")
        say()


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, told (done, total); nothing where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def reading(clock: "Clock") -> Iterator[tuple[Callable[[int, int], None], Callable[[int, int], None]]]:
    """A bar for documents and one for the passages of a large one; without a terminal, a line now and then."""
    from rich.console import Console
    from rich.progress import Progress

    from bot.telling import LARGE, Estimate

    console, estimate = Console(stderr=True), Estimate(clock)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        documents, passages = bar.add_task("Reading", total=None), bar.add_task("Embedding", visible=False)

        def embedding(done: int, total: int) -> None:
            shown = LARGE <= total > done
            bar.update(
                passages, completed=done, total=total, visible=shown, description=f"Embedding {total:,} passages"
            )
            line = estimate.line(done, total)
            if line is not None and bar.disable:
                say(line, aside=True)

        yield (lambda done, total: bar.update(documents, completed=done, total=total)), embedding
