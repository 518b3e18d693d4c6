"""`export`: everything that is known of a person, for them to see."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from bot.cli.options import AsJson, Config, memory_of, person_named, settings_of
from bot.cli.output import say, say_json, say_table


def add_to(app: typer.Typer) -> None:
    app.command()(export)


def export(
    person: Annotated[str, typer.Option(metavar="PERSON", help="An e-mail address or a name, or the person's id.")],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The file to make; without it use --json.")] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Write down as JSON everything that is known of a person: every row that is about them, and nothing of others.

    What they were called, chose, asked, were told, saved, watch and voted, and what the audit says of them.
    """
    from core.errors import InvalidRequest
    from core.maintenance import new_file

    if out is None and not as_json:
        raise InvalidRequest("say --out FILE for a file, or --json for the terminal")
    settings = settings_of(config)
    with memory_of(settings) as memory, new_file(out) if out else nullcontext() as draft:
        person_id = person_named(memory, settings, person)
        tables = memory.people.export(settings.tenant, person_id)
        found = {"tenant": settings.tenant, "person_id": person_id, "at": memory.clock.now(), "tables": tables}
        if draft is not None:
            _write(draft, found)
    if as_json:
        say_json(found)
    else:
        say_table(("table", "rows"), [(name, len(rows)) for name, rows in tables.items() if rows])
        say(f"Written to {out}, which only you may read.")


def _write(draft: Path, found: dict[str, Any]) -> None:
    with draft.open("w", encoding="utf-8") as file:
        json.dump(found, file, default=str, ensure_ascii=False, indent=1)
