"""The command line. Everything heavy is imported inside the command that needs it, so that help comes at once."""

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit: 0 done, 1 failed, 2 used wrongly, 130 interrupted."""
    import sys

    try:
        from bot.cli.entry import run

        sys.exit(run(arguments))
    except KeyboardInterrupt:  # while modules are still being loaded
        sys.exit(130)
