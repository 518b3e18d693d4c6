"""`doctor` from outside: what it prints, its exit code, and that no secret is in it."""

import json

import pytest
from aiohttp import web

from bot.channels.settings import CREDENTIALS
from bot.channels.teams.address import Address
from bot.cli.entry import run
from bot.config import load, open_memory
from core.model.work import Place
from tests.fakes.slack import fake_slack
from tests.fakes.teams_openid import APP_ID, TENANT_ID, fake_openid
from tests.support.loopback import served_aside

CANARIES = {
    "bot_token": "xoxb-T1-canary",
    "app_token": "xapp-1-canary",
    "signing_secret": "0123456789abcdef" * 2,
    "app_password": "abC8Q~canary.canary-canary_canary0123456",
}
ADA = "01234567-89ab-4cde-8f01-23456789abcd"
SECTIONS = {credential.name: credential.section.upper() for credential in CREDENTIALS}
TOKEN, ACTIVITIES = "/{tenant}/oauth2/v2.0/token", "/emea/v3/conversations/{conversation}/activities"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLARIFY_EMBEDDER", "hashing")
    return tmp_path


@pytest.fixture
def slack(monkeypatch):
    with fake_slack() as running:
        running.app_token = CANARIES["app_token"]
        running.add_workspace("T1", CANARIES["bot_token"]).add_user("U1AA", "Ada")
        secrets = {name: secret for name, secret in CANARIES.items() if SECTIONS[name] == "SLACK"}
        configured = {"mode": "socket", "api_url": running.url, **secrets}
        for name, value in configured.items():
            monkeypatch.setenv(f"CLARIFY_SLACK__{name.upper()}", value)
        yield running


@pytest.fixture
def doctor(capsys):
    def call(*arguments, code=0):
        capsys.readouterr()
        assert run(["doctor", *arguments]) == code, capsys.readouterr()
        printed = capsys.readouterr()
        assert not any(secret in printed.out + printed.err for secret in CANARIES.values())
        return printed

    return call


def by_name(printed):
    return {finding["name"]: finding for finding in json.loads(printed.out)["findings"]}


def test_before_init_it_says_what_to_do_and_fails(doctor, here):
    printed = doctor(code=1).out
    assert "WRONG  keys" in printed
    assert "→ run `clarify-bot init`" in printed
    assert printed.endswith("2 to put right; 2 to think about; 1 left unchecked.\n")
    assert list(here.iterdir()) == []


def test_when_all_is_well_it_is_0(doctor, here, monkeypatch):
    monkeypatch.setenv("CLARIFY_EMBEDDER", "none")
    run(["init"])
    run(["person", "add", "Ada"])
    (here / "docs").mkdir()
    (here / "docs" / "a.md").write_text("A.")
    monkeypatch.setenv("CLARIFY_SOURCES", json.dumps([{"name": "docs", "path": "docs", "readers": ["everyone"]}]))
    run(["ingest", "docs", "--readers", "everyone"])
    assert doctor().out.endswith("Nothing to put right; nothing left unchecked.\n")
    assert {one["state"] for one in json.loads(doctor("--json").out)["findings"]} == {"ok"}


def test_with_advice_alone_it_is_0_too(doctor):
    run(["init"])
    found = json.loads(doctor("--json").out)
    advised = {one["name"] for one in found["findings"] if one["state"] == "advice"}
    assert (found["ok"], advised) == (True, {"people", "sources", "embedder choice"})
    assert "!      people" in doctor().out


def test_settings_that_cannot_be_read_are_a_finding(doctor, here):
    (here / "clarify-bot.toml").write_text("[slack]\nbot_token = 'xoxb-T1-canary'\n")
    findings = by_name(doctor("--json", code=1))
    assert "slack.bot_token must not be written here" in findings["settings"]["words"]
    assert findings["everything else"]["ok"] is None


def test_slack_is_asked(doctor, slack):
    run(["init"])
    findings = by_name(doctor("--json"))
    assert "in Acme (T1)" in findings["slack.bot_token"]["words"]
    assert (findings["slack.app_token"]["ok"], findings["slack.messages_tab"]["ok"]) == (True, None)
    assert "?      slack.messages_tab" in doctor().out


