"""A list is read to its end by its cursors, each item once, whatever comes and goes meanwhile."""

import base64
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.http.v1.paging import MOST, PageAsked, page, page_of_ids
from bot.http.v1.problems import Problem
from bot.http.v1.routes import ROUTES
from tests.support.memories import page as document
from tests.support.memories import put, section

PLACES = st.tuples(st.integers(-9, 9), st.text(max_size=3))


def pages(items, limit, change=lambda seen, items: items):
    """Every page, with a change to the list after each."""
    seen, cursor = [], None
    while True:
        shown, cursor = page("list", items, lambda one: one, PageAsked(limit=limit, cursor=cursor))
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


@given(st.lists(st.uuids(), unique=True, max_size=9), st.lists(st.uuids(), unique=True, max_size=3), st.integers(1, 4))
def test_ids_that_come_in_front_move_nothing(ids, added, limit):
    ids, seen, cursor = [one for one in ids if one not in added], [], None
    while True:
        shown, cursor = page_of_ids("list", [*(added if cursor else []), *ids], PageAsked(limit=limit, cursor=cursor))
        seen += shown
        if cursor is None:
            break
    assert seen == ids


def test_after_an_id_that_was_cut_off_there_is_nothing():
    ids = [UUID(int=n) for n in range(5)]
    _, cursor = page_of_ids("list", ids, PageAsked(limit=3))
    assert page_of_ids("list", ids[:2], PageAsked(limit=3, cursor=cursor)) == ([], None)


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b"7", b"{}", b"[]", b"[null]", b"[[1]]", b"\xff", b'["a"]', b"[" * 5000, b"9" * 5000),
        *(b'["list",[1]]', b'["list","a"]', b'["list",1,2]', b'["list",1e9,"a"]', b'["list",null]', b'["tsil",1,"a"]'),
    ],
)
def test_a_cursor_that_nobody_was_given_is_refused(raw):
    cursor = base64.urlsafe_b64encode(raw).decode().rstrip("=") or "A"
    with pytest.raises(Problem, match="INVALID_REQUEST"):
        page("list", [(1, "a")], lambda one: one, PageAsked.model_construct(limit=MOST, cursor=cursor))


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
    ids = [UUID(int=n) for n in range(3)]
    _, cursor = page_of_ids("fires of 1", ids, PageAsked(limit=1))
    with pytest.raises(Problem, match="INVALID_REQUEST"):
        page_of_ids("fires of 2", ids, PageAsked(cursor=cursor))


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
