"""`run` and `demo`."""

import logging
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from bot.cli.options import AsJson, Config, memory_of, settings_of
from bot.cli.output import say


def add_to(app: typer.Typer) -> None:
    app.command()(run)
    app.command()(demo)


def run(config: Config = None) -> None:
    """Serve: keep the sources in step, watch for changes, answer and send cards, until interrupted."""
    from bot import logs, stopping

    stopping.leave_while_starting()
    logs.configure(logging.INFO)
    with _failing_in_the_log():
        code = _serve(config)
    stopping.leave(code)
    raise typer.Exit(code)


def _serve(config: Path | None) -> int:
    from bot import app, stopping
    from core.errors import InvalidConfig

    settings = settings_of(config)
    if gaps := settings.slack.gaps + settings.teams.gaps:
        raise InvalidConfig("; ".join(gaps))
    with memory_of(settings):
        pass  # it is refused here where `init` was never run
    return _until_done(app.run(settings, stopping.leave_in_time))


@contextmanager
def _failing_in_the_log() -> Iterator[None]:
    """Where nobody watches a terminal, why it ends is a line of the log like every other."""
    import structlog

    from bot.faults import described
    from core.errors import CoreError, InvalidRequest

    try:
        yield
    except CoreError as error:
        if sys.stderr.isatty():
            raise
        structlog.get_logger().critical("bot.failed", error=described(error), reason=str(error))
        raise typer.Exit(2 if isinstance(error, InvalidRequest) else 1) from error


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
