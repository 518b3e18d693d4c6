"""Node, and the packages pinned under tests/node, where they are installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "node"


def _missing() -> str | None:
    if shutil.which("node") is None:
        return "no Node: install version 20 or newer with npm, then `make node`"
    if not (FOLDER / "node_modules" / ".package-lock.json").is_file():
        return "no Node packages under tests/node: get them with `make node`"
    return None


_MISSING = _missing()

needs_node = [pytest.mark.node, pytest.mark.skipif(_MISSING is not None, reason=_MISSING or "")]


def run(script: str, given: str) -> str:
    """What a script of tests/node prints when it reads `given`."""
    command = ["node", FOLDER / script]
    return subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
