"""`erase source`, `erase person`, and the `erasure` report."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from bot.cli.options import AsJson, Config, memory_of, person_named, settings_of
from bot.cli.output import say, say_json, say_table, tell

if TYPE_CHECKING:
    from bot.config import Settings
    from core.erasure.surfaces import ErasureReport
    from core.memory import Memory

Reason = Annotated[str, typer.Option(metavar="WORDS", help="Why: it is kept with the report.")]


def add_to(app: typer.Typer) -> None:
    erase = typer.Typer(help="Destroy what was remembered, down to the bytes of the database.", no_args_is_help=True)
    erase.command("source")(source)
    erase.command("person")(person)
    app.add_typer(erase, name="erase")
    erasure = typer.Typer(help="What was erased, and what was done about it.", no_args_is_help=True)
    erasure.command("report")(report)
    erasure.command("readmit")(readmit)
    app.add_typer(erasure, name="erasure")


def source(
    uri: Annotated[str, typer.Argument(metavar="URI", help="The document, as answers name it; or its id.")],
    reason: Reason,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Destroy every word of a document: its text, what it is found by, and what answers and cards quoted of it.

    The file itself is yours to delete; it is not taken in again until you readmit it.
    """
    settings = settings_of(config)
    with memory_of(settings) as memory:
        source_id = _id(uri) or memory.documents.named(settings.tenant, uri)
        done = memory.erase(source_id, reason, tenant=settings.tenant)
    _show(done, as_json=as_json)


def person(
    name: Annotated[str, typer.Argument(metavar="PERSON", help="An e-mail address or a name, or the person's id.")],
    reason: Reason,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Destroy what is known of a person, and what they asked, saved and were told.

    Again, it finishes what was begun: by the e-mail address or the name they were added by, or by their id.
    """
    settings = settings_of(config)
    with memory_of(settings) as memory:
        done = memory.erase(_whom(memory, settings, name), reason, tenant=settings.tenant)
    _show(done, as_json=as_json)


def report(
    erasure_id: Annotated[str, typer.Argument(metavar="ID", help="One erasure; without it, all in short.")] = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Show what was erased, what was done on each surface, and which cards platforms still show."""
    from core.errors import NotFound

    settings = settings_of(config)
    with memory_of(settings) as memory:
        reports = memory.erasure.reports(settings.tenant)
    found = [one for one in reports if str(one.erasure_id).startswith(erasure_id)]
    if erasure_id and len(found) != 1:
        raise NotFound(f"{len(found)} erasures have an id that begins with {erasure_id!r}; write more of it")
    if erasure_id:
        _show(found[0], as_json=as_json)
    elif as_json:
        say_json([_json(one) for one in found])
    else:
        say_table(("id", "what", "why", "by", "done"), [_row(one) for one in found])


def readmit(
    uri: Annotated[str, typer.Argument(metavar="URI", help="The document that was erased.")],
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Let a document that was erased be taken in again, as a new one."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        memory.documents.readmit(settings.tenant, uri)
    tell(f"{uri} is taken in again when it is next ingested.", {"uri": uri, "readmitted": True}, as_json=as_json)


def _whom(memory: "Memory", settings: "Settings", name: str) -> UUID:
    """Also of who is erased, and has no name any more. Raises NotFound."""
    from core.errors import NotFound

    try:
        return person_named(memory, settings, name)
    except NotFound:
        if (erased := memory.people.erased(settings.tenant, name)) is not None:
            return erased
        raise


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _show(done: "ErasureReport", *, as_json: bool) -> None:
    from core.erasure.surfaces import DONE, Surface

    if as_json:
        say_json(_json(done))
        return
    say(f"{done.subject_type} {done.subject_id} was erased ({done.erasure_id}): {done.reason}")
    say_table(
        ("surface", "rows", "what was done"),
        [(name.replace("_", " "), count, DONE[Surface(name)]) for name, count in done.surfaces.items()],
    )
    say(_files(done))
    for state, count in sorted(Counter(done.copies.values()).items()):
        say(f"Cards that platforms show, {state}: {count}")


def _files(done: "ErasureReport") -> str:
    if done.rewritten:
        return "The files of the database were written anew; its backups, replicas and logs are yours to let expire."
    why = f", since {done.hindered}" if done.hindered else ""
    return f"The files still hold deleted pages{why}. Erase the same again for them to go, or let the bot do it."


def _row(one: "ErasureReport") -> tuple[str, ...]:
    waiting = [state for state in one.copies.values() if state != "redacted"]
    ended = "files written anew" if one.rewritten else "files still to be written anew"
    cards = f", {len(waiting)} cards not redacted" if waiting else ""
    return str(one.erasure_id), f"{one.subject_type}:{one.subject_id}", one.reason, one.actor, ended + cards


def _json(one: "ErasureReport") -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(one)
