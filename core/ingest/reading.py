"""Bytes to a Document. Adding a format is one line in `_READERS`, and one a file extension in `_EXTENSIONS`."""

from typing import Protocol

from core.ingest.canonical import Errors, decode
from core.ingest.markdown import read_markdown
from core.ingest.plain import read_other, read_plain
from core.model.documents import Document


class Reader(Protocol):
    def __call__(self, text: str, *, media_type: str, file_name: str) -> Document: ...


_READERS: dict[str, Reader] = {
    "text/markdown": read_markdown,
    "text/x-markdown": read_markdown,
    "text/plain": read_plain,
}
_EXTENSIONS = {"md": "text/markdown", "markdown": "text/markdown", "mdown": "text/markdown", "mkd": "text/markdown"}


def read(data: bytes, *, media_type: str | None, uri: str, errors: Errors = "strict") -> Document:
    """Read a document by its media type, else by the extension of its uri, else as plain text.

    Raises UnreadableDocument naming the document and the byte; `errors="replace"` reads U+FFFD for invalid bytes.
    """
    text = decode(data, uri=uri, errors=errors)
    file_name = _file_name(uri)
    known = _essence(media_type) or _EXTENSIONS.get(file_name.rpartition(".")[2].lower(), "text/plain")
    return _READERS.get(known, read_other)(text, media_type=known, file_name=file_name)


def _essence(media_type: str | None) -> str:
    return (media_type or "").partition(";")[0].strip().lower()


def _file_name(uri: str) -> str:
    """The last part of a path or URL, without query and fragment."""
    path = uri.partition("#")[0].partition("?")[0] if "://" in uri else uri.replace("\\", "/")
    return path.rstrip("/").rpartition("/")[2] or uri
