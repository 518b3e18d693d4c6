"""Taking the same documents in again leaves every table as long as it was, but for when each was seen."""

import pytest
from sqlmodel import SQLModel, func, select

from core.clock import DAY, SECOND
from core.model.nodes import PASSAGE
from core.model.watching import ScopeType
from tests.support.memories import NOW, add_person, page, put, watch_request

FOLDER = {
    "travel.md": page("Travel", {"Meals": "At most 40 EUR a day, see [rooms](rooms.md).", "Trains": "Second class."}),
    "rooms.md": b"---\nowner: facilities\n---\n# Rooms\n\n| room | seats |\n|---|---|\n| Aare | 8 |\n| Limmat | 12 |\n",
    "same.md": page("Same", {"One": "The same words.", "Two": "The same words."}),
    "prices.csv": b"item,price\ncoffee,2\ntea,2\n",
    "page.html": b"<h1>Page</h1><p>Said in a paragraph.</p><ul><li>One</li><li>Two</li></ul>",
    "notes.txt": b"A first paragraph.\n\nA second one.\n",
    "blank.md": b"\n",
}


def take_in(memory, **more):
    """The whole folder, as a sync does, and what is found by it; a sweep passes after it."""
    outcomes = {put(memory, uri, data, source_set="folder", **more).outcome for uri, data in FOLDER.items()}
    memory.documents.checked("default", "folder")
    memory.sweep()
    return outcomes


def lengths(memory):
    with memory._database.read("default") as tx:
        tables = SQLModel.metadata.sorted_tables
        return {table.name: tx.session.execute(select(func.count()).select_from(table)).scalar() for table in tables}


@pytest.fixture
def watched(memory):
    """A memory whose every passage is watched, so that whatever moves would be told."""
    ada = add_person(memory, "Ada")
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.LABEL, PASSAGE), ada)
    return memory


def test_a_folder_again_adds_one_sighting_a_document_and_then_none(watched, clock):
    assert take_in(watched) == {"new"}
    once = lengths(watched)
    clock.advance(DAY)
    assert take_in(watched) == {"unchanged"}
    twice = lengths(watched)
    assert twice == once | {"source_sighting": once["source_sighting"] + len(FOLDER)}
    clock.advance(DAY)
    assert take_in(watched) == {"unchanged"}
    assert lengths(watched) == twice


def test_a_history_again_adds_nothing_at_all(watched, clock):
    def replay():
        """Each document in two versions, then gone, and here again."""
        for uri, data in FOLDER.items():
            put(watched, uri, data, valid_start=NOW - 4 * DAY)
            put(watched, uri, data + b"\nMore.\n", valid_start=NOW - 3 * DAY)
            watched.remove(uri, valid_start=NOW - 2 * DAY)
            put(watched, uri, data, valid_start=NOW - DAY)
        watched.sweep()

    replay()
    once = lengths(watched)
    clock.advance(100 * SECOND)
    replay()
    assert lengths(watched) == once


def test_what_changes_and_changes_back_is_as_long_as_its_history(watched, clock):
    """So that the tests above can fail: a version more is rows more."""
    take_in(watched)
    once = lengths(watched)
    put(watched, "notes.txt", b"Something else.\n")
    put(watched, "notes.txt", FOLDER["notes.txt"])
    grown = {name for name, length in lengths(watched).items() if length > once[name]}
    assert {"source_version", "span", "node_version", "edge_version", "feed", "recall_entry"} <= grown
