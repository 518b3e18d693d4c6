"""`key add`, `key list` and `key revoke`: who may call the HTTP interface, and what they may read."""

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from bot.cli.options import AsJson, Config, memory_of, settings_of
from bot.cli.output import say, say_json, say_table

if TYPE_CHECKING:
    from core.keys.views import KeyView


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="The keys that programs call with, and what each may read.", no_args_is_help=True)
    group.command("add")(add)
    group.command("list")(show)
    group.command("revoke")(revoke)
    app.add_typer(group, name="key")


def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What will use it, so that it is known by it later.")],
    role: Annotated[
        list[str] | None, typer.Option(help="A role it holds; repeatable. It reads what its roles may read.")
    ] = None,
    person: Annotated[
        str,
        typer.Option(
            "--for", metavar="PERSON", help="Whom it stands for, instead: an e-mail address or a name. It is they."
        ),
    ] = "",
    days: Annotated[
        int | None, typer.Option(help="How many days it is good for; without it, until it is revoked.")
    ] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Make a key, and show it this once."""
    from core.clock import DAY
    from core.errors import InvalidRequest

    if not role and not person:
        raise InvalidRequest("name what it reads by with --role, or whom it stands for with --for")
    settings = settings_of(config)
    with memory_of(settings) as memory:
        person_id = memory.people.named(settings.tenant, person).person_id if person else None
        keep_for = None if days is None else days * DAY
        made = memory.api_keys.create(settings.tenant, name, role or (), person_id=person_id, keep_for=keep_for)
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
        known, now = memory.api_keys.all(settings.tenant), memory.clock.now()
        people = {one.person_id: one.display_name for one in memory.people.all(settings.tenant)}
    if as_json:
        say_json([asdict(one) for one in known])
        return
    rows = [
        (
            one.name,
            people.get(one.person_id, "") if one.person_id else ", ".join(one.roles),
            to_datetime(one.created_at).date(),
            _state(one, now),
            one.key_id,
        )
        for one in known
    ]
    say_table(("name", "roles or person", "made", "state", "id"), rows)


def _state(key: "KeyView", now: int) -> str:
    from core.clock import to_datetime

    if key.revoked_at:
        return f"revoked {to_datetime(key.revoked_at).date()}"
    if not key.expires_at:
        return "active"
    return f"{'active until' if key.expires_at > now else 'over since'} {to_datetime(key.expires_at).date()}"


def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The id that `key list` shows.")],
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Let a key stand for nobody from now on. This cannot be undone."""
    found, settings = _id(key_id), settings_of(config)
    with memory_of(settings) as memory:
        memory.api_keys.revoke(settings.tenant, found)
    if as_json:
        say_json({"key_id": found, "revoked": True})
    else:
        say(f"The key {found} is revoked.")


def _id(text: str) -> UUID:
    from core.errors import InvalidRequest

    try:
        return UUID(text)
    except ValueError:
        raise InvalidRequest(f"{text!r} is not the id of a key: `clarify-bot key list` shows them") from None
