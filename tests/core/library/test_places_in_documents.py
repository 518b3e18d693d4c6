"""Where a span stands in its document: found without reading the document from its beginning."""

from core.ingest.reading import read
from core.library.engine import _Read
from core.model.spans import SpanRef
from core.store.tables import SourceVersion
from tests.support.memories import page, put, rows

PROSE = "First. Second, with 漢字. Third.\n\n- a\n- b\n\n```\nx = 1\n\ny = 2\n```"
TEXT = page("Größe", {"One": PROSE, "Two": "| A | B |\n|-|-|\n| 1 | 2 |"})


def test_every_place_is_found_as_if_the_whole_document_were_read():
    document = read(TEXT, media_type="text/markdown", uri="a.md")
    parsed = _Read(document, TEXT)
    for start in range(len(TEXT) + 2):
        holding = [block for block in document.blocks if block.start <= start < block.end]
        assert [parsed.block_at(start)] == (holding or [None])
        for end in range(start, len(TEXT) + 2):
            inside = [unit for unit in parsed.units if start <= unit.start and unit.end <= end]
            assert start == end or parsed.units_in(start, end) == inside


def test_texts_of_many_sources_are_looked_up_together_and_by_the_exact_version(memory, monkeypatch):
    for name in ("a.md", "b.md"):
        for version in ("one", "two"):
            put(memory, name, f"{name} {version}".encode())
    versions = [(row.source_id, row.version_tx) for row in rows(memory, SourceVersion)]
    wanted = [SpanRef(*version, 0, 8) for version in versions[:3]]
    crossed = [SpanRef(versions[0][0], versions[-1][1], 0, 8)]
    with memory._database.read("default") as tx:
        asked = []
        execute = tx.session.exec
        monkeypatch.setattr(tx.session, "exec", lambda statement: asked.append(1) or execute(statement))
        found = memory._engines.library.slices(tx, wanted + crossed)
    texts = {(row.source_id, row.version_tx): row.text for row in rows(memory, SourceVersion)}
    assert found == {span: texts[span.source_id, span.source_version_tx] for span in wanted}
    assert len(asked) == 1
