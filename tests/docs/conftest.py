"""Guides are followed with the commands of tests/bot/cli."""

from tests.bot.cli.conftest import completions, said, set_up, shell, tables_there

__all__ = ["completions", "said", "set_up", "shell", "tables_there"]
