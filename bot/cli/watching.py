"""`watch …`: what a person is told of, made, listed, muted, stopped and explained at the command line."""

from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from bot.cli.asking import asker
from bot.cli.evidence import Person
from bot.cli.options import AsJson, Config, memory_of, settings_of
from bot.cli.output import say, say_json, say_table
from cards.text import one_line

if TYPE_CHECKING:
    from core.memory import Memory
    from core.model.principals import Principal
    from core.model.watching import FireView, WatchView

Id = Annotated[str, typer.Argument(metavar="ID", help="A watch, as `watch list` names it; its beginning will do.")]


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="What a person is told of when it changes.", no_args_is_help=True)
    group.command("add", context_settings={"allow_extra_args": True})(add)
    for name, command in (("list", show_all), ("mute", mute), ("stop", stop), ("why", why)):
        group.command(name)(command)
    app.add_typer(group, name="watch")


def add(
    context: typer.Context,
    entity: Annotated[
        str,
        typer.Option(metavar="NODE", help="A section, as handbook/travel.md#Travel/Meals, or any node by its id."),
    ] = "",
    label: Annotated[str, typer.Option(help="Every node of a label, such as SECTION or DOCUMENT.")] = "",
    source: Annotated[str, typer.Option(metavar="NAME", help="A document, by its uri or title.")] = "",
    query: Annotated[
        str,
        typer.Option(
            metavar="JSON",
            help='What a query finds: {"find": "SECTION", "where": [{"prop": "title", "op": "eq", "value": "Meals"}]}.',
        ),
    ] = "",
    clarification: Annotated[str, typer.Option(metavar="ID", help="What becomes of a question.")] = "",
    name: Annotated[str, typer.Option(help="What cards call it; without it, what it is on.")] = "",
    event: Annotated[
        list[str] | None, typer.Option(help="Tell of this alone, as fact_tombstoned; repeatable. Without it, of all.")
    ] = None,
    cadence: Annotated[
        str | None, typer.Option(help="How often it tells: immediate (as without this), hourly, daily or weekly.")
    ] = None,
    debounce: Annotated[
        int | None, typer.Option(metavar="SECONDS", min=0, help="How long it gathers after it has told something.")
    ] = None,
    person: Person = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Let a person be told of one of these: a node, a label, a document, what a query finds, or a question."""
    from bot.watch_requests import Wish, request_of
    from core.errors import InvalidRequest

    if context.args:
        raise InvalidRequest(f"say what {context.args[0]!r} is: --entity for a section, or --source for a document")
    settings = settings_of(config)
    scopes = {"entity": entity, "label": label, "source": source, "query": query, "clarification": clarification}
    with memory_of(settings) as memory:
        wish = Wish(scopes, name, event or (), cadence, debounce)
        principal = asker(memory, settings, person)
        made = memory.watch(request_of(memory, principal, wish), principal)
    if as_json:
        say_json(_json(made) | {"fresh": made.fresh})
    else:
        say(f"It is watched as {made.watch_id}." if made.fresh else f"It was watched already, as {made.watch_id}.")


def show_all(person: Person = "", as_json: AsJson = False, config: Config = None) -> None:
    """List what a person watches, oldest first, with what keeps each quiet."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        found = memory.watches(asker(memory, settings, person))
        now = memory.clock.now()
    if as_json:
        say_json([_json(one) for one in found])
        return
    rows = [(str(one.watch_id)[:8], one.name, one.scope_type, one.cadence, _state(one, now)) for one in found]
    say_table(("id", "watch", "on", "tells", "state"), rows)


def mute(
    watch: Id,
    span: Annotated[str, typer.Argument(metavar="1h|tomorrow|1d|1w|off", help="How long; off ends it.")] = "1d",
    person: Person = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Hold a watch's cards for a time; one card then says what has changed meanwhile."""
    from core.model.preferences import muted_until

    settings = settings_of(config)
    with memory_of(settings) as memory:
        principal = asker(memory, settings, person)
        zone = memory.people.get(principal.tenant_id, principal.person_id).zone
        until = muted_until(memory.clock.now(), zone, span)
        muted = memory.mute_watch(_named(memory, principal, watch), principal, until)
    if as_json:
        say_json(_json(muted))
    else:
        say(f"{one_line(muted.name)} is {f'muted until {_when(until)}' if until else 'not muted'}.")


def stop(watch: Id, person: Person = "", as_json: AsJson = False, config: Config = None) -> None:
    """End a watch. It can be added again, and then tells of what changes from there on."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        principal = asker(memory, settings, person)
        ended = memory.mute_watch(_named(memory, principal, watch), principal, None)
    if as_json:
        say_json({"watch_id": ended.watch_id, "stopped": True})
    else:
        say(f"{one_line(ended.name)} is watched no more.")


def why(
    fire: Annotated[
        str, typer.Argument(metavar="FIRE", help="A fire, by its id. Without it, the newest of all they watch.")
    ] = "",
    person: Person = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Say why a person was told: which watch heard what, and what became of it."""
    from dataclasses import asdict

    settings = settings_of(config)
    with memory_of(settings) as memory:
        principal = asker(memory, settings, person)
        found = memory.explain_fire(_fire(memory, principal, fire), principal)
    if as_json:
        say_json(asdict(found))
        return
    say(f"{found.watch_name} ({found.scope_type}: {', '.join(found.scope_refs)})")
    say_table(("what", "of", "id", "at"), [(e.kind, e.ref_type, e.ref_id, _when(e.change_tx)) for e in found.events])
    if found.truncated:
        say(f"And {found.truncated} more before these.")
    say_table(("for", "state", "why"), _told(found))


def _named(memory: "Memory", principal: "Principal", beginning: str) -> UUID:
    """The one of a person's watches whose id begins so. Raises NotFound."""
    from core.errors import NotFound

    found = [one.watch_id for one in memory.watches(principal) if str(one.watch_id).startswith(beginning.lower())]
    if len(found) != 1:
        raise NotFound(f"{len(found)} watches have an id that begins with {beginning!r}; `watch list` has them")
    return found[0]


def _fire(memory: "Memory", principal: "Principal", text: str) -> UUID:
    """Raises NotFound where nothing fired yet, InvalidRequest for what is no id."""
    from bot.watch_requests import id_of
    from core.errors import NotFound

    if text:
        return id_of(text, "the fire")
    newest = memory.recent_fires(principal, 1)
    if not newest:
        raise NotFound("nothing that they watch has changed yet")
    return newest[0]


def _told(fire: "FireView") -> list[tuple[object, ...]]:
    told: list[tuple[object, ...]] = [(one.person_id, one.state, one.reason or "") for one in fire.recipients]
    return told or [("nobody yet", fire.status, fire.reason or "")]


def _state(one: "WatchView", now: int) -> str:
    if one.suspended:
        return f"rests: {one.suspended.replace('_', ' ')}"
    if one.muted_until > now:
        return f"muted until {_when(one.muted_until)}"
    return "gone" if one.gone else "on"


def _when(ts: int) -> str:
    from core.clock import to_datetime

    return f"{to_datetime(ts):%Y-%m-%d %H:%M}"


def _json(one: "WatchView") -> dict[str, Any]:
    from dataclasses import asdict

    return {key: value for key, value in asdict(one).items() if key != "fresh"}
