"""`doctor`: what is set up rightly, what is not, and what helps."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.options import AsJson, Config, settings_of
from bot.cli.output import say, say_json

if TYPE_CHECKING:
    from bot.config import Settings
    from bot.doctor import Finding

_TIMEOUT_SECS = 15
_MARKS = {True: "ok", False: "WRONG", None: "?"}


def add_to(app: typer.Typer) -> None:
    app.command()(doctor)


def doctor(
    send_to: Annotated[
        str, typer.Option("--send-to", metavar="USER_ID", help="Send one card to this Slack user, such as U012ABCDEF.")
    ] = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Check the settings, the keys, the database, the model, the sources, Slack and Teams; change nothing.

    Every finding that is not right says what helps. What could not be checked is marked with a question mark.
    """
    found = _findings(config, send_to)
    is_well = all(finding.ok is not False for finding in found)
    if as_json:
        say_json({"ok": is_well, "findings": [asdict(finding) for finding in found]})
    else:
        _show(found)
    raise typer.Exit(0 if is_well else 1)


def _findings(config: Path | None, send_to: str) -> "list[Finding]":
    from bot.doctor import Finding, examine
    from core.errors import InvalidConfig

    try:
        settings = settings_of(config)
    except InvalidConfig as error:
        rest = Finding("everything else", None, "was not looked at", "put right what is above first")
        return [Finding("settings", False, str(error), "correct what is named, and run this again"), rest]
    _require_user(settings, send_to)
    return [Finding("settings", True, "can be read"), *examine(settings), *_of_platforms(settings, send_to)]


def _require_user(settings: "Settings", send_to: str) -> None:
    from bot.channels.slack.address import USER_ID
    from core.errors import InvalidRequest

    if send_to and settings.slack.mode == "off":
        raise InvalidRequest("--send-to sends a card in Slack, and slack.mode is off")
    if send_to and not USER_ID.fullmatch(send_to):
        raise InvalidRequest(f"--send-to {send_to!r} is no Slack user's id; these look like U012ABCDEF")


def _of_platforms(settings: "Settings", send_to: str) -> "list[Finding]":
    import asyncio

    from aiohttp import ClientSession, ClientTimeout

    from bot.channels.slack import checks as slack
    from bot.channels.teams import checks as teams
    from core.clock import SystemClock

    clock = SystemClock()

    async def ask() -> "list[Finding]":
        async with ClientSession(timeout=ClientTimeout(total=_TIMEOUT_SECS), trust_env=True) as session:
            found = await slack.examine(settings.slack, session, clock, send_to)
            return [*found, *await teams.examine(settings.teams, session, clock)]

    return asyncio.run(ask())


def _show(found: "list[Finding]") -> None:
    width = max(len(finding.name) for finding in found)
    for finding in found:
        say(f"{_MARKS[finding.ok]:<5}  {finding.name:<{width}}  {finding.words}")
        if finding.fix:
            say(f"{'':<5}  {'':<{width}}  → {finding.fix}")
    wrong, open_ = ([f.ok for f in found].count(ok) for ok in (False, None))
    say(f"\n{wrong or 'Nothing'} to put right; {open_ or 'nothing'} left unchecked.")
