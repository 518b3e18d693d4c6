"""Whatever a tenant's programs call and its people write and tap, and whatever of another tenant's they name: it comes
to what it would come to if the other had never been, and nothing of the other's changes. A new endpoint, tool, command
or button needs a line here.
"""

import re
from contextlib import contextmanager
from typing import get_args
from uuid import UUID

import aiohttp

from bot.actions import INACTIVE
from bot.http.v1.routes import ROUTES
from bot.ingress import Tap
from bot.mcp.tools import TOOLS
from cards.actions import Kind
from core.model.grants import CardAction, PermittedAction
from core.model.work import Offer, Place
from tests.support.bots import parts_over
from tests.support.http import Caller, listening
from tests.support.mcp import over_http, serving
from tests.support.two_tenants import MINE, QUESTION, filled, posted_card


async def told_alike(sides, tell):
    """What each side tells a tenant that names the other's, which must be the same; then what it tells of its own."""
    before = sides.beside.theirs_as_it_is()
    alone, beside = [await tell(side, side.theirs) for side in sides]
    assert alone == beside
    own = await tell(sides.own, sides.own.mine)
    assert sides.beside.theirs_as_it_is() == sides.own.theirs_as_it_is() == before
    return alone, own


# ── /v1 ──

CLAIM = "A meal may cost at most 40 EUR."
ENTITY = {"name": "x", "scopeType": "entity", "scopeRefs": ["{node}"]}
REQUESTS = {
    "POST /memory/context": [{"question": QUESTION}, {"find": "SECTION"}],
    "POST /memory/verify": [{"claims": [CLAIM]}, {"claims": [CLAIM], "against": {"sourceIds": ["{source}"]}}],
    "POST /generate": [{"question": QUESTION}],
    "POST /query": [{"find": "SECTION"}, {"find": "SAVED_ANSWER"}],
    "GET /trace/{trace}": [None],
    "POST /answers": [{"traceId": "{trace}"}],
    "GET /answers": [None],
    "GET /answers/{answer}": [None],
    "POST /answers/{answer}/refresh": [None],
    "POST /watches": [
        ENTITY,
        ENTITY | {"scopeType": "source", "scopeRefs": ["{source}"]},
        ENTITY | {"scopeType": "clarification", "scopeRefs": ["{clarification}"]},
    ],
    "GET /watches": [None],
    "GET /watches/{watch}": [None],
    "GET /watches/{watch}/fires": [None],
    "PATCH /watches/{watch}": [{"mutedUntil": 0}],
    "DELETE /watches/{watch}": [None],
    "GET /sources": [None],
    "POST /clarifications": [{"nodeId": "{node}", "question": "Which?", "audience": ["member"]}],
    "GET /clarifications": [None],
    "GET /clarifications/{clarification}": [None],
    "POST /clarifications/{clarification}/conflict": [None],
    "POST /clarifications/{clarification}/votes": [{"choice": 0}],
    "POST /clarifications/{clarification}/override": [{"choice": 0}],
    "DELETE /sources/{uri}": [None],
    "PUT /sources/{uri}?readers=everyone": [b"# Other\n\nWords.\n"],
}
"""Each endpoint, with a body that names what it may name. What is there no more comes last."""


def test_every_endpoint_is_called():
    called = [re.sub(r"\{\w+\}", "{}", one.partition("?")[0]) for one in REQUESTS]
    assert sorted(called) == sorted(re.sub(r"\{\w+\}", "{}", f"{route.method} {route.path}") for route in ROUTES)


async def calls(side, ids):
    with side.opened() as memory:
        async with listening(memory) as base, aiohttp.ClientSession() as session:
            call = Caller(session, base, side.mine["secret"])
            return [
                heard
                for what, bodies in REQUESTS.items()
                for body in bodies
                for heard in [await _called(call, side, ids, what, body)]
            ]


async def _called(call, side, ids, what, body):
    method, path = filled(what, ids).split(" ")
    data = {"data": body, "headers": {"Content-Type": "text/markdown"}} if isinstance(body, bytes) else {}
    heard = await call(method, path, None if data else filled(body, ids), **data)
    return what, heard.status, side.said(heard.raw.decode())


async def test_a_program_that_names_anothers_is_told_as_if_it_were_not_there(sides):
    foreign, own = await told_alike(sides, calls)
    names = [what for what, bodies in REQUESTS.items() for body in bodies if "{" in what or "{" in str(body)[1:-1]]
    not_found = [what for what, status, raw in foreign if status == 404 and '"NOT_FOUND"' in raw]
    assert not_found == [what for what in names if not what.startswith("PUT")], "a uri to be taken in is a tenant's own"
    assert [(what, status) for what, status, _ in own if status >= 400] == []


