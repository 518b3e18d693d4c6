"""`context` and `verify`: the evidence without an answer, and what the wording says of claims."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from bot.cli.asking import asker
from bot.cli.options import AsJson, Config, memory_of, settings_of
from bot.cli.output import say, say_json
from cards.text import one_line

if TYPE_CHECKING:
    from core.context.views import Context
    from core.model.threads import ThreadView
    from core.verify.request import VerifyResult

Person = Annotated[
    str, typer.Option("--as", metavar="PERSON", help="Who asks: an e-mail address or a name; it decides what is read.")
]
Find = Annotated[str | None, typer.Option(metavar="LABEL", help="Nodes of this label: SECTION, DOCUMENT, a record's.")]
Where = Annotated[
    str | None,
    typer.Option(metavar="JSON", help='Conditions on them: [{"prop": "title", "op": "eq", "value": "Meals"}].'),
]


def add_to(app: typer.Typer) -> None:
    app.command()(context)
    app.command()(verify)


def context(
    question: Annotated[str | None, typer.Argument(metavar="QUESTION", help="What the evidence is to answer.")] = None,
    person: Person = "",
    find: Find = None,
    where: Where = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="At most so many tokens; the ceiling is in the settings.")
    ] = None,
    max_spans: Annotated[int | None, typer.Option(min=1, help="At most so many passages.")] = None,
    thread: Annotated[
        str | None, typer.Option(metavar="ID", help="With --explain: a conversation of the person's own, by its id.")
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Show what of a conversation would be told to a model, and why the rest not."),
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Show the passages that an answer to a question would rest on, without an answer; or what a conversation adds."""
    from core.planner.request import PlanRequest

    if thread is not None or explain:
        _refuse({"--find": find, "--where": where, "--max-tokens": max_tokens, "--max-spans": max_spans})
        _explain(thread, question or "", person, config, explain=explain, as_json=as_json)
        return
    request = PlanRequest(question, find, _conditions(where), budget_tokens=max_tokens, max_spans=max_spans)
    settings = settings_of(config)
    with memory_of(settings) as memory:
        found = memory.context(request, asker(memory, settings, person))
    if as_json:
        say_json(found.to_json())
    else:
        _show_context(found)


def _refuse(options: Mapping[str, object]) -> None:
    from core.errors import InvalidRequest

    given = [name for name, value in options.items() if value is not None]
    if given:
        raise InvalidRequest(f"--explain shows what an answer would be told; it takes no {' or '.join(given)}")


def _explain(
    thread: str | None, question: str, person: str, config: "Path | None", *, explain: bool, as_json: bool
) -> None:
    from core.errors import InvalidRequest
    from core.model.threads import Asked

    if thread is None or not explain:
        raise InvalidRequest("--thread ID and --explain go together: write both")
    try:
        asked = Asked(UUID(thread))
    except ValueError as error:
        raise InvalidRequest("the id of a conversation is a UUID; an unknown one lists those of the person") from error
    settings = settings_of(config)
    with memory_of(settings) as memory:
        found = memory.explain_thread(asked, asker(memory, settings, person), question)
    if as_json:
        say_json(found.to_json())
    else:
        _show_thread(found)


def _show_thread(found: "ThreadView") -> None:
    for event in found.events:
        what = _REASONS[event.reason].format(size=event.size)
        say(f"{event.tokens:>6}  {event.role}{what}: {one_line(event.text)[:_SHOWN]}")
    left_out = sum(bool(event.reason) for event in found.events)
    say(f"\n{found.used} of {found.budget} tokens for {found.model}; {left_out} of {len(found.events)} not whole.")


_SHOWN = 100
_REASONS = {
    "": "",
    "window_overflow": " (left out: there is no room)",
    "retention_expired": " (its beginning alone, of {size} bytes: there is no room)",
    "reasoning_redacted": " (left out: what a model thought)",
    "revoked": " (left out: withdrawn, or from what may not be read)",
    "compacted": " (put aside, {size} bytes: the conversation was compacted)",
}


def _show_context(found: "Context") -> None:
    for item in sorted(found.items, key=lambda item: -item.score):
        say(f"{item.score:.2f}  {one_line(item.section)}: {one_line(item.text)}")
    for question in found.open_questions:
        say(f"\nIn question ({question.state}): {one_line(question.question)}")
    say(f"\n{len(found.items)} passages, {found.plan.used} of {found.plan.budget} tokens.")


def verify(
    claims: Annotated[list[str], typer.Argument(metavar="CLAIM", help="Statements, each one sentence.")],
    person: Person = "",
    source: Annotated[
        list[str] | None, typer.Option(metavar="URI", help="Hold them against this document alone; repeatable.")
    ] = None,
    find: Find = None,
    where: Where = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Say whether the wording of the documents supports claims; wording is measured, not truth."""
    from core.errors import NotFound
    from core.verify.request import Against, VerifyRequest

    settings = settings_of(config)
    with memory_of(settings) as memory:
        principal = asker(memory, settings, person)
        conditions = _conditions(where)
        try:
            pinned = [memory.documents.named(settings.tenant, uri) for uri in source] if source else None
            found = memory.verify(VerifyRequest(claims, Against(find, conditions, pinned)), principal)
        except NotFound as error:
            raise NotFound(f"there is no document {' or '.join(source or ())} that whoever asks can read") from error
    if as_json:
        say_json(found.to_json())
        return
    for result in found.results:
        _show_result(result)


def _show_result(result: "VerifyResult") -> None:
    why = f", {result.reason.value.replace('_', ' ')}" if result.reason else ""
    say(f"{one_line(result.claim)}\n  {_IN_WORDS[result.verdict.value]} ({result.score:.2f}{why})")
    for evidence in result.evidence[:1]:
        say(f"  closest: {one_line(evidence.text)}")


_IN_WORDS = {
    "supported": "supported by the wording",
    "partial": "partly supported by the wording",
    "unsupported": "not supported by the wording",
}


def _conditions(where: str | None) -> list[dict[str, Any]]:
    from core.errors import InvalidQuery
    from core.text import strict_json

    try:
        found = strict_json.parse(where.encode("utf-8", "surrogateescape")) if where else []
    except strict_json.NotJsonError as error:
        raise InvalidQuery(f"--where is no JSON: {error}") from error
    if not isinstance(found, list):
        raise InvalidQuery("--where must be a JSON list of conditions")
    return found
