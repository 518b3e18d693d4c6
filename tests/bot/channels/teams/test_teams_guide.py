"""docs/teams.md says what the code does: its tables are the code's, and its settings are real ones."""

import json
import re
import tomllib
from zipfile import ZipFile

import pytest

from bot.channels.settings import TEAMS_IDS, TeamsSettings
from bot.channels.slack.address import EVENTS_PATH
from bot.channels.teams.address import MESSAGES_PATH, SERVICE_HOSTS
from bot.channels.teams.credentials import APP_PASSWORD, CREDENTIALS
from bot.channels.teams.remedies import REFUSALS, REMEDIES
from bot.channels.user_ids import user_id
from bot.cli.entry import run
from bot.config import load
from tests.support.guides import Guide

GUIDE = Guide.of("teams.md")
ON, ANONYMOUS = GUIDE.settings


def test_every_code_of_entras_stands_there_with_what_helps():
    assert {code: (means, fix) for code, means, fix in GUIDE.table("## Entra's codes, and what helps")} == {
        code: (remedy.means, remedy.fix) for code, remedy in REMEDIES.items()
    }


def test_every_value_stands_there_with_its_place_and_where_it_goes():
    assert CREDENTIALS == (APP_PASSWORD,)
    assert GUIDE.table("## 3. Tell the bot") == [
        *([words.partition(",")[0], "Overview", name] for name, words in TEAMS_IDS.items()),
        [
            APP_PASSWORD.words,
            APP_PASSWORD.place,
            f"{APP_PASSWORD.variable}`, or a file named by `{APP_PASSWORD.file_setting}",
        ],
    ]


def test_every_code_of_the_connectors_stands_there_with_what_helps():
    rows = GUIDE.table("And when a card is refused")
    assert {code: (means, fix) for code, means, fix in rows} == {
        code: (remedy.means, remedy.fix) for code, remedy in REFUSALS.items()
    }


def test_the_endpoint_is_the_bots_own_wherever_it_stands():
    paths = re.findall(r"(?:bot\.example\.com|127\.0\.0\.1:8080|reverse_proxy )(/[\w/]+)", GUIDE.text)
    assert set(paths) == {MESSAGES_PATH}
    assert EVENTS_PATH not in GUIDE.text


def test_every_host_that_the_bot_calls_stands_there():
    teams = TeamsSettings()
    for url in (teams.login_url, teams.openid_url):
        assert f"`{url.split('/')[2]}`" in GUIDE.text
    assert SERVICE_HOSTS & set(re.findall(r"`([\w.]+)`", GUIDE.text)) == {"smba.trafficmanager.net"}


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "teams-app-password").write_text("a-secret\n")

    def write(text):
        (tmp_path / "clarify-bot.toml").write_text(text)
        return load(tmp_path / "clarify-bot.toml")

    return write


def test_the_settings_it_shows_are_complete(written):
    teams = written(ON).teams
    assert (teams.mode, teams.gaps) == ("on", ())
    assert set(tomllib.loads(ON)["teams"]) >= {"app_id", "tenant_id", "public_url", APP_PASSWORD.file_setting}
    assert f"> {tomllib.loads(ON)['teams'][APP_PASSWORD.file_setting]})" in GUIDE.text


def test_the_settings_for_development_are_complete(written):
    assert written(ANONYMOUS).teams.gaps == ()


def test_with_these_settings_the_command_it_shows_makes_the_package(written, tmp_path):
    written(ON)
    assert "clarify-bot manifest teams --out app.zip" in GUIDE.commands
    assert run(["manifest", "teams", "--out", "app.zip"]) == 0
    with ZipFile(tmp_path / "app.zip") as package:
        assert json.loads(package.read("manifest.json"))["bots"][0]["botId"] == tomllib.loads(ON)["teams"]["app_id"]


def test_the_user_it_binds_has_an_id_of_the_right_shape():
    users = {user for command in GUIDE.commands for user in re.findall(r"\bteams ([0-9a-f-]{20,})", command)}
    assert len(users) == 1
    assert {user_id("teams", user) for user in users} == users
