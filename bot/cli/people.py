"""`person add`, `person list`, `person deactivate` and `person activate`."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import AsJson, Config, memory_of, person_named, settings_of
from bot.cli.output import say_json, say_table, tell

Person = Annotated[str, typer.Argument(metavar="PERSON", help="An e-mail address or a name, or the person's id.")]


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="The people who may ask, and what they may read.", no_args_is_help=True)
    group.command("add")(add)
    group.command("list")(show)
    group.command("deactivate")(deactivate)
    group.command("activate")(activate)
    app.add_typer(group, name="person")


def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name others see.")],
    email: Annotated[str, typer.Option(help="The address that tells people of one name apart.")] = "",
    zone: Annotated[str, typer.Option(help="Their time zone, such as Europe/Berlin; UTC where none was given.")] = "",
    role: Annotated[
        list[str] | None, typer.Option(help="A role they hold; repeatable, in place of those they held. First: member.")
    ] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Add a person, or renew one, known by e-mail address or else by name; what is not named stays as it is."""
    from core.errors import InvalidRequest

    if not name.strip():
        raise InvalidRequest("the name is empty; write the name that others see")
    if email and "@" not in email.strip("@"):
        raise InvalidRequest(f"--email {email!r} is no e-mail address; write one such as ada@example.com")
    settings = settings_of(config)
    with memory_of(settings) as memory:
        person_id = memory.people.put(
            settings.tenant, name.strip(), email=email or None, zone=zone or None, roles=role or None
        )
    tell(f"{name.strip()} is known as person:{person_id}.", {"person_id": person_id}, as_json=as_json)


def deactivate(person: Person, as_json: AsJson = False, config: Config = None) -> None:
    """Let a person go: they read nothing and are sent nothing any more. Nothing of theirs is deleted."""
    _set_active(person, config, active=False, as_json=as_json)


def activate(person: Person, as_json: AsJson = False, config: Config = None) -> None:
    """Let a person back in, with the roles they had."""
    _set_active(person, config, active=True, as_json=as_json)


def _set_active(name: str, config: Path | None, *, active: bool, as_json: bool) -> None:
    settings = settings_of(config)
    with memory_of(settings) as memory:
        found = memory.people.get(settings.tenant, person_named(memory, settings, name))
        memory.people.set_active(settings.tenant, found.person_id, active)
    words = f"{found.display_name} is {'active' if active else 'no longer active'}."
    tell(words, {"person_id": found.person_id, "active": active}, as_json=as_json)


def show(as_json: AsJson = False, config: Config = None) -> None:
    """List the people that are known."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        everyone = memory.people.all(settings.tenant)
    if as_json:
        fields = ("person_id", "display_name", "zone", "roles", "active")
        say_json([{field: getattr(person, field) for field in fields} for person in everyone])
        return
    rows = [
        (person.display_name, person.zone, ", ".join(person.roles), person.active, person.person_id)
        for person in everyone
    ]
    say_table(("name", "zone", "roles", "active", "id"), rows)
