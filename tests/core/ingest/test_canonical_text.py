"""Bytes to canonical text: what is dropped, what is refused and what is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UnreadableDocument
from core.ingest.canonical import decode


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"\xef\xbb\xbfa", "a"),
        (b"\xef\xbb\xbf\xef\xbb\xbfa", "\ufeffa"),
        ("\ufeffLéa 漢".encode("utf-16-le"), "Léa 漢"),
        ("\ufeffLéa 漢".encode("utf-16-be"), "Léa 漢"),
        (b"a\r\nb\rc\n\r\nd", "a\nb\nc\n\nd"),
        ("a\x0b\x0c\x1c\x85\u2028\u2029b".encode(), "a\x0b\x0c\x1c\x85\u2028\u2029b"),
        ("e\u0301 \u200b\u202e\x1b[31m".encode(), "e\u0301 \u200b\u202e\x1b[31m"),
    ],
)
def test_only_the_bom_and_newlines_change(data: bytes, text: str) -> None:
    assert decode(data, uri="a.txt") == text


@pytest.mark.parametrize(
    ("data", "at"),
    [
        (b"ok\n\xff", 3),
        (b"\xef\xbb\xbfok \xe9", 6),
        (b"caf\xe9 latin", 3),
        (b"overlong \xc0\xaf", 9),
        (b"surrogate \xed\xa0\x80", 10),
        (b"cut \xe2\x82", 4),
        ("\ufeffab".encode("utf-16-le") + b"\x00", 6),
        ("\ufeffa".encode("utf-16-le") + b"\x00\xd8b\x00", 4),
    ],
)
def test_an_invalid_byte_is_refused_with_document_and_offset(data: bytes, at: int) -> None:
    with pytest.raises(UnreadableDocument, match=rf"^notes\.txt: byte {at} \("):
        decode(data, uri="notes.txt")


def test_replace_reads_the_good_lines_and_marks_the_bad_bytes() -> None:
    assert decode(b"limit is 20\n\xff bad\n", uri="a", errors="replace") == "limit is 20\n\ufffd bad\n"


@pytest.mark.parametrize("errors", ["strict", "replace"])
@pytest.mark.parametrize(
    ("data", "at"),
    [
        (b"a\x00b", 1),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", 8),
        (b"\xef\xbb\xbfa\x00", 4),
        ("\ufeffa\0b".encode("utf-16-le"), 4),
        ("\ufeff\u0100\u0001\0".encode("utf-16-be"), 6),
        ("\ufeffa".encode("utf-32-le"), 2),
    ],
)
def test_nul_is_refused_with_its_offset_whatever_is_asked(data: bytes, at: int, errors: str) -> None:
    with pytest.raises(UnreadableDocument, match=rf"^a\.md: byte {at} is NUL"):
        decode(data, uri="a.md", errors=errors)  # type: ignore[arg-type]


def test_utf16_halves_that_are_zero_are_no_nul() -> None:
    assert decode("\ufeff\u0100\u0001".encode("utf-16-le"), uri="a") == "\u0100\u0001"


def test_what_is_mostly_undecodable_is_refused_even_with_replace() -> None:
    with pytest.raises(UnreadableDocument, match=r"a\.bin: from byte 0 on"):
        decode(bytes(range(128, 256)) * 3, uri="a.bin", errors="replace")


@given(st.text().map(lambda text: text.replace("\0", "")))
def test_canonical_text_is_its_own_canonical_text(text: str) -> None:
    once = decode(text.encode("utf-8"), uri="a")
    assert decode(once.removeprefix("\ufeff").encode(), uri="a") == once.removeprefix("\ufeff")
    assert "\r" not in once
