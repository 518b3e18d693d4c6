"""`workspace list`, `bind` and `unbind`: where the bot is let in, and which chat user is which person."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.options import AsJson, Config, memory_of, person_named, settings_of
from bot.cli.output import say_json, say_table, tell

if TYPE_CHECKING:
    from core.memory import Memory
    from core.model.work import Place, WorkspaceView

Platform = Annotated[str, typer.Argument(metavar="PLATFORM", help="Where the user is: slack or teams.")]
User = Annotated[
    str,
    typer.Argument(
        metavar="USER_ID",
        help="The user's id there: in Slack the member ID, such as U012ABCDEF; in Teams the Object ID at Entra.",
    ),
]
Workspace = Annotated[
    str, typer.Option("--workspace", metavar="ID", help="Which workspace; not needed where only one is known.")
]


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="The workspaces that have let the bot in.", no_args_is_help=True)
    group.callback()(_workspaces)
    group.command("list")(show)
    app.add_typer(group, name="workspace")
    app.command()(bind)
    app.command()(unbind)


def _workspaces() -> None:
    """The workspaces that have let the bot in."""


def show(as_json: AsJson = False, config: Config = None) -> None:
    """List the workspaces that are known, and what is wrong with those that are paused."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        known = memory.workspaces.all(settings.tenant)
    if as_json:
        fields = ("platform", "workspace", "name", "trusted", "paused", "reason")
        say_json([{field: getattr(one, field) for field in fields} for one in known])
        return
    rows = [
        (one.platform, one.workspace, one.name, one.trusted, f"paused: {one.reason}" if one.paused else "active")
        for one in known
    ]
    say_table(("platform", "id", "name", "trusted", "state"), rows)


def bind(
    person: Annotated[str, typer.Argument(metavar="PERSON", help="An e-mail address or a name, or the person's id.")],
    platform: Platform,
    user: User,
    workspace: Workspace = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Say that a chat user is a person: from then on they may ask there, and are written to."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        found = memory.people.get(settings.tenant, person_named(memory, settings, person))
        place, where = _place(memory, settings.tenant, platform, workspace, user)
        before = memory.people.at(settings.tenant, place)
        memory.people.bind(settings.tenant, found.person_id, place)
        told = memory.addresses.find(settings.tenant, place) or {}  # by their device, while nobody knew who they are
        memory.people.moved(settings.tenant, place, told.get("zone"), told.get("locale"))
        other = memory.people.get(settings.tenant, before).display_name if before not in {None, found.person_id} else ""
    words = f"{place.user_id} in {where} is {found.display_name}" + (f", and was {other} before." if other else ".")
    tell(words, asdict(place) | {"person_id": found.person_id}, as_json=as_json)


def unbind(
    platform: Platform, user: User, workspace: Workspace = "", as_json: AsJson = False, config: Config = None
) -> None:
    """Say that a chat user is nobody known: nothing is sent there any more. Nothing is deleted."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        place, where = _place(memory, settings.tenant, platform, workspace, user)
        memory.people.unbind(settings.tenant, place)
    tell(f"{place.user_id} in {where} is nobody known.", asdict(place) | {"person_id": None}, as_json=as_json)


def _place(memory: "Memory", tenant: str, platform: str, workspace: str, user: str) -> "tuple[Place, str]":
    """The user's place, and the workspace in words."""
    from core.model.work import Place

    user_id = _user_id(platform, user)
    known = [one for one in memory.workspaces.all(tenant) if one.platform == platform]
    one = _chosen(known, platform, workspace)
    return Place(platform, one.workspace, user_id), f"{one.name} ({one.workspace})"


def _chosen(known: "list[WorkspaceView]", platform: str, workspace: str) -> "WorkspaceView":
    from core.errors import InvalidRequest, NotFound

    ids = ", ".join(one.workspace for one in known)
    if not known:
        raise NotFound(f"no {platform} workspace is known: one is once `clarify-bot run` has connected to it")
    if workspace:
        chosen = next((one for one in known if one.workspace == workspace), None)
        if chosen is None:
            raise NotFound(f"there is no {platform} workspace {workspace}; known: {ids}")
        return chosen
    if len(known) > 1:
        raise InvalidRequest(f"say which workspace with --workspace; known: {ids}")
    return known[0]


def _user_id(platform: str, text: str) -> str:
    from bot.channels.user_ids import user_id
    from core.errors import InvalidRequest

    try:
        return user_id(platform, text)
    except ValueError as error:
        raise InvalidRequest(str(error)) from error
