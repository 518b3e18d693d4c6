"""`tenant list`, `tenant add` and `tenant rename`: whose memories lie in the database."""

from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.options import AsJson, Config, database_of, settings_of
from bot.cli.output import say, say_json, say_table

if TYPE_CHECKING:
    from core.people.tenants import TenantView

Tenant = Annotated[
    str, typer.Argument(metavar="TENANT", help="Its id, such as acme: what `tenant` in the settings names.")
]


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(
        help="The tenants of the database: each has people, documents and keys of its own, and sees no other's.\n\n"
        "Every other command is of the one tenant that `tenant` in the settings names. For one command name another"
        " in the environment: CLARIFY_TENANT=acme clarify-bot person list",
        no_args_is_help=True,
    )
    group.command("list")(show)
    group.command("add")(add)
    group.command("rename")(rename)
    app.add_typer(group, name="tenant")


def show(as_json: AsJson = False, config: Config = None) -> None:
    """List the tenants of the database, and which of them the settings name."""
    settings = settings_of(config)
    with database_of(settings) as memory:
        known = memory.people.tenant_views()
    if as_json:
        say_json([_json(one) | {"current": one.tenant_id == settings.tenant} for one in known])
        return
    rows = [(one.tenant_id, one.name, "these settings'" if one.tenant_id == settings.tenant else "") for one in known]
    say_table(("id", "name", ""), rows)


def add(
    tenant: Tenant,
    name: Annotated[str, typer.Option(metavar="NAME", help="What `tenant list` calls it; without it, its id.")] = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Make a tenant. It has nobody and knows nothing yet, and its id stays as it is."""
    with database_of(settings_of(config)) as memory:
        made = memory.people.add_tenant(tenant, name or tenant)
    if as_json:
        say_json(_json(made))
    else:
        say(f"Made the tenant {made.tenant_id}. Next: CLARIFY_TENANT={made.tenant_id} clarify-bot person add NAME")


def rename(
    tenant: Tenant,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What `tenant list` calls it from now on.")],
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Change what a tenant is called. Its id stays: settings and everything it has refer to it."""
    with database_of(settings_of(config)) as memory:
        renamed = memory.people.rename_tenant(tenant, name)
    if as_json:
        say_json(_json(renamed))
    else:
        say(f"The tenant {renamed.tenant_id} is called {renamed.name}.")


def _json(one: "TenantView") -> dict[str, object]:
    return {"tenant_id": one.tenant_id, "name": one.name}
