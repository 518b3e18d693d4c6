"""`webhook …`: registered, told of something, tried, switched on again and removed, as an operator says."""

import asyncio
import json
import threading
from base64 import b64decode

import pytest
from standardwebhooks.webhooks import Webhook

from bot import webhook_key
from bot.config import load, open_memory
from bot.doctor.setup import examine
from core.ids import random_id
from core.model.node_ids import document_id, section_id
from core.store.tables import Watch
from core.store.tables import Webhook as WebhookRow
from tests.fakes.receiver import receiver
from tests.support.memories import audited, change_row, rows

URL = "https://example.com/hooks"


@pytest.fixture
def cli(set_up):
    return set_up


@pytest.fixture
def memory(cli):
    with open_memory(load()) as opened:
        yield opened


@pytest.fixture
def added(cli):
    """A webhook, as a machine is told of it."""
    return json.loads(cli("webhook", "add", "ledger", URL, "--role", "member", "--json"))


@pytest.fixture
def taking():
    """A receiver that works while commands run."""
    loop, ready, ended = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    found = []

    async def serve():
        async with receiver() as running:
            found.append(running)
            ready.set()
            await ended.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait(10)
    yield found[0]
    loop.call_soon_threadsafe(ended.set)
    thread.join(10)
    loop.close()


def listed(cli):
    return json.loads(cli("webhook", "list", "--json"))


def watches(cli, name="ledger"):
    return json.loads(cli("webhook", "show", name, "--json"))["watches"]


def found(name="webhook ledger"):
    return next(finding for finding in examine(load()) if finding.name == name)


# ── add, list, renew ──


def test_the_secret_is_printed_alone_so_that_it_can_be_piped(cli):
    secret = cli("webhook", "add", "ledger", URL, "--role", "member").strip()
    assert len(b64decode(secret.removeprefix("whsec_"))) == 32


def test_it_is_shown_once_and_never_again(cli, added):
    renewed = json.loads(cli("webhook", "renew", "ledger", "--json"))
    assert renewed["webhook_id"] == added["webhook_id"]
    assert renewed["secret"] != added["secret"]
    later = "".join(cli("webhook", *words) for words in (["list"], ["list", "--json"], ["show", "ledger"],
                                                         ["show", "ledger", "--json"])) + cli("audit")  # fmt: skip
    for secret in (added["secret"], renewed["secret"]):
        assert secret.removeprefix("whsec_") not in later


def test_what_is_listed_says_where_whose_and_how_it_is(cli, added, memory):
    [one] = listed(cli)
    assert (one["name"], one["url"], one["roles"], one["enabled"]) == ("ledger", URL, ["member"], True)
    assert "never" in cli("webhook", "list")
    key = ("default", rows(memory, WebhookRow)[0].webhook_id)
    change_row(memory, WebhookRow, key, failing_since=1_790_000_000_000_000, reason="http_500")
    assert "failing since 2026-09-21 14:13: http_500" in " ".join(cli("webhook", "show", "ledger").split())
    change_row(memory, WebhookRow, key, enabled=False, reason="gone")
    assert "off: gone" in cli("webhook", "show", "ledger")


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
def test_the_ids_that_unwatch_takes_are_shown_whole(cli, added, document, monkeypatch, terminal):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    cli("webhook", "watch", "ledger", "--source", document.uri)
    [watched] = json.loads(cli("webhook", "show", "ledger", "--json"))["watches"]
    shown = cli("webhook", "show", "ledger")
    assert watched["watch_id"] in shown
    assert "…" not in shown
    assert (watched["refs"][0] in shown) != terminal, "beside it there is no room, so it is folded; a pipe has room"
    assert "no more" in cli("webhook", "unwatch", "ledger", watched["watch_id"])


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["add", "ledger", URL], 2, "--role"),
        (["add", "ledger", "http://example.com/", "--role", "member"], 2, "--allow-plain"),
        (["add", "ledger", "https://192.168.1.5/", "--role", "member"], 2, "--allow-private"),
        (["add", " ", URL, "--role", "member"], 2, "needs a name"),
        (["add", "ledger", URL, "--role", "everyone"], 2, "names a reader"),
        (["show", "nobody"], 1, "no webhook named"),
        (["watch", "nobody", "--label", "SECTION"], 1, "no webhook named"),
        (["unwatch", "nobody", str(random_id())], 1, "no webhook named"),
        (["enable", "nobody"], 1, "no webhook named"),
        (["remove", "nobody"], 1, "no webhook named"),
        (["renew", "nobody"], 2, "webhooks.key"),
        (["test", "nobody"], 2, "webhooks.key"),
    ],
)
def test_wrong_use_says_what_would_be_right(cli, arguments, code, words):
    assert words in cli("webhook", *arguments, code=code)


# ── watch, unwatch ──


