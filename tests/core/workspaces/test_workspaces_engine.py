"""Workspaces: held for a while where the platform asks, paused by a lasting refusal, and never forgotten."""

import pytest

from core.clock import DAY, HOUR, MINUTE, SECOND
from core.errors import InvalidRequest, NotFound
from core.model.watching import ScopeType
from core.store.tables import Audit, Watch, Workspace
from core.workspaces.engine import WorkspaceView
from tests.support.deliveries import Worker
from tests.support.memories import audited, document, open_memory, page, put, rows, watch_request
from tests.support.posting import PLATFORM, connect, ids, member, place, post, take
from tests.support.threads import at_once


@pytest.fixture(autouse=True)
def ada(memory):
    connect(memory, "A")
    return member(memory, "Ada")


def found(memory, workspace="A"):
    return memory.workspaces.find(PLATFORM, workspace)


def pause(memory, reason="app_uninstalled", workspace="A"):
    return memory.workspaces.pause("default", PLATFORM, workspace, reason)


def hold(memory, micros, workspace="A", tenant="default"):
    memory.workspaces.hold(tenant, PLATFORM, workspace, micros)


def trail(memory):
    return [(row.action, row.target, row.detail) for row in audited(memory)]


CONNECTED = ("workspace_connected", "fake:A", {})


def paused(reason):
    return ("workspace_paused", "fake:A", {"reason": reason})


# ── let in ──


def test_a_workspace_finds_its_tenant(memory):
    assert found(memory) == WorkspaceView("default", PLATFORM, "A", "A", False, False, None, {})
    assert (memory.workspaces.find(PLATFORM, "Z"), memory.workspaces.find("other", "A")) == (None, None)


def test_a_workspace_connected_again_is_renewed_and_audited_once(memory):
    connected = memory.workspaces.connect("default", PLATFORM, "A", "Acme", {"bot": "B1"}, trusted=True)
    assert (connected.name, connected.trusted, connected.detail) == ("Acme", True, {"bot": "B1"})
    assert memory.workspaces.all("default") == [connected]
    assert trail(memory) == [CONNECTED, ("workspace_trusted", "fake:A", {})]


def test_two_processes_that_connect_it_at_once_make_one(memory):
    connected = at_once(*[lambda: connect(memory, "B")] * 4)
    assert connected == [None] * 4
    assert [row.workspace for row in rows(memory, Workspace)] == ["A", "B"]
    assert len([row for row in rows(memory, Audit) if row.target == "fake:B"]) == 1


@pytest.fixture
def other(memory):
    memory.people.ensure_tenant("other", "Other")
    return "other"


def test_a_workspace_of_one_tenant_is_no_other_tenants(memory, other):
    with pytest.raises(InvalidRequest, match="another tenant"):
        memory.workspaces.connect(other, PLATFORM, "A", "Mine", {}, trusted=True)
    with pytest.raises(NotFound):
        memory.workspaces.pause(other, PLATFORM, "A", "out of spite")
    hold(memory, DAY, tenant=other)
    assert (found(memory).name, found(memory).paused, found(memory).trusted) == ("A", False, False)
    assert [row.held_until for row in rows(memory, Workspace)] == [0]
    assert memory.workspaces.all(other) == []


# ── paused ──


def test_a_pause_says_why_and_is_audited_once(memory):
    assert pause(memory)
    assert (found(memory).paused, found(memory).reason) == (True, "app_uninstalled")
    assert trail(memory) == [CONNECTED, paused("app_uninstalled")]


@pytest.mark.parametrize("reasons", [("app_uninstalled", "tokens_revoked"), ("tokens_revoked", "app_uninstalled")])
def test_pausing_twice_in_either_order_is_pausing_once(memory, reasons):
    assert [pause(memory, reason) for reason in reasons] == [True, False]
    assert found(memory).reason == reasons[0]
    assert trail(memory) == [CONNECTED, paused(reasons[0])]


