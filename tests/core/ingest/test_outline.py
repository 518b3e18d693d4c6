"""Sections: which heading each block stands under."""

from hypothesis import given
from hypothesis import strategies as st

from core.ingest.reading import read
from core.ingest.sections import Outline
from core.model.documents import Document, Section


def markdown(text: str) -> Document:
    return read(text.encode(), media_type="text/markdown", uri="a.md")


def test_a_path_holds_the_enclosing_headings_outermost_first() -> None:
    document = markdown("before\n\n# A\n\na\n\n### B\n\nb\n\n## C\n\nc\n\nD\n===\n\nd")
    assert [(block.text, block.path) for block in document.blocks] == [
        ("before", ()),
        ("A", ("A",)),
        ("a", ("A",)),
        ("B", ("A", "B")),
        ("b", ("A", "B")),
        ("C", ("A", "C")),
        ("c", ("A", "C")),
        ("D", ("D",)),
        ("d", ("D",)),
    ]


def test_equal_paths_are_counted() -> None:
    assert markdown("# S\n\n## T\n\n# S\n\n## T\n\n## T\n").sections == (
        Section((), 0),
        Section(("S",), 0),
        Section(("S", "T"), 0),
        Section(("S",), 1),
        Section(("S", "T"), 1),
        Section(("S", "T"), 2),
    )


def test_titles_are_plain() -> None:
    document = markdown("# *Emph* and `code` [link](x) &amp; ~~old~~\n\na")
    assert document.blocks[-1].path == ("Emph and code link & old",)


def test_only_headings_of_the_text_open_sections() -> None:
    text = "# A\n\n```\n# x\n```\n\n<pre>\n# x\n</pre>\n\n    # x\n\n> # quoted\n\n- # item\n\n"
    text += "<details>\n\n## B\n\n</details>\n\n#\n\nc"
    document = markdown(text)
    assert [section.path for section in document.sections] == [(), ("A",), ("A", "B")]
    assert document.blocks[-1].path == ("A", "B")


def test_a_document_without_headings_has_one_section() -> None:
    assert markdown("").sections == markdown("a").sections == (Section((), 0),)


@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from("ABC")), max_size=30))
def test_every_section_has_its_parent_before_it(steps: list[tuple[int, str]]) -> None:
    outline, entered = Outline(), [(0, ())]
    for level, title in steps:
        index, path = outline.enter(level, title)
        assert not level or path[-1] == title
        assert (index, path) == entered[-1] if not level else index == entered[-1][0] + 1
        entered.append((index, path))
    sections = outline.sections
    assert len(set(sections)) == len(sections)
    for i, section in enumerate(sections[1:], 1):
        assert section.path[:-1] in {earlier.path for earlier in sections[:i]}
