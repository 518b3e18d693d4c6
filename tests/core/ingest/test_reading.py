"""Which reader a document gets, and what it is called."""

import pytest

from core.errors import UnreadableDocument
from core.ingest.reading import read, read_text

HEADED = b"# Leave\n\ntext\n"


@pytest.mark.parametrize(
    ("media_type", "uri", "expected"),
    [
        ("text/markdown", "a.txt", "text/markdown"),
        ("Text/Markdown; charset=UTF-8", "a", "text/markdown"),
        ("text/x-markdown", "a", "text/x-markdown"),
        (None, "docs/a.md", "text/markdown"),
        (None, "docs/A.MARKDOWN", "text/markdown"),
        (None, "https://a.example/a.md?raw=1#top", "text/markdown"),
        ("", "a.md", "text/markdown"),
    ],
)
def test_markdown_is_known_by_media_type_else_by_extension(media_type: str | None, uri: str, expected: str) -> None:
    document = read(HEADED, media_type=media_type, uri=uri)
    assert (document.media_type, document.title, document.blocks[0].text) == (expected, "Leave", "Leave")


@pytest.mark.parametrize(
    ("media_type", "uri", "expected"),
    [
        ("text/plain", "a.md", "text/plain"),
        (None, "README", "text/plain"),
        (None, "a.txt", "text/plain"),
        (None, "a.md.bak", "text/plain"),
        ("application/x-thing", "a.md", "application/x-thing"),
        (None, "src/A.PY", "text/x-code"),
        (None, "deploy.yaml", "text/x-code"),
    ],
)
def test_all_else_is_text_as_it_stands(media_type: str | None, uri: str, expected: str) -> None:
    document = read(HEADED, media_type=media_type, uri=uri)
    assert (document.media_type, document.blocks[0].text) == (expected, "# Leave")


@pytest.mark.parametrize(
    ("text", "uri", "title"),
    [
        ("---\ntitle: Front\n---\n# Head\n", "a.md", "Front"),
        ("---\ntitle: 2024\n---\n# Head\n", "a.md", "2024"),
        ("---\ntitle: '  '\n---\n# Head\n", "a.md", "Head"),
        ("---\ntitle: [a, b]\n---\n# Head\n", "a.md", "Head"),
        ("---\ntitle:\n---\ntext\n", "docs/leave.md", "leave.md"),
        ("text\n\n## *Second*\n", "a.md", "Second"),
        ("", "docs/leave.md", "leave.md"),
        ("", "C:\\docs\\leave.md", "leave.md"),
        ("", "docs/C# guide?.md", "C# guide?.md"),
        ("", "https://a.example/docs/leave.md?raw=1#top", "leave.md"),
        ("", "https://a.example/docs/", "docs"),
        ("", "/", "/"),
    ],
)
def test_the_title_is_the_front_matters_else_the_first_headings_else_the_file_name(
    text: str, uri: str, title: str
) -> None:
    assert read(text.encode(), media_type="text/markdown", uri=uri).title == title


def test_front_matter_becomes_properties_and_no_evidence() -> None:
    document = read(b"---\ntitle: T\nowner: ops\n---\n\nYou get 25 days.\n", media_type=None, uri="a.md")
    assert document.properties == {"title": "T", "owner": "ops"}
    assert [block.text for block in document.blocks] == ["You get 25 days."]
    assert document.text.startswith("---\n")


def test_front_matter_that_is_never_closed_is_read_as_text() -> None:
    document = read(b"---\nThis starts with a rule.\n\n# Real\n\nThe limit is 7 days.\n", media_type=None, uri="a.md")
    assert [block.text for block in document.blocks] == ["This starts with a rule.", "Real", "The limit is 7 days."]


def test_only_markdown_has_front_matter() -> None:
    assert read(b"---\ntitle: T\n---\n", media_type="text/plain", uri="a").blocks[0].text == "---\ntitle: T\n---"


PAGE = b"<p>You get <b>25</b> days.</p>"
TABLE = b"City,Limit\nBern,5\n"


@pytest.mark.parametrize(
    ("media_type", "uri"),
    [
        ("text/html", "a.md"),
        ("TEXT/HTML; charset=utf-8", "a"),
        ("application/xhtml+xml", "a"),
        (None, "a.html"),
        (None, "a.HTM"),
        (None, "docs/a.xhtml"),
        (None, "https://a.example/a.html?x#y"),
    ],
)
def test_a_page_is_known_by_media_type_else_by_extension_and_becomes_markdown(media_type: str | None, uri: str) -> None:
    document = read(PAGE, media_type=media_type, uri=uri)
    assert (document.media_type, document.text) == ("text/markdown", "You get 25 days.\n")