def test_several_cards_refused_at_once_pause_it_once(memory):
    for number in range(4):
        told = at_once(*[lambda: pause(memory)] * 4)
        assert sorted(told) == [False, False, False, True]
        memory.clock.advance(SECOND)
        connect(memory, "A")
        assert len([row for row in rows(memory, Audit) if row.action == "workspace_paused"]) == number + 1


def test_there_is_no_pausing_what_nobody_connected(memory):
    with pytest.raises(NotFound, match="no fake workspace Z"):
        pause(memory, workspace="Z")


def test_a_paused_workspace_that_lets_the_bot_in_again_goes_on(memory):
    pause(memory)
    memory.clock.advance(DAY)
    connect(memory, "A")
    assert (found(memory).paused, found(memory).reason) == (False, None)
    assert trail(memory) == [CONNECTED, paused("app_uninstalled"), CONNECTED]
    assert pause(memory, "again"), "and may be paused anew"


def test_watches_are_kept_while_it_is_paused_and_their_cards_go_out_afterwards(memory, clock, ada):
    put(memory, "travel.md", page("Travel", {"Meals": "A meal costs 40 EUR."}))
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md")), ada)
    before = rows(memory, Watch)
    pause(memory)
    clock.advance(HOUR)
    put(memory, "travel.md", page("Travel", {"Meals": "A meal costs 50 EUR."}))
    memory.sweep()
    clock.advance(MINUTE)
    worker = Worker(memory)
    assert worker.send() == []
    now = rows(memory, Watch)
    assert [(row.enabled, row.suspended) for row in now] == [(row.enabled, row.suspended) for row in before]
    clock.advance(30 * DAY)
    connect(memory, "A")
    assert [card.place for card in worker.send()] == [place("Ada")]


# ── held ──


@pytest.fixture
def card(memory):
    return post(memory, place("Ada"))


def test_a_hold_is_over_when_the_platform_said(memory, clock, card):
    hold(memory, 30 * SECOND)
    clock.advance(30 * SECOND - 1)
    assert (memory.delivery.due(), take(memory, card)) == ([], None)
    clock.advance(1)
    assert ids(memory.delivery.due()) == [card]


def test_a_hold_never_shortens(memory, clock, card):
    hold(memory, HOUR)
    clock.advance(MINUTE)
    for shorter in (0, SECOND, 58 * MINUTE):
        hold(memory, shorter)
    clock.advance(59 * MINUTE - 1)
    assert memory.delivery.due() == []
    clock.advance(1)
    assert ids(memory.delivery.due()) == [card]


def test_of_several_holds_at_once_the_longest_counts(memory, clock):
    for _ in range(5):
        clock.advance(DAY)
        at_once(*[lambda n=n: hold(memory, n * HOUR) for n in (1, 3, 2, 4)])
        assert [row.held_until - clock.now() for row in rows(memory, Workspace)] == [4 * HOUR]


def test_a_hold_is_for_that_workspace_alone(memory, card):
    connect(memory, "B")
    member(memory, "Bob", "B")
    hold(memory, HOUR, "B")
    post(memory, place("Bob", "B"))
    assert ids(memory.delivery.due()) == [card]


def test_a_hold_survives_the_bot_that_was_asked_for_it(memory, database_url, clock, card):
    hold(memory, HOUR)
    restarted = open_memory(database_url, clock)
    assert restarted.delivery.due() == []
    restarted.close()


def test_a_bot_that_starts_again_does_not_end_a_hold_and_a_workspace_that_lets_it_in_anew_does(memory, clock, card):
    hold(memory, HOUR)
    connect(memory, "A")
    assert memory.delivery.due() == []
    pause(memory)
    connect(memory, "A")
    assert ids(memory.delivery.due()) == [card]


def test_a_workspace_that_nobody_connected_cannot_be_held_and_that_harms_nobody(memory, card):
    hold(memory, HOUR, "Z")
    assert ids(memory.delivery.due()) == [card]
