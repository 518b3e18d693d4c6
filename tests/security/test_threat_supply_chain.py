"""What is installed is what was tested: each package in one version, and one module alone knows what nobody mends."""

import ast
import json
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PINNED = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def plain(requirement):
    """The name of a package, as indexes compare it."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


def test_every_package_is_pinned_to_one_version():
    project = PROJECT["project"]
    extras = [one for extra in project["optional-dependencies"].values() for one in extra]
    wanted = {plain(one) for one in [*project["dependencies"], *extras, *PROJECT["build-system"]["requires"]]}
    assert wanted - {plain(name) for name in PINNED} == set()
    assert [name for name, version in PINNED.items() if not re.fullmatch(r"[0-9][\w.+!-]*", version)] == []


def test_what_the_tests_take_from_npm_is_pinned_by_its_hash():
    folder = ROOT / "tests" / "node"
    asked = json.loads((folder / "package.json").read_text())["dependencies"]
    locked = json.loads((folder / "package-lock.json").read_text())["packages"]
    assert [name for name, version in asked.items() if not re.fullmatch(r"\d+\.\d+\.\d+", version)] == []
    there = {path: one for path, one in locked.items() if path}
    assert {f"node_modules/{name}" for name in asked} <= there.keys()
    assert [path for path, one in there.items() if not one.get("integrity", "").startswith("sha512-")] == []


def test_one_module_alone_knows_the_sdk_that_has_no_support():
    known = set()
    for file in (path for folder in ("core", "cards", "bot") for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] in {"botbuilder", "botframework"} for name in names):
                known.add(file.relative_to(ROOT).as_posix())
    assert known == {"bot/channels/teams/transport.py"}
