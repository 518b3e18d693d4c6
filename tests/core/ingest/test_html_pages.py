"""Pages of HTML: what becomes text, and the sections, leads, headers and links it carries."""

import pytest

from core.ingest.reading import read
from core.model.documents import Document
from core.text.fold import plain
from core.text.markup import visible


def page(text: str) -> Document:
    return read(text.encode(), media_type="text/html", uri="team/leave.html")


def blocks(text: str) -> list[tuple[str, str]]:
    return [(block.kind.value, block.text) for block in page(text).blocks]


def texts(text: str) -> list[str]:
    return [block.text for block in page(text).blocks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t", []),
        ("just words", [("paragraph", "just words")]),
        ("<p>a<p>b</p>", [("paragraph", "a"), ("paragraph", "b")]),
        ("loose<p>a</p>loose <b>too</b>", [("paragraph", w) for w in ("loose", "a", "loose too")]),
        ("<h1>A</h1><p>b", [("heading", "A"), ("paragraph", "b")]),
        ("<div><div>a</div>b</div>c", [("paragraph", "a"), ("paragraph", "b"), ("paragraph", "c")]),
        ("<ul><li>a<li>b</ul>", [("paragraph", "a"), ("paragraph", "b")]),
        ("<li>a<p>b</p><p>c", [("paragraph", "a\n\n  b\n\n  c")]),
        ("<ol><li>a<ul><li>b</ul>c</ol>", [("paragraph", "a"), ("paragraph", "b"), ("paragraph", "c")]),
        ("<blockquote>a<p>b</blockquote>", [("paragraph", "a"), ("paragraph", "b")]),
        ("<dl><dt>a<dd>b<dd>c</dl>", [("paragraph", "a"), ("paragraph", "b"), ("paragraph", "c")]),
        ("<pre>\n# a\n\n  b &lt; c</pre>", [("code", "# a\n\n  b < c")]),
        ("<pre>a<br>b<div>c</div>d</pre>", [("code", "a\nb\nc\nd")]),
        ("<pre>```\na</pre>", [("code", "```\na")]),
        ("<ul><li>a<pre>b\n\n c</pre></ul>", [("paragraph", "a"), ("code", "b\n\n   c")]),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", [("cell", "| a | b |"), ("cell", "| c | d |")]),
        ("a<hr>b", [("paragraph", "a"), ("paragraph", "b")]),
        ("<ul><li><hr>a</ul>", [("paragraph", "a")]),
        ("<xmp><b>a</b></xmp>", [("code", "<b>a</b>")]),
        ("<details><summary>a</summary><h2>b</h2></details>", [("paragraph", "a"), ("heading", "b")]),
    ],
)
def test_each_element_becomes_blocks(text: str, expected: list[tuple[str, str]]) -> None:
    assert blocks(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "<script>no</script>",
        "<script>if (a < b) document.write('<p>no</p>')</script>",
        "<style>no</style><template><p>no</p></template><noscript>no</noscript>",
        "<!-- no --><!-- <p>no</p> --><!-- <b>no",
        "<p hidden>no<p hidden=until-found>no",
        "<div hidden><p>no<ul><li>no</ul><div>no</div></div>",
        "<span style='display:none'>no</span><i style='color:red; VISIBILITY : hidden !important'>no</i>",
        "<table><tr hidden><td>no<td>no</tr></table><table hidden><tr><td>no</table>",
        "<pre hidden>no</pre><h1 hidden>no</h1>",
        "<dialog>no</dialog><iframe>no</iframe><video>no</video><datalist><option>no</datalist>",
        "<p title=no aria-label='no' data-no=no></p><meta name=no content=no><input value=no><a href=no></a>",
        "<svg><title>no</title><desc>no</desc></svg><math><annotation>no</annotation></math>",
        "<?no no?><!no><![CDATA[no]]>",
    ],
)
def test_what_no_browser_shows_is_never_text(text: str) -> None:
    document = page(f"before {text}<p>after")
    assert "no" not in document.text
    assert "before" in document.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p> a \n\t b  <b> c</b> <i>d </i> e </p>", ["a b c d e"]),
        ("<span>a</span><span>b</span>", ["ab"]),
        ("<p>a<br>b<br/>c", ["a\nb\nc"]),
        ("<p>a <br> b<br><br><br>c", ["a\nb", "c"]),
        ("a<wbr>b&shy;c&nbsp; d", ["ab\u00adc\u00a0 d"]),
        ("a<button>b</button>c<img alt=d src=x>e", ["a b c d e"]),
        ("a\x0bb\x0cc\u2028d", ["a\x0bb c\u2028d"]),
        ("&nbsp;<p>&nbsp;</p>", []),
    ],
)
def test_white_space_is_as_a_browser_shows_it(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("R&amp;D &lt;b&gt; &euro;5 &#8364; &#x20AC; &#128; &bogus; AT&T", "R&D <b> €5 € € € &bogus; AT&T"),
        ("&amp;lt;", "&lt;"),
        ("10<sup>3</sup> H<sub>2</sub>O", "10^3 H_2O"),
        ("<q>so</q>", '"so"'),
        ("# no heading", "# no heading"),
        ("1. - [ ] *a* [b](c) `d` ~~e~~ {{ f }} &lt;!-- g --&gt;", "1. - [ ] *a* [b](c) `d` ~~e~~ {{ f }} <!-- g -->"),
        ("a &lt; b &amp;&amp; snake_case * 5", "a < b && snake_case * 5"),
    ],
)
def test_words_are_words_and_no_markup(text: str, shown: str) -> None:
    (block,) = page(f"<p>{text}</p>").blocks
    assert (block.kind.value, plain(block.text)) == ("paragraph", shown)


