"""`webhook …`: which programs are told of changes, of which, and how it goes."""

from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from bot.cli.options import AsJson, Config, memory_of, settings_of
from bot.cli.output import say, say_json, say_table, tell

if TYPE_CHECKING:
    from core.memory import Memory
    from core.model.watching import WatchRequest
    from core.webhooks.views import NewSecret, WebhookView

Name = Annotated[str, typer.Argument(metavar="NAME", help="The webhook, as `webhook list` names it.")]
_ONCE = "This is the secret of the webhook {name}, which its receiver verifies by. It cannot be shown again."


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="Programs that are told of changes by HTTP.", no_args_is_help=True)
    for name, command in (
        ("add", add),
        ("list", show_all),
        ("show", show),
        ("watch", watch),
        ("unwatch", unwatch),
        ("test", trial),
        ("renew", renew),
        ("enable", enable),
        ("remove", remove),
    ):
        group.command(name)(command)
    app.add_typer(group, name="webhook")


def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it will be known by.")],
    url: Annotated[str, typer.Argument(metavar="URL", help="Where it is: https://…")],
    role: Annotated[
        list[str], typer.Option(help="A role it holds; repeatable. It is told of what its roles may read.")
    ],
    allow_plain: Annotated[bool, typer.Option("--allow-plain", help="Let the URL begin with http://.")] = False,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Let it lead into a private network, or to this machine.")
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Register a webhook, and show its secret this once. It is told of nothing before `webhook watch` says of what."""
    from bot import webhook_key

    settings = settings_of(config)
    with memory_of(settings) as memory:
        key = webhook_key.ensure(settings.keys)
        made = memory.webhooks.add(
            settings.tenant, name, url, role, key, allow_plain=allow_plain, allow_private=allow_private
        )
    _say_secret(name, made, as_json=as_json)


def show_all(as_json: AsJson = False, config: Config = None) -> None:
    """List the webhooks, and what is wrong with those that are off or failing."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        known = memory.webhooks.all(settings.tenant)
    if as_json:
        say_json([_json(one) for one in known])
        return
    rows = [(one.name, one.url, ", ".join(one.roles), _state(one), _when(one.delivered_at)) for one in known]
    say_table(("name", "url", "roles", "state", "last taken"), rows)


def show(name: Name, as_json: AsJson = False, config: Config = None) -> None:
    """Show one: what it is told of, and what became of the newest messages."""
    from dataclasses import asdict

    settings = settings_of(config)
    with memory_of(settings) as memory:
        one = memory.webhooks.named(settings.tenant, name)
        watched = memory.webhooks.watched(settings.tenant, one.webhook_id)
        sent = memory.webhooks.sent(settings.tenant, one.webhook_id)
    if as_json:
        say_json(_json(one) | {"watches": [asdict(row) for row in watched], "fires": [asdict(row) for row in sent]})
        return
    say(f"{one.name}: {one.url}")
    say(f"Roles: {', '.join(one.roles)}. State: {_state(one)}. Last taken: {_when(one.delivered_at)}.")
    say_table(("watch", "on", "what"), [(row.watch_id, row.scope_type, ", ".join(row.refs)) for row in watched])
    say_table(
        ("fire", "at", "state", "why"),
        [(row.fire_id, _when(row.created_at), row.status, row.reason or "") for row in sent],
    )


