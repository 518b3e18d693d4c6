"""Plain text and other text: runs of lines that are not blank, at LF alone."""

import pytest

from core.ingest.reading import read
from core.model.spans import Kind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t\n\u00a0 \n", []),
        ("a", ["a"]),
        ("a\nb\n\n\nc\n", ["a\nb", "c"]),
        ("\n\n  a\n \t\n  b  \n", ["a", "b"]),
        ("a\r\rb: limit is 29\r", ["a", "b: limit is 29"]),
        ("a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\nlast", ["a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\nlast"]),
        ("# no heading\n- no item\n<!-- no comment -->\n>", ["# no heading\n- no item\n<!-- no comment -->\n>"]),
        (">", [">"]),
    ],
)
def test_blank_lines_set_paragraphs_apart(text: str, expected: list[str]) -> None:
    document = read(text.encode(), media_type="text/plain", uri="a.txt")
    assert [block.text for block in document.blocks] == expected
    assert {block.kind for block in document.blocks} <= {Kind.PARAGRAPH}


def test_text_of_another_kind_is_body() -> None:
    document = read(b"a = 1\n\nb = 2\n", media_type="text/x-config", uri="a.conf")
    assert [(block.kind, block.text) for block in document.blocks] == [(Kind.BODY, "a = 1"), (Kind.BODY, "b = 2")]
