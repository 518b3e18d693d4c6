"""Bytes to canonical text: decoded, LF newlines, no BOM, no NUL, nothing else touched."""

import codecs
from typing import Literal

from core.errors import UnreadableDocument

Errors = Literal["strict", "replace"]

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_MOST_REPLACED = 0.3
"""With more of its characters undecodable than this, a file is no text with a few bad bytes in it."""


_NO_TEXT = {b"%PDF-": "a PDF", b"PK\x03\x04": "an archive, as Office files are", b"{\\rtf": "a rich text file"}


def decode(data: bytes, *, uri: str, errors: Errors = "strict") -> str:
    """The canonical text of a document. Raises UnreadableDocument naming the document and the byte."""
    for beginning, what in _NO_TEXT.items():
        if data.startswith(beginning):
            raise UnreadableDocument(
                f"{uri}: this is {what}; hand in its text, exported as Markdown, HTML or plain text"
            )
    bom, encoding = next(((bom, name) for bom, name in _BOMS if data.startswith(bom)), (b"", "utf-8"))
    _refuse_nul(data, bom, encoding, uri)
    try:
        text = data[len(bom) :].decode(encoding)
    except UnicodeDecodeError as error:
        if errors == "strict":
            raise _undecodable(data, len(bom) + error.start, encoding, uri) from error
        text = _replaced(data[len(bom) :], len(bom) + error.start, encoding, uri)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _refuse_nul(data: bytes, bom: bytes, encoding: str, uri: str) -> None:
    width = 1 if encoding == "utf-8" else 2
    at = data.find(bytes(width), len(bom))
    while at >= 0 and (at - len(bom)) % width:
        at = data.find(bytes(width), at + 1)
    if at >= 0:
        raise UnreadableDocument(f"{uri}: byte {at} is NUL, so this is a binary file; hand in text")


def _undecodable(data: bytes, at: int, encoding: str, uri: str) -> UnreadableDocument:
    found = f"byte {at} (0x{data[at]:02x}) is not valid {encoding.upper()}"
    return UnreadableDocument(f"{uri}: {found}; save it as UTF-8")


def _replaced(data: bytes, at: int, encoding: str, uri: str) -> str:
    text = data.decode(encoding, "replace")
    if text.count("\ufffd") > _MOST_REPLACED * len(text):
        raise UnreadableDocument(f"{uri}: from byte {at} on most of this is not {encoding.upper()} text; hand in text")
    return text
