"""`run` and `demo`."""

import logging
from collections.abc import Coroutine
from typing import Annotated, Any

import typer

from bot.cli.options import AsJson, Config, memory_of, settings_of
from bot.cli.output import say


def add_to(app: typer.Typer) -> None:
    app.command()(run)
    app.command()(demo)


def run(config: Config = None) -> None:
    """Serve: keep the sources in step, watch for changes, answer and send cards, until interrupted."""
    from core.errors import InvalidConfig

    settings = settings_of(config)
    if gaps := settings.slack.gaps + settings.teams.gaps:
        raise InvalidConfig("; ".join(gaps))
    from bot import app, logs, stopping

    with memory_of(settings):
        pass  # it is refused here where `init` was never run
    logs.configure(logging.INFO)
    code = _until_done(app.run(settings, stopping.leave_in_time))
    stopping.leave(code)
    raise typer.Exit(code)


def demo(
    once: Annotated[bool, typer.Option("--once", help="Play it through in the terminal and exit.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Where the inbox is served; 0: any free port.")] = 8081,
    as_json: AsJson = False,
) -> None:
    """Play the main job on a sample handbook: ask, save, watch, the handbook changes, cards arrive.

    Then the inbox is served at the address shown, until interrupted. Nothing but the folder .demo is touched.
    """
    from bot import logs
    from bot.demo import demo as play

    logs.configure(logging.WARNING)
    raise typer.Exit(
        _until_done(play(once=once, as_json=as_json, say=lambda text: say(text, aside=as_json), port=port))
    )


def _until_done(work: Coroutine[Any, Any, int]) -> int:
    import asyncio

    from bot.channels.inbox import ListenError
    from core.errors import StoreUnavailable

    try:
        return asyncio.run(work)
    except ListenError as error:
        raise StoreUnavailable(str(error)) from error
