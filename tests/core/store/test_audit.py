"""The audit: who did what, newest first, with ids in place of words; nothing changes or deletes a row of it."""

import ast
from pathlib import Path
from uuid import UUID

import pytest

import core
from core.clock import SECOND
from core.errors import NotFound
from core.model.auditing import AuditFilter
from core.store import audit
from core.store.tables import Audit
from tests.support.memories import audited, page, place_of, put, rows, source_id

PACKAGES = Path(core.__file__).parents[1]
AT = "travel.md"


def record(memory, *rows_of, tenant="default"):
    for row in rows_of:
        with memory._database.write(tenant) as tx:
            audit.record(tx, *row)
        memory.clock.advance(SECOND)


def trail(memory):
    return [(row.actor, row.action, row.target, row.detail) for row in audited(memory)]


# ── rows ──


def test_rows_come_newest_first_and_no_more_than_asked_for(memory, clock):
    began = clock.now()
    record(memory, ("operator", "a", "x"), ("key:1", "b", "y", "refused", {"code": "no"}), ("bot", "c", "z"))
    assert [entry.action for entry in memory.audit(100)] == ["c", "b", "a"]
    assert [entry.action for entry in memory.audit(2)] == ["c", "b"]
    refused = memory.audit(100)[1]
    assert refused == audit.AuditEntry(refused.audit_id, began + SECOND, "key:1", "b", "y", "refused", {"code": "no"})


def entries(memory, limit=100, **wanted):
    return [entry.action for entry in memory.audit(limit, AuditFilter(**wanted))]


def test_only_what_is_wanted_comes(memory, clock):
    began = clock.now()
    record(memory, ("operator", "a", "source:1"), ("key:1", "b", "source:12", "refused"), ("bot", "c", "sources_x"))
    assert entries(memory, actor="key:1") == ["b"]
    assert entries(memory, action="c") == ["c"]
    assert entries(memory, outcome="refused") == ["b"]
    assert (entries(memory, target="source:1"), entries(memory, target="source:")) == (["a"], ["b", "a"])
    assert entries(memory, since=began + SECOND, until=began + 2 * SECOND) == ["b"]
    assert entries(memory, actor="bot", action="a") == []


def test_a_pattern_is_no_pattern_here(memory):
    record(memory, ("operator", "a", "xy:1"))
    assert entries(memory, target="x_:") == entries(memory, target="%:") == []


def test_page_after_page_shows_each_entry_once_also_of_one_moment(memory):
    with memory._database.write("default") as tx:
        for number in range(5):
            audit.record(tx, "operator", f"n{number}", "x")
    memory.clock.advance(SECOND)
    record(memory, ("operator", "newer", "x"))
    seen, before = [], None
    while page_ := memory.audit(2, AuditFilter(before=before)):
        seen += [entry.action for entry in page_]
        before = page_[-1].audit_id
    assert (seen[0], sorted(seen[1:])) == ("newer", [f"n{number}" for number in range(5)])
    with pytest.raises(NotFound):
        memory.audit(2, AuditFilter(before=UUID(int=1)))


def test_one_tenants_audit_is_no_other_tenants(memory):
    memory.people.ensure_tenant("other", "Other")
    record(memory, ("operator", "theirs", "x"), tenant="other")
    assert memory.audit(100) == []
    assert [entry.action for entry in memory.audit(100, tenant="other")] == ["theirs"]


def test_what_is_rolled_back_leaves_no_row(memory):
    def fail(tx):
        audit.record(tx, "operator", "a", "x")
        raise RuntimeError

    with pytest.raises(RuntimeError), memory._database.write("default") as tx:
        fail(tx)
    assert rows(memory, Audit) == []


# ── nothing but adding ──


def modules_that_name(word):
    files = [file for package in ("core", "bot", "cards") for file in (PACKAGES / package).rglob("*.py")]
    named = {file for file in files if word in names_in(file)}
    return {str(file.relative_to(PACKAGES)) for file in named if "migrations" not in file.parts}


def names_in(file):
    nodes = list(ast.walk(ast.parse(file.read_text())))
    plain = {node.id for node in nodes if isinstance(node, ast.Name)}
    imported = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    return plain | imported | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def test_one_module_alone_names_the_table_and_it_only_adds_and_selects():
    tables = {"core/store/tables/__init__.py"}
    assert modules_that_name("Audit") - tables == {"core/store/audit.py"}
    assert names_in(PACKAGES / "core/store/audit.py").isdisjoint({"update", "delete", "merge", "execute", "text"})


