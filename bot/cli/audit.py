"""`audit`: who did what."""

from typing import Annotated

import typer

from bot.cli.options import AsJson, Config, memory_of, settings_of
from bot.cli.output import say_json, say_table


def add_to(app: typer.Typer) -> None:
    app.command("audit")(show)


def show(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many, newest first.")] = 50,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Show who did what and what came of it, newest first. Nothing is ever taken out of it."""
    from dataclasses import asdict

    from core.clock import to_datetime

    settings = settings_of(config)
    with memory_of(settings) as memory:
        entries = memory.audit(limit, tenant=settings.tenant)
    if as_json:
        say_json([asdict(entry) for entry in entries])
        return
    rows = [
        (
            to_datetime(entry.at).strftime("%Y-%m-%d %H:%M:%S"),
            entry.actor,
            entry.action,
            entry.target,
            entry.outcome,
            "; ".join(f"{name}: {value}" for name, value in entry.detail.items()),
        )
        for entry in entries
    ]
    say_table(("at (UTC)", "who", "did", "to", "outcome", "detail"), rows)
