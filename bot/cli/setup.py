"""`init`: everything a first start needs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.output import say

if TYPE_CHECKING:
    from bot.config import Settings

_NEXT = """
Next:
  clarify-bot person add "Ada Lovelace" --email ada@example.com
  clarify-bot ingest FOLDER --readers everyone
  clarify-bot ask "How many days of leave do I have?"
  clarify-bot run        after adding [[sources]], and enabling [inbox] to try it in a browser"""


def add_to(app: typer.Typer) -> None:
    app.command()(init)


def init(
    config: Annotated[Path, typer.Option("--config", metavar="FILE", help="The settings file to make.")] = Path(
        "clarify-bot.toml"
    ),
) -> None:
    """Write clarify-bot.toml with every default, make the keys, and set the database up.

    What is there already stays as it is, so running it again is safe.
    """
    from bot.config import load

    _ensure_file(config)
    settings = load(config)
    _ensure_keys(settings)
    _ensure_database(settings)
    say(_NEXT)


def _ensure_file(file: Path) -> None:
    from bot.cli.template import template

    if file.exists():
        say(f"{file} is there already and stays as it is.")
        return
    # Written whole beside its place and then moved there, so that a full disk leaves no half of a file.
    draft = file.with_name(f".{file.name}.new")
    try:
        draft.write_text(template(), encoding="utf-8")
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    say(f"Wrote {file}: every setting with its default.")


def _ensure_keys(settings: "Settings") -> None:
    from bot import keys

    if (settings.keys / keys.PRIVATE_NAME).exists():
        keys.complete(settings.keys)
        say(f"{settings.keys} holds a key already and stays as it is.")
    else:
        say(f"Made the key {keys.create(settings.keys)} in {settings.keys}.")


def _ensure_database(settings: "Settings") -> None:
    from sqlalchemy import make_url

    from bot.config import open_memory

    with open_memory(settings) as memory:
        memory.people.ensure_tenant(settings.tenant, settings.company)
        say(f"The database {make_url(settings.database).render_as_string()} is up to date.")