@pytest.mark.parametrize(
    "text",
    [
        "<svg><text x=0>10</text><text x=9>20</text></svg>",
        "<svg><text><tspan x=0>10</tspan><tspan x=0 dy=1em>20</tspan></text></svg>",
        "<math><mfrac><mn>10</mn><mn>20</mn></mfrac></math>",
    ],
)
def test_numbers_of_drawings_and_formulas_never_become_one(text: str) -> None:
    assert texts(f"<p>a {text} b") == ["a 10 20 b"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>a <![CDATA[b < c && d]]> e</p>", ["a b < c && d e"]),
        ("<p><![CDATA[a]] > <b>b</b>]]></p><p>c</p>", ["a]] > <b>b</b>", "c"]),
        ("<p>a<![CDATA[b", ["ab"]),
        ("<script>//<![CDATA[\nno </p> no //]]></script><p>a", ["a"]),
        ("<script src='x'/><a id='b'/><p>a</p>", ["a"]),
    ],
)
def test_character_data_of_xhtml_is_text(text: str, expected: list[str]) -> None:
    document = read(text.encode(), media_type="application/xhtml+xml", uri="a")
    assert [plain(block.text) for block in document.blocks] == expected


def test_ordinary_words_are_the_text_itself() -> None:
    document = page("<h1>Leave</h1><p>You get <b>25</b> days &amp; a card; max_days = 5 * 6.</p>")
    assert document.text == "# Leave\n\nYou get 25 days & a card; max_days = 5 * 6.\n"


def test_headings_open_sections_by_level() -> None:
    document = page("<h1>A</h1>x<h3>B</h3>y<h2>C <i>c</i></h2>z<h2>C c</h2>")
    assert [section.path for section in document.sections] == [(), ("A",), ("A", "B"), ("A", "C c"), ("A", "C c")]
    assert [section.repeat for section in document.sections] == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("around", ["<ul><li>{}</ul>", "<blockquote>{}</blockquote>"])
def test_a_heading_in_an_item_or_a_quote_is_no_part_of_the_outline(around: str) -> None:
    document = page(around.replace("{}", "<h2>A</h2>"))
    assert [(block.kind.value, block.text) for block in document.blocks] == [("paragraph", "A")]
    assert len(document.sections) == 1


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("<h2>1. Scope</h2>", "1. Scope"),
        ("<h2>C #</h2>", "C #"),
        ("<h2>#</h2>", "#"),
        ("<h2>Leave<br>and more</h2>", "Leave and more"),
        ("<h2>Leave <a class=headerlink href='#leave'>¶</a></h2>", "Leave"),
        ("<h2><a href='#leave'>Leave</a></h2>", "Leave"),
    ],
)
def test_a_headings_title_is_what_it_shows_less_the_sign_that_links_to_it(heading: str, title: str) -> None:
    assert page(heading).sections[1].path == (title,)


def leads(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(block.text.split("\n")[0], block.lead) for block in page(text).blocks]


def test_items_carry_the_paragraph_before_their_list_and_their_parents_words() -> None:
    assert leads("<p>Day <b>one</b><ul><li>Get the badge<p>today<ol><li>Room 3100</ol><li>Laptop</ul>") == [
        ("Day one", ()),
        ("Get the badge", ("Day one",)),
        ("Room 3100", ("Day one", "Get the badge today")),
        ("Laptop", ("Day one",)),
    ]


