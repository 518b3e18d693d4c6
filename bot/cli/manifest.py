"""`manifest slack` and `manifest teams`: the app as a platform is told of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.options import AsJson, Config, settings_of
from bot.cli.output import say_json, tell

if TYPE_CHECKING:
    from bot.channels.settings import TeamsSettings

_URL = "reaches the bot: https://bot.example.com"


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="What a chat platform must be told to make the bot's app.", no_args_is_help=True)
    group.callback()(_manifests)
    group.command()(slack)
    group.command()(teams)
    app.add_typer(group, name="manifest")


def _manifests() -> None:
    """What a chat platform must be told to make the bot's app."""


def slack(
    url: Annotated[str, typer.Option("--url", metavar="URL", help=f"Where Slack {_URL}.")] = "",
    socket: Annotated[bool, typer.Option("--socket", help="For Socket Mode, which needs no address.")] = False,
    name: Annotated[str, typer.Option("--name", help="What the app is called, at most 35 characters.")] = "clarify-bot",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where to write; without it to stdout.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the manifest to paste at api.slack.com/apps under Create New App > From a manifest."""
    from bot.channels.slack.manifest import manifest, problems

    made = manifest(_slack_address(url, socket=socket), name.strip())
    _require_none(problems(made))
    text = json.dumps(made, indent=2, ensure_ascii=False)
    if out is not None:
        _write(out, f"{text}\n".encode(), as_json=as_json)
    elif as_json:
        say_json(made)
    else:
        typer.echo(text)


def teams(
    url: Annotated[
        str, typer.Option("--url", metavar="URL", help=f"Where Teams {_URL}; without it teams.public_url.")
    ] = "",
    app_id: Annotated[
        str,
        typer.Option("--app-id", metavar="ID", help="The Application (client) ID at Entra; without it teams.app_id."),
    ] = "",
    name: Annotated[str, typer.Option("--name", help="What the app is called, at most 30 characters.")] = "clarify-bot",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="ZIP", help="Where to write the package; without it its manifest to stdout."),
    ] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Make the package to upload in the Teams admin center under Teams apps > Manage apps."""
    from bot.channels.teams.manifest import manifest
    from bot.channels.teams.package import as_text, contents, contents_problems, pack

    made = manifest(*_app(url, app_id, settings_of(config).teams), name.strip())
    files = contents(made)
    _require_none(contents_problems(files))
    if out is not None:
        _write(out, pack(files), as_json=as_json)
    elif as_json:
        say_json(made)
    else:
        typer.echo(as_text(made), nl=False)


def _slack_address(url: str, *, socket: bool) -> str | None:
    from bot.channels.slack.address import public_address
    from core.errors import InvalidRequest

    if not url and not socket:
        raise InvalidRequest("say with --url where Slack reaches the bot, or use --socket for Socket Mode")
    address = _address(url, public_address) if url else None
    return None if socket else address


def _app(url: str, app_id: str, settings: "TeamsSettings") -> tuple[str, str]:
    """The address and the id: those given, else those of the settings."""
    from bot.channels.settings import TEAMS_IDS
    from bot.channels.teams.address import GUID, public_address
    from core.errors import InvalidRequest

    address = _address(url, public_address) if url else settings.public_url
    if not address:
        raise InvalidRequest("say with --url, or in teams.public_url, where Teams reaches the bot")
    one = app_id or settings.app_id
    if not GUID.fullmatch(one):
        raise InvalidRequest(f"say with --app-id, or in teams.app_id, {TEAMS_IDS['app_id']}, in small letters")
    return address, one


def _address(url: str, read: Callable[[str], str]) -> str:
    from core.errors import InvalidRequest

    try:
        return read(url)
    except ValueError as error:
        raise InvalidRequest(f"--url {error}") from error


def _require_none(problems: list[str]) -> None:
    from core.errors import InvalidRequest

    if problems:
        raise InvalidRequest("; ".join(problems))


def _write(out: Path, data: bytes, *, as_json: bool) -> None:
    """The file whole, or as it was; what is no file, such as /dev/stdout, is written to and not replaced."""
    if out.exists() and not out.is_file():
        out.write_bytes(data)
        return
    draft = out.with_name(f".{out.name}.new")
    try:
        draft.write_bytes(data)
        draft.replace(out)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    tell(f"Wrote {out}.", {"file": out}, as_json=as_json)
