"""Pages and tables in the memory: kept as they are cited, answered from, and followed through their changes."""

import pytest

from core.model.evidence import Standing
from core.model.node_ids import document_id
from core.model.nodes import LINKS_TO
from core.store.tables import EdgeVersion, SourceVersion, Span
from tests.support.memories import put, rows, source_id

PAGE = "<title>Travel</title><h1>Meals</h1><p>Meals cost at most <b>{}</b> EUR a day.</p>{}"
TABLE = "City;Limit per night (EUR)\nZürich;{}\nBern;180\n"


def cited(memory, person, question):
    answer = memory.generate(question, person)
    assert answer.known
    return answer.claims[0]


def test_a_page_is_kept_as_the_text_that_is_cited(memory, ada):
    put(memory, "travel.html", PAGE.format(40, "<script>9999</script>").encode())
    (version,) = rows(memory, SourceVersion)
    assert version.text == '---\ntitle: "Travel"\n---\n\n# Meals\n\nMeals cost at most 40 EUR a day.\n'
    claim = cited(memory, ada, "How much may meals cost a day?")
    assert claim.text == "Meals cost at most 40 EUR a day."
    raw = version.text.encode()
    assert {raw[span.start : span.end].decode() for span in rows(memory, Span)} == {"Meals", claim.text}


@pytest.mark.parametrize(
    "new", [PAGE.format(40, ""), PAGE.format(40, "<!-- note --><p hidden>no").replace("<b>40</b>", "<i>40</i>")]
)
def test_a_page_that_shows_the_same_is_unchanged(memory, new):
    put(memory, "travel.html", PAGE.format(40, "<script>1</script>").encode())
    assert put(memory, "travel.html", new.encode()).outcome == "unchanged"


def test_a_saved_answer_knows_when_its_page_moves(memory, ada):
    put(memory, "travel.html", PAGE.format(40, "").encode())
    spans = [each.span for each in cited(memory, ada, "How much may meals cost a day?").citations]
    put(memory, "travel.html", ("<p>New above.</p>" + PAGE.format(40, "")).encode())
    assert [after.standing for after in memory.resolve(spans, ada).values()] == [Standing.CURRENT]
    put(memory, "travel.html", PAGE.format(45, "").encode())
    assert [after.standing for after in memory.resolve(spans, ada).values()] == [Standing.SUPERSEDED]


def test_pages_lead_to_each_other(memory):
    put(memory, "docs/a.html", b"<p>See <a href='sub/b.html#top'>the other</a>.")
    put(memory, "docs/sub/b.html", b"<p>Here.")
    (edge,) = [row for row in rows(memory, EdgeVersion) if row.label == LINKS_TO]
    assert edge.to_id == document_id(source_id("docs/sub/b.html"))


def test_a_row_is_quoted_in_the_words_of_its_header(memory, ada):
    put(memory, "limits.csv", TABLE.format(210).encode())
    claim = cited(memory, ada, "What is the limit per night in Zürich?")
    assert claim.text == "Zürich — Limit per night (EUR): 210"


def test_another_order_or_delimiter_of_rows_is_no_news_of_a_row(memory, ada):
    put(memory, "limits.csv", TABLE.format(210).encode())
    claim = cited(memory, ada, "What is the limit per night in Zürich?")
    put(memory, "limits.csv", 'City,Limit per night (EUR)\nBern,180\n"Zürich",210\n'.encode())
    assert [each.text for each in claim.citations] == ["Zürich;210"]
    (after,) = memory.resolve([each.span for each in claim.citations], ada).values()
    assert after.standing is Standing.CURRENT
    newest = max(rows(memory, SourceVersion), key=lambda row: row.version_tx).text.encode()
    assert newest[after.span.start : after.span.end].decode() == '"Zürich",210'


@pytest.mark.parametrize(
    ("old", "new", "data"),
    [
        ("a.html", "b.html", PAGE.format(40, "")),
        ("a.csv", "b.csv", TABLE.format(210)),
        ("a.htm", "b", PAGE.format(5, "")),
    ],
)
def test_a_moved_file_is_known_by_what_it_says(memory, old, new, data):
    put(memory, old, data.encode())
    fresh = {new: (f"<!doctype html>{data}" if new == "b" else data).encode()}
    assert memory.documents.same_texts("default", [old], fresh) == {new: old}
