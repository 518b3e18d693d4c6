"""What was taken away from somebody after a backup does not come back with it."""

from contextlib import closing

import pytest

from core.errors import NotFound, UnknownKey
from core.maintenance import backup, restore
from core.model.work import Place
from core.store.tables import ChatIdentity
from tests.support.connections import keeping_none
from tests.support.memories import add_person, audited, open_memory, page, put, rows, source_id

PLACE = Place("slack", "T1", "U1")
KEY = b"k" * 32


@pytest.fixture(autouse=True)
def _no_other_sessions(postgres_database):
    with keeping_none():
        yield


@pytest.fixture
def since(memory, ada, database_url, tmp_path, clock):
    """Take a backup, let something happen, bring the backup back; what was taken again, and the memory."""
    opened = []

    def _since(happens):
        backup(database_url, tmp_path / "b.backup", clock=clock)
        happens(memory)
        memory.close()
        done = restore(database_url, tmp_path / "b.backup", replace=True, clock=clock)
        opened.append(open_memory(database_url, clock))
        told = [(str(one.right.kind), ":".join(one.right.subject), sorted(one.left)) for one in done.taken_again]
        return told, opened[-1]

    yield _since
    for one in opened:
        one.close()


def test_a_key_that_was_revoked_stays_revoked(memory, since):
    kept, revoked = (memory.api_keys.create("default", name, ["member"]) for name in ("kept", "revoked"))
    told, again = since(lambda memory: memory.api_keys.revoke("default", revoked.key_id))
    assert told == [("key_revoked", f"key:{revoked.key_id}", [])]
    assert again.api_keys.principal_of(kept.secret).roles == {"member"}
    with pytest.raises(UnknownKey):
        again.api_keys.principal_of(revoked.secret)
    assert [row.target for row in audited(again) if row.action == "key_revoked"] == [f"key:{revoked.key_id}"]


def test_a_key_that_was_made_since_is_unknown(since):
    made = []
    told, again = since(lambda memory: made.append(memory.api_keys.create("default", "later", ["member"])))
    assert told == []
    with pytest.raises(UnknownKey):
        again.api_keys.principal_of(made[0].secret)


def test_who_left_has_left(ada, since):
    told, again = since(lambda memory: memory.people.set_active("default", ada.person_id, False))
    assert told == [("person_deactivated", f"person:{ada.person_id}", [])]
    with pytest.raises(NotFound):
        again.people.principal("default", ada.person_id)


def test_who_left_before_the_backup_and_came_back_since_has_left_still(memory, ada, since):
    """Rights are taken away again and never given: an operator lets them in again."""
    memory.people.set_active("default", ada.person_id, False)
    told, again = since(lambda memory: memory.people.set_active("default", ada.person_id, True))
    assert told == []
    assert not again.people.get("default", ada.person_id).active


def test_a_role_that_was_taken_away_is_not_held_again(memory, since):
    eve = add_person(memory, "Eve", ["admin", "member"])
    told, again = since(lambda memory: memory.people.put("default", "Eve", roles=["member", "steward"]))
    assert told == [("roles_changed", f"person:{eve.person_id}", ["member"])]
    assert again.people.get("default", eve.person_id).roles == ("member",)


def test_a_chat_user_who_was_let_go_is_nobody(memory, ada, since):
    memory.people.bind("default", ada.person_id, PLACE)
    told, again = since(lambda memory: memory.people.unbind("default", PLACE))
    assert told == [("chat_unbound", "slack:T1:U1", [])]
    assert again.people.at("default", PLACE) is None
    assert [row.state for row in rows(again, ChatIdentity) if row.user_id == "U1"] == ["unbound"]


def test_a_chat_user_who_is_somebody_else_since_is_not_who_they_were(memory, ada, bob, since):
    memory.people.bind("default", ada.person_id, PLACE)
    told, again = since(lambda memory: memory.people.bind("default", bob.person_id, PLACE))
    assert told == [("chat_unbound", "slack:T1:U1", [])]
    assert again.people.at("default", PLACE) is None


def test_a_webhook_that_was_removed_is_told_nothing(memory, since):
    for name in ("kept", "ledger"):
        memory.webhooks.add("default", name, "https://example.com/hook", ["member"], KEY)
    removed = memory.webhooks.named("default", "ledger").webhook_id
    told, again = since(lambda memory: memory.webhooks.remove("default", "ledger"))
    assert told == [("webhook_removed", f"webhook:{removed}", [])]
    assert [row.name for row in again.webhooks.all("default")] == ["kept"]


def test_who_may_not_read_a_document_any_more_may_not_read_it_again(memory, ada, since):
    data = page("Pay", {"Scale": "The pay scale has nine steps."})
    put(memory, "pay.md", data)
    told, again = since(lambda memory: put(memory, "pay.md", data, ["hr"]))
    assert told == [("readers_changed", f"source:{source_id('pay.md')}", ["hr"])]
    assert again.find_sections("pay scale steps", ada) == []
    [fed] = [row for row in audited(again) if row.action == "readers_changed"]
    assert fed.detail == {"was": ["everyone"], "is": ["hr"]}


def test_of_another_tenant_nothing_is_taken(memory, ada, since):
    memory.people.ensure_tenant("acme", "Acme")
    add_person(memory, "Ada", tenant="acme")
    told, again = since(lambda memory: memory.people.set_active("default", ada.person_id, False))
    assert len(told) == 1
    assert [person.active for person in again.people.all("acme")] == [True]


def test_a_memory_that_was_set_up_anew_has_taken_nothing_away(memory, database_url, tmp_path, clock):
    """Its people and documents have the ids of those in the backup, and nobody has said anything of their rights."""
    add_person(memory, "Eve", ["admin", "member"])
    memory.webhooks.add("default", "ledger", "https://example.com/hook", ["member"], KEY)
    put(memory, "pay.md", page("Pay", {"Scale": "The pay scale has nine steps."}))
    backup(database_url, tmp_path / "b.backup", clock=clock)
    new = f"sqlite:///{tmp_path / 'new.db'}"
    with closing(open_memory(new, clock)) as fresh:
        fresh.people.ensure_tenant("default", "Default")
        add_person(fresh, "Eve")
        put(fresh, "pay.md", page("Pay", {"Scale": "The pay scale has ten steps."}), ["hr"])
    assert restore(new, tmp_path / "b.backup", replace=True, clock=clock).taken_again == ()
    with closing(open_memory(new, clock)) as again:
        assert [person.roles for person in again.people.all("default")] == [("admin", "member")]
