"""Looking up documents, the kinds of their spans, and moments ahead: what was asked for, once, and nothing else."""

from dataclasses import replace

from core.clock import DAY, FOREVER, SECOND
from core.ids import random_id
from core.model.spans import SpanRef
from core.store import boundaries, sources
from core.store.tables import Boundary, Span
from tests.support.memories import page, put, rows

WORDS = {"Meals": "Meals cost at most 40 EUR.", "Hotels": "Hotels cost at most 150 EUR."}


def kinds_stored(memory):
    return {SpanRef(row.source_id, row.version_tx, row.start, row.end): row.kind for row in rows(memory, Span)}


def kinds_found(memory, spans):
    with memory._database.read("default") as tx:
        return sources.span_kinds(tx, spans)


def test_the_kind_of_every_span_is_found_in_its_own_version(memory):
    for uri, words in (("a.md", WORDS), ("b.md", WORDS), ("a.md", WORDS | {"Meals": "```\nmeals = 45\n```"})):
        put(memory, uri, page("Travel", words))
    stored = kinds_stored(memory)
    assert set(stored.values()) == {"heading", "paragraph", "code"}
    assert kinds_found(memory, stored) == stored
    some = list(stored)[::3]
    assert kinds_found(memory, some) == {span: stored[span] for span in some}


def test_a_span_that_is_no_block_has_no_kind(memory):
    put(memory, "a.md", page("Travel", WORDS))
    span = next(iter(kinds_stored(memory)))
    strangers = [
        replace(span, end=span.end + 1),
        replace(span, start=span.start + 1),
        replace(span, source_version_tx=span.source_version_tx + 1),
        replace(span, source_id=random_id()),
    ]
    assert kinds_found(memory, strangers) == {}


def test_only_known_documents_are_found_by_uri(memory):
    known = put(memory, "a.md", page("Travel", WORDS)).source_id
    put(memory, "b.md", page("Travel", WORDS))
    with memory._database.read("default") as tx:
        assert sources.ids_by_uri(tx, ["a.md", "nowhere.md"]) == {"a.md": known}
        assert sources.ids_by_uri(tx, []) == {}


def test_a_moment_ahead_is_noted_once_and_a_past_one_never(memory, clock):
    first, second = random_id(), random_id()
    ahead, past = clock.now() + DAY, clock.now() - SECOND
    for valid in ((ahead, FOREVER), (past, ahead)):
        with memory._database.write("default") as tx:
            boundaries.note(tx, "node", [(first, "SECTION"), (second, "SECTION")], valid)
    noted = [(row.ref_id, row.at, row.label) for row in rows(memory, Boundary)]
    assert sorted(noted) == sorted((each, ahead, "SECTION") for each in (first, second))