@pytest.fixture
def document(cli, tmp_path, memory):
    """A document that is ingested; its source."""
    (tmp_path / "travel.md").write_text("# Travel\n\n## Meals\n\nMeals cost at most 40 EUR.\n")
    cli("ingest", "travel.md", "--readers", "member")
    [one] = memory.documents.standing("default")
    return one


def test_a_webhook_is_told_of_a_document_a_node_and_a_label(cli, added, document):
    node = str(document_id(document.source_id))
    said = [["--source", document.uri], ["--entity", node], ["--label", "SECTION"]]
    for words in said:
        assert json.loads(cli("webhook", "watch", "ledger", *words, "--json"))["fresh"]
        assert "already" in cli("webhook", "watch", "ledger", *words)
    told = {(one["scope_type"], *one["refs"]): one["events"] for one in watches(cli)}
    facts = ["fact_changed", "fact_tombstoned"]
    assert told == {
        ("source", str(document.source_id)): ["new_source_version", "fact_tombstoned"],
        ("entity", node): facts,
        ("label", "SECTION"): facts,
    }


def test_a_webhook_is_told_of_a_section_by_its_name(cli, added, document):
    cli("webhook", "watch", "ledger", "--entity", f"{document.uri}#Travel/Meals")
    assert [one["refs"] for one in watches(cli)] == [[str(section_id(document.source_id, ("Travel", "Meals"), 0))]]


def test_the_operator_is_named_as_who_let_it_be_told(cli, added, document, memory):
    cli("webhook", "watch", "ledger", "--source", document.uri)
    assert [row.actor for row in audited(memory) if row.action == "webhook_watched"] == ["operator"]


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        ([], 2, "one of --source"),
        (["--label", "SECTION", "--source", "travel.md"], 2, "one of --source"),
        (["--source", "nowhere.md"], 1, "nowhere.md"),
        (["--entity", "nonsense"], 1, "is no id, and the uri of no document"),
        (["--entity", str(random_id())], 1, "nothing here"),
    ],
)
def test_what_cannot_be_told_of_says_why(cli, added, words, code, reason):
    assert reason in cli("webhook", "watch", "ledger", *words, code=code)
    assert watches(cli) == []


def test_a_webhook_is_not_told_of_what_its_roles_may_not_read(cli, document):
    cli("webhook", "add", "blind", URL, "--role", "board")
    cli("webhook", "watch", "blind", "--source", document.uri, code=1)


def test_unwatched_it_is_told_no_more(cli, added, document):
    made = json.loads(cli("webhook", "watch", "ledger", "--source", document.uri, "--json"))
    cli("webhook", "unwatch", "ledger", made["watch_id"])
    assert watches(cli) == []
    assert "has no watch" in cli("webhook", "unwatch", "ledger", made["watch_id"], code=1)


# ── test, enable, remove, doctor ──


def test_a_test_message_is_signed_and_its_outcome_said(cli, shell, taking):
    flags = ["--role", "member", "--allow-plain", "--allow-private", "--json"]
    made = json.loads(cli("webhook", "add", "here", taking.url, *flags))
    assert "took it" in cli("webhook", "test", "here")
    [request] = taking.requests
    assert Webhook(made["secret"]).verify(request.body, request.headers)["type"] == "webhook.test"
    taking.script.append(500)
    printed = shell("webhook", "test", "here", "--json", code=1).out
    assert json.loads(printed) == {"taken": False, "reason": "http_500"}


def test_one_that_leads_inside_in_plain_sight_is_refused_when_it_is_added(cli, taking):
    cli(
        "webhook", "add", "here", f"http://hooks.localhost.:{taking.port}/", "--role", "member", "--allow-plain", code=2
    )
    assert taking.connections == 0


def test_doctor_says_which_are_off_or_failing_or_cannot_be_signed_for(cli, added, memory):
    key = ("default", rows(memory, WebhookRow)[0].webhook_id)
    assert found().ok
    change_row(memory, WebhookRow, key, failing_since=1_790_000_000_000_000, reason="http_500")
    assert (found().ok, "http_500" in found().words, "webhook test ledger" in found().fix) == (False, True, True)
    change_row(memory, WebhookRow, key, enabled=False, reason="gone")
    assert (found().ok, "webhook enable ledger" in found().fix) == (False, True)
    cli("webhook", "enable", "ledger")
    assert found().ok
    (load().keys / webhook_key.NAME).unlink()
    assert (found().ok, webhook_key.NAME in found().words) == (False, True)


def test_removed_it_is_gone_with_what_it_was_told_of(cli, added, document, memory):
    cli("webhook", "watch", "ledger", "--source", document.uri)
    assert json.loads(cli("webhook", "remove", "ledger", "--json")) == {"name": "ledger", "removed": True}
    assert listed(cli) == []
    assert [watch.enabled for watch in rows(memory, Watch)] == [False]
