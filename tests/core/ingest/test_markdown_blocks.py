"""Markdown to blocks: kinds, places, paths and the context each block carries."""

import pytest

from core.ingest.reading import read
from core.model.documents import Block, Document
from core.model.spans import Kind


def markdown(text: str) -> Document:
    return read(text.encode(), media_type="text/markdown", uri="team/leave.md")


def blocks(text: str) -> list[tuple[str, str]]:
    return [(block.kind.value, block.text) for block in markdown(text).blocks]


def block(document: Document, words: str) -> Block:
    return next(each for each in document.blocks if words in each.text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\nb\nc\n", [("heading", "A"), ("paragraph", "b\nc")]),
        ("A\nB\n---\nc", [("heading", "A\nB"), ("paragraph", "c")]),
        ("### Closed ###\n   # Three\n", [("heading", "Closed"), ("heading", "Three")]),
        (
            "#No\n\n####### seven\n\n\\# esc",
            [("paragraph", "#No"), ("paragraph", "####### seven"), ("paragraph", "\\# esc")],
        ),
        ("    # code\n    more\n", [("code", "# code\n    more")]),
        ("```sh\n# a\n\n b\n```\nc", [("code", "# a\n\n b"), ("paragraph", "c")]),
        ("~~~~\n```\na\n~~~\nb\n~~~~\n", [("code", "```\na\n~~~\nb")]),
        ("> ```\n> a\n\nb", [("code", "a"), ("paragraph", "b")]),
        ("```\nnever closed\n# a", [("code", "never closed\n# a")]),
        ("```\n```\n\n#\n\n***\n\n-\n\n>\n", []),
        ("- a\n- b\n", [("paragraph", "a"), ("paragraph", "b")]),
        ("- a\n\n  b\n  c\n", [("paragraph", "a\n\n  b\n  c")]),
        ("- a\n  - b\n\n  c\n", [("paragraph", "a"), ("paragraph", "b"), ("paragraph", "c")]),
        ("1) a\n10) ten\n", [("paragraph", "a"), ("paragraph", "ten")]),
        ("- [ ] open\n- [x] done\n", [("paragraph", "[ ] open"), ("paragraph", "[x] done")]),
        ("> a\n> b\n\n> c", [("paragraph", "a\n> b"), ("paragraph", "c")]),
        ("- # not the outline\n\n  b", [("paragraph", "not the outline\n\n  b")]),
        ("<div>\na\n</div>\n", [("body", "<div>\na\n</div>")]),
        ("a [x] b\n\n[x]: http://y 'T 99'\n", [("paragraph", "a [x] b")]),
        ("- a\n\n  [x]: http://y\n\n  b\n", [("paragraph", "a"), ("paragraph", "b")]),
        ("[^1]: The limit.\n[^2]: five", [("paragraph", "[^1]: The limit.\n[^2]: five")]),
        ("[^1]: five", [("paragraph", "[^1]: five")]),
        ("\u00a0\n\t\n", []),
        ("a\x0bb\x85c\u2028d\n", [("paragraph", "a\x0bb\x85c\u2028d")]),
    ],
)
def test_each_construct_becomes_blocks(text: str, expected: list[tuple[str, str]]) -> None:
    assert blocks(text) == expected


def test_a_row_is_one_cell_with_the_header_row_as_context() -> None:
    document = markdown("| Item | Limit |\n|:--|--:|\n| Laptop | $1,500 \\| a |\n| `x|y` | 6 | 7 | 8 |\n\nafter")
    assert [(b.kind, b.text, b.header) for b in document.blocks] == [
        (Kind.CELL, "| Item | Limit |", ""),
        (Kind.CELL, "| Laptop | $1,500 \\| a |", "Item | Limit"),
        (Kind.CELL, "| `x|y` | 6 | 7 | 8 |", "Item | Limit"),
        (Kind.PARAGRAPH, "after", ""),
    ]


@pytest.mark.parametrize("prefix", ["", "> ", "  ", "> > "])
def test_a_table_without_outer_pipes_is_a_table_wherever_it_stands(prefix: str) -> None:
    text = "\n".join(prefix + line for line in ("Name | Days", "--- | ---", "Anna | 30"))
    assert blocks(text) == [("cell", "Name | Days"), ("cell", "Anna | 30")]


def test_a_table_in_an_item_is_led_by_the_item() -> None:
    document = markdown("- Limits\n\n  | 1 | 2 |\n  |---|---|\n  | 3 | 4 |\n")
    assert [(b.text, b.header, b.lead) for b in document.blocks[1:]] == [
        ("| 1 | 2 |", "", ("Limits",)),
        ("| 3 | 4 |", "1 | 2", ("Limits",)),
    ]


