"""`reembed`: moving a memory to another embedding model."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from bot.cli.options import AsJson, Config, require_database, settings_of
from bot.cli.output import progress, say, say_json

if TYPE_CHECKING:
    from core.reembed.report import Reembedded


def add_to(app: typer.Typer) -> None:
    app.command()(reembed)


def reembed(as_json: AsJson = False, config: Config = None) -> None:
    """Embed everything of every tenant anew with the embedder that the settings name, and leave the model of before.

    It may be stopped at any time; run again, it goes on from there. A bot that runs meanwhile answers under the old
    model until the end, and must then be started anew.
    """
    from bot.config import make_embedder
    from core.maintenance import reembed as move

    settings = settings_of(config)
    require_database(settings)
    with progress("Embedding") as on_progress:
        tenants = move(settings.database, make_embedder(settings), on_progress=on_progress)
    if as_json:
        say_json([asdict(tenant) for tenant in tenants])
    else:
        _show(tenants)


def _show(tenants: "Sequence[Reembedded]") -> None:
    for tenant in tenants:
        if not tenant.changed:
            say(f"{tenant.tenant_id}: nothing to do, it is of {tenant.now}")
            continue
        say(
            f"{tenant.tenant_id}: from {tenant.was} to {tenant.now}; {tenant.embedded} texts embedded, "
            f"{tenant.removed} old entries deleted"
        )
        if tenant.unread:
            say(f"  {tenant.unread} passages could not be read again: only words find them until they change")
