"""`backup` and `restore`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.options import AsJson, Config, require_database, settings_of
from bot.cli.output import say, say_json, say_table

if TYPE_CHECKING:
    from core.model.backups import Manifest
    from core.model.standing import Withdrawal


def add_to(app: typer.Typer) -> None:
    app.command()(backup)
    app.command()(restore)


def backup(
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to make.")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace the file if it is there.")] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Copy the whole database, of every tenant, into one file, checked, while the bot goes on working.

    The file has its name only once it is whole. No key is in it: copy the folder of the keys as well,
    and keep it apart. It can be restored into SQLite and PostgreSQL alike.
    """
    from dataclasses import asdict

    from core.maintenance import backup as take

    settings = settings_of(config)
    require_database(settings)
    made = take(settings.database, out, replace=replace)
    if as_json:
        say_json({"file": out, **asdict(made)})
        return
    say(_told(made))
    say(f"{out} is whole and was checked. The keys in {settings.keys} are not in it: keep a copy of them elsewhere.")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `backup` made.")],
    replace: Annotated[bool, typer.Option("--replace", help="Destroy what the database holds now.")] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Let the database hold what a backup holds, of every tenant. Stop the bot first.

    Nothing is touched before the backup was found whole. What was erased from the database since the backup was taken
    is erased from what comes back as well, and what was taken away from somebody is taken away again: keys that were
    revoked, people who left, roles, chat users that were unbound, webhooks that were removed, readers of documents.
    """
    from dataclasses import asdict

    from core.maintenance import restore as bring_back

    settings = settings_of(config)
    done = bring_back(settings.database, file, replace=replace)
    if as_json:
        erased, taken = [one.subject_id for one in done.erased_again], [_named(one) for one in done.taken_again]
        say_json(asdict(done.manifest) | {"erased_again": erased, "taken_again": taken})
        return
    say(_told(done.manifest))
    again = len(done.erased_again)
    say(f"It stands in the database again. Erased again, since it had been erased after the backup: {again}")
    if done.taken_again:
        say("Taken away again, since it had been after the backup:")
        say_table(("what", "tenant", "whose", "left"), [tuple(_named(one).values()) for one in done.taken_again])


def _named(one: "Withdrawal") -> dict[str, str]:
    right = one.right
    return {
        "what": right.kind,
        "tenant": right.tenant_id,
        "whose": ":".join(right.subject),
        "left": ", ".join(sorted(one.left)),
    }


def _told(manifest: "Manifest") -> str:
    from core.clock import to_datetime

    say_table(("table", "rows"), [(name, digest.rows) for name, digest in manifest.tables.items() if digest.rows])
    return f"Taken {to_datetime(manifest.made_at):%Y-%m-%d %H:%M:%S} UTC, tables of revision {manifest.revision}."
