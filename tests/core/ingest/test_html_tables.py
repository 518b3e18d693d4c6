"""Tables of a page: rows that can be cited one by one, each in the words of its header."""

import pytest

from core.ingest.reading import read
from core.model.documents import Document
from core.text.rows import spoken


def page(text: str) -> Document:
    return read(text.encode(), media_type="text/html", uri="a.html")


def said(text: str) -> list[str]:
    return [spoken(block.text, block.header) for block in page(text).blocks]


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind.value, block.text) for block in page(text).blocks]


HEAD = "<tr><th>City<th>Limit per night (EUR)"


@pytest.mark.parametrize(
    "head", [HEAD, f"<thead>{HEAD}</thead>", "<thead><tr><td>City<td>Limit per night (EUR)</thead>"]
)
def test_a_row_is_said_in_the_words_of_its_header(head: str) -> None:
    document = page(f"<h2>Hotels</h2><table>{head}<tbody><tr><td>Zürich<td>210<tr><td>Bern<td>180</table>after")
    assert [(block.kind.value, block.text, block.header) for block in document.blocks[1:-1]] == [
        ("cell", "| City | Limit per night (EUR) |", ""),
        ("cell", "| Zürich | 210 |", "City | Limit per night (EUR)"),
        ("cell", "| Bern | 180 |", "City | Limit per night (EUR)"),
    ]
    assert spoken(document.blocks[2].text, document.blocks[2].header) == "Zürich — Limit per night (EUR): 210"
    assert {block.path for block in document.blocks} == {("Hotels",)}


def test_a_table_without_header_cells_has_no_header() -> None:
    assert said("<table><tr><td>Name<td>Anna<tr><th>Limit<td>5</table>") == ["Name | Anna", "Limit | 5"]


BOLD = "<b>City</b>", "<p><strong>Limit</strong> <a href=x><b>per night</b></a></p>"


@pytest.mark.parametrize(
    "head",
    [
        "<tr><td>{}<td>{}",
        "<tr style='font-weight:bold'><td>City<td>Limit per night",
        "<tr><td style='FONT-WEIGHT: 700'>City<td style='font-weight:600 !important'>Limit per night",
    ],
)
def test_a_first_row_all_in_bold_is_the_header(head: str) -> None:
    text = f"<table>{head.format(*BOLD)}<tr><td><b>Bern</b><td>5<tr><td><b>Basel</b><td><b>6</b></table>"
    assert said(text)[1:] == ["Bern — Limit per night: 5", "Basel — Limit per night: 6"]


@pytest.mark.parametrize(
    "text",
    [
        "<table><tr><td><b>Name</b><td>Anna<tr><td><b>Limit</b><td>5</table>",
        "<table><tr><td><b>Name</b>: <td><b>Anna</b><tr><td>Limit<td>5</table>",
        "<b style='font-weight:normal'><table><tr><td>Name<td>Anna<tr><td>Limit<td>5</table></b>",
        "<b><table><tr><td>Name<td>Anna<tr><td>Limit<td>5</table></b>",
        "<table><tr><td style='font-weight:400'>Name<td>Anna<tr><td>Limit<td>5</table>",
    ],
)
def test_bold_words_that_do_not_fill_the_first_row_make_no_header(text: str) -> None:
    assert page(text).blocks[-1].header == ""


def test_an_empty_corner_stands_in_the_header() -> None:
    assert said("<table><tr><td><th>Mon<th>Tue<tr><th>Anna<td>5<td>6</table>") == [
        "Mon | Tue",
        "Anna — Mon: 5 · Tue: 6",
    ]


def test_a_bold_row_under_a_header_is_a_row_and_said_once() -> None:
    for head in (HEAD, "<tr><td><b>City</b><td><b>Limit</b>"):
        text = f"<table>{head}<tr><td colspan=2><b>Europe</b><tr><td>Bern<td>5</table>"
        assert kinds(text)[1] == ("cell", "| Europe |  |")


def test_a_bold_title_above_a_bold_header_is_told_with_it() -> None:
    text = "<table><tr><td colspan=2><b>2024</b><tr><td><b>City</b><td><b>Limit</b><tr><td>Bern<td>5</table>"
    assert said(text)[1:] == ["Bern — 2024 Limit: 5"]


def test_code_in_a_cell_under_a_header_is_words_of_its_row() -> None:
    text = '<table><tr><th>Field<th>Example<tr><td>limit<td><pre>{\n  "a": *5*\n}</pre><tr><td>b<td>c</table>'
    assert said(text)[1:] == ['limit — Example: { "a": *5* }', "b — Example: c"]


def test_a_table_all_of_header_cells_has_one_header_row() -> None:
    rows = "".join(f"<tr><th>a{i}<th>b{i}" for i in range(6))
    assert said(f"<table>{rows}</table>")[5] == "a5 — b0: b5"


