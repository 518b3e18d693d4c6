"""`clarification list`, `open`, `show` and `override`: what is in question, put to people and settled by operators."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.options import AsJson, Config, memory_of, settings_of
from bot.cli.output import say, say_json, say_table

if TYPE_CHECKING:
    from core.clarifications.views import ClarificationView
    from core.memory import Memory

Id = Annotated[
    str, typer.Argument(metavar="ID", help="A clarification, as `clarification list` names it; its beginning will do.")
]


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="What documents disagree on, and what people are asked.", no_args_is_help=True)
    group.command("list")(show_all)
    group.command("show")(show)
    group.command("open")(open_one)
    group.command("override")(override)
    app.add_typer(group, name="clarification")


def show_all(
    everything: Annotated[bool, typer.Option("--all", help="Also what is settled.")] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """List what is in question, the one that moved last first."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        found = memory.questions.every(settings.tenant)
    shown = [one for one in found if everything or one.state != "bound"]
    if as_json:
        say_json([_json(one) for one in shown])
        return
    rows = [
        (str(one.clarification_id)[:8], one.state, one.question, _tally(one), ", ".join(one.audience)) for one in shown
    ]
    say_table(("id", "state", "question", "votes", "audience"), rows)


def show(clarification: Id, as_json: AsJson = False, config: Config = None) -> None:
    """Show one: what there is to choose, what was voted, and what came of it."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        found = _named(memory, settings.tenant, clarification)
    if as_json:
        say_json(_json(found))
        return
    say(f"{found.question} ({found.state})")
    say(f"Asked: {', '.join(found.audience)}; {found.quorum} must agree, {found.voted} voted.")
    say_table(("option", "what it says", "votes"), [(one.number, one.value, one.votes) for one in found.options])
    if found.settled_by:
        say(f"Settled by {found.settled_by}: {found.chosen}")


def open_one(
    node: Annotated[
        str,
        typer.Argument(
            metavar="NODE",
            help="What it is about: a document or section, as handbook/travel.md#Travel/Meals, or any node by its id.",
        ),
    ],
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What people are to read.")],
    audience: Annotated[list[str], typer.Option(help="Who is asked: a role, person:<id> or everyone; repeatable.")],
    option: Annotated[
        list[str] | None, typer.Option(help="What may be answered; repeatable. Without any: yes or no.")
    ] = None,
    quorum: Annotated[int, typer.Option(help="How many must agree.")] = 1,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Ask people a question; the running bot sends it to each of them."""
    from core.clarifications.opening import Opening

    settings = settings_of(config)
    with memory_of(settings) as memory:
        node_id = memory.naming.node(settings.tenant, node)
        opening = Opening(node_id, question, audience, option or (), quorum)
        opened = memory.clarify.open(settings.tenant, opening)
    if as_json:
        say_json({"clarification_id": opened.clarification_id, "fresh": opened.fresh})
    elif opened.fresh:
        say(f"It is asked as {opened.clarification_id}.")
    else:
        say(f"This is asked already, as {opened.clarification_id}; its options, who is asked and the quorum stay.")


def override(
    clarification: Id,
    option: Annotated[int, typer.Argument(metavar="OPTION", help="The number of the option, as `show` has it.")],
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Settle one with an option, whatever was voted, or correct how it was settled."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        found = _named(memory, settings.tenant, clarification)
        memory.clarify.override(settings.tenant, found.clarification_id, option)
        settled = _named(memory, settings.tenant, str(found.clarification_id))
    if as_json:
        say_json(_json(settled))
    else:
        say(f"Settled: {settled.chosen}")


def _named(memory: "Memory", tenant: str, beginning: str) -> "ClarificationView":
    """The one whose id begins so. Raises NotFound."""
    from core.errors import NotFound

    found = [one for one in memory.questions.every(tenant) if str(one.clarification_id).startswith(beginning.lower())]
    if len(found) != 1:
        raise NotFound(f"{len(found)} clarifications have an id that begins with {beginning!r}; `list --all` has them")
    return found[0]


def _tally(one: "ClarificationView") -> str:
    return f"{one.voted} ({one.quorum} must agree)"


def _json(one: "ClarificationView") -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(one)
