"""`init`: everything a first start needs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.options import AsJson
from bot.cli.output import say, say_json

if TYPE_CHECKING:
    from bot.config import Settings

_STAYS = "was there already and stays as it is."
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
    as_json: AsJson = False,
) -> None:
    """Write clarify-bot.toml with every default, make the keys, and set the database up.

    What is there already stays as it is, so running it again is safe.
    """
    from bot.config import load

    is_new = _ensure_file(config)
    settings = load(config)
    kid, key_is_new = _ensure_keys(settings)
    database = _ensure_database(settings)
    if as_json:
        made = {"settings": is_new, "key": key_is_new}
        say_json({"settings": config, "key_id": kid, "keys": settings.keys, "database": database, "made": made})
        return
    say(f"Wrote {config}: every setting with its default." if is_new else f"{config} {_STAYS}")
    say(f"Made the key {kid} in {settings.keys}." if key_is_new else f"{settings.keys} holds a key. It {_STAYS}")
    say(f"The database {database} is up to date.\n{_NEXT}")


def _ensure_file(file: Path) -> bool:
    """Whether it was made."""
    from bot.cli.template import template

    if file.exists():
        return False
    # Written whole beside its place and then moved there, so that a full disk leaves no half of a file.
    draft = file.with_name(f".{file.name}.new")
    try:
        draft.write_text(template(), encoding="utf-8")
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    return True


def _ensure_keys(settings: "Settings") -> tuple[str, bool]:
    """The id of the key that signs, and whether it was made."""
    from bot import keys

    if (settings.keys / keys.PRIVATE_NAME).exists():
        return keys.complete(settings.keys), False
    return keys.create(settings.keys), True


def _ensure_database(settings: "Settings") -> str:
    """Its address, without a password."""
    from sqlalchemy import make_url

    from bot.config import open_memory

    with open_memory(settings) as memory:
        memory.people.ensure_tenant(settings.tenant, settings.company)
    return make_url(settings.database).render_as_string()