def test_a_header_of_two_rows_is_told_in_one() -> None:
    text = "<table><tr><th rowspan=2>City<th colspan=2>2024<tr><th>Q1<th>Q2<tr><td>Bern<td>5<td>6</table>"
    assert said(text) == ["City | 2024 Q1 | 2024 Q2", "Bern — 2024 Q1: 5 · 2024 Q2: 6"]


def test_a_header_of_very_many_rows_is_told_in_four() -> None:
    rows = "".join(f"<tr><td>a{i}<td>b{i}" for i in range(6))
    assert said(f"<table><thead>{rows}</thead><tr><td>c<td>d</table>")[:2] == [
        "a0 a1 a2 a3 | b0 b1 b2 b3",
        "a4 — b0 b1 b2 b3: b4",
    ]


def test_a_table_of_header_cells_alone_keeps_its_rows() -> None:
    assert said("<table><tr><th>a<th>b<tr><th>c<th>d</table>") == ["a | b", "c — b: d"]


def test_a_cell_that_spans_rows_is_said_in_each() -> None:
    text = f"<table>{HEAD}<th>Note<tr><td rowspan=2>Zürich<td>210<td rowspan=0>max<tr><td>180<tr><td>Bern<td>5</table>"
    assert said(text)[1:] == [
        "Zürich — Limit per night (EUR): 210 · Note: max",
        "Zürich — Limit per night (EUR): 180 · Note: max",
        "Bern — Limit per night (EUR): 5 · Note: max",
    ]


def test_a_long_cell_that_spans_rows_is_said_once_and_keeps_its_place() -> None:
    text = f"<table><tr><th>a<th>b<tr><td rowspan=2>{'word ' * 50}<td>1<tr><td>2</table>"
    assert said(text)[1].count("word") == 50
    assert said(text)[2] == "b: 2"


def test_a_cell_that_spans_columns_is_said_once_and_a_title_in_each() -> None:
    text = "<table><tr><th colspan=2>a<th>b<tr><td colspan=2>1<td>2<tr><td>3<td>4<td>5</table>"
    assert said(text) == ["a | a | b", "1 — b: 2", "3 — a: 4 · b: 5"]


def test_empty_cells_keep_their_column() -> None:
    assert said("<table><tr><th><th>Mon<th>Tue<tr><td>Anna<td><td>5<tr><td><td>6</table>") == [
        "Mon | Tue",
        "Anna — Tue: 5",
        "Mon: 6",
    ]


def test_what_stands_in_a_cell_is_one_line_of_words() -> None:
    text = "<table><tr><td><p>a<p>b<br>c<ul><li>d<li>e</ul><td>f | g <a href='h|i'>j</a></table>"
    assert kinds(text) == [("cell", "| a b c d e | f \\| g [j](h%7Ci) |")]
    assert [link.target for link in page(text).links] == ["h%7Ci"]


def test_a_caption_stands_above_its_table() -> None:
    assert kinds("<table><caption>c</caption><tr><td>a<td>b</table>") == [("paragraph", "c"), ("cell", "| a | b |")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<table><tr><td>only</table>", [("paragraph", "only")]),
        ("<table><tr><td><h2>A</h2>b<td>c</table>", [("heading", "A"), ("paragraph", "b"), ("paragraph", "c")]),
        ("<table><tr><td>1\n2<td><pre>a\nb</pre></table>", [("paragraph", "1 2"), ("code", "a\nb")]),
        ("<table><tr><td>a<td><table><tr><td>b<td>c</table></table>", [("paragraph", "a"), ("cell", "| b | c |")]),
        ("<table role=presentation><tr><td>a<td>b</table>", [("paragraph", "a"), ("paragraph", "b")]),
        ("<table><tr><td>a<table><tr><td>b</table><td>c</table>", [("cell", "| a b | c |")]),
    ],
)
def test_a_table_that_arranges_a_page_is_read_as_what_it_holds(text: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize("around", ["<ul><li>In<p>Limits:{}</ul>", "<blockquote><p>Limits:{}</blockquote>"])
def test_a_table_in_an_item_or_a_quote_is_led_by_it(around: str) -> None:
    document = page(around.replace("{}", f"<table>{HEAD}<tr><td>Bern<td>5</table>"))
    cell = document.blocks[-1]
    assert (cell.kind.value, cell.text, cell.header) == ("cell", "| Bern | 5 |", "City | Limit per night (EUR)")
    assert cell.lead[-1].endswith("Limits:")


@pytest.mark.parametrize("span", ["", "x", "-1", "1.5", "²", "99999999999999999999"])
def test_a_span_that_says_nothing_sensible_does_no_harm(span: str) -> None:
    text = f"<table><tr><td colspan='{span}' rowspan='{span}'>a<td>b<tr><td>c</table>"
    assert [word for row in said(text) for word in row.split() if word in "bc"] == ["b", "c"]
    assert len(page(text).text) < 500


def test_an_empty_table_says_nothing() -> None:
    assert kinds("<table></table><table><tr></table><table><tr><td><td> </table>") == []
