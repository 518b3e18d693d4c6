"""Hostile and odd files, and two histories of real ones: what `expect.jsonl` says of each must hold."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from core.errors import UnreadableDocument
from core.ingest.layout import layout
from core.ingest.lineage import trace
from core.ingest.reading import read
from core.jsonhash import keyed_hash
from core.memory import Memory
from core.model.documents import Document
from core.model.spans import Kind
from core.store.tables import Source, SourceVersion, Span
from tests.conftest import DATA
from tests.support.memories import put
from tests.support.memories import rows as table

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
    if refused(case):
        with pytest.raises(UnreadableDocument, match=rf"^{case['file']}: byte {refused_at(case, data)} "):
            read(data, media_type=None, uri=case["file"])
    if case["decode"] != "refuse":
        document = read(data, media_type=None, uri=case["file"], errors="replace")
        assert document == read(data, media_type=None, uri=case["file"], errors="replace")
        assert_exact(document)
        assert_says(document, case)


def refused(case: dict[str, Any]) -> bool:
    return case["decode"] == "refuse" or "error" in case["decode"]


def refused_at(case: dict[str, Any], data: bytes) -> int:
    """The byte that the expectation names, else the first NUL."""
    named = re.search(r"byte (\d+)", case["decode"])
    return int(named[1]) if named else data.index(0)


def test_each_odd_file_is_stored_as_it_was_read_or_not_at_all(memory: Memory, data_dir: Path) -> None:
    for case in rows(EXPECT):
        data = (data_dir / "nasty" / case["file"]).read_bytes()
        if refused(case):
            with pytest.raises(UnreadableDocument, match=rf"^{case['file']}: byte {refused_at(case, data)} "):
                put(memory, case["file"], data)
            continue
        result = put(memory, case["file"], data)
        read_now = read(data, media_type=None, uri=case["file"])
        assert stored(memory, result.source_id) == (read_now.text, [(each.start, each.end) for each in read_now.blocks])
        assert put(memory, case["file"], data).outcome == "unchanged"
    kept = {view.uri for view in memory.documents.standing("default")}
    assert kept == {case["file"] for case in rows(EXPECT) if not refused(case)}
    assert {row.uri for row in table(memory, Source)} == kept


def stored(memory: Memory, source_id: UUID) -> tuple[str, list[tuple[int, int]]]:
    (text,) = [row.text for row in table(memory, SourceVersion) if row.source_id == source_id]
    return text, sorted((row.start, row.end) for row in table(memory, Span) if row.source_id == source_id)


# ── what the expectations say in words ──


def nasty(data_dir: Path, name: str) -> Document:
    return read((data_dir / "nasty" / name).read_bytes(), media_type=None, uri=name)


def became(old: Document, new: Document) -> set[str]:
    """What became of the blocks of a document."""
    return {each.state for each in trace(old, [(block.start, block.end) for block in old.blocks], new)}


def node_ids(document: Document) -> list[UUID]:
    return [each.node_id for each in layout(document, UUID(int=7), lambda text: keyed_hash(b"k" * 32, text)).nodes]


@pytest.mark.parametrize("name", ["18_empty.md", "19_whitespace_only.md"])
def test_a_document_that_was_emptied_says_nothing_any_more(name: str, data_dir: Path) -> None:
    assert nasty(data_dir, name).blocks == ()
    assert became(nasty(data_dir, "10_crlf.md"), nasty(data_dir, name)) == {"gone"}


def test_newlines_a_bom_and_a_last_newline_move_nothing(data_dir: Path) -> None:
    assert nasty(data_dir, "10_crlf.md").blocks == nasty(data_dir, "10b_crlf_twin_lf.md").blocks
    for name in ("12_bom.md", "22_no_final_newline.md"):
        data = (data_dir / "nasty" / name).read_bytes()
        for twin in (
            data.removeprefix(b"\xef\xbb\xbf"),
            b"\xef\xbb\xbf" + data.removeprefix(b"\xef\xbb\xbf"),
            data + b"\n",
        ):
            assert nasty(data_dir, name).blocks == read(twin, media_type=None, uri=name).blocks


def test_of_equal_sentences_one_may_go_and_equal_sections_differ(data_dir: Path) -> None:
    for name in ("21_headings.md", "23_duplicates.md"):
        document = nasty(data_dir, name)
        assert len(set(node_ids(document))) == len(node_ids(document))
    text = (data_dir / "nasty" / "23_duplicates.md").read_bytes()
    words = b"Contact the team lead."
    assert text.count(words) == 3
    old = nasty(data_dir, "23_duplicates.md")
    fewer = read(text.replace(words, b"", 1), media_type=None, uri="23_duplicates.md")
    cited = next(block for block in reversed(old.blocks) if words.decode() in block.text)
    assert trace(old, [(cited.start, cited.end)], fewer)[0].state == "continues"


def test_odd_files_are_cut_where_they_should_be(data_dir: Path) -> None:
    assert [block.text for block in nasty(data_dir, "29_cr_only.txt").blocks] == [
        "first paragraph",
        "second paragraph: limit is 29",
    ]
    assert "\0" not in nasty(data_dir, "13_utf16le.txt").text
    assert "16 seats" in nasty(data_dir, "13_utf16le.txt").text
    assert all(len(block.text) <= 4320 for block in nasty(data_dir, "15_long_line.txt").blocks)  # 1,200 tokens
    for word in ("title:", "not a heading", "2024-02-30"):
        cited = [*nasty(data_dir, "06_front_matter_yaml.md").blocks, *nasty(data_dir, "07_front_matter_toml.md").blocks]
        assert not any(word in block.text for block in cited)
    assert not any("9999" in block.text for block in nasty(data_dir, "09_html_blocks.md").blocks)
    row = next(block for block in nasty(data_dir, "04_tables.md").blocks if "Laptop" in block.text)
    assert row.header.startswith("Item | Limit")
    room = next(block for block in nasty(data_dir, "05_nested_lists.md").blocks if "3100" in block.text)
    assert all(word in " > ".join(room.lead) for word in ("Day one", "Get the badge"))


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
