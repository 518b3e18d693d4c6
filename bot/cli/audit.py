"""`audit`: who did what."""

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from bot.cli.options import AsJson, Config, memory_of, settings_of
from bot.cli.output import say_json, say_table
from core.clock import DAY, HOUR, MINUTE, from_datetime, to_datetime

if TYPE_CHECKING:
    from bot.config import Settings
    from core.memory import Memory

_OUTCOMES = ("done", "refused")
_SELVES = ("operator", "bot")
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SPAN = re.compile(r"(\d{1,4})([mhdw])")
_UNITS = {"m": MINUTE, "h": HOUR, "d": DAY, "w": 7 * DAY}
_TIME = "a span back from now, such as 24h or 7d, or a time, such as 2026-11-30 or 2026-11-30T08:00+01:00"


def add_to(app: typer.Typer) -> None:
    app.command("audit")(show)


def show(
    actor: Annotated[
        str,
        typer.Option(metavar="WHO", help="Who did it: operator, bot, key:<id>, or a person by e-mail or name."),
    ] = "",
    action: Annotated[str, typer.Option(metavar="ACTION", help="What was done, as it is listed, such as erase.")] = "",
    target: Annotated[
        str,
        typer.Option(
            metavar="WHAT", help="To what, as it is listed; source: for any document; or a person by e-mail or name."
        ),
    ] = "",
    outcome: Annotated[str, typer.Option(metavar="done|refused", help="How it ended.")] = "",
    since: Annotated[str, typer.Option(metavar="TIME", help=f"From then on: {_TIME}.")] = "",
    until: Annotated[str, typer.Option(metavar="TIME", help="Before then; written alike.")] = "",
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=10_000, help="How many, newest first.")] = 50,
    before: Annotated[
        UUID | None, typer.Option(metavar="ID", help="Go on after this entry, the last that was shown.")
    ] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Show who did what and what came of it, newest first. Nothing is ever taken out of it.

    Ids stand for people and things, so that no erasure needs to reach in here; it holds no word of a document.
    """
    from dataclasses import asdict

    from core.model.auditing import AuditFilter

    settings = settings_of(config)
    with memory_of(settings) as memory:
        who, what = (_named(memory, settings, name) for name in (actor, target))
        times = [_at(name, text, memory.clock.now()) for name, text in (("--since", since), ("--until", until))]
        wanted = AuditFilter(who, action, what, _outcome(outcome), times[0], times[1], before)
        entries = memory.audit(limit, wanted, tenant=settings.tenant)
    if as_json:
        say_json([asdict(entry) for entry in entries])
    else:
        say_table(("at (UTC)", "who", "did", "to", "outcome", "detail", "id"), [_row(entry) for entry in entries])


def _row(entry: Any) -> tuple[object, ...]:
    detail = "; ".join(f"{name}: {value}" for name, value in entry.detail.items())
    at = to_datetime(entry.at).strftime("%Y-%m-%d %H:%M:%S")
    return at, entry.actor, entry.action, entry.target, entry.outcome, detail, entry.audit_id


def _named(memory: "Memory", settings: "Settings", name: str) -> str:
    """As the audit has it: what is none of its own words, no id, and of no kind that is named is a person."""
    if not name or ":" in name or name in _SELVES or _ID.fullmatch(name):
        return name
    return f"person:{memory.people.named(settings.tenant, name).person_id}"


def _outcome(text: str) -> str:
    from core.errors import InvalidRequest

    if text and text not in _OUTCOMES:
        raise InvalidRequest(f"--outcome is {text!r}; it is one of {', '.join(_OUTCOMES)}")
    return text


def _at(option: str, text: str, now: int) -> int | None:
    """A Ts; a time without a zone is UTC, as it is shown."""
    from core.errors import InvalidRequest

    if not text:
        return None
    if span := _SPAN.fullmatch(text):
        return now - int(span[1]) * _UNITS[span[2]]
    try:
        moment = datetime.fromisoformat(text)
        return from_datetime(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError) as error:
        raise InvalidRequest(f"{option} is {text!r}; write {_TIME}") from error
