"""What people name is found in what stands now, as far as whoever names it may read it."""

import pytest

from core.errors import InvalidRequest, NotFound
from core.ids import random_id
from core.model.node_ids import document_id, section_id
from core.model.nodes import PASSAGE, SECTION
from tests.support.memories import put, source_id

PAGE = b"Before.\n\n# Day\n\n## Lunch\n\nAt noon.\n\n## Lunch\n\nAt one.\n\n## In/Out\n\n- By bus.\n"


@pytest.fixture
def named(memory):
    put(memory, "day.md", PAGE)

    def _named(name, principal=None):
        return memory.naming.node("default", name, principal)

    return _named


def test_a_document_a_section_and_an_id_are_found(memory, named, ada):
    other = random_id()
    assert named(str(other)) == other
    assert named("day.md") == document_id(source_id("day.md"))
    sections = {tuple(node.props["path"]): node for node in memory.query(SECTION, [], ada)}
    assert named("day.md#Day/In\\/Out") == sections["Day", "In/Out"].node_id
    assert named("day.md#day/in\\/out", ada) == sections["Day", "In/Out"].node_id


def test_every_piece_of_a_document_has_a_name_and_ids_that_lead_to_it(memory, named, ada):
    found = memory.naming.outline("default", "day.md")
    for one in found:
        assert named(one.section) == one.section_id
        holder = memory.get_as_of(one.section_id, ada)
        assert one.block.start in {span.start for span in holder.spans()}
        passage = memory.get_as_of(one.passage_id, ada)
        assert (passage.label, [span.start for span in passage.spans()]) == (PASSAGE, [one.block.start])
    assert {"day.md", "day.md#Day", "day.md#Day/Lunch", "day.md#Day/Lunch#2"} < {one.section for one in found}


def test_a_uri_may_hold_what_parts_it_from_headings(memory, named):
    put(memory, "day.md#Day/x.md", b"# Night\n\nDark.\n")
    assert named("day.md#Day/x.md") == document_id(source_id("day.md#Day/x.md"))
    assert named("day.md#Day/x.md#Night") == section_id(source_id("day.md#Day/x.md"), ["Night"], 0)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere.md", "'nowhere.md' is no id, and the uri of no document"),
        ("day.md#Day/Lnch", r"day.md has no section 'Day/Lnch': is it day.md#Day/Lunch"),
        ("day.md#Quantum", "clarify-bot spans --ingested"),
        ("day.md#", "has no section ''"),
    ],
)
def test_what_is_not_there_is_said_with_what_is_near(named, name, said):
    with pytest.raises(NotFound, match=said):
        named(name)


def test_where_several_may_be_meant_none_is_taken(memory, named):
    put(memory, "two.md", b"# Day\n\nA.\n\n# DAY\n\nB.\n")
    with pytest.raises(InvalidRequest, match=r"two\.md#Day and two\.md#DAY"):
        named("two.md#day")
    assert named("two.md#Day") != named("two.md#DAY")


def test_of_what_one_may_not_read_one_is_told_what_one_is_told_of_nothing(memory, named, ada):
    put(memory, "board.md", PAGE, ["board"])
    assert named("board.md#Day")
    for name in ("board.md", "board.md#Day", "board.md#Dya", "nowhere.md#Day"):
        with pytest.raises(NotFound) as refused:
            named(name, ada)
        assert str(refused.value).replace(name, "X") == str(_refused(named, ada)).replace("absent.md", "X")


def _refused(named, principal):
    with pytest.raises(NotFound) as refused:
        named("absent.md", principal)
    return refused.value


def test_what_is_gone_or_erased_has_no_sections(memory, named):
    memory.remove("day.md")
    with pytest.raises(NotFound, match="no section"):
        named("day.md#Day")
    with pytest.raises(NotFound, match="stands under"):
        memory.naming.outline("default", "day.md")
    memory.erase(source_id("day.md"), "asked")
    with pytest.raises(NotFound, match="the uri of no document"):
        named("day.md#Day")
