"""What is struck through is not said, and answers nothing."""

import pytest

from core.errors import InsufficientEvidence
from core.model.spans import SpanRef
from tests.support.memories import put

STRUCK = {
    "a sentence": (b"~~Wine is free.~~ Water is free.\n", ["Water is free."]),
    "a part of one": (b"The code is ~~1111~~ 2222.\n", ["The code is 2222."]),
    "by a tag": (b"The code is <del>1111</del> <ins>2222</ins>.\n", ["The code is 2222."]),
    "over paragraphs": (b"<del>\n\nWine is free.\n\n</del>\n\nWater is free.\n", ["Water is free."]),
    "a cell": (b"| City | Limit |\n|---|---|\n| Bern | ~~210~~ 240 |\n", ["City | Limit", "Bern — Limit: 240"]),
    "an item": (b"- ~~wine~~\n- water bottles\n", ["water bottles"]),
    "a sentence that begins before": (b"~~Wine is free. Beer~~ Water is free.\n", ["Water is free."]),
}


def units(memory, result, data):
    whole = SpanRef(result.source_id, result.version_tx, 0, len(data))
    with memory._database.read("default") as tx:
        return [unit.said for unit in memory._engines.library.units(tx, [whole])[whole]]


@pytest.mark.parametrize("case", STRUCK)
def test_what_is_struck_is_no_part_of_what_is_said(memory, case):
    data, said = STRUCK[case]
    assert units(memory, put(memory, "drinks.md", data), data) == said


def test_nobody_is_answered_by_what_is_struck(memory, ada):
    put(memory, "drinks.md", b"# Drinks\n\n~~Wine is free for 9 guests.~~\n\nThe bar opens at noon.\n")
    try:
        answer = memory.generate("For how many guests is wine free?", ada)
    except InsufficientEvidence:
        return
    assert "9 guests" not in answer.text
