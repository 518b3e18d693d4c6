"""`manifest slack`: the app as Slack is told of it."""

import json
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.output import say


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="What a chat platform must be told to make the bot's app.", no_args_is_help=True)
    group.callback()(_manifests)
    group.command()(slack)
    app.add_typer(group, name="manifest")


def _manifests() -> None:
    """What a chat platform must be told to make the bot's app."""


def slack(
    url: Annotated[
        str, typer.Option("--url", metavar="URL", help="Where Slack reaches the bot: https://bot.example.com.")
    ] = "",
    socket: Annotated[bool, typer.Option("--socket", help="For Socket Mode, which needs no address.")] = False,
    name: Annotated[str, typer.Option("--name", help="What the app is called, at most 35 characters.")] = "clarify-bot",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where to write; without it to stdout.")
    ] = None,
) -> None:
    """Print the manifest to paste at api.slack.com/apps under Create New App > From a manifest."""
    from bot.channels.slack.manifest import manifest, problems
    from core.errors import InvalidRequest

    made = manifest(_address(url, socket=socket), name.strip())
    if found := problems(made):
        raise InvalidRequest("; ".join(found))
    text = json.dumps(made, indent=2, ensure_ascii=False)
    if out is None:
        typer.echo(text)
        return
    out.write_text(f"{text}\n", encoding="utf-8")
    say(f"Wrote {out}.")


def _address(url: str, *, socket: bool) -> str | None:
    from bot.channels.slack.address import public_address
    from core.errors import InvalidRequest

    if not url and not socket:
        raise InvalidRequest("say with --url where Slack reaches the bot, or use --socket for Socket Mode")
    try:
        address = public_address(url) if url else None
    except ValueError as error:
        raise InvalidRequest(f"--url {error}") from error
    return None if socket else address
