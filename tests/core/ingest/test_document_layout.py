"""The nodes a document wants, their ids and keys, and what changes them."""

from collections import Counter
from uuid import UUID

import pytest
from hypothesis import given, settings

from core.ingest.layout import Wanted, layout
from core.ingest.reading import read
from core.jsonhash import keyed_hash
from core.model.documents import Document
from core.model.node_ids import document_id, passage_id, section_id
from core.model.nodes import DOCUMENT, PASSAGE, SECTION
from tests.strategies.markdown_texts import known_texts

SOURCE = UUID(int=7)
TEXT = """---
owner: ops
---
Before.

# Leave

You get **25** days.

## Sick

Tell your lead:

- by chat [page](chat.md)
  - before 9:00

| Days | Pay |
|------|-----|
| 1 | all |

```
snake_case(*x*)
```
"""


def hashed(text: str) -> bytes:
    return keyed_hash(b"k" * 32, text)


def markdown(text: str) -> Document:
    return read(text.encode(), media_type="text/markdown", uri="a.md")


def nodes(text: str, label: str | None = None) -> list[Wanted]:
    return [node for node in layout(markdown(text), SOURCE, hashed).nodes if label in {None, node.label}]


def test_one_document_a_section_for_each_heading_a_passage_for_each_block() -> None:
    assert Counter(node.label for node in nodes(TEXT)) == {DOCUMENT: 1, SECTION: 2, PASSAGE: len(markdown(TEXT).blocks)}


def test_each_node_stands_on_its_own_blocks() -> None:
    document, wanted = markdown(TEXT), nodes(TEXT)
    said = [[document.blocks[i].text for i in node.blocks] for node in wanted]
    assert said[:2] == [["Before."], ["Leave", "You get **25** days."]]
    assert said[2][0] == "Sick"
    assert said[3:] == [[block.text] for block in document.blocks]


def test_part_of_runs_from_passage_to_section_to_parent_to_document() -> None:
    root, leave, sick, *passages = nodes(TEXT)
    assert (root.parent_id, leave.parent_id, sick.parent_id) == (None, root.node_id, leave.node_id)
    assert [passage.parent_id for passage in passages[:4]] == [root.node_id, leave.node_id, leave.node_id, sick.node_id]


def test_a_subsection_belongs_to_the_section_it_stands_in() -> None:
    _, first, _, second, below, *_ = nodes("# A\n\n## B\n\n# A\n\n## B\n")
    assert below.parent_id == second.node_id != first.node_id


def test_properties_say_what_a_node_is() -> None:
    root, _, sick, passage, *_ = nodes(TEXT)
    assert root.props == {"owner": "ops", "title": "Leave"}
    assert sick.props == {"title": "Sick", "path": ["Leave", "Sick"]}
    assert passage.props == {"kind": "paragraph"}


def test_recall_text_is_the_title_the_path_the_context_and_the_plain_words() -> None:
    """The title stands before the headings, once."""
    texts = [node.recall_text for node in nodes(TEXT, PASSAGE)]
    assert texts == [
        "Leave\nBefore.",
        "Leave\nLeave",
        "Leave\nYou get 25 days.",
        "Leave > Sick\nSick",
        "Leave > Sick\nTell your lead:",
        "Leave > Sick\nTell your lead:\nby chat page",
        "Leave > Sick\nTell your lead:\nby chat page\nbefore 9:00",
        "Leave > Sick\nDays | Pay",
        "Leave > Sick\nDays | Pay\n1 | all",
        "Leave > Sick\nsnake_case(*x*)",
    ]
    assert all(node.recall_text is None for node in nodes(TEXT) if node.label != PASSAGE)


def test_a_block_without_words_is_no_passage() -> None:
    assert nodes("<div>\n\n![](a.png)\n\n</div>", PASSAGE) == []


def keys(text: str) -> dict[UUID, str]:
    return {node.node_id: node.key for node in nodes(text)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("You get **25** days.", "You  get __25__\ndays."),
        ("# Leave", "Leave\n====="),
        ("- by chat", "* by chat"),
        ("| 1 | all |", "|1|all|"),
        ("Before.", "Before. <!-- note -->"),
        ("```\n", "~~~\n"),
    ],
)
def test_other_markup_for_the_same_words_changes_no_id_and_no_key(old: str, new: str) -> None:
    assert keys(TEXT.replace(old, new)) == keys(TEXT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("chat.md", "mail.md"),
        ("Tell your lead:", "Tell nobody:"),
        ("Days | Pay", "Days | Loan"),
        ("| 1 | all |", "| 1 | half |"),
        ("snake_case", "Snake_case"),
        ("before 9:00", "~~before 9:00~~"),
    ],
)
def test_new_words_targets_or_context_change_their_section_alone(old: str, new: str) -> None:
    before, after = nodes(TEXT, SECTION), nodes(TEXT.replace(old, new), SECTION)
    assert [node.node_id for node in before] == [node.node_id for node in after]
    assert [a.key == b.key for a, b in zip(before, after, strict=True)] == [True, False]
    assert nodes(TEXT)[0].key != nodes(TEXT.replace(old, new))[0].key


def test_front_matter_changes_the_document_alone() -> None:
    before, after = nodes(TEXT), nodes(TEXT.replace("ops", "people"))
    assert [a.key == b.key for a, b in zip(before, after, strict=True)] == [False] + [True] * (len(before) - 1)


def test_keys_tell_nothing_without_the_sources_key() -> None:
    other = layout(markdown(TEXT), SOURCE, lambda text: keyed_hash(b"z" * 32, text)).nodes
    assert not {node.key for node in nodes(TEXT)} & {node.key for node in other}


def test_equal_passages_are_told_apart_in_order() -> None:
    text = "# A\n\nSame.\n\nSame.\n\n# B\n\nSame.\n"
    ids = [node.node_id for node in nodes(text, PASSAGE)]
    assert len(set(ids)) == 5
    assert [node.node_id for node in nodes("# A\n\nSame.\n\n# B\n\nSame.\n", PASSAGE)] == [
        ids[0],
        ids[1],
        ids[3],
        ids[4],
    ]


@settings(deadline=None)
@given(known_texts)
def test_ids_are_unique_parents_come_first_and_all_is_repeatable(text: str) -> None:
    wanted = nodes(text)
    known = {None}
    for node in wanted:
        assert node.node_id not in known
        assert node.parent_id in known
        known.add(node.node_id)
    assert wanted == nodes(text)


def test_ids_differ_by_every_part() -> None:
    other = UUID(int=8)
    ids = {
        document_id(SOURCE),
        document_id(other),
        *(section_id(s, path, n) for s in (SOURCE, other) for path in [("a",), ("a", "b"), ("ab",)] for n in (0, 1)),
        *(
            passage_id(s, path, h, n)
            for s in (SOURCE, other)
            for path in [(), ("a",)]
            for h in (b"x", b"y")
            for n in (0, 1)
        ),
    }
    assert len(ids) == 2 + 12 + 16


def test_ids_are_the_same_on_every_machine() -> None:
    assert document_id(SOURCE) == UUID("ce2a29e4-52f1-bf1c-b88c-b094d04a1174")
    assert section_id(SOURCE, ("Leave", "Sick"), 1) == UUID("f9e3210b-92b8-367d-db75-679ebd69ca20")
    assert passage_id(SOURCE, ("Leave",), b"\x01\x02", 0) == UUID("38f541f6-3de1-1725-a047-fe9a8ef35269")