def test_pipes_without_a_delimiter_row_are_a_paragraph() -> None:
    assert blocks("| not | a table\nno row | really") == [("paragraph", "| not | a table\nno row | really")]


def test_an_item_carries_the_paragraph_before_the_list_and_its_parents_words() -> None:
    document = markdown("**Day** one\n\n- Get the badge\n\n  today\n  - Room 3100\n    1. Bring IDs\n- Laptop\n")
    assert block(document, "badge").lead == ("Day one",)
    assert block(document, "3100").lead == ("Day one", "Get the badge today")
    assert block(document, "IDs").lead == ("Day one", "Get the badge today", "Room 3100")
    assert block(document, "Laptop").lead == ("Day one",)


def test_what_follows_a_nested_list_in_an_item_is_led_by_the_item() -> None:
    assert block(markdown("- Laptop\n  - Mac\n\n  at most 5\n"), "at most").lead == ("Laptop",)


def test_code_in_an_item_is_led_by_the_item() -> None:
    assert block(markdown("- Run\n\n  ```\n  make\n  ```\n"), "make").lead == ("Run",)


@pytest.mark.parametrize(
    "between", ["# Heading\n\n", "---\n\n", "```\ncode\n```\n\n", "> quote\n\n", "| a |\n|--|\n\n", "<div>x</div>\n\n"]
)
def test_a_list_is_led_only_by_what_stands_directly_before_it(between: str) -> None:
    assert block(markdown(f"Before\n\n{between}- item"), "item").lead == ()


@pytest.mark.parametrize("between", ["", "<!-- note -->\n\n", "[x]: http://y\n\n"])
def test_what_nobody_sees_does_not_come_between_a_list_and_its_lead(between: str) -> None:
    assert block(markdown(f"Before\n\n{between}- item"), "item").lead == ("Before",)


def test_a_second_list_has_no_lead_of_its_own() -> None:
    assert block(markdown("Before\n\n- first\n\n3) second"), "second").lead == ()


@pytest.mark.parametrize(
    ("follows", "words"),
    [("> quoted", "quoted"), ("next", "next"), ("```\ncode\n```", "code"), ("| a |\n|--|\n| b |", "b")],
)
def test_a_colon_leads_what_comes_directly_after_it(follows: str, words: str) -> None:
    assert block(markdown(f"The *limits*:\n\n{follows}"), words).lead == ("The limits:",)
    assert block(markdown(f"The limits\n\n{follows}"), words).lead == ()
    assert block(markdown(f"The limits:\n\n---\n\n{follows}"), words).lead == ()


def test_the_lead_of_a_quote_leads_all_of_it() -> None:
    document = markdown("They wrote：\n\n> a\n>\n> b\n\nc")
    assert [b.lead for b in document.blocks] == [(), ("They wrote：",), ("They wrote：",), ()]


def test_a_page_long_context_is_not_copied_to_every_block() -> None:
    document = markdown("# " + "t" * 5000 + "\n\n" + "l" * 5000 + "\n\n- item\n\n| " + "h" * 5000 + " |\n|--|\n| row |")
    item, row = block(document, "item"), block(document, "row")
    assert [len(item.path[0]), len(item.lead[0]), len(row.header)] == [1000, 1000, 1000]


@pytest.mark.parametrize("marker", ["- ", "> ", "1. "])
@pytest.mark.parametrize("depth", [5, 35, 70, 1000])
def test_nothing_is_lost_however_deep_it_is_nested(marker: str, depth: int) -> None:
    document = markdown("# Deep\n\n" + marker * depth + "limit is 27\n\n# After\n\nend")
    assert "limit is 27" in document.blocks[1].text
    assert [b.text for b in document.blocks[-2:]] == ["After", "end"]


def test_a_list_sixty_levels_deep_keeps_its_words_in_order() -> None:
    text = "".join("  " * i + f"- l{i}.\n" for i in range(60))
    document = markdown(text + "\n# After\n")
    joined = " ".join(b.text for b in document.blocks)
    assert [word for word in joined.split() if word.startswith("l")] == [f"l{i}." for i in range(60)]
    assert document.blocks[-1].kind is Kind.HEADING


def test_template_tags_are_text() -> None:
    assert blocks('Ask in {% channel "t" %}. {{ x }}') == [("paragraph", 'Ask in {% channel "t" %}. {{ x }}')]
