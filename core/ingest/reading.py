"""Bytes to a Document. A format is a line in `_READERS`, and one a file extension in `_EXTENSIONS`.

The media type decides; without one the extension; and where that says nothing, text that begins as a page of HTML does
(a doctype, or one of its first elements, comments aside) is one, and any other is plain. What is no text is refused by
its bytes, whatever it is called. HTML becomes Markdown first: the media type of a Document is that of its text.
"""

import re
from html import escape
from typing import Protocol

from core.errors import UnreadableDocument
from core.ingest.canonical import Errors, decode
from core.ingest.html import page_markdown
from core.ingest.markdown import read_markdown
from core.ingest.plain import read_other, read_plain
from core.ingest.tables import TSV, read_table
from core.model.documents import Document


class Reader(Protocol):
    def __call__(self, text: str, *, media_type: str, file_name: str) -> Document: ...


MARKDOWN, PLAIN, CSV, HTML, XHTML = "text/markdown", "text/plain", "text/csv", "text/html", "application/xhtml+xml"
_READERS: dict[str, Reader] = {
    MARKDOWN: read_markdown,
    "text/x-markdown": read_markdown,
    PLAIN: read_plain,
    CSV: read_table,
    "application/csv": read_table,
    TSV: read_table,
}
_CODE = """
    bash bat c cc cfg conf cpp cs css go h hpp ini java js json jsx kt lua php pl ps1 py r rb rs scala sh sql swift tf
    toml ts tsx xml yaml yml
"""
_EXTENSIONS = {
    **dict.fromkeys(("md", "markdown", "mdown", "mkd"), MARKDOWN),
    **dict.fromkeys(("txt", "text", "log"), PLAIN),
    **dict.fromkeys(("html", "htm"), HTML),
    "xhtml": XHTML,
    "csv": CSV,
    **dict.fromkeys(("tsv", "tab"), TSV),
    **dict.fromkeys(_CODE.split(), "text/x-code"),
}
_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?+\s*+(?:<(?:\?[^>]*+|!--(?:[^-]|-(?!->))*+--)>\s*+)*+<(?:!doctype\s++html|html|head|body)\b",
    re.IGNORECASE,
)
_CHARSET = re.compile(rb"<(?:meta|\?xml)\b[^>]*?\b(?:charset|encoding)\s*+=\s*+[\"']?+\s*+([\w.:-]++)", re.IGNORECASE)
_CHARACTER_DATA = re.compile(r"<!\[CDATA\[((?:[^\]]|\](?!\]>))*+)(?:\]\]>|\Z)")
"""Text in XHTML, and a comment in HTML."""
_HEAD = 1024
"""Bytes in which a page says what it is."""


def read(data: bytes, *, media_type: str | None, uri: str, errors: Errors = "strict") -> Document:
    """Read a document.

    Raises UnreadableDocument naming the document and the byte; `errors="replace"` reads U+FFFD for invalid bytes.
    """
    text, known = canonical(data, media_type=media_type, uri=uri, errors=errors)
    return read_text(text, media_type=known, uri=uri)


def read_text(text: str, *, media_type: str, uri: str) -> Document:
    """Read canonical text, by its own media type: what was stored is read again as it was when it came in."""
    return _READERS.get(media_type, read_other)(text, media_type=media_type, file_name=_file_name(uri))


def canonical(data: bytes, *, media_type: str | None, uri: str, errors: Errors = "strict") -> tuple[str, str]:
    """The canonical text of a document and its media type. Raises UnreadableDocument."""
    known = _essence(media_type) or _EXTENSIONS.get(_extension(uri)) or (HTML if _PAGE.match(data[:_HEAD]) else PLAIN)
    if known not in {HTML, XHTML}:
        return decode(data, uri=uri, errors=errors), known
    try:
        text = decode(data, uri=uri, errors=errors)
        return page_markdown(_CHARACTER_DATA.sub(_escaped, text) if known == XHTML else text), MARKDOWN
    except UnreadableDocument as error:
        declared = _CHARSET.search(data[:_HEAD])
        if declared is None or declared[1].lower() in {b"utf-8", b"utf8"}:
            raise
        raise UnreadableDocument(f"{error} (the page says that it is {declared[1].decode('latin-1')})") from error


def _escaped(found: re.Match[str]) -> str:
    return escape(found[1], quote=False)


def _essence(media_type: str | None) -> str:
    return (media_type or "").partition(";")[0].strip().lower()


def _extension(uri: str) -> str:
    return _file_name(uri).rpartition(".")[2].lower()


def _file_name(uri: str) -> str:
    """The last part of a path or URL, without query and fragment."""
    path = uri.partition("#")[0].partition("?")[0] if "://" in uri else uri.replace("\\", "/")
    return path.rstrip("/").rpartition("/")[2] or uri
