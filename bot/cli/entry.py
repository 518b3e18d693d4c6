"""From an outcome to an exit code: each failure is one sentence on stderr, and none leaves a traceback."""

import errno
import os
import sys
from collections.abc import Sequence

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
from bot.cli.output import complain
from core.errors import CoreError, InvalidRequest

DONE, FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130

_SAYINGS = {
    errno.ENOSPC: "the disk is full: make room and try again",
    errno.EDQUOT: "the disk quota is used up: make room and try again",
    errno.EADDRINUSE: "the port is used by another program: stop it, or set another port in clarify-bot.toml",
    errno.EROFS: "the file system cannot be written: name a place elsewhere",
    errno.EACCES: "permission denied: run this as a user who may read and write there",
    errno.ENOENT: "there is no such file or folder: check the path",
}

app = typer.Typer(
    name="clarify-bot",
    help="Team memory in direct messages: answers with the exact words they rest on, and a card when those words move.",
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


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    if not all(map(_is_text, sys.argv[1:] if arguments is None else arguments)):
        complain("an argument is not text in UTF-8: write it in the encoding of the terminal")
        return WRONG_USE
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal that lacks a character shows "?"
    try:
        code = _finished(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except InvalidRequest as error:
        complain(str(error))
        return WRONG_USE
    except CoreError as error:
        complain(str(error))
        return FAILED
    except OSError as error:
        _give_up_stdout()
        if error.errno != errno.EPIPE:  # else whoever read our output has seen enough
            complain(_said(error))
        return FAILED
    return code


def _is_text(argument: str) -> bool:
    """Bytes that are none come as halves of surrogate pairs."""
    return argument.isascii() or not any("\ud800" <= char <= "\udfff" for char in argument)


def _finished(arguments: Sequence[str] | None) -> int:
    try:
        app(args=arguments)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else DONE
    return DONE


def _give_up_stdout() -> None:
    """What is still buffered must not fail a second time when Python exits."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _said(error: OSError) -> str:
    what = _SAYINGS.get(error.errno or 0, error.strerror or str(error))
    return f"{error.filename}: {what}" if error.filename else what