# ── MCP ──

CALLS = {
    "memory.context": [{"question": QUESTION}, {"find": "SECTION"}],
    "memory.verify": [{"claims": [CLAIM]}, {"claims": [CLAIM], "against": {"sourceIds": ["{source}"]}}],
    "memory.ask": [{"question": QUESTION}],
}


async def tools(side, ids):
    with side.opened() as memory:
        async with serving(memory) as address, over_http(address, side.mine["secret"]) as client:
            told = [await client.call_tool(name, filled(one, ids)) for name in CALLS for one in CALLS[name]]
    return [(one.is_error, side.said(one.content[0].text)) for one in told]


async def test_an_assistant_that_names_anothers_is_told_as_if_it_were_not_there(sides):
    assert CALLS.keys() == TOOLS.keys()
    foreign, own = await told_alike(sides, tools)
    assert [is_error for is_error, _ in foreign] == [False, False, False, True, False]
    assert not any(is_error for is_error, _ in own)


# ── in direct messages ──

WRITTEN = [
    *("help", "watch meals", "watching", "watching {watched}", "saved", "brief", "brief now", "why", "why {fire}"),
    *("mute 1h", "mute {watched} 1d", "unmute", "unmute {watched}", "stop all", "stop {watched}", "preferences"),
    *("status", "whoami"),
]
TAPPED = [
    ("watch_create", "{node}", None),
    ("watch_create", "{trace}", None),
    ("watch_create", "{clarification}", "clarification"),
    ("watch_pace", "{watch}", "daily"),
    ("watch_mute", "{watch}", "1h"),
    ("answer_save", "{trace}", None),
    ("answer_refresh", "{answer}", None),
    ("clarify_vote", "{clarification}", "0"),
    ("preference_set", "brief_day", "off"),
]


@contextmanager
def chatting(side):
    """The bot, and who writes to it from where."""
    with side.opened() as memory:
        parts = parts_over(memory, {})
        try:
            who = memory.people.principal(MINE, UUID(side.mine["ada"]))
            yield parts, who, Place("slack", side.mine["workspace"], side.mine["user"])
        finally:
            parts.gateway.stop()


async def replies(side, ids):
    with chatting(side) as (parts, who, _):
        return [await _replied(side, parts, who, filled(text, ids)) for text in WRITTEN]


async def _replied(side, parts, who, text):
    reply = await parts.commands.reply(MINE, who.person_id, text)
    return reply and side.said(repr((reply.card("nonce"), reply.offer, reply.source_ids)))


async def test_who_writes_of_anothers_is_answered_as_if_it_were_not_there(sides):
    with chatting(sides.alone) as (parts, _, _):
        assert {one.split()[0] for one in WRITTEN} == parts.commands._table.keys()
    foreign, own = await told_alike(sides, replies)
    of_another = [text for text, one, mine in zip(WRITTEN, foreign, own, strict=True) if one != mine]
    assert set(of_another) >= {text for text in WRITTEN if "{" in text}


async def taps(side, ids):
    """What comes of each button: on another's card, on an own card that lacks it, and on one that has it."""
    with chatting(side) as (parts, who, place):
        pressed = [CardAction(*(filled(one, ids) for one in tap)) for tap in TAPPED]
        return [said for action in pressed for said in await _tapped(side, parts, who, place, action)]


async def _tapped(side, parts, who, place, action):
    permitted = PermittedAction(action.kind, action.target, (action.arg,) if action.arg else ())
    said = [await parts.ingress.tapped(place, Tap(side.theirs["nonce"], action))]
    for offer in (Offer(), Offer((permitted,))):
        posted = posted_card(parts.gateway.memory, who, place, offer, for_=repr(action))
        card = await parts.actions.active(MINE, who.person_id, posted.nonce)
        said.append(side.said(await parts.actions.tap(who.person_id, card, action)))
    return said


async def test_who_taps_for_anothers_is_answered_as_if_it_were_not_there(sides):
    assert {kind for kind, _, _ in TAPPED} == set(get_args(Kind))
    foreign, own = await told_alike(sides, taps)
    assert set(foreign[::3]) == set(own[::3]) == {INACTIVE}
    assert all("could not be done" in one for one in foreign[1::3] + own[1::3])
    assert ["could not" in one or "not said any more" in one for one in foreign[2::3]] == [True] * 8 + [False]
    assert not any("could not" in one for one in own[2::3])


# ── of all tenants ──


async def test_numbers_are_of_no_tenant(sides):
    with sides.beside.opened() as memory:
        samples = [one for family in memory.metrics.registry.collect() for one in family.samples]
    assert not [one for one in samples if any("tenant" in name for name in one.labels)]
