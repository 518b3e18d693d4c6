"""`doctor` from outside: what it prints, its exit code, and that no secret is in it."""

import json

import pytest

from bot.cli.entry import run
from tests.fakes.slack import fake_slack

CANARIES = {"bot_token": "xoxb-T1-canary", "app_token": "xapp-1-canary", "signing_secret": "0123456789abcdef" * 2}


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
        configured = {"mode": "socket", "api_url": running.url, **CANARIES}
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
    assert printed.endswith("2 to put right; 1 left unchecked.\n")
    assert list(here.iterdir()) == []


def test_when_all_is_well_it_is_0(doctor):
    run(["init"])
    printed = doctor()
    assert printed.out.endswith("Nothing to put right; nothing left unchecked.\n")
    assert json.loads(doctor("--json").out)["ok"] is True


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
    assert "no Slack user's id" in doctor("--send-to", user, code=2).err


def test_a_card_without_slack_is_wrong_use(doctor):
    assert "slack.mode is off" in doctor("--send-to", "U1AA", code=2).err


@pytest.mark.parametrize("spoil", ["{}x y", "'{}'", " {}", "{}é"])
@pytest.mark.parametrize("name", CANARIES)
def test_a_secret_that_cannot_be_right_is_not_shown_by_any_command(capsys, monkeypatch, name, spoil):
    monkeypatch.setenv(f"CLARIFY_SLACK__{name.upper()}", spoil.format(CANARIES[name]))
    for arguments in (["doctor"], ["doctor", "--json"], ["status"], ["run"], ["init"], ["ask", "x"]):
        assert run(arguments) != 0
        printed = capsys.readouterr()
        assert CANARIES[name] not in printed.out + printed.err
        assert name in printed.out + printed.err
