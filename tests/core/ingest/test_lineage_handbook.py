"""Lineage over the labelled history of a real handbook: every change of a cited fact is seen, few others are."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.ingest.lineage import Continuation, trace
from core.ingest.reading import read
from core.model.documents import Document

pytestmark = pytest.mark.data

FALSE_ALARMS = 10
"""Measured: five sentences whose own words changed though the asked fact did not, five under another heading."""


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def traced(data_dir: Path) -> list[tuple[dict[str, Any], Continuation]]:
    folder = data_dir / "handbook"
    documents = {
        (row["path"], row["version"]): read(row["text"].encode(), media_type="text/markdown", uri=row["path"])
        for row in rows(folder / "versions.jsonl")
    }
    return list(_traced(rows(folder / "changes.jsonl"), documents))


def _traced(
    changes: list[dict[str, Any]], documents: dict[tuple[str, int], Document]
) -> Iterator[tuple[dict[str, Any], Continuation]]:
    for change in changes:
        old, new = (documents.get((change["path"], change[name])) for name in ("from_version", "to_version"))
        assert old is not None
        yield change, trace(old, [_place(old.text, change["old"])], new)[0]


def _place(text: str, quote: str) -> tuple[int, int]:
    """In bytes; a quote may have been written over line ends."""
    found = re.search(r"\s+".join(map(re.escape, quote.split())), text)
    assert found, f"not in the document: {quote}"
    return len(text[: found.start()].encode()), len(text[: found.end()].encode())


def test_no_change_of_a_cited_fact_is_missed(traced: list[tuple[dict[str, Any], Continuation]]) -> None:
    stale = [(change, found) for change, found in traced if change["expect"] == "stale"]
    missed = [change["id"] for change, found in stale if found.state == "continues" or found.clearable]
    assert (len(stale), missed) == (60, [])


def test_few_other_edits_alarm(traced: list[tuple[dict[str, Any], Continuation]]) -> None:
    fresh = [(change, found) for change, found in traced if change["expect"] == "fresh"]
    alarms = [change["id"] for change, found in fresh if found.state != "continues" and not found.clearable]
    assert len(fresh) == 227
    assert len(alarms) <= FALSE_ALARMS, alarms


def test_an_untouched_line_never_alarms(traced: list[tuple[dict[str, Any], Continuation]]) -> None:
    """Edits of links, markup, white space, front matter and of the file's name alone."""
    kinds = {"links_only", "rewrap", "whitespace", "front_matter", "file_moved", "markup_or_punctuation"}
    told = [change["id"] for change, found in traced if change["edit_kind"] in kinds and found.state != "continues"]
    assert told == []
