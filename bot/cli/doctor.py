"""`doctor`: what is set up rightly, what is not, and what helps."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.options import AsJson, Config, memory_of, settings_of
from bot.cli.output import say, say_json

if TYPE_CHECKING:
    from bot.channels.teams.hello import Addressee
    from bot.config import Settings
    from bot.doctor import Finding

_TIMEOUT_SECS = 15
_MARKS = {"ok": "ok", "advice": "!", "wrong": "WRONG", "unchecked": "?"}


def add_to(app: typer.Typer) -> None:
    app.command()(doctor)


def doctor(
    send_to: Annotated[
        str,
        typer.Option(
            "--send-to",
            metavar="USER_ID",
            help="Send one card to this user: of Slack, such as U012ABCDEF, or of Teams, by the Object ID at Entra.",
        ),
    ] = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Check settings, files, database, models, sources, what waits, Slack and Teams; change nothing.

    Every finding that is not right says what helps. An exclamation mark is advice: nothing fails. What could not be
    checked is marked with a question mark.
    """
    found = _findings(config, send_to)
    is_well = all(finding.ok is not False for finding in found)
    if as_json:
        say_json({"ok": is_well, "findings": [_json(finding) for finding in found]})
    else:
        _show(found)
    raise typer.Exit(0 if is_well else 1)


def _json(one: "Finding") -> dict[str, object]:
    return {"name": one.name, "state": one.state, "ok": one.ok, "words": one.words, "fix": one.fix}


def _findings(config: Path | None, send_to: str) -> "list[Finding]":
    from bot.doctor import Finding, machine, setup
    from core.errors import InvalidConfig

    try:
        settings = settings_of(config)
    except InvalidConfig as error:
        rest = Finding("everything else", None, "was not looked at", "put right what is above first")
        return [Finding("settings", False, str(error), "correct what is named, and run this again"), rest]
    addressee = _addressee(settings, send_to)
    found = [*machine.examine(settings), *setup.examine(settings)]
    opens = any(one.name == "memory" and one.ok for one in found)  # else opening it would change it
    return [Finding("settings", True, "can be read"), *found, *_of_platforms(settings, addressee, opens=opens)]


def _addressee(settings: "Settings", send_to: str) -> tuple[str, str]:
    """The platform and the id of whom to send a card to; nobody where none is wanted."""
    from bot.channels.user_ids import USER_IDS, user_id
    from core.errors import InvalidRequest

    if not send_to:
        return "", ""
    platform = next((one for one, ids in USER_IDS.items() if ids.shape.fullmatch(send_to)), None)
    if platform is None:
        known = ", ".join(f"a {ids.name} user's looks like {ids.example}" for ids in USER_IDS.values())
        raise InvalidRequest(f"--send-to {send_to!r} is no user's id: {known}")
    mode = {"slack": settings.slack.mode, "teams": settings.teams.mode}[platform]
    if mode in {"off", "anonymous"}:
        raise InvalidRequest(f"--send-to sends a card in {USER_IDS[platform].name}, and {platform}.mode is {mode}")
    return platform, user_id(platform, send_to)


def _of_platforms(settings: "Settings", addressee: tuple[str, str], *, opens: bool) -> "list[Finding]":
    import asyncio

    from aiohttp import ClientSession, ClientTimeout

    from bot.channels.slack import checks as slack
    from bot.channels.teams import checks as teams
    from bot.doctor import model
    from core.clock import SystemClock

    platform, user = addressee
    clock, in_teams = SystemClock(), _in_teams(settings, user) if platform == "teams" and opens else None

    async def ask() -> "list[Finding]":
        async with ClientSession(timeout=ClientTimeout(total=_TIMEOUT_SECS), trust_env=True) as session:
            found = await slack.examine(settings.slack, session, clock, user if platform == "slack" else "")
            found.append(await model.examine(settings, session))
            return [*found, *await teams.examine(settings.teams, session, clock, in_teams)]

    return asyncio.run(ask())


def _in_teams(settings: "Settings", user: str) -> "Addressee":
    from bot.channels.teams.address import PLATFORM, Address
    from bot.channels.teams.hello import Addressee
    from core.model.work import Place

    with memory_of(settings) as memory:
        row = memory.addresses.find(settings.tenant, Place(PLATFORM, settings.teams.tenant_id, user))
    return Addressee(user, Address.from_row(row) if row else None)


def _show(found: "list[Finding]") -> None:
    width = max(len(finding.name) for finding in found)
    for finding in found:
        say(f"{_MARKS[finding.state]:<5}  {finding.name:<{width}}  {finding.words}")
        if finding.fix:
            say(f"{'':<5}  {'':<{width}}  → {finding.fix}")
    wrong, advised, open_ = ([f.state for f in found].count(state) for state in ("wrong", "advice", "unchecked"))
    advice = f" {advised} to think about;" if advised else ""
    say(f"\n{wrong or 'Nothing'} to put right;{advice} {open_ or 'nothing'} left unchecked.")