def test_a_definition_carries_its_term() -> None:
    assert leads("<dl><dt>Cap<dd>EUR 5<dd>a day<dt>Level<dd>3</dl>") == [
        ("Cap", ()),
        ("EUR 5", ("Cap",)),
        ("a day", ("Cap",)),
        ("Level", ()),
        ("3", ("Level",)),
    ]


def test_lists_side_by_side_are_two_lists() -> None:
    assert leads("<p>First<ul><li>a</ul><ul><li>b</ul><ol><li>c</ol><ol><li>d</ol>") == [
        ("First", ()),
        ("a", ("First",)),
        ("b", ()),
        ("c", ()),
        ("d", ()),
    ]


def test_quotes_side_by_side_are_two_and_paragraphs_in_one_stay_together() -> None:
    quoted = "<p>They wrote:<blockquote><p>a<p>b</blockquote><blockquote>c</blockquote>"
    assert [lead for _, lead in leads(quoted)] == [(), ("They wrote:",), ("They wrote:",), ()]


def test_struck_words_stay_visible_and_are_known_to_be_struck() -> None:
    text = "<p>The limit is <del>5</del> <s>6</s> <strike>7</strike> 8 <i style='text-decoration: line-through'>9</i>"
    (block,) = page(text).blocks
    seen = visible(block.text)
    assert plain(block.text) == "The limit is 5 6 7 8 9"
    assert [seen.text[start:end] for start, end in seen.struck] == ["5", "6", "7", "9"]


def test_what_is_struck_over_many_blocks_is_struck_in_each() -> None:
    assert texts("<del><p>a<p>b<ul><li>c</ul></del>d") == [*(f"<del>{w}</del>" for w in "abc"), "d"]


def links(text: str) -> list[tuple[str, str]]:
    document = page(text)
    return [(link.target, plain(document.blocks[link.block].text)) for link in document.links]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<a href=b.html>a</a>", [("b.html", "a")]),
        ("<a href='../d.html?q=1&amp;x=2#e'>a</a> b", [("../d.html?q=1&x=2#e", "a b")]),
        ("<a href='https://en.example/wiki/Leave_(policy)'>a</a>", [("https://en.example/wiki/Leave_(policy)", "a")]),
        ("<a href=' a b(c&lt;.html\n'>x</a>", [("a%20b%28c%3C.html", "x")]),
        ("<a href=1>a]</a>!<a href=2>[b</a><a href=2>c</a>", [("1", "a]![bc"), ("2", "a]![bc"), ("2", "a]![bc")]),
        ("<a href=1><p>a<p>b</a>", [("1", "a"), ("1", "b")]),
        ("<a href=1><img alt=pic src=x></a>", [("1", "pic")]),
        ("<h2><a href=1>A</a></h2><ul><li><a href=2>b</a></ul>", [("1", "A"), ("2", "b")]),
        ("<a href=1>https://shown.example</a>", [("1", "https://shown.example")]),
        ("<a href='javascript:alert(1)'>a</a> <a href=' JAVA\nSCRIPT:x'>b</a> <a href='data:x'>c</a>", []),
        ("<a>a</a> <a name=b>c</a> <a href=''>d</a> <a href=x></a>", []),
        (f"<a href='{'x' * 3000}'>a</a>", []),
    ],
)
def test_links_lead_where_they_say_from_the_block_they_stand_in(text: str, expected: list[tuple[str, str]]) -> None:
    assert links(text) == expected


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("<title>Leave &amp; pay</title><h1>Other</h1>", "Leave & pay"),
        ("<title> a\n  b </title>", "a b"),
        ("<title>\"quoted\" 'too' \\ # : {x}</title>", "\"quoted\" 'too' \\ # : {x}"),
        ("<title>a\x01\x7f\x85b 👩🏽\u200d💻</title>", "a b 👩🏽\u200d💻"),
        ("<title></title><h1>Head</h1>", "Head"),
        ("<svg><title>no</title></svg><h1>Head</h1>", "Head"),
        ("<title>One</title><title>Two</title>", "One"),
        ("<p>a", "leave.html"),
    ],
)
def test_the_title_element_is_the_documents_title_and_no_evidence(text: str, title: str) -> None:
    document = page(text)
    assert document.title == title
    assert not any("Two" in block.text or title in block.text for block in document.blocks if title != "Head")


def test_words_that_look_like_front_matter_are_words() -> None:
    document = page("<p>---<br>title: x<br>---</p><p>+++</p>")
    assert document.properties == {}
    assert [plain(block.text) for block in document.blocks] == ["--- title: x ---", "+++"]
