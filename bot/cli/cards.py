"""`cards preview`: every card in every state, on one page."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.output import say


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="The cards that people get.", no_args_is_help=True)
    group.callback()(_cards)
    group.command()(preview)
    app.add_typer(group, name="cards")


def _cards() -> None:
    """The cards that people get."""


def preview(
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where to write; without it to stdout.")
    ] = None,
) -> None:
    """Write an HTML page with every card in every state."""
    from cards.gallery import gallery, preview_page
    from cards.html import to_html

    page = preview_page((state, to_html(card)) for state, card in gallery())
    if out is None:
        typer.echo(page)
        return
    out.write_text(page, encoding="utf-8")
    say(f"Wrote {out}.")
