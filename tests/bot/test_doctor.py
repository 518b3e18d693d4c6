"""What `doctor` finds on this machine; and that looking makes nothing and changes nothing."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest
from aiohttp import ClientSession, web

from bot.config import Settings, open_memory
from bot.doctor import machine, model
from bot.doctor.setup import examine
from bot.keys import create
from core.clock import HOUR
from core.model.principals import person_reader
from core.model.watching import ScopeType
from core.model.work import Extent, Place
from core.store.tables import Job, Workspace
from tests.support.loopback import served
from tests.support.memories import document, watch_request


@pytest.fixture
def settings(tmp_path):
    """As `init` leaves them."""
    (tmp_path / "docs").mkdir()
    source = {"name": "handbook", "path": tmp_path / "docs", "readers": ["everyone"]}
    made = Settings(
        database=f"sqlite:///{tmp_path}/memory.db", keys=tmp_path / "keys", embedder="hashing", sources=[source]
    )
    create(made.keys)
    with open_memory(made) as memory:
        memory.people.ensure_tenant("default", "Default")
    return made


def found(settings):
    """By name; what is not right has a remedy."""
    findings = examine(settings)
    assert all(finding.fix for finding in findings if not finding.ok)
    return {finding.name: finding for finding in findings}


def changed(settings, **values):
    return settings.model_copy(update=values)


def everything(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and "memory.db-" not in path.name}


def test_what_init_made_is_right_and_is_left_as_it_was(settings, tmp_path):
    before = everything(tmp_path)
    assert {name: finding.ok for name, finding in found(settings).items()} == {
        "keys": True,
        "database": True,
        "embedder": True,
        "memory": True,
        "people": True,
        "jobs": True,
        "source handbook": True,
    }
    assert everything(tmp_path) == before


def test_where_nothing_is_nothing_is_made(tmp_path):
    nothing = Settings(
        database=f"sqlite:///{tmp_path}/none/memory.db", keys=tmp_path / "none" / "keys", embedder="hashing"
    )
    findings = found(nothing)
    assert (findings["keys"].ok, findings["database"].ok, findings["memory"].ok) == (False, False, None)
    assert "clarify-bot init" in findings["database"].fix
    assert list(tmp_path.iterdir()) == []


# ── keys ──


def test_a_key_without_its_public_half_is_found(settings, tmp_path):
    create(tmp_path / "other")
    next(settings.keys.glob("*.public.pem")).unlink()
    other = next((tmp_path / "other").glob("*.public.pem"))
    other.rename(settings.keys / other.name)
    finding = found(settings)["keys"]
    assert finding.ok is False
    assert "every tap would be refused" in finding.words


def test_a_key_that_others_can_read_is_found(settings):
    (settings.keys / "private.pem").chmod(0o644)
    assert "chmod 600" in found(settings)["keys"].words


# ── the database ──


def rewrite(settings, statement):
    with closing(sqlite3.connect(settings.database.removeprefix("sqlite:///"))) as database:
        database.execute(statement)
        database.commit()


def test_an_older_database_is_found_and_left_as_it_is(settings):
    rewrite(settings, "UPDATE alembic_version SET version_num = '0001'")
    finding = found(settings)["database"]
    assert finding.ok is False
    assert "of an older clarify-bot (revision 0001" in finding.words
    assert found(settings)["database"] == finding


def test_a_newer_database_is_found(settings):
    rewrite(settings, "UPDATE alembic_version SET version_num = '9999'")
    assert "by a newer clarify-bot (revision 9999)" in found(settings)["database"].words


def test_a_database_that_was_never_set_up_is_found(settings, tmp_path):
    (tmp_path / "empty.db").touch()
    finding = found(changed(settings, database=f"sqlite:///{tmp_path}/empty.db"))["database"]
    assert (finding.ok, "was never set up" in finding.words) == (False, True)
    assert (tmp_path / "empty.db").read_bytes() == b""


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("sqlite:///garbage.db", "not a SQLite database"),
        ("postgresql://ada:hunter2@127.0.0.1:1/x", "cannot be used"),
        ("mysql://host/name", "not supported"),
        ("nonsense", "cannot be read"),
    ],
)
def test_a_database_that_cannot_be_used_is_found_and_no_password_shown(settings, tmp_path, monkeypatch, address, words):
    monkeypatch.chdir(tmp_path)
    Path("garbage.db").write_text("garbage " * 100)
    finding = found(changed(settings, database=address))["database"]
    assert finding.ok is False
    assert words in finding.words
    assert "hunter2" not in finding.words + finding.fix


def test_a_database_on_a_server_is_right(settings, postgres_url):
    with open_memory(changed(settings, database=postgres_url)) as memory:
        memory.people.ensure_tenant("default", "Default")
    findings = found(changed(settings, database=postgres_url))
    assert (findings["database"].ok, findings["memory"].ok) == (True, True)


def test_a_tenant_that_is_not_there_is_found(settings):
    finding = found(changed(settings, tenant="other"))["memory"]
    assert (finding.ok, finding.words) == (False, "has no tenant 'other'")


# ── the embedder ──


def test_an_embedder_that_cannot_load_is_found(settings, tmp_path):
    assert found(changed(settings, embedder=str(tmp_path)))["embedder"].ok is False
    assert found(changed(settings, embedder="none"))["embedder"].ok is True


def test_another_embedder_than_the_databases_is_found(settings):
    rewrite(settings, "UPDATE tenant SET embed_model = 'another', embed_dim = 3")
    findings = found(settings)
    assert (findings["embedder"].ok, findings["memory"].ok) == (True, False)
    assert "embedded with another" in findings["memory"].words


# ── sources ──


def test_a_source_that_is_not_there_is_found(settings, tmp_path):
    sources = tuple(
        source.model_copy(update={"path": tmp_path / "none", "name": "a"}) for source in settings.sources
    ) + tuple(
        source.model_copy(update={"path": None, "git": "https://x/y", "name": "b"}) for source in settings.sources
    )
    findings = found(changed(settings, sources=sources))
    assert (findings["source a"].ok, findings["source b"].ok) == (False, None)
    assert "does not exist" in findings["source a"].words


# ── this machine ──


def here(settings):
    findings = machine.examine(settings)
    assert all(finding.fix for finding in findings if not finding.ok)
    return {finding.name: finding for finding in findings}


def test_files_that_others_can_read_are_found(settings, tmp_path):
    assert here(settings)["files"].state == "ok"
    secret = tmp_path / "token"
    secret.write_text("x")
    for path, mode in ((tmp_path / "memory.db", 0o644), (settings.keys / "private.pem", 0o640), (secret, 0o644)):
        path.chmod(mode)
    slack = settings.slack.model_copy(update={"bot_token_file": secret})
    findings = here(changed(settings, slack=slack))
    assert [findings[f"file {name}"].state for name in ("memory.db", "private.pem", "token")] == ["wrong"] * 3
    assert findings["file token"].fix == f"chmod 600 {secret}"
    (tmp_path / "memory.db").chmod(0o640)
    assert "file memory.db" not in here(settings), "a group may be let in, for backups"


def test_files_of_another_user_and_what_this_one_cannot_write_are_found(settings, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)
    assert here(settings)["file memory.db"].state == "advice"
    assert "belongs to another user" in here(settings)["file private.pem"].words
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert here(settings)["file memory.db"].state == "wrong"


@pytest.mark.parametrize(("free", "state"), [(10, "wrong"), (60, "advice"), (10_000, "ok")])
def test_little_room_is_found(settings, tmp_path, monkeypatch, free, state):
    os.truncate(tmp_path / "memory.db", 100 * 1024 * 1024)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(0, 0, free * 1024 * 1024))
    assert here(settings)["disk"].state == state


def test_a_log_that_nobody_can_bring_in_is_found(settings, tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "LONG_LOG", 10)
    assert "database log" not in here(settings)
    (tmp_path / "memory.db-wal").touch()
    os.truncate(tmp_path / "memory.db-wal", 10 * 1024 * 1024)
    assert here(settings)["database log"].state == "advice"


def test_a_machine_without_time_zones_is_found(settings, monkeypatch):
    def unknown(name):
        raise machine.ZoneInfoNotFoundError(name)

    monkeypatch.setattr(machine, "ZoneInfo", unknown)
    assert (here(settings)["time zones"].state, "tzdata" in here(settings)["time zones"].fix) == ("wrong", True)


def test_choices_that_may_not_be_meant_are_advice(settings):
    plain = {"provider": "openai", "base_url": "http://models.example.com/v1", "model": "m"}
    findings = here(
        changed(
            settings,
            http=settings.http.model_copy(update={"host": "0.0.0.0"}),
            llm=settings.llm.model_copy(update=plain),
            sources=(),
        )
    )
    advised = {name for name, finding in findings.items() if finding.state == "advice"}
    assert advised == {"http.host", "llm.base_url", "embedder choice", "sources"}


# ── what goes on ──


def test_a_paused_workspace_and_jobs_that_were_given_up_are_found(settings):
    with open_memory(settings) as memory, memory._database.write("default") as tx:
        where = {"tenant_id": "default", "platform": "slack", "workspace": "T1", "name": "Acme", "connected_at": 1}
        tx.session.add(Workspace(**where, state="paused", reason="account_inactive", detail={}))
        key = {"tenant_id": "default", "job_id": UUID(int=1), "kind": "notify:watch", "audience": "bot"}
        tx.session.add(Job(**key, payload={}, state="dead", not_before=1, created_at=1))
    findings = found(settings)
    assert "account_inactive" in findings["workspace T1"].words
    assert (findings["workspace T1"].ok, findings["jobs"].ok) == (False, False)
    assert "jobs list --state dead" in findings["jobs"].fix


def test_who_is_known_and_bound_is_said(settings):
    assert found(settings)["people"].state == "advice"
    with open_memory(settings) as memory:
        ada = memory.people.put("default", "Ada")
    slack = changed(settings, slack=settings.slack.model_copy(update={"mode": "socket"}))
    assert (found(settings)["people"].state, found(slack)["slack.people"].state) == ("ok", "advice")
    with open_memory(settings) as memory:
        memory.people.bind("default", ada, Place("slack", "T1", "U1"))
    assert "slack.people" not in found(slack)


def test_documents_whose_readers_are_nobody_are_told(settings):
    with open_memory(settings) as memory:
        memory.ingest("a.md", b"A.", readers=["membr"])
        assert "readers" not in found(settings), "before anybody is known that is no wonder"
        ada = memory.people.put("default", "Ada", roles=["member"])
        memory.ingest("b.md", b"B.", readers=["member", "board"])
        memory.ingest("c.md", b"C.", readers=[person_reader(ada)])
    told = found(settings)["readers"]
    assert (told.state, told.words.split()[0], "membr" in told.words) == ("advice", "1", True)
    with open_memory(settings) as memory:
        memory.people.set_active("default", ada, False)
        key = memory.api_keys.create("default", "portal", ["membr"]).key_id
    assert found(settings)["readers"].words.split()[0] == "2"
    with open_memory(settings) as memory:
        memory.people.set_active("default", ada, True)
    assert "readers" not in found(settings)
    with open_memory(settings) as memory:
        memory.api_keys.revoke("default", key)
    assert "readers" in found(settings)


def test_changes_that_nobody_was_told_of_are_found(settings):
    with open_memory(settings) as memory:
        memory.sweep()
        memory.ingest("a.md", b"# A\n\nOne.", readers=["everyone"])
    assert "changes" not in found(settings)
    age = [f"UPDATE {table} SET tx = tx - {2 * HOUR}" for table in ("feed", "sweep_checkpoint")]
    for statement in age:
        rewrite(settings, statement)
    assert found(settings)["changes"].state == "advice", "nobody waits for news"
    with open_memory(settings) as memory:
        ada = memory.people.principal("default", memory.people.put("default", "Ada"))
        memory.watch(watch_request(ada, ScopeType.ENTITY, document("a.md")), ada)
    assert found(settings)["changes"].state == "wrong"


def test_when_a_source_was_last_looked_at_is_said(settings):
    assert "nothing of it was taken in" in found(settings)["source handbook"].words
    with open_memory(settings) as memory:
        memory.ingest("handbook/a.md", b"A.", readers=["everyone"], source_set="handbook")
        memory.documents.checked("default", "handbook")
    assert found(settings)["source handbook"].state == "ok"
    rewrite(settings, f"UPDATE source SET checked_at = checked_at - {HOUR}")
    assert found(settings)["source handbook"].state == "advice"
    rewrite(settings, f"UPDATE source SET checked_at = checked_at - {2 * HOUR}")
    assert found(settings)["source handbook"].state == "wrong"


def test_an_erasure_that_is_not_at_its_end_is_found(settings, monkeypatch):
    with open_memory(settings) as memory:
        memory.ingest("a.md", b"A.", readers=["everyone"])
        monkeypatch.setattr(memory._database, "rewrite", lambda: False)
        report = memory.erase(memory.documents.named("default", "a.md"), "asked")
    name = f"erasure {str(report.erasure_id)[:8]}"
    assert (found(settings)[name].state, report.copies) == ("advice", {})
    rewrite(settings, f"UPDATE erasure SET at = at - {4 * HOUR}")
    assert found(settings)[name].state == "wrong"


def test_cards_and_events_that_were_given_up_are_told_and_are_no_error_that_nothing_could_mend(settings):
    with open_memory(settings) as memory:
        ada = memory.people.put("default", "Ada")
        place = Place("slack", "T1", "U1")
        memory.people.bind("default", ada, place)
        card = memory.messages.post("default", ada, place, "event:1", "reply", lambda _: {"words": "hello"})
        sending = memory.delivery.take("default", card, lambda *_: {})
        memory.outcomes.not_sent(sending, "msg_too_long", lasting=Extent.CARD)
        memory.inbound.receive("default", place, "e1", "question", {"text": "hello"})
    rewrite(settings, "UPDATE inbox SET state = 'failed'")
    findings = found(settings)
    assert [(findings[name].state, findings[name].words[:2]) for name in ("cards", "events")] == [("advice", "1 ")] * 2


# ── the language model ──


async def told(settings, **llm):
    values = {"provider": "openai", "model": "m1", **llm}
    async with ClientSession() as session:
        finding = await model.examine(changed(settings, llm=settings.llm.model_copy(update=values)), session)
    assert finding.ok or finding.fix
    return finding


@pytest.mark.parametrize(
    ("status", "body", "state", "words"),
    [
        (200, {"data": [{"id": "m1"}]}, "ok", "has the model 'm1'"),
        (200, {"data": [{"id": "m2"}]}, "wrong", "no model 'm1'"),
        (200, {"data": []}, "wrong", "no model 'm1'"),
        (200, [], "unchecked", "lists no models"),
        (401, {}, "wrong", "refuses the key"),
        (403, {}, "wrong", "refuses the key"),
        (404, {}, "unchecked", "lists no models"),
        (503, {}, "unchecked", "HTTP 503"),
    ],
)
async def test_the_models_server_is_asked_for_its_list(settings, status, body, state, words):
    async with served({"/v1/models": lambda _: web.json_response(body, status=status)}) as address:
        finding = await told(settings, base_url=f"{address}/v1")
    assert (finding.state, words in finding.words) == (state, True)


async def test_a_model_that_is_not_set_up_or_not_there_is_found(settings):
    assert "needs llm.base_url" in (await told(settings)).words
    assert "no connection is accepted" in (await told(settings, base_url="http://127.0.0.1:9/v1")).words
    assert (await told(settings, provider="extractive")).state == "ok"
