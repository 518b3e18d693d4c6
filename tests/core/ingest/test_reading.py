"""Which reader a document gets, and what it is called."""

import pytest

from core.errors import UnreadableDocument
from core.ingest.reading import read

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


def test_a_binary_file_with_a_markdown_name_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match=r"picture\.md: byte 8 is NUL"):
        read(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", media_type="text/markdown", uri="picture.md")
