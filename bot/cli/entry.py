"""From an outcome to an exit code: each failure is one sentence on stderr, and none leaves a traceback.

With --json that sentence is one line of JSON, {"error": {"code", "message"}}, and what a machine reads on stdout is one
value, or nothing. What was found to be wrong, by `doctor` for one, is no failure of this kind: it is the value.
"""

import errno
import os
import sys
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

import typer

from bot.cli import (
    api_keys,
    asking,
    audit,
    backing_up,
    cards,
    clarifying,
    doctor,
    documents,
    embedding,
    erasing,
    evaluating,
    evidence,
    exporting,
    jobs,
    manifest,
    mcp,
    people,
    serving,
    setup,
    signing_keys,
    tenants,
    watching,
    webhooks,
    workspaces,
)
from bot.cli.help import explain
from bot.cli.output import complain
from core.errors import CoreError, InvalidRequest

DONE, FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130

_SAYINGS = {
    errno.ENOSPC: "the disk is full: make room and try again",
    errno.EDQUOT: "the disk quota is used up: make room and try again",
    errno.EADDRINUSE: "the port is used by another program: stop it, or set http.port or inbox.port",
    errno.EROFS: "the file system cannot be written: name a place elsewhere",
    errno.EACCES: "permission denied: run this as a user who may read and write there",
    errno.ENOENT: "there is no such file or folder: check the path",
}

app = typer.Typer(
    name="clarify-bot",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for group in (
    setup,
    documents,
    asking,
    people,
    tenants,
    workspaces,
    api_keys,
    signing_keys,
    watching,
    webhooks,
    audit,
    jobs,
    clarifying,
    erasing,
    exporting,
    backing_up,
    evidence,
    serving,
    mcp,
    embedding,
    evaluating,
    cards,
    manifest,
    doctor,
):
    group.add_to(app)


def _say_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("clarify-bot"))
        raise typer.Exit


@app.callback()
def _about(
    _version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_say_version, help="Show which version this is.")
    ] = False,
) -> None:
    """Team memory in direct messages: answers with the exact words they rest on, and a card when those words move."""


@cache
def command() -> Any:
    """Every command, with what its help says at the end."""
    made = typer.main.get_command(app)
    explain(made)
    return made


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _have_streams()
    if not all(map(_is_text, given)):
        complain("an argument is not text in UTF-8: write it in the encoding of the terminal")
        return WRONG_USE
    as_json = "--json" in given[: given.index("--") if "--" in given else None]
    try:
        code = _finished(given, as_json=as_json)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except typer.TyperException as error:
        complain(error.format_message(), "wrong_use", as_json=as_json)
        return error.exit_code
    except CoreError as error:
        complain(str(error), error.code, as_json=as_json)
        return WRONG_USE if isinstance(error, InvalidRequest) else FAILED
    except OSError as error:
        _give_up_stdout()
        if error.errno != errno.EPIPE:  # else whoever read our output has seen enough
            complain(_said(error), "system", as_json=as_json)
        return FAILED
    return code


def _have_streams() -> None:
    """What is closed leads nowhere: else the next file to be opened would take its place and be written to.

    A terminal that lacks a character shows "?" instead.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - until the end
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def _is_text(argument: str) -> bool:
    """Bytes that are none come as halves of surrogate pairs."""
    return argument.isascii() or not any("\ud800" <= char <= "\udfff" for char in argument)


def _finished(arguments: Sequence[str], *, as_json: bool) -> int:
    """People are shown how a command is used where they got it wrong; for a machine that is an error like others."""
    try:
        ended = command().main(args=arguments, prog_name="clarify-bot", standalone_mode=not as_json)
    except SystemExit as error:
        ended = error.code
    return ended if isinstance(ended, int) else DONE


def _give_up_stdout() -> None:
    """What is still buffered must not fail a second time when Python exits."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _said(error: OSError) -> str:
    what = _SAYINGS.get(error.errno or 0, error.strerror or str(error))
    return f"{error.filename}: {what}" if error.filename else what
