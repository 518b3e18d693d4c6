"""A list is read to its end by its cursors, each item once, whatever comes and goes meanwhile."""

import base64
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.http.v1.paging import MOST, PageAsked, page, part
from bot.http.v1.problems import Problem
from bot.http.v1.routes import ROUTES
from core.model.paging import Part, gathered
from tests.support.memories import page as document
from tests.support.memories import put, section

PLACES = st.tuples(st.integers(0, 9), st.text(st.characters(exclude_categories=["Cs"], min_codepoint=1), max_size=3))


def asked(part, items):
    """What a store tells of a list of places."""
    return sorted(one for one in items if part.after is None or one > part.after)[: part.limit]


def pages(items, limit, change=lambda seen, items: items):
    """Every page, with a change to the list after each."""
    seen, cursor = [], None
    while True:
        sent = PageAsked(limit=limit, cursor=cursor)
        shown, cursor = page("list", asked(part("list", sent, int, str), items), lambda one: one, sent)
        seen += shown
        if cursor is None:
            return seen
        items = change(seen, items)


@given(st.sets(PLACES), st.integers(1, 4))
def test_all_are_shown_once_and_in_order(items, limit):
    assert pages(items, limit) == sorted(items)


@given(st.sets(PLACES), st.sets(PLACES), st.sets(PLACES), st.integers(1, 4))
def test_what_comes_and_goes_moves_nothing_else(items, added, gone, limit):
    seen = pages(items, limit, lambda _, __: (items | added) - gone)
    assert len(seen) == len(set(seen))
    assert set(seen) >= items - gone


@given(st.lists(st.booleans(), max_size=12), st.integers(1, 4), st.none() | st.integers(0, 12))
def test_of_rows_that_are_not_all_shown_as_many_are_read_as_fill_a_part(shown, limit, after):
    found = gathered(
        Part(None if after is None else (after,), limit),
        lambda some: asked(some, [(number,) for number in range(len(shown))]),
        lambda row: row,
        lambda read: [number for (number,) in read if shown[number]],
    )
    wanted = [number for number, is_shown in enumerate(shown) if is_shown and (after is None or number > after)]
    assert found == wanted[:limit]


def test_a_uuid_of_a_place_is_a_uuid_again():
    sent = PageAsked(limit=1)
    _, cursor = page("list", [(1, UUID(int=2)), ()], lambda one: one, sent)
    assert part("list", PageAsked(cursor=cursor), int, UUID).after == (1, UUID(int=2))


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b"7", b"{}", b"[]", b"[null]", b"[[1]]", b"\xff", b'["a"]', b"[" * 5000, b"9" * 5000),
        *(b'["list",[1]]', b'["list","a"]', b'["list",1,2]', b'["list",1e9,"a"]', b'["list",null]', b'["tsil",1,"a"]'),
        *(b'["list",1,"a","b"]', b'["list",true,"a"]', b'["list",9223372036854775808,"a"]', b'["list",-1,"a"]'),
        *(b'["list",1,"\\u0000"]', b'["list",1,"\\ud800"]'),
    ],
)
def test_a_cursor_that_nobody_was_given_is_refused(raw):
    cursor = base64.urlsafe_b64encode(raw).decode().rstrip("=") or "A"
    with pytest.raises(Problem, match="INVALID_REQUEST"):
        part("list", PageAsked.model_construct(limit=MOST, cursor=cursor), int, str)


async def test_a_cursor_of_one_list_is_none_of_another(call, memory):
    """Also where both are ordered alike."""
    for number in "12":
        put(memory, f"page-{number}.md", document("P", {"S": f"Words {number}."}))
        scope = {"scopeType": "label", "scopeRefs": [f"LABEL_{number}"]}
        await call("POST", "/watches", {"name": "x"} | scope)
        asked = {"nodeId": section("travel.md", "Travel", "Meals"), "question": f"{number}?", "audience": ["member"]}
        await call("POST", "/clarifications", asked)
        trace_id = (await call("POST", "/generate", {"question": f"What may {number} meals cost?"})).json["traceId"]
        await call("POST", "/answers", {"traceId": trace_id})
    lists = [route.path for route in ROUTES if route.query is PageAsked and "{" not in route.path]
    cursors = {path: (await call("GET", f"{path}?limit=1")).json["nextCursor"] for path in lists}
    heard = {
        (path, other): (await call("GET", path, params={"cursor": cursor})).status
        for path in lists
        for other, cursor in cursors.items()
    }
    assert heard == {(path, other): 200 if path == other else 422 for path in lists for other in lists}


def test_a_cursor_of_the_fires_of_one_watch_is_none_of_another():
    _, cursor = page("fires of 1", [(1,), (2,)], lambda one: one, PageAsked(limit=1))
    with pytest.raises(Problem, match="INVALID_REQUEST"):
        part("fires of 2", PageAsked(cursor=cursor), int)


async def test_lists_are_read_by_cursors_over_http(admin, memory):
    for number in range(5):
        put(memory, f"page-{number}.md", document("P", {"S": f"Words {number}."}))
    first = (await admin("GET", "/sources?limit=4")).json
    put(memory, "a.md", document("P", {"S": "Comes before."}))
    rest = (await admin("GET", "/sources", params={"limit": 4, "cursor": first["nextCursor"]})).json
    uris = [one["uri"] for one in first["sources"] + rest["sources"]]
    assert uris == ["board.md", *(f"page-{number}.md" for number in range(5)), "travel.md"]
    assert rest["nextCursor"] is None
    assert (await admin("GET", "/sources?cursor=AAAA")).code == "INVALID_REQUEST"


async def test_a_list_without_an_end_to_its_name_is_read_too(admin, memory):
    for letter in "ab":
        put(memory, letter + "\U0001f3dd" * 1023, document("P", {"S": "Words."}))
    cursor = (await admin("GET", "/sources?limit=1")).json["nextCursor"]
    assert (await admin("GET", "/sources", params={"cursor": cursor})).status == 200


async def test_each_list_is_read_to_its_end_by_its_cursors(call, memory, admin):
    """Also uris that a database with an alphabet of its own would order otherwise."""
    for uri in ("B.md", "a.md", "\u00e4.md", "b-1.md", "b 1.md"):
        put(memory, uri, document("P", {"S": f"Words of {uri}."}))
    for number in "123":
        await call("POST", "/watches", {"name": number, "scopeType": "label", "scopeRefs": [f"LABEL_{number}"]})
        asked = {"nodeId": section("travel.md", "Travel", "Meals"), "question": f"{number}?", "audience": ["member"]}
        await call("POST", "/clarifications", asked)
        trace_id = (await call("POST", "/generate", {"question": f"What may {number} meals cost?"})).json["traceId"]
        await call("POST", "/answers", {"traceId": trace_id})
        memory.clock.advance(1_000_000)
    for name in ("sources", "watches", "answers", "clarifications"):
        whole, seen, cursor = (await call("GET", f"/{name}?limit=200")).json[name], [], {}
        while cursor is not None:
            told = (await call("GET", f"/{name}", params={"limit": 2} | cursor)).json
            seen += told[name]
            cursor = told["nextCursor"] and {"cursor": told["nextCursor"]}
        assert seen == whole
        assert len(whole) >= 3
    uris = [one["uri"] for one in (await admin("GET", "/sources")).json["sources"]]
    assert uris == sorted(uris, key=str.encode)