@pytest.mark.parametrize(
    "data",
    [
        b"<!DOCTYPE html><p>Hi",
        b"\xef\xbb\xbf \n<!doctype HTML PUBLIC '-//W3C//DTD'><p>Hi",
        b"<!-- saved - from -- a --><html lang=en><p>Hi",
        b"<?xml version='1.0'?>\n<html xmlns='x'><p>Hi</p></html>",
        b"<head><title>T</title></head><p>Hi",
        b"<BODY class=x>Hi",
    ],
)
@pytest.mark.parametrize("uri", ["page", "https://a.example/wiki/Leave", "a.aspx"])
def test_what_says_nothing_of_its_kind_is_a_page_if_it_begins_as_one(data: bytes, uri: str) -> None:
    assert [block.text for block in read(data, media_type=None, uri=uri).blocks] == ["Hi"]


@pytest.mark.parametrize(
    ("data", "uri"),
    [
        (b"<html><p>Hi", "a.txt"),
        (b"<p>Hi</p>", "a"),
        (b"see <html>", "a"),
        (b"<htmlx>", "a"),
        (b"<!-- <html>", "a"),
        (b"<?" + b" " * 2000 + b"?><html>", "a"),
        (b"a,b\n1,2\n", "a"),
    ],
)
def test_nothing_else_is_taken_for_a_page(data: bytes, uri: str) -> None:
    assert read(data, media_type=None, uri=uri).text == data.decode()


@pytest.mark.parametrize(
    ("media_type", "uri"),
    [("text/csv", "a"), ("text/csv; header=present", "a"), ("application/csv", "a"), (None, "a.csv"), (None, "A.CSV")],
)
def test_a_table_is_known_by_media_type_else_by_extension(media_type: str | None, uri: str) -> None:
    assert [block.header for block in read(TABLE, media_type=media_type, uri=uri).blocks] == ["", "City | Limit"]


@pytest.mark.parametrize(("media_type", "uri"), [("text/tab-separated-values", "a"), (None, "a.tsv"), (None, "a.tab")])
def test_a_table_set_apart_by_tabs_is_known_too(media_type: str | None, uri: str) -> None:
    document = read(b"City\tLimit, max\nBern\t5\n", media_type=media_type, uri=uri)
    assert [block.header for block in document.blocks] == ["", "City | Limit, max"]


LATIN = "<p>café".encode("latin-1")


@pytest.mark.parametrize(
    "head", [b"<meta charset=windows-1252>", b"<meta http-equiv=x content='text/html; charset=windows-1252'>"]
)
def test_a_page_in_another_charset_is_refused_by_name_byte_and_charset(head: bytes) -> None:
    at = len(head) + 6
    with pytest.raises(UnreadableDocument, match=rf"a\.html: byte {at} .*\(the page says that it is windows-1252\)$"):
        read(head + LATIN, media_type=None, uri="a.html")
    assert "caf\ufffd" in read(head + LATIN + b" " * 20, media_type=None, uri="a.html", errors="replace").text


def test_an_xml_declaration_says_a_charset_too() -> None:
    with pytest.raises(UnreadableDocument, match="says that it is ISO-8859-1"):
        read(b"<?xml version='1.0' encoding='ISO-8859-1'?>" + LATIN, media_type="application/xhtml+xml", uri="a")


@pytest.mark.parametrize("head", [b"", b"<meta charset=utf-8>", b"<p>charset=windows-1252"])
def test_a_page_that_declares_nothing_else_is_refused_as_any_document_is(head: bytes) -> None:
    with pytest.raises(UnreadableDocument, match=r"save it as UTF-8$"):
        read(head + LATIN, media_type=None, uri="a.html")


@pytest.mark.parametrize("declared", ["windows-1252", "utf-16", "made-up"])
def test_a_page_that_is_utf8_is_read_whatever_it_declares(declared: str) -> None:
    document = read(f"<meta charset={declared}><p>café 漢".encode(), media_type=None, uri="a.html")
    assert document.text == "café 漢\n"


def test_a_page_with_a_bom_is_read_by_it() -> None:
    assert read("\ufeff<p>café".encode("utf-16-le"), media_type=None, uri="a.html").text == "café\n"


def test_stored_text_is_read_again_by_its_own_media_type() -> None:
    """A version that came in when a page was still plain text keeps its places."""
    stored = read_text("\ufeff<p>a", media_type="text/html", uri="a.html")
    assert [(block.text, block.end) for block in stored.blocks] == [("\ufeff<p>a", 7)]


def test_a_binary_file_with_a_markdown_name_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match=r"picture\.md: byte 8 is NUL"):
        read(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", media_type="text/markdown", uri="picture.md")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj", "a PDF"),
        (b"PK\x03\x04\x14\x00word/document.xml", "Office"),
        (rb"{\rtf1\ansi Hello}", "rich text"),
    ],
)
@pytest.mark.parametrize("media_type", [None, "text/markdown", "application/pdf"])
def test_what_its_programs_alone_can_read_is_refused_with_what_to_do(data, what, media_type):
    with pytest.raises(UnreadableDocument, match=rf"handbook\.docx: this is .*{what}.*exported as Markdown"):
        read(data, media_type=media_type, uri="handbook.docx")