def watch(
    name: Name,
    source: Annotated[str, typer.Option(metavar="URI", help="A document: told of each new version.")] = "",
    entity: Annotated[
        str, typer.Option(metavar="NODE", help="A section, as handbook/travel.md#Travel/Meals, or any node by its id.")
    ] = "",
    label: Annotated[str, typer.Option(help="Every node of a label, such as SECTION or DOCUMENT.")] = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Let a webhook be told of a document, a node, or every node of a label."""
    from core.model.principals import ADMIN, Principal

    settings = settings_of(config)
    with memory_of(settings) as memory:
        one = memory.webhooks.named(settings.tenant, name)
        request = _request(memory, settings.tenant, one, source=source, entity=entity, label=label)
        made = memory.watch(request, Principal(settings.tenant, None, frozenset({ADMIN})))
    if as_json:
        say_json({"watch_id": made.watch_id, "fresh": made.fresh})
    else:
        say(f"{name} is told of it" + (f" by the watch {made.watch_id}." if made.fresh else " already."))


def unwatch(
    name: Name,
    watch_id: Annotated[UUID, typer.Argument(metavar="ID", help="The watch, as `webhook show` has it.")],
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Let a webhook be told of something no more."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        memory.webhooks.unwatch(settings.tenant, name, watch_id)
    tell(f"{name} is told of it no more.", {"watch_id": watch_id, "watched": False}, as_json=as_json)


def trial(name: Name, as_json: AsJson = False, config: Config = None) -> None:
    """Send a signed message that tells of nothing, now, and say what came of it. Also to one that is off."""
    import asyncio

    from bot import webhook_key
    from bot.webhooks import send
    from core.clock import SystemClock
    from core.webhooks.replies import Ending, ending

    settings = settings_of(config)
    with memory_of(settings) as memory:
        parcel = memory.webhooks.trial(settings.tenant, name, webhook_key.load(settings.keys))
    reply = asyncio.run(send(parcel, SystemClock()))
    taken = ending(reply) is Ending.DELIVERED
    said = f"{name} took it." if taken else f"{name} did not take it: {reply.reason}."
    tell(said, {"taken": taken, "reason": reply.reason}, as_json=as_json)
    raise typer.Exit(0 if taken else 1)


def renew(name: Name, as_json: AsJson = False, config: Config = None) -> None:
    """Make a new secret, and show it this once. For a day messages are signed with the one before as well."""
    from bot import webhook_key

    settings = settings_of(config)
    with memory_of(settings) as memory:
        made = memory.webhooks.renew(settings.tenant, name, webhook_key.load(settings.keys))
    _say_secret(name, made, as_json=as_json)


def enable(name: Name, as_json: AsJson = False, config: Config = None) -> None:
    """Switch on a webhook that was switched off, from the next change on."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        memory.webhooks.enable(settings.tenant, name)
    tell(f"{name} is on.", {"name": name, "enabled": True}, as_json=as_json)


def remove(name: Name, as_json: AsJson = False, config: Config = None) -> None:
    """Forget a webhook, with all that it is told of. This cannot be undone."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        memory.webhooks.remove(settings.tenant, name)
    tell(f"{name} is forgotten.", {"name": name, "removed": True}, as_json=as_json)


def _request(
    memory: "Memory", tenant: str, one: "WebhookView", *, source: str, entity: str, label: str
) -> "WatchRequest":
    """Raises InvalidRequest unless exactly one of the three is named; NotFound for a document there is not."""
    from core.errors import InvalidRequest
    from core.model.watching import EventKind, ScopeType, WatchRequest

    if len([what for what in (source, entity, label) if what]) != 1:
        raise InvalidRequest("say what it is told of: one of --source, --entity and --label")
    target = {"kind": "webhook", "webhook_id": str(one.webhook_id)}
    events = (EventKind.NEW_SOURCE_VERSION if source else EventKind.FACT_CHANGED, EventKind.FACT_TOMBSTONED)
    if source:
        source_id = str(memory.documents.named(tenant, source))
        return WatchRequest(one.name, ScopeType.SOURCE, (source_id,), events, target)
    scope, ref = (ScopeType.ENTITY, str(memory.naming.node(tenant, entity))) if entity else (ScopeType.LABEL, label)
    return WatchRequest(one.name, scope, (ref,), events, target)


def _say_secret(name: str, made: "NewSecret", *, as_json: bool) -> None:
    if as_json:
        say_json({"webhook_id": made.webhook_id, "secret": made.secret})
        return
    say(made.secret)
    say(_ONCE.format(name=name), aside=True)


def _state(one: "WebhookView") -> str:
    if not one.enabled:
        return f"off: {one.reason}"
    return f"failing since {_when(one.failing_since)}: {one.reason}" if one.failing_since else "on"


def _when(ts: int) -> str:
    from core.clock import to_datetime

    return f"{to_datetime(ts):%Y-%m-%d %H:%M}" if ts else "never"


def _json(one: "WebhookView") -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(one)
