"""What must hold of lineage for any document: places, order, coverage, and the work it takes."""

from collections.abc import Sequence
from cProfile import Profile

from hypothesis import given, settings
from hypothesis import strategies as st

from core.ingest.lineage import Continuation, trace
from core.ingest.notices import Notices
from core.ingest.reading import read
from core.ingest.units import Unit, units
from core.model.documents import Document
from core.text.fold import fold, fold_code
from tests.strategies.markdown_pages import pages


def document(text: str, media_type: str = "text/markdown") -> Document:
    return read(text.encode(), media_type=media_type, uri="page")


def words(page: Document, unit: Unit) -> str:
    return page.text.encode()[unit.start : unit.end].decode()


def spans(found: Sequence[Unit]) -> list[tuple[int, int]]:
    return [(unit.start, unit.end) for unit in found]


@settings(deadline=None)
@given(pages())
def test_units_are_in_order_apart_and_inside_their_blocks(text: str) -> None:
    page = document(text)
    at = 0
    for unit in units(page):
        block = page.blocks[unit.block]
        assert at <= unit.start < unit.end
        assert block.start <= unit.start
        assert unit.end <= block.end
        assert unit.key
        at = unit.end


@settings(deadline=None)
@given(pages())
def test_units_hold_all_words_of_the_document(text: str) -> None:
    page = document(text)
    held = "".join(words(page, unit) for unit in units(page))
    written = "".join(block.text for block in page.blocks)
    assert "".join(held.split()) == "".join(written.split())


@settings(deadline=None)
@given(pages())
def test_everything_continues_in_itself_at_its_own_place(text: str) -> None:
    page = document(text)
    cited = spans(units(page))
    found = trace(page, cited, page)
    assert [each.state for each in found] == ["continues"] * len(cited)
    assert [(each.start, each.end) for each in found] == cited


@settings(deadline=None)
@given(pages(), pages())
def test_a_place_is_given_unless_the_words_are_gone_and_holds_the_same_words(old: str, new: str) -> None:
    before, after = document(old), document(new)
    cited = units(before)
    for unit, found in zip(cited, trace(before, spans(cited), after), strict=True):
        assert (found.start is None) == (found.state == "gone")
        assert not found.clearable or found.state == "affected"
        assert bool(found.reason) == (found.state != "continues")
        if found.start is not None and found.end is not None:
            place = after.text.encode()[found.start : found.end].decode()
            assert fold(place) == fold(words(before, unit)) or fold_code(place) == fold_code(words(before, unit))


@settings(deadline=None)
@given(pages(), pages())
def test_what_is_put_before_under_its_own_heading_moves_nothing(page: str, other: str) -> None:
    before = document(f"# One\n\n{page}")
    after = document(f"# Other\n\n{other}\n\n# One\n\n{page}")
    found = trace(before, spans(units(before)), after)
    assert {each.state for each in found} <= {"continues"}


@settings(deadline=None)
@given(pages(), st.data())
def test_a_citation_of_several_units_stands_as_the_worst_of_them(text: str, data: st.DataObject) -> None:
    page = document(text)
    cited = units(page)
    if not cited:
        return
    first = data.draw(st.integers(0, len(cited) - 1))
    last = data.draw(st.integers(first, len(cited) - 1))
    removed = data.draw(st.integers(first, last))
    cut = page.text.encode()
    after = document((cut[: cited[removed].start] + b"Nothing stood here" + cut[cited[removed].end :]).decode())
    alone = trace(page, spans(cited[first : last + 1]), after)
    whole = trace(page, [(cited[first].start, cited[last].end)], after)[0]
    severity = ("continues", "affected", "gone").index
    assert severity(whole.state) == max(severity(each.state) for each in alone)


def test_a_part_of_a_sentence_stands_with_the_whole_of_it() -> None:
    old, new = document("The limit is 5 days for all."), document("The limit is 5 days for some.")
    assert trace(old, [(0, 14)], old)[0] == Continuation("continues", 0, 28)
    assert trace(old, [(0, 14)], new)[0].state == "gone"


