"""CSV and TSV: one span a row, at its place, said in the words of its header."""

from uuid import UUID

import pytest

from core.ingest.layout import Wanted, layout
from core.ingest.lineage import trace
from core.ingest.reading import read
from core.ingest.splitting import fits
from core.ingest.tables import delimiter_of
from core.jsonhash import keyed_hash
from core.model.documents import Document
from core.model.nodes import PASSAGE
from core.model.spans import Kind
from core.text.rows import spoken

LIMITS = 'City,Limit per night (EUR),Note\nZürich,210,\n"Paris, ""centre""","1,500",two\n'


def table(text: str, name: str = "limits.csv") -> Document:
    return read(text.encode(), media_type=None, uri=name)


def said(text: str, name: str = "limits.csv") -> list[str]:
    return [spoken(block.markup, block.header) for block in table(text, name).blocks]


def texts(text: str) -> list[str]:
    document = table(text)
    raw = document.text.encode()
    assert all(raw[block.start : block.end].decode() == block.text for block in document.blocks)
    return [block.text for block in document.blocks]


def test_a_row_is_one_cell_span_that_is_said_in_the_words_of_its_header() -> None:
    document = table(LIMITS)
    assert [block.text for block in document.blocks] == LIMITS.rstrip("\n").split("\n")
    assert {block.kind for block in document.blocks} == {Kind.CELL}
    assert [block.header for block in document.blocks] == ["", *["City | Limit per night (EUR) | Note"] * 2]
    assert said(LIMITS) == [
        "City | Limit per night (EUR) | Note",
        "Zürich — Limit per night (EUR): 210",
        'Paris, "centre" — Limit per night (EUR): 1,500 · Note: two',
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n \n\n", []),
        ("a,b", ["a,b"]),
        ("a,b\n\n\nc,d\n", ["a,b", "c,d"]),
        ('a,"b\nc\n\nd",e\nf,g,h\n', ['a,"b\nc\n\nd",e', "f,g,h"]),
        ("a,b,c\n1\n2,3,4,5,6\n,,\n", ["a,b,c", "1", "2,3,4,5,6", ",,"]),
        ("\ufeffa,b\r\n1,2\r\n", ["a,b", "1,2"]),
        ("a\x0bb,c\u2028d\x85e\nf,g", ["a\x0bb,c\u2028d\x85e", "f,g"]),
        ('a,b"c\nd"e,f', ['a,b"c', 'd"e,f']),
        ('a,"b\nc,d\ne,f\n', ['a,"b', "c,d", "e,f"]),
        ('"a\nb","c\nd', ['"a', 'b","c', "d"]),
        ('"', ['"']),
    ],
)
def test_rows_stand_where_they_are_written(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1;2\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("Stadt;Limit;Kurs\nA;1,5;2,5\nB;2,5;3,5\n", ";"),
        ("1,5;2,5\n3,5;4,5\n", ";"),
        ('day,hours\nMon,"9-12; 14-18"\nTue,"9-12; 14-18; 19-20"\n', ","),
        ("name,tags\na,x; y\nb,z\nc,v\n", ","),
        ('x;"1,2,3"\ny;"4,5,6"\n', ";"),
        ("City|Limit\nBern|1,5\nBasel|2,5\n", "|"),
        ('name,tags\na,"x|y"\nb,"z|w"\n', ","),
    ],
)
def test_the_delimiter_is_what_cuts_most_rows_alike(text: str, expected: str) -> None:
    assert delimiter_of(text) == expected


@pytest.mark.parametrize("mark", list(";,|^:\t"))
@pytest.mark.parametrize("name", ["x.csv", "x.tsv"])
def test_what_a_spreadsheet_says_of_its_delimiter_is_obeyed_and_no_row(mark: str, name: str) -> None:
    text = (
        "City@Limit@Note\nBern@5@1,5;2\n".replace("@", mark) if mark not in ",;" else f"City{mark}Limit\nBern{mark}5\n"
    )
    document = table(f"\ufeffsep={mark}\r\n{text}", name)
    assert document.text == f"sep={mark}\n{text}"
    assert [block.text for block in document.blocks] == text.rstrip("\n").split("\n")
    assert spoken(document.blocks[1].markup, document.blocks[1].header).startswith("Bern — Limit: 5")


@pytest.mark.parametrize("line", ["sep=", "sep=x", 'sep="', "sep=;;", "a sep=;"])
def test_a_first_line_that_names_no_delimiter_is_a_row(line: str) -> None:
    assert texts(f"{line}\na,b\n1,2\n")[0] == line


