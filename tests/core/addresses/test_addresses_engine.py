"""An address is what the platform said last of one user of one workspace, and nobody else's."""

from dataclasses import replace

from core.clock import SECOND
from core.model.work import Place
from core.store.tables import ChatAddress
from tests.support.memories import rows
from tests.support.threads import at_once

ADA, BOB = Place("teams", "acme", "ada"), Place("teams", "acme", "bob")


def test_the_newest_saying_counts_and_says_when(memory, clock):
    assert memory.addresses.find("default", ADA) is None
    memory.addresses.keep("default", ADA, {"at": "first", "more": [1, None]})
    clock.advance(SECOND)
    memory.addresses.keep("default", ADA, {"at": "second"})
    assert memory.addresses.find("default", ADA) == {"at": "second"}
    assert [row.seen_at for row in rows(memory, ChatAddress)] == [clock.now()]


def test_an_address_is_one_users_of_one_workspace_of_one_platform_of_one_tenant_whatever_the_thread(memory):
    memory.people.ensure_tenant("other", "Other")
    memory.addresses.keep("default", replace(ADA, thread="1"), {"at": "hers"})
    assert memory.addresses.find("default", replace(ADA, thread="2")) == {"at": "hers"}
    for elsewhere in (BOB, replace(ADA, workspace="w2"), replace(ADA, platform="slack")):
        assert memory.addresses.find("default", elsewhere) is None
    assert memory.addresses.find("other", ADA) is None
    assert memory.addresses.newest("other", "teams", "acme") is None


def test_who_lets_the_bot_go_has_no_address_and_others_keep_theirs(memory):
    for place in (ADA, BOB):
        memory.addresses.keep("default", place, {"at": place.user_id})
    for event_id in ("e1", "e2"):
        memory.inbound.left("default", ADA, event_id, "app_removed")
    assert memory.addresses.find("default", ADA) is None
    assert memory.addresses.find("default", BOB) == {"at": "bob"}


def test_the_address_heard_of_last_stands_for_its_workspace(memory, clock):
    for place in (ADA, BOB, Place("teams", "other", "eve"), Place("slack", "acme", "u")):
        clock.advance(SECOND)
        memory.addresses.keep("default", place, {"at": place.user_id})
    assert memory.addresses.newest("default", "teams", "acme") == {"at": "bob"}
    clock.advance(SECOND)
    memory.addresses.keep("default", ADA, {"at": "again"})
    assert memory.addresses.newest("default", "teams", "acme") == {"at": "again"}
    assert memory.addresses.newest("default", "teams", "none") is None


def test_two_at_once_leave_one_address(memory):
    tasks = [lambda: memory.addresses.keep("default", ADA, {"at": "there"})] * 4
    assert at_once(*tasks) == [None] * 4
    assert [row.detail for row in rows(memory, ChatAddress)] == [{"at": "there"}]
