"""`key add`, `key list` and `key revoke`: who may call the HTTP interface, and what they may read."""

from typing import Annotated
from uuid import UUID

import typer

from bot.cli.options import AsJson, Config, memory_of, settings_of
from bot.cli.output import say, say_json, say_table


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="The keys that programs call with, and what each may read.", no_args_is_help=True)
    group.command("add")(add)
    group.command("list")(show)
    group.command("revoke")(revoke)
    app.add_typer(group, name="key")


def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What will use it, so that it is known by it later.")],
    role: Annotated[list[str], typer.Option(help="A role it holds; repeatable. It reads what its roles may read.")],
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Make a key, and show it this once."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        made = memory.api_keys.create(settings.tenant, name, role)
    if as_json:
        say_json({"key_id": made.key_id, "key": made.secret})
        return
    say(f"{made.secret}")
    say(f"This is the key {made.key_id}. It is not kept and cannot be shown again.", aside=True)


def show(as_json: AsJson = False, config: Config = None) -> None:
    """List the keys that were made; what is secret of them is not kept."""
    from dataclasses import asdict

    from core.clock import to_datetime

    settings = settings_of(config)
    with memory_of(settings) as memory:
        known = memory.api_keys.all(settings.tenant)
    if as_json:
        say_json([asdict(one) for one in known])
        return
    rows = [
        (
            one.name,
            ", ".join(one.roles),
            to_datetime(one.created_at).date(),
            f"revoked {to_datetime(one.revoked_at).date()}" if one.revoked_at else "active",
            one.key_id,
        )
        for one in known
    ]
    say_table(("name", "roles", "made", "state", "id"), rows)


def revoke(
    key_id: Annotated[UUID, typer.Argument(metavar="ID", help="The id that `key list` shows.")],
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Let a key stand for nobody from now on. This cannot be undone."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        memory.api_keys.revoke(settings.tenant, key_id)
    if as_json:
        say_json({"key_id": key_id, "revoked": True})
    else:
        say(f"The key {key_id} is revoked.")