def test_no_statement_written_as_text_reaches_the_table():
    for package in ("core", "bot"):
        for file in (PACKAGES / package).rglob("*.py"):
            words = file.read_text().lower()
            assert "from audit" not in words, file
            assert "update audit" not in words, file


# ── what is audited ──


def test_a_person_added_and_renewed_is_audited_without_their_words(memory):
    person_id = memory.people.put("default", "Ada Ace", email="ada@example.com", roles=["member"])
    person = f"person:{person_id}"
    assert [(row.actor, row.action, row.target, row.detail) for row in rows(memory, Audit)] == [
        ("operator", "person_added", person, {"roles": ["member"]})
    ]
    memory.people.put("default", "Ada Ace", email="ada@example.com", zone="Europe/Berlin")
    memory.clock.advance(SECOND)
    memory.people.put("default", "Ada B", email="ada@example.com", zone="Europe/Berlin", actor="key:7")
    assert trail(memory) == [
        ("operator", "person_changed", person, {"fields": ["zone"]}),
        ("key:7", "person_changed", person, {"fields": ["display_name"]}),
    ]
    assert not any("Ada" in str(row) or "example.com" in str(row) for row in rows(memory, Audit))


def test_a_change_of_roles_says_which_they_were_and_are(memory):
    for roles in (["member"], ["member", "admin"], ["admin", "member"]):
        person_id = memory.people.put("default", "Ada", roles=roles)
    was_and_is = {"was": ["member"], "is": ["admin", "member"]}
    assert trail(memory) == [("operator", "roles_changed", f"person:{person_id}", was_and_is)]


def test_leaving_and_coming_back_is_audited_once_each(memory, ada):
    for active in (False, False, True, True):
        memory.people.set_active("default", ada.person_id, active=active)
        memory.clock.advance(SECOND)
    person = f"person:{ada.person_id}"
    assert trail(memory) == [
        ("operator", "person_deactivated", person, {}),
        ("operator", "person_reactivated", person, {}),
    ]


def test_a_chat_user_who_becomes_another_person_is_unbound_and_bound(memory, ada, bob):
    place, there = place_of(ada.person_id), {"platform": "local", "workspace": "local"}
    hers, his = (f"person:{person.person_id}" for person in (ada, bob))
    memory.people.bind("default", ada.person_id, place)
    memory.people.bind("default", bob.person_id, place, "bot")
    memory.clock.advance(SECOND)
    memory.people.unbind("default", place)
    assert trail(memory) == [("bot", "chat_unbound", hers, there), ("operator", "chat_unbound", his, there)]
    bound = sorted((row.actor, row.target) for row in rows(memory, Audit) if row.action == "chat_bound")
    assert bound == sorted([("operator", hers), ("operator", his), ("bot", his)]), "bob's own place once, and each once"


def test_a_change_of_readers_is_audited_whether_or_not_the_text_changed(memory):
    text = page("Travel", {"Meals": "A meal costs 40 EUR."})
    put(memory, AT, text, ["everyone"])
    put(memory, AT, text, ["member"])
    put(memory, AT, text, ["member"])
    put(memory, AT, page("Travel", {"Meals": "A meal costs 50 EUR."}), ["admin", "member"], actor="key:7")
    source = f"source:{source_id(AT)}"
    assert [row for row in trail(memory) if row[1] != "source_put"] == [
        ("operator", "readers_changed", source, {"was": ["everyone"], "is": ["member"]}),
        ("key:7", "readers_changed", source, {"was": ["member"], "is": ["admin", "member"]}),
    ]


def test_documents_that_people_and_programs_write_are_audited_and_those_that_are_synced_are_not(memory):
    text = page("Travel", {"Meals": "A meal costs 40 EUR."})
    for actor in ("operator", "bot", "key:7"):
        memory.ingest(f"{actor}.md", text, readers=["everyone"], actor=actor)
        memory.ingest(f"{actor}.md", text, readers=["everyone"], actor=actor)
        memory.remove(f"{actor}.md", actor=actor)
        memory.remove(f"{actor}.md", actor=actor)
    assert [row[:2] for row in trail(memory)] == [("key:7", "source_put"), ("key:7", "source_removed")]
