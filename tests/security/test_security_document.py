"""SECURITY.md is true: each threat has a row, each row its parts, and each test and file that it names is there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "SECURITY.md").read_text("utf-8")
PARTS = ["Tries", "Stops it", "Remains", "Tests"]
WORKED_THROUGH = {
    "Leaked or replayed token", "Tampered card", "Forged platform request", "Cross-tenant read", "Channel leak",
    "Prompt injection from a document", "Hostile Markdown", "SSRF by webhook", "Forged serviceUrl", "Log leak",
    "Erased data resurfacing", "Key theft", "Identity spoofing by e-mail", "Denial of service", "Supply chain",
    "Stolen inbox link, CSRF and DNS rebinding",
}  # fmt: skip
ROWS = dict(row.split("\n", 1) for row in TEXT.partition("\n## Threats\n")[2].split("\n### ")[1:])
NAMED = re.findall(r"^  - (tests/[\w/]+\.py)::([\w:]+)$", TEXT, re.MULTILINE)


def names_in(path):
    """The tests of a file by their names, read and not run."""

    def within(body, prefix=""):
        for node in body:
            if isinstance(node, ast.ClassDef):
                yield from within(node.body, f"{prefix}{node.name}::")
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield prefix + node.name

    return {name for name in within(ast.parse(path.read_text("utf-8")).body) if "test_" in name}


def test_every_threat_that_was_thought_of_has_a_row():
    assert ROWS.keys() >= WORKED_THROUGH


@pytest.mark.parametrize("threat", ROWS)
def test_a_row_says_what_is_tried_what_stops_it_what_remains_and_what_shows_it(threat):
    assert re.findall(r"^- \*\*([\w ]+)\*\*:", ROWS[threat], re.MULTILINE) == PARTS
    tests = ROWS[threat].partition("- **Tests**:\n")[2].strip().splitlines()
    assert tests
    assert all(re.fullmatch(r" *- tests/[\w/]+\.py::[\w:]+", line) for line in tests), "or it would be overlooked here"


@pytest.mark.parametrize("path", sorted({path for path, _ in NAMED}))
def test_every_test_that_is_named_exists(path):
    wanted = {name for file, name in NAMED if file == path}
    assert wanted <= names_in(ROOT / path)


def test_no_row_names_a_test_twice():
    assert len(NAMED) == len(set(NAMED))


def test_every_file_that_is_named_exists():
    named = re.findall(r"`((?:core|bot|cards|docs)/[\w/]+(?:\.\w+)?)(?:::\w+)?`", TEXT)
    named += re.findall(r"\]\((docs/.*?)\)", TEXT)
    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_it_says_how_to_report_and_names_nobody():
    assert "security advisories" in TEXT
    assert "@" not in TEXT


def test_it_says_which_sdk_has_no_support_any_more():
    assert re.search(r"botbuilder.*no\s+support since 2025-12-31", TEXT, re.DOTALL)
