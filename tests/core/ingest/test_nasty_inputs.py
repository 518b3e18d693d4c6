"""Hostile and odd files, and two histories of real ones: what `expect.jsonl` says of each must hold."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import UnreadableDocument
from core.ingest.reading import read
from core.model.documents import Document
from core.model.spans import Kind
from tests.conftest import DATA

pytestmark = pytest.mark.data
EXPECT = DATA / "nasty" / "expect.jsonl"


def cases() -> list[Any]:
    found = rows(EXPECT) if EXPECT.is_file() else []
    return [pytest.param(case, id=case["file"]) for case in found]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().split("\n") if line]


def assert_exact(document: Document) -> None:
    raw, last = document.text.encode(), 0
    for block in document.blocks:
        assert raw[block.start : block.end].decode() == block.text
        assert last <= block.start
        last = block.end


@pytest.mark.parametrize("case", cases())
def test_each_odd_file_is_read_as_expected_or_refused(case: dict[str, Any], data_dir: Path) -> None:
    data = (data_dir / "nasty" / case["file"]).read_bytes()
    assert hashlib.sha256(data).hexdigest() == case["sha256"]
    if case["decode"] == "refuse" or "error" in case["decode"]:
        with pytest.raises(UnreadableDocument, match=rf"^{case['file']}: byte \d+"):
            read(data, media_type=None, uri=case["file"])
    if case["decode"] != "refuse":
        document = read(data, media_type=None, uri=case["file"], errors="replace")
        assert document == read(data, media_type=None, uri=case["file"], errors="replace")
        assert_exact(document)
        assert_says(document, case)


def test_every_odd_file_has_its_case(data_dir: Path) -> None:
    files = {path.name for path in (data_dir / "nasty").iterdir()} - {"README.md", EXPECT.name}
    assert sorted(case["file"] for case in rows(EXPECT)) == sorted(files)
    assert len(files) == 31


@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_newlines_and_a_bom_change_no_block_of_any_odd_file(bom: str, data_dir: Path) -> None:
    for case in rows(EXPECT):
        if case["decode"] == "utf-8" and case["file"] != "12_bom.md":
            text = (data_dir / "nasty" / case["file"]).read_bytes().decode()
            lf = text.replace("\r\n", "\n").replace("\r", "\n")
            twin = (bom + lf.replace("\n", "\r\n")).encode()
            assert read(twin, media_type=None, uri=case["file"]) == read(lf.encode(), media_type=None, uri=case["file"])


def assert_says(document: Document, case: dict[str, Any]) -> None:
    headings = [block.path[-1] for block in document.blocks if block.kind is Kind.HEADING]
    assert set(case["headings"] or ()) <= set(headings)
    assert not [bad for bad in case["not_headings"] for heading in headings if bad in heading]
    for words in case["within_one_span"]:
        assert any(words in block.text for block in document.blocks), words


@pytest.mark.parametrize("folder", ["handbook", "handbook2"])
def test_every_version_of_a_real_history_is_read_exactly(folder: str, data_dir: Path) -> None:
    for row in rows(data_dir / folder / "versions.jsonl"):
        assert_exact(read(row["text"].encode(), media_type="text/markdown", uri=row["path"]))


def test_every_quote_of_the_labelled_questions_lies_within_one_block(data_dir: Path) -> None:
    versions = rows(data_dir / "handbook" / "versions.jsonl")
    texts = {(row["path"], str(row["version"])): row["text"] for row in versions}
    for question in rows(data_dir / "handbook" / "questions.jsonl"):
        for version, said in question["by_version"].items():
            document = read(texts[question["path"], version].encode(), media_type=None, uri=question["path"])
            assert any(said["quote"] in block.text for block in document.blocks), (question["id"], version)
