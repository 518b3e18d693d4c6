"""The bot asks until Slack lets it in, pauses what Slack shuts, and goes on by itself when it may."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bot.channels.connection import FIRST_SECS, LONGEST_SECS, wait_secs
from bot.channels.slack.connect import SlackConnection
from bot.channels.slack.manifest import SCOPES
from bot.channels.slack.web import SlackWeb
from bot.memory_gateway import MemoryGateway
from core.errors import StoreUnavailable
from core.store.tables import Audit
from tests.support.memories import rows
from tests.support.slack import let_in
from tests.support.slack_cards import TEAM


@pytest.fixture
def gateway(memory):
    opened = MemoryGateway(memory)
    yield opened
    opened.stop()


@pytest.fixture
def connection(web, gateway, acme):
    """Without chance: each wait is at its longest."""
    return SlackConnection(web, gateway, "default", trusted=True, chance=lambda: 1.0)


@pytest.fixture
def stored(memory):
    """The workspace as it stands now; None before it is there."""
    return lambda: memory.workspaces.find("slack", TEAM)


def audited(memory):
    return [row.action for row in sorted(rows(memory, Audit), key=lambda row: row.at)]


async def test_let_in_the_workspace_is_there_with_what_slack_says(connection, stored, acme):
    assert await connection.look() == LONGEST_SECS
    found = stored()
    assert (found.tenant_id, found.name, found.trusted, found.paused) == ("default", "Acme", True, False)
    url, scopes = "https://acme.slack.example/", sorted(SCOPES)
    assert found.detail == {"bot_user_id": acme.bot_user, "bot_id": acme.bot_id, "url": url, "scopes": scopes}


async def test_which_workspace_the_token_is_for_is_known_once_slack_has_said_so(connection, acme):
    acme.script("auth.test", "503")
    known = []
    for _ in range(2):
        known.append(connection.workspace)
        await connection.look()
    assert [*known, connection.workspace] == [None, None, TEAM]


async def test_connected_it_asks_no_more(connection, acme):
    for _ in range(3):
        await connection.look()
    assert len(acme.calls("auth.test")) == 1


async def test_an_untrusted_workspace_is_not_trusted_also_if_it_was_before(web, gateway, stored, memory, acme):
    let_in(memory, acme, trusted=True)
    await SlackConnection(web, gateway, "default", trusted=False).look()
    assert stored().trusted is False


async def test_row_19_a_missing_scope_is_logged_with_what_is_needed_and_it_connects(connection, acme, stored):
    acme.scopes = (acme.scopes - {"im:history"}) | {"channels:read"}
    with capture_logs() as logs:
        await connection.look()
    told = next(entry for entry in logs if entry["event"] == "slack.scopes_missing")
    assert (told["missing"], told["needed"], told["provided"]) == (["im:history"], sorted(SCOPES), sorted(acme.scopes))
    assert not stored().paused


@pytest.mark.parametrize(
    "error", ["invalid_auth", "account_inactive", "token_revoked", "token_expired", "team_access_not_granted"]
)
async def test_row_20_a_definite_refusal_pauses_what_is_known_and_says_what_to_do(
    connection, acme, memory, stored, error
):
    let_in(memory, acme)
    memory.workspaces.connect("default", "teams", "M1", "Other", {}, trusted=False)
    acme.refusal = error
    with capture_logs() as logs:
        assert [await connection.look() for _ in range(3)] == [LONGEST_SECS] * 3
    assert (stored().paused, stored().reason) == (True, error)
    assert not memory.workspaces.find("teams", "M1").paused
    assert audited(memory).count("workspace_paused") == 1
    assert all(entry["event"] == "slack.token_refused" and entry["fix"] for entry in logs)


@pytest.mark.parametrize("reason", ["messages_tab_disabled", "missing_scope", "team_access_not_granted"])
async def test_what_was_put_right_at_slack_alone_is_noticed_at_the_next_look(connection, memory, stored, reason):
    """A card was refused for it; whether cards are taken again, the next one shows."""
    await connection.look()
    memory.workspaces.pause("default", "slack", TEAM, reason)
    assert await connection.look() == LONGEST_SECS
    assert not stored().paused


async def test_a_refusal_before_anything_is_known_is_only_told(connection, acme, memory):
    acme.refusal = "invalid_auth"
    assert await connection.look() == LONGEST_SECS
    assert memory.workspaces.all("default") == []


async def test_after_an_answer_though_a_refusal_waits_begin_anew(connection, acme):
    acme.script("auth.test", "503", "503")
    assert [await connection.look() for _ in range(2)] == [FIRST_SECS, 2 * FIRST_SECS]
    acme.refusal = "invalid_auth"
    await connection.look()
    acme.refusal = None
    acme.script("auth.test", "503")
    assert await connection.look() == FIRST_SECS


async def test_a_refused_token_that_is_good_again_goes_on_by_itself(connection, acme, stored):
    acme.refusal = "account_inactive"
    await connection.look()
    acme.refusal = None
    await connection.look()
    assert stored().paused is False


async def test_row_23_a_removed_app_that_is_back_goes_on_by_itself(connection, acme, memory, stored):
    await connection.look()
    memory.workspaces.pause("default", "slack", TEAM, "app_uninstalled")
    acme.refusal = "account_inactive"
    assert await connection.look() == LONGEST_SECS
    assert (stored().paused, stored().reason) == (True, "app_uninstalled")
    acme.refusal = None
    await connection.look()
    assert stored().paused is False


@pytest.mark.parametrize(
    "fault", ["500", "503", "cut", "garbage", "internal_error", "ratelimited:none", "limited:1", "what_is_this"]
)
async def test_no_clear_answer_changes_nothing_and_is_asked_again_soon(connection, acme, memory, stored, fault):
    let_in(memory, acme)
    acme.script("auth.test", fault)
    wait = await connection.look()
    assert FIRST_SECS <= wait <= 30
    assert stored().paused is False
    await connection.look()
    assert stored().detail["scopes"] == sorted(SCOPES)


async def test_slack_is_left_in_quiet_for_as_long_as_it_asks(connection, acme):
    acme.script("auth.test", "ratelimited:70")
    assert await connection.look() == 70


async def test_the_waits_grow_and_begin_anew_once_it_is_connected(connection, acme, memory):
    acme.script("auth.test", *["500"] * 8)
    assert [await connection.look() for _ in range(9)] == [5, 10, 20, 40, 80, 160, 300, 300, LONGEST_SECS]
    memory.workspaces.pause("default", "slack", TEAM, "x")
    acme.script("auth.test", "500")
    assert await connection.look() == FIRST_SECS


async def test_a_slack_that_cannot_be_reached_is_asked_again(gateway, unused_tcp_port):
    web = SlackWeb("xoxb-1", f"http://127.0.0.1:{unused_tcp_port}/api/")
    assert await SlackConnection(web, gateway, "default", trusted=True, chance=lambda: 0).look() == FIRST_SECS / 2
    await web.close()


@pytest.mark.parametrize("error", [StoreUnavailable("the database is locked"), RuntimeError("a secret")])
async def test_a_database_that_cannot_be_used_does_not_end_the_asking(connection, memory, monkeypatch, error, stored):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(memory.workspaces, "connect", fail)
    with capture_logs() as logs:
        assert await connection.look() == FIRST_SECS
    assert "secret" not in json.dumps(logs)
    monkeypatch.undo()
    await connection.look()
    assert stored() is not None


async def test_another_tenant_s_workspace_is_not_taken(connection, memory, acme, stored):
    memory.people.ensure_tenant("other", "Other")
    memory.workspaces.connect("other", "slack", TEAM, "Acme", {}, trusted=False)
    with capture_logs() as logs:
        assert await connection.look() == FIRST_SECS
    assert "another tenant" in logs[0]["reason"]
    assert stored().tenant_id == "other"


async def test_a_token_that_is_no_bot_s_is_refused(connection, acme, monkeypatch, stored):
    monkeypatch.setattr(type(acme), "bot_id", None)
    with capture_logs() as logs:
        assert await connection.look() == LONGEST_SECS
    assert stored() is None
    assert logs[0]["reason"] == "not_allowed_token_type"


async def test_it_looks_and_waits_until_it_is_told_to_stop(web, gateway, acme, stored):
    acme.script("auth.test", "500", "500")
    waited, enough = [], asyncio.Event()

    async def sleep(secs):
        waited.append(secs)
        if len(waited) == 3:
            enough.set()
            await asyncio.Event().wait()

    connection = SlackConnection(web, gateway, "default", trusted=True, sleep=sleep, chance=lambda: 0.0)
    keeping = asyncio.create_task(connection.keep())
    await enough.wait()
    keeping.cancel()
    assert (waited, stored().paused) == ([2.5, 5.0, LONGEST_SECS], False)


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_every_wait_is_between_half_of_its_turn_and_the_longest(failures, chance):
    wait = wait_secs(failures, chance)
    assert FIRST_SECS / 2 <= wait_secs(failures, 0) <= wait <= LONGEST_SECS
    assert wait_secs(failures + 1, chance) >= wait


async def test_a_token_of_another_workspace_pauses_the_one_it_is_not_for(connection, memory, stored):
    """Sent with that token, a card for the old workspace would meet a stranger of the same id, or nobody."""
    memory.workspaces.connect("default", "slack", "TOLD", "Old", {}, trusted=False)
    await connection.look()
    old = memory.workspaces.find("slack", "TOLD")
    assert (old.paused, old.reason, stored().paused) == (True, "another_workspaces_token", False)