def test_what_slack_refuses_is_1(doctor, slack):
    run(["init"])
    slack.workspace("T1").messages_tab = False
    findings = by_name(doctor("--json", "--send-to", "U1AA", code=1))
    assert findings["slack.messages_tab"]["ok"] is False


def test_a_card_is_sent_on_request_alone(doctor, slack):
    run(["init"])
    doctor()
    assert slack.workspace("T1").cards("U1AA") == []
    doctor("--send-to", "U1AA")
    assert len(slack.workspace("T1").cards("U1AA")) == 1
    assert slack.violations == []


@pytest.mark.parametrize("user", ["C012", "ada@example.com", "U1,U2"])
def test_a_card_for_what_is_no_user_is_wrong_use(doctor, slack, user):
    said = doctor("--send-to", user, code=2).err
    assert "is no user's id: a Slack user's looks like U012ABCDEF, a Teams user's looks like 01234567-" in said


@pytest.mark.parametrize(("user", "words"), [("U1AA", "in Slack, and slack.mode"), (ADA, "in Teams, and teams.mode")])
def test_a_card_where_nothing_is_set_up_is_wrong_use(doctor, user, words):
    assert f"--send-to sends a card {words} is off" in doctor("--send-to", user, code=2).err


@pytest.fixture
def teams(monkeypatch):
    """Entra, the keys and the Connector as one server; what it was sent."""
    sent = []

    async def activity(request):
        sent.append((request.match_info["conversation"], request.headers["Authorization"], await request.json()))
        return web.json_response({"id": "1"}, status=201)

    def token(_):
        return web.json_response({"access_token": "a-token"})

    with fake_openid() as openid, served_aside({TOKEN: token, ACTIVITIES: activity}) as address:
        ids = {"app_id": APP_ID, "tenant_id": TENANT_ID, "app_password": CANARIES["app_password"]}
        known = {"mode": "on", "login_url": f"{address}/", "openid_url": openid.url, **ids}
        for name, value in known.items():
            monkeypatch.setenv(f"CLARIFY_TEAMS__{name.upper()}", value)
        yield address, sent


def test_in_teams_a_card_is_sent_to_whom_the_bot_has_heard_of(doctor, teams):
    address, sent = teams
    run(["init"])
    assert by_name(doctor("--json"))["teams.app_password"]["ok"] is True
    unheard = by_name(doctor("--json", "--send-to", ADA, code=1))["teams.channel"]
    assert unheard["words"] == f"no chat with {ADA} is known"
    with open_memory(load()) as memory:
        chat = Address(f"{address}/emea/", "a:1 conversation", "29:ada", "28:bot")
        memory.addresses.keep("default", Place("teams", TENANT_ID, ADA), chat.to_row())
    assert by_name(doctor("--json", "--send-to", ADA.upper()))["teams.channel"]["ok"] is True
    ((conversation, bearer, message),) = sent
    assert (conversation, bearer, message["type"]) == ("a:1 conversation", "Bearer a-token", "message")


def test_what_entra_refuses_is_1(doctor, teams, monkeypatch):
    run(["init"])
    monkeypatch.setenv("CLARIFY_TEAMS__LOGIN_URL", "http://127.0.0.1:9/")
    findings = by_name(doctor("--json", "--send-to", ADA, code=1))
    assert (findings["teams.app_password"]["ok"], findings["teams.channel"]["ok"]) == (False, None)
    assert findings["teams.channel"]["words"] == "no card was sent without a token"


@pytest.mark.parametrize("spoil", ["{}x y", "'{}'", " {}", "{}é"])
@pytest.mark.parametrize("name", CANARIES)
def test_a_secret_that_cannot_be_right_is_not_shown_by_any_command(capsys, monkeypatch, name, spoil):
    monkeypatch.setenv(f"CLARIFY_{SECTIONS[name]}__{name.upper()}", spoil.format(CANARIES[name]))
    for arguments in (["doctor"], ["doctor", "--json"], ["status"], ["run"], ["init"], ["ask", "x"]):
        assert run(arguments) != 0
        printed = capsys.readouterr()
        assert CANARIES[name] not in printed.out + printed.err
        assert name in printed.out + printed.err
