"""What the guides for operators list is what there is: numbers, loops, error codes."""

import ast
import re
from pathlib import Path

import core
from bot.stopping import AT_THE_LATEST_SECS, GRACE_SECS
from core.access import card_tokens
from core.errors import CoreError, Refused
from core.metrics import Metrics
from tests.support.bots import parts_over

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def section(name, heading):
    """The text under a heading, up to the next one."""
    return (DOCS / name).read_text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def listed(text):
    """What stands in code at the beginning of a table's rows."""
    firsts = [row.split("|")[1] for row in text.splitlines() if row.startswith("| `")]
    return {name for first in firsts for name in re.findall(r"`([^`]+)`", first)}


def test_every_number_is_explained_and_none_that_there_is_not():
    counted = {family.name for family in Metrics().registry.collect()}
    assert listed(section("operations.md", "Numbers")) == counted


def test_every_loop_is_named_with_how_long_a_round_may_take(memory):
    vitals = {vital.name: vital._patience for vital in parts_over(memory, {}).worker.vitals}
    told = section("operations.md", "Health")
    assert listed(told) - {"source …"} == vitals.keys()
    for name, minutes in re.findall(r"\| `(\w+)` \|[^|]+\| (\d+) minutes", told):
        assert vitals[name] == int(minutes) * 60_000_000


def errors(kind=CoreError):
    yield kind
    for more in kind.__subclasses__():
        yield from errors(more)


def refusals():
    """Every code with which a token is refused, as the code says it."""
    for file in Path(core.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refused":
                yield from (one.value for one in node.args[:1] if isinstance(one, ast.Constant))
    yield from (code for code, _, _ in card_tokens._CHECKS)


def test_every_error_code_says_what_to_do():
    codes = {getattr(kind, "code", "") for kind in errors() if kind is not Refused and kind.__module__ == "core.errors"}
    assert listed(section("troubleshooting.md", "By code")) == codes | {"refused"}


def test_every_way_in_which_a_tap_is_refused_says_what_to_do():
    assert listed(section("troubleshooting.md", "A tap was refused")) == set(refusals())


def test_what_is_said_of_stopping_is_so():
    told = section("operations.md", "Stop")
    assert "ten seconds to end" in told
    assert "within twenty seconds" in told
    assert (GRACE_SECS, AT_THE_LATEST_SECS < 20) == (10, True)
