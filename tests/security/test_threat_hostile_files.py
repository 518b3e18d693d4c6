"""What lies in a document or a name is read, and never run, followed or written as more than it is."""

import ast
import io
import json
import sys
from pathlib import Path

import pytest
import structlog

from bot import logs
from core.ingest.reading import read

ROOT = Path(__file__).parents[2]
RUNS_WHAT_IT_READS = {"pickle", "marshal", "shelve", "dill", "joblib", "imp"}
RUNS = {"eval", "exec", "compile", "__import__"}


@pytest.mark.parametrize("media_type", ["text/html", "application/xhtml+xml"])
@pytest.mark.parametrize("kind", ["SYSTEM", 'PUBLIC "x"'])
def test_an_external_entity_of_a_page_is_not_read(tmp_path, media_type, kind):
    (tmp_path / "passwords").write_text("axolotl")
    page = (
        f'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY e {kind} "{(tmp_path / "passwords").as_uri()}">'
        f'<!ENTITY % p {kind} "{(tmp_path / "passwords").as_uri()}">%p;]><html><body><p>Words &e;</p></body></html>'
    )
    found = read(page.encode(), media_type=media_type, uri="page.html").text
    assert "axolotl" not in found
    assert "Words" in found


def test_entities_within_entities_do_not_grow():
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    page = f'<!DOCTYPE html [<!ENTITY l0 "laugh">{laughs}]><html><body><p>Words &l11;</p></body></html>'
    assert len(read(page.encode(), media_type="application/xhtml+xml", uri="a.xhtml").text) < 2 * len(page)


@pytest.mark.parametrize(
    "yaml", ["!!python/object/apply:os.getcwd []", "!!python/name:os.system", "!!python/module:os"]
)
def test_front_matter_makes_no_object(yaml):
    found = read(f"---\na: 1\nb: {yaml}\n---\nWords.\n".encode(), media_type="text/markdown", uri="a.md")
    assert found.properties["b"] == yaml


def test_a_name_with_a_line_end_is_one_line_of_the_log(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    logs.configure(20)
    try:
        structlog.get_logger().info("source.synced", source='a\n{"event":"bot.ready"}\r\u2028\x1b[2J')
    finally:
        structlog.reset_defaults()
    [line] = stream.getvalue().splitlines()
    assert json.loads(line)["event"] == "source.synced"
    assert line.isascii()
    assert line.isprintable()


def test_nothing_that_runs_what_it_reads_is_imported():
    """No pickle, no eval, no shell."""
    found = []
    for file in (path for folder in ("core", "cards", "bot") for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            shells = isinstance(node, ast.keyword) and node.arg == "shell"
            if RUNS_WHAT_IT_READS & {name.split(".")[0] for name in names} or called in RUNS or shells:
                found.append(f"{file.relative_to(ROOT)}:{getattr(node, 'lineno', '')}")
    assert found == []
