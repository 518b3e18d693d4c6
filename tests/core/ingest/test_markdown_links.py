"""Links are found with their targets as written, in the block that holds them."""

import pytest

from core.ingest.reading import read


def links(text: str) -> list[tuple[str, str]]:
    document = read(text.encode(), media_type="text/markdown", uri="a.md")
    return [(link.target, document.blocks[link.block].text) for link in document.links]


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("[the (old) one](https://en.example/Leave_(policy)_v2) b", ["https://en.example/Leave_(policy)_v2"]),
        ("[a [nested] one](<https://ex.example/a b>)", ["https://ex.example/a b"]),
        ("[a](b.md 'title (x)') [c](../d.md#e)", ["b.md", "../d.md#e"]),
        ("[T][Tbl], [tbl][] and [TBL]\n\n[tbl]: https://ex.example/t(1)\n  'T'", ["https://ex.example/t(1)"] * 3),
        ("<https://ex.example/> <me@ex.example>", ["https://ex.example/", "mailto:me@ex.example"]),
        (
            "Bare https://ex.example/path_(x), and (http://ex.example/y).",
            ["https://ex.example/path_(x)", "http://ex.example/y"],
        ),
        ("**https://ex.example/z**!", ["https://ex.example/z"]),
        ("[a](/ü?q=1&x=%20)", ["/ü?q=1&x=%20"]),
        ("[![alt](i.png)](page.md)", ["page.md"]),
        ("[https://shown.example](https://meant.example)", ["https://meant.example"]),
        ("a <b>[c](d)</b>", ["d"]),
    ],
)
def test_targets_are_resolved_and_left_as_written(text: str, targets: list[str]) -> None:
    assert [target for target, _ in links(text)] == targets


@pytest.mark.parametrize(
    "text",
    [
        "[x] (y)",
        "\\[no\\](no)",
        "`[a](b)` `https://a.example`",
        "    [a](b)",
        "```\n[a](b) https://a.example\n```",
        "![alt](image.png)",
        "[javascript](javascript:alert(1)) [vb](vbscript:x) [data](data:text/html,x)",
        "[a][missing]",
        "[empty]()",
        "[^1]: word\n\nsee [^1]",
        '<a href="https://a.example">b</a>',
    ],
)
def test_what_is_no_link_or_could_run_is_none(text: str) -> None:
    assert links(text) == []


def test_a_link_belongs_to_its_own_block() -> None:
    text = "# H [a](1)\n\np [b](2)\n\n- i [c](3)\n\n  j [d](4)\n  - k [e](5)\n\n> q\n> [f](6)\n\n"
    text += "| [g](7) |\n|--|\n| [h](8\\|9) |\n"
    assert links(text) == [
        ("1", "H [a](1)"),
        ("2", "p [b](2)"),
        ("3", "i [c](3)\n\n  j [d](4)"),
        ("4", "i [c](3)\n\n  j [d](4)"),
        ("5", "k [e](5)"),
        ("6", "q\n> [f](6)"),
        ("7", "| [g](7) |"),
        ("8|9", "| [h](8\\|9) |"),
    ]


def test_links_on_both_sides_of_a_comment_belong_to_their_sides() -> None:
    assert links("é [a](1) <!-- x --> [b](2)") == [("1", "é [a](1)"), ("2", "[b](2)")]


def test_links_of_a_split_paragraph_belong_to_the_pieces() -> None:
    text = "[a](1) " + "word " * 2000 + "[b](2)"
    assert [(target, len(block) < 5000) for target, block in links(text)] == [("1", True), ("2", True)]
    assert links(text)[0][1] != links(text)[1][1]
