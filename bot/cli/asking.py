"""`ask` and `status`."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.options import AsJson, Config, memory_of, settings_of
from bot.cli.output import say, say_json, say_table
from cards.text import one_line

if TYPE_CHECKING:
    from uuid import UUID

    from bot.config import Settings
    from core.memory import Memory
    from core.model.answers import Answer, Claim
    from core.model.evidence import Passage
    from core.model.principals import Principal

_LATE = 3
"""A source set is late when it was last looked at three of its intervals ago."""


def add_to(app: typer.Typer) -> None:
    app.command()(ask)
    app.command()(status)


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")],
    person: Annotated[
        str,
        typer.Option("--as", metavar="PERSON", help="Who asks: an e-mail address or a name; it decides what is read."),
    ] = "",
    allow_ungrounded: Annotated[
        bool,
        typer.Option("--allow-ungrounded", help="Let a language model guess where no document says anything."),
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Answer a question from the documents that a person may read, with the exact words the answer rests on."""
    from core.errors import InsufficientEvidence, InvalidRequest

    if not question.strip():
        raise InvalidRequest("the question is empty; write what you want to know")
    settings = settings_of(config)
    with memory_of(settings) as memory:
        principal = asker(memory, settings, person)
        try:
            answer = memory.generate(question, principal, allow_ungrounded=allow_ungrounded)
        except InsufficientEvidence:
            answer = None
        late = _late(memory, settings)
    if as_json:
        say_json(_answer_json(question, answer))
    else:
        _show(answer)
        if late:
            say(f"\n{late}")


def asker(memory: "Memory", settings: "Settings", person: str) -> "Principal":
    from core.errors import InvalidRequest

    if person:
        return memory.people.principal(settings.tenant, _named(memory, settings, person))
    active = [someone for someone in memory.people.all(settings.tenant) if someone.active]
    if len(active) == 1:
        return memory.people.principal(settings.tenant, active[0].person_id)
    if not active:
        raise InvalidRequest("nobody is known who could ask: run `clarify-bot person add NAME` first")
    raise InvalidRequest(
        f"say who asks with --as PERSON: {len(active)} people are known, see `clarify-bot person list`"
    )


def _named(memory: "Memory", settings: "Settings", person: str) -> "UUID":
    from core.errors import NotFound

    try:
        return memory.people.named(settings.tenant, person).person_id
    except NotFound as error:
        raise NotFound(f"{error}: see `clarify-bot person list`") from error


def _show(answer: "Answer | None") -> None:
    if answer is None or not answer.known:
        say("I do not know: nothing in the documents you can read answers this.")
        if answer is not None and answer.nearest:
            say("\nThe nearest passages:")
            _show_passages(answer.nearest)
        return
    cited = list(dict.fromkeys(passage for claim in answer.claims for passage in claim.citations))
    is_quoted = all(claim.quoted for claim in answer.claims)
    by = " " if is_quoted else "\n"
    say(by.join(_sentence(claim, cited) for claim in answer.claims) + "\n")
    _show_passages(cited)
    if not answer.grounded:
        say("No document backs this answer: treat it as a guess.")
    for question in dict.fromkeys(question.question for claim in answer.claims for question in claim.questions):
        say(f"Still open: {one_line(question)}")


def _sentence(claim: "Claim", cited: Sequence["Passage"]) -> str:
    from bot.presenters import sentence_verdict
    from cards.answer import MARKS

    numbers = "".join(f"[{cited.index(passage) + 1}]" for passage in claim.citations)
    mark = MARKS.get(sentence_verdict(claim), "")
    return " ".join(filter(None, (one_line(claim.text), numbers, mark and f"({mark})")))


def _show_passages(passages: Sequence["Passage"]) -> None:
    from bot.presenters import below

    for number, passage in enumerate(passages, 1):
        place = " > ".join((passage.source_name, *below(passage.path, passage.source_name)))
        say(f"  [{number}] {one_line(place)} ({one_line(passage.source_uri)})\n      {one_line(passage.text)}")


def _answer_json(question: str, answer: "Answer | None") -> dict[str, Any]:
    if answer is None:
        return {"question": question, "known": False, "text": "", "claims": [], "nearest": [], "trace_id": None}
    return {
        "question": question,
        "known": answer.known,
        "grounded": answer.grounded,
        "text": answer.text,
        "claims": [_claim_json(claim) for claim in answer.claims],
        "nearest": [_passage_json(passage) for passage in answer.nearest],
        "model": answer.model,
        "usage": asdict(answer.usage),
        "plan_hash": answer.plan_hash,
        "trace_id": str(answer.trace_id),
    }


def _claim_json(claim: "Claim") -> dict[str, Any]:
    return {
        "text": claim.text,
        "citations": [_passage_json(passage) for passage in claim.citations],
        "quoted": claim.quoted,
        "verdict": asdict(claim.verdict) if claim.verdict else None,
        "severity": claim.severity,
        "questions": [asdict(question) for question in claim.questions],
    }


def _passage_json(passage: "Passage") -> dict[str, Any]:
    return {
        "text": passage.text,
        "path": list(passage.path),
        "source": passage.source_name,
        "uri": passage.source_uri,
        "span": asdict(passage.span),
    }


def status(as_json: AsJson = False, config: Config = None) -> None:
    """Show how much is remembered, what waits, and when the sources were last looked at."""
    settings = settings_of(config)
    with memory_of(settings) as memory:
        found = memory.status(settings.tenant)
        late = _late(memory, settings)
    if as_json:
        say_json(asdict(found) | {"late": bool(late)})
        return
    counts = asdict(found) | {"synced_at": _moment(found.synced_at), "sweep_lag": f"{found.sweep_lag / 1e6:.0f} s"}
    say_table(("what", "how much"), [(name.replace("_", " "), _shown(value)) for name, value in counts.items()])
    if late:
        say(f"\n{late}")


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{count} {state}" for state, count in value.items()) or "none"
    return str(value)


def _moment(ts: int | None) -> str:
    from core.clock import to_datetime

    return "never" if ts is None else f"{to_datetime(ts):%Y-%m-%d %H:%M} UTC"


def _late(memory: "Memory", settings: "Settings") -> str:
    """A sentence when the configured sources were not looked at in time; else nothing."""
    from core.clock import SECOND

    synced = memory.status(settings.tenant).synced_at
    if synced is None or not settings.sources:
        return ""
    longest = max(source.every_secs for source in settings.sources)
    if memory.clock.now() - synced <= _LATE * longest * SECOND:
        return ""
    return f"Some sources were last looked at on {_moment(synced)}: is `clarify-bot run` running?"