def test_a_quote_may_stand_after_a_space() -> None:
    assert said('City, Note\nBern, "a, b"\n"Basel", c\n') == ["City | Note", "Bern — Note: a, b", "Basel — Note: c"]
    story = "He said no, twice. " * 300
    document = table(f'id, story, days\nk7, "{story}", 12\n')
    assert document.blocks[-1].header == "days"
    assert all(block.header == "story" for block in document.blocks[2:-1])


def test_a_tsv_is_cut_at_tabs_alone() -> None:
    assert said("a,b\tc\n1,2\t3\n", "x.tsv") == ["a,b | c", "1,2 — c: 3"]


def test_cells_are_words_and_no_markup() -> None:
    assert said("name,rule\n*all*,<b> & `x`\n# one,a | b\n") == [
        "name | rule",
        "*all* — rule: <b> & `x`",
        "# one — rule: a | b",
    ]


def test_numbers_of_neighbouring_cells_never_become_one() -> None:
    document = table("a,b\n5,100\n")
    assert spoken(document.blocks[1].markup, document.blocks[1].header) == "5 — b: 100"
    assert passages(document)[1].recall_text == "limits.csv\na | b\n5 | 100"


def passages(document: Document) -> list[Wanted]:
    nodes = layout(document, UUID(int=7), lambda text: keyed_hash(b"k" * 32, text)).nodes
    return [node for node in nodes if node.label == PASSAGE]


def test_another_delimiter_or_other_quotes_change_no_id_and_no_key() -> None:
    twin = table('City;Limit per night (EUR);Note\n"Zürich";210;\n"Paris, ""centre""";1,500;"two"\n')
    assert [(node.node_id, node.key) for node in passages(twin)] == [
        (node.node_id, node.key) for node in passages(table(LIMITS))
    ]


def test_a_table_without_a_header_has_none() -> None:
    assert [block.header for block in table("Anna,210\nBob,180\n").blocks] == ["", ""]


def test_titles_above_the_header_are_rows_of_their_own() -> None:
    document = table("Limits of 2024\n\nCity,Limit\nBern,5\n")
    assert [(block.text, block.header) for block in document.blocks] == [
        ("Limits of 2024", ""),
        ("City,Limit", ""),
        ("Bern,5", "City | Limit"),
    ]


def test_a_row_too_long_is_cut_into_its_cells_and_these_at_sentences() -> None:
    story = 'He said ""no"". The limit is 5 days. ' * 200
    document = table(f'id,story,days\nk7,"{story}",12\nk8,short,13\n')
    row, after = document.blocks[1:-1], document.blocks[-1]
    assert [row[0].text, row[-1].text, after.text] == ["k7,", "12", "k8,short,13"]
    assert [block.header for block in row] == ["id", *["story"] * (len(row) - 2), "days"]
    assert [block.lead for block in row] == [(), *[("k7",)] * (len(row) - 1)]
    assert all(fits(block.text) for block in row)
    assert all(spoken(block.markup, "").startswith(("He said", "The limit")) for block in row[1:-1])
    assert not any('""' in block.markup or block.markup.endswith(", |") for block in row)


def test_one_huge_cell_is_read() -> None:
    document = table("a,b\n" + "x" * 300_000 + ",1\n")
    assert sum(len(block.text) for block in document.blocks[1:]) == 300_002
    assert document.blocks[-1].header == "b"


def test_a_long_row_with_an_unclosed_quote_loses_nothing() -> None:
    text = 'a,b\n1,"' + "word " * 2000 + "\n2,3\n"
    assert "".join("".join(texts(text)).split()) == "".join(text.split())
    assert said(text)[-1] == "2 — b: 3"


@pytest.mark.parametrize(
    "new",
    [
        LIMITS.replace("\n", "\r\n"),
        LIMITS.replace("Zürich,210,", '"Zürich", 210 ,'),
        LIMITS.replace("Zürich,210,", "Bern,190,\nZürich,210,"),
        "".join(f"{line}\n" for line in ("City\tLimit per night (EUR)\tNote", "Zürich\t210\t")),
    ],
)
def test_a_row_continues_however_its_table_is_written(new: str) -> None:
    old = table(LIMITS)
    row = old.blocks[1]
    (after,) = trace(old, [(row.start, row.end)], table(new))
    assert after.state == "continues"
    assert "210" in table(new).text.encode()[after.start : after.end].decode()


@pytest.mark.parametrize(
    ("old", "new", "state"),
    [("210", "180", "gone"), ("Zürich,210,\n", "", "gone"), ("night (EUR)", "night (CHF)", "affected")],
)
def test_another_value_or_another_title_is_noticed(old: str, new: str, state: str) -> None:
    before = table(LIMITS)
    row = before.blocks[1]
    (after,) = trace(before, [(row.start, row.end)], table(LIMITS.replace(old, new)))
    assert (after.state, after.clearable) == (state, False)
