"""Small inputs of every odd kind: each is read as it should be, or refused by name and byte."""

from dataclasses import dataclass
from uuid import UUID

import pytest

from core.errors import UnreadableDocument
from core.ingest.layout import layout
from core.ingest.reading import read
from core.ingest.splitting import MAX_TOKENS
from core.ingest.units import units
from core.jsonhash import keyed_hash
from core.model.documents import Document
from core.model.spans import Kind
from core.text.fold import fold

SOURCE = UUID(int=7)


@dataclass(frozen=True)
class Odd:
    """`within`: words that lie in one block each. `never`: words that lie in none."""

    text: str
    within: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    name: str = "odd.md"


ODD = {
    "no spaces between sentences": Odd(
        "# 旅費\n\n上限は１０万円です。宿泊は別です。\n", ("上限は１０万円です。",), ("旅費",)
    ),
    "right to left": Odd(
        "# نفقات\n\nالحد ١٥ يورو.\n\nמותר \u202e24\u202c ימים\n", ("الحد ١٥ يورو.", "\u202e24\u202c"), ("نفقات",)
    ),
    "emoji and marks": Odd(
        "# 🧑🏽\u200d🚒 crew\n\ncafe\u0301 and café, 🇨🇭 3\ufe0f\u20e3\n",
        ("cafe\u0301 and café",),
        ("🧑🏽\u200d🚒 crew",),
    ),
    "escaped pipes": Odd(
        "# T\n\n| Cap | Sum |\n|--|--|\n| Taxi | €9 | x \\| y |\n", ("| Taxi | €9 | x \\| y |",), ("T",)
    ),
    "no outer pipes": Odd("Who | Days\n--|--\nBo | 12\n", ("Bo | 12",)),
    "nested items": Odd(
        "# Go\n\n1. Bring *a* card\n\n   and a pen\n   - the cap is 9\n\n10) no fact\n",
        ("a* card\n\n   and a pen", "the cap is 9"),
        ("Go",),
    ),
    "YAML front matter": Odd(
        "---\nnote: |\n  # no heading\n---\n# Pay\n\nPaid on day 25.\n\n---\n\nend\n",
        ("Paid on day 25.", "end"),
        ("Pay",),
        ("no heading",),
    ),
    "TOML front matter": Odd(
        "+++\nday = 2023-02-31\n+++\n# Pay\n\nWithin 2 hours.\n", ("Within 2 hours.",), ("Pay",), ("2023",)
    ),
    "front matter that is none": Odd("---\nkept\n\n# Pay\n\nAfter 8 days.\n", ("kept", "After 8 days."), ("Pay",)),
    "HTML in Markdown": Odd(
        "<!--\n# gone\n\n7777\n-->\n\n<pre>\n# shown, no heading\n</pre>\n\n<div><b>Room 12\n\n# Pay\n",
        ("Room 12", "# shown"),
        ("Pay",),
        ("gone", "7777"),
    ),
    "CRLF": Odd("# Pay\r\n\r\nOn\r\nFriday\r\n", ("On\nFriday",), ("Pay",)),
    "CR alone": Odd("the cap\r\ris 29\r", ("the cap", "is 29"), name="odd.txt"),
    "odd newlines": Odd(
        "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\n\ncap 42",
        ("a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g", "cap 42"),
        name="odd.txt",
    ),
    "BOM": Odd("\ufeff# Pay\n\nIt is 12.\n", ("It is 12.",), ("Pay",)),
    "long line": Odd("word " * 20_000 + "the cap is 15 " + "word " * 20_000, ("the cap is 15",), name="odd.txt"),
    "fences": Odd(
        "````\n# a\n```\n# b\n````\n\n# Pay\n\n> ```\n> # c\n\n~~~\n# d\ncap 8\n", ("# a\n```\n# b", "cap 8"), ("Pay",)
    ),
    "links": Odd(
        "# Pay\n\nSee [an (old) one](http://a.example/x_(y)_v2). It is 17.\n\n[r]: http://b.ch/99\n\n[^n]: A note.\n",
        ("x_(y)_v2). It is 17.", "A note."),
        ("Pay",),
        ("99",),
    ),
    "empty": Odd(""),
    "white space alone": Odd(" \n\t\n\u00a0\n"),
    "headings and none": Odd(
        "One\n===\n\n   ## Two ##\n\n#Three\n\n####### Four\n\n\\# Five\n\n    # Six\n\n## Two\n\nA.\n",
        ("A.", "#Three", "# Six"),
        ("One", "Two", "Two"),
    ),
    "no final newline": Odd("# End\n\nthe last is 22", ("the last is 22",), ("End",)),
    "equal sentences": Odd("# A\n\nAsk Bo.\n\nAsk Bo.\n\n# B\n\nAsk Bo.\n", ("Ask Bo.",), ("A", "B")),
    "numbers": Odd(
        "# N\n\nVersion 3.1.4 at 10.0.0.9 costs 4.700,00 or 4,700.\n",
        ("Version 3.1.4 at 10.0.0.9 costs 4.700,00 or 4,700.",),
        ("N",),
    ),
    "invisible characters": Odd(
        "# I\u200bn\n\nli\u00admit\u200b is\ufeff 5\x1b[31m\n", ("li\u00admit\u200b is\ufeff 5\x1b[31m",), ("I\u200bn",)
    ),
    "words for a chat": Odd(
        "# N\n\n<!channel> <at>all</at> ${x} '); DROP TABLE a; -- cap 26\n",
        ("<at>all</at> ${x} '); DROP TABLE a; -- cap 26",),
        ("N",),
    ),
    "deep nesting": Odd("# D\n\n" + "> - " * 5000 + "cap 27\n\n" + "[" * 5000 + "\n", ("cap 27",), ("D",)),
    "template tags": Odd('Ask {% channel "pay" %}. Cap is 28 {{ site.x }}\n', ('{% channel "pay" %}. Cap is 28',)),
    "a page": Odd(
        "<title>no</title><h1>Pay</h1><p>On <b>day</b> 25.<script>no</script>",
        ("On day 25.",),
        ("Pay",),
        ("no",),
        "odd.html",
    ),
    "a table": Odd('City,"Cap, EUR"\n"Bern\nOst",9\n', ('"Bern\nOst",9',), name="odd.csv"),
    "code": Odd("a = 1\n\n# b\nc = 2\n", ("# b\nc = 2",), name="odd.py"),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_each_odd_kind_is_read_as_it_should_be(odd: Odd) -> None:
    document = read(odd.text.encode(), media_type=None, uri=odd.name)
    assert tuple(block.path[-1] for block in document.blocks if block.kind is Kind.HEADING) == odd.headings
    for words in odd.within:
        assert any(words in block.text for block in document.blocks), words
    assert not [words for words in odd.never for block in document.blocks if words in block.text]
    assert_exact(document)


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_the_same_input_gives_the_same_spans_and_ids(odd: Odd) -> None:
    one, other = (read(odd.text.encode(), media_type=None, uri=odd.name) for _ in range(2))
    assert one == other
    assert ids(one) == ids(other)
    assert len(set(ids(one))) == len(ids(one))


def assert_exact(document: Document) -> None:
    raw, last = document.text.encode(), 0
    for block in document.blocks:
        assert raw[block.start : block.end].decode() == block.text
        assert last <= block.start < block.end
        assert len(block.text) <= 4 * MAX_TOKENS
        last = block.end


def ids(document: Document) -> list[object]:
    return [node.node_id for node in layout(document, SOURCE, lambda text: keyed_hash(b"k" * 32, text)).nodes]


@pytest.mark.parametrize(
    ("data", "name", "at"),
    [
        (b"a fact\n\x00 more", "nul.txt", 7),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff", "picture.png.md", 8),
        ("without a BOM".encode("utf-16-le"), "wide.txt", 1),
        (b"the first line\n\xff bad\n", "bytes.txt", 15),
        (b"<p>a\x00b", "nul.html", 4),
        (b"a,b\n1,\xe9\n", "latin.csv", 6),
    ],
)
def test_what_is_no_text_is_refused_by_name_and_byte(data: bytes, name: str, at: int) -> None:
    with pytest.raises(UnreadableDocument, match=rf"^{name}: byte {at} "):
        read(data, media_type=None, uri=name)


def test_the_good_lines_of_bad_bytes_can_be_kept() -> None:
    document = read(b"cap is 20\n\n\xff bad\n", media_type=None, uri="a.txt", errors="replace")
    assert [block.text for block in document.blocks] == ["cap is 20", "\ufffd bad"]


def test_utf16_is_read_by_its_bom() -> None:
    document = read("\ufeffcap is 13".encode("utf-16-le"), media_type=None, uri="a.txt")
    assert [block.text for block in document.blocks] == ["cap is 13"]


@pytest.mark.parametrize(("one", "other"), [("CRLF", "\n"), ("BOM", ""), ("no final newline", "\n")])
def test_newlines_and_a_bom_change_no_unit(one: str, other: str) -> None:
    text = ODD[one].text
    twin = text.replace("\r\n", "\n").removeprefix("\ufeff") + other
    assert [(u.key, u.context) for u in units(read(text.encode(), media_type=None, uri="a.md"))] == [
        (u.key, u.context) for u in units(read(twin.encode(), media_type=None, uri="a.md"))
    ]


def test_the_folded_words_of_odd_scripts_compare() -> None:
    assert fold("３，５００") == fold("3,500")
    assert fold("٢٥") == "25"
    assert fold("li\u00admit\u200b") == "limit"
    assert fold("cafe\u0301") == fold("café")
    assert fold("Раy") != fold("Pay")