def test_of_equal_sentences_the_nth_continues_in_the_nth_and_the_last_takes_the_rest() -> None:
    old, new = document("Same.\n\nSame.\n\nSame."), document("Same.\n\nSame.")
    found = trace(old, spans(units(old)), new)
    assert [(each.state, each.start) for each in found] == [("continues", 0), ("continues", 7), ("continues", 7)]


def test_moved_words_are_sought_where_they_are_new() -> None:
    """Another section said the same all along: that one is not where the removed words went."""
    old = document("# Refunds\n\nSame.\n\n# Travel\n\nSame.")
    new = document("# Travel\n\nSame.\n\n# Refund policy\n\nSame.")
    found = trace(old, [(11, 16)], new)[0]
    assert (found.state, found.clearable) == ("affected", True)
    assert found.start == new.text.rindex("Same")


def test_a_document_that_is_gone_leaves_nothing() -> None:
    page = document("One. Two.")
    assert [each.state for each in trace(page, [(0, 4), (5, 9)], None)] == ["gone", "gone"]


def test_an_emptied_document_leaves_nothing() -> None:
    assert trace(document("One."), [(0, 4)], document(""))[0].state == "gone"


def test_a_span_without_citable_words_is_gone() -> None:
    page = document("---\ntitle: x\n---\nWords.")
    assert trace(page, [(0, 3)], page)[0] == Continuation("gone", reason="no citable text there")


def test_plain_text_and_tables_of_values_are_traced_too() -> None:
    old = document("One rule.\n\nIt is 5 days.\n", "text/plain")
    new = document("New words.\n\nOne rule.\n\nIt is\n5 days.\n", "text/plain")
    assert trace(old, [(11, 24)], new)[0].state == "continues"


def test_each_kind_of_difference_has_its_reason() -> None:
    old = document("# A\n\nOne stands. Words stand.\n")
    edits = {
        "struck through": "# A\n\nOne stands. ~~Words stand.~~\n",
        "led by other words": "# A\n\nOnce:\n\n> Words stand.\n",
        "qualified by what stands before": "# A\n\nThis is a draft. Words stand.\n",
        "qualified by what stands after": "# A\n\nWords stand. This was withdrawn.\n",
        "under another heading": "# B\n\nWords stand.\n",
        "words gone": "# A\n\nNo words.\n",
    }
    start = old.text.index("Words")
    assert {edit: trace(old, [(start, start + 12)], document(text))[0].reason for edit, text in edits.items()} == {
        edit: edit for edit in edits
    }


def calls(count: int) -> int:
    """Calls made to trace a citation through a document of `count` sections that all say the same."""
    page = document("".join(f"# Part {i % 7}\n\nSame words here.\n\n" for i in range(count)))
    profile = Profile()
    profile.runcall(trace, page, spans(units(page)), document(page.text + "# More\n\nSame words here.\n"))
    return sum(entry.callcount for entry in profile.getstats())


def test_the_work_grows_with_the_document_and_not_with_its_square() -> None:
    assert calls(600) < 2.2 * calls(300)


def test_what_notices_say_stays_short_however_many_there_are() -> None:
    page = document("".join(f"This page is out of date, {i} times.\n\n" for i in range(100)) + "Words stand.")
    notices = Notices(page)
    for i, block in enumerate(page.blocks):
        notices.read(i, fold(block.text))
    assert len(notices.over(())) <= 50


def test_code_is_led_by_the_lines_that_enclose_it() -> None:
    page = document("```\n[prod]\nlimit: 5\na:\n  b:\n    c: 1\n  d: 2\n[test]\nlimit: 5\n```\n")
    leads = {unit.key + str(unit.start): unit.context.lead for unit in units(page)}
    assert list(leads.values()) == [
        (),
        ("[prod]",),
        ("[prod]",),
        ("[prod]", "a:"),
        ("[prod]", "a:", "b:"),
        ("[prod]", "a:"),
        (),
        ("[test]",),
    ]
