"""[teams]: ids of Entra's, a secret that is never shown, and a mode without any that stays on this machine."""

import re
import sys
import traceback

import pytest

from bot.channels.settings import TEAMS_IDS, TeamsSettings
from bot.channels.teams.credentials import APP_PASSWORD
from bot.config import HttpSettings, Settings, load
from core.errors import InvalidConfig

APP, TENANT = "11111111-2222-4333-8444-555555555555", "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
SECRET = "abC8Q~canary.canary-canary_canary0123456"
IDS = {"app_id": APP, "tenant_id": TENANT}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def written(here):
    def write(text):
        (here / "clarify-bot.toml").write_text(text)

    return write


def refusal():
    with pytest.raises(InvalidConfig) as refused:
        load()
    assert "canary" not in "".join(traceback.format_exception(refused.value))
    return str(refused.value)


def test_teams_is_off_and_lacks_nothing():
    assert (Settings().teams.mode, Settings().teams.gaps) == ("off", ())


def test_what_teams_lacks_is_said_with_where_it_stands_and_goes():
    gaps = TeamsSettings(mode="on", app_password=" ").gaps
    assert [gap.partition(": ")[0] for gap in gaps] == [
        "teams.mode is 'on' and needs teams.app_id",
        "teams.mode is 'on' and needs teams.tenant_id",
        "teams.mode is 'on' and needs the client secret",
    ]
    assert "Application (client) ID" in gaps[0]
    assert "Directory (tenant) ID" in gaps[1]
    assert all(words in gaps[2] for words in ("CLARIFY_TEAMS__APP_PASSWORD", "teams.app_password_file", "Value"))


@pytest.mark.parametrize("settings", [TeamsSettings(mode="on", **IDS, app_password=SECRET), TeamsSettings()])
def test_what_has_all_lacks_nothing(settings):
    assert settings.gaps == ()


def test_without_tokens_it_must_still_be_said_which_organisation_is_served():
    (gap,) = TeamsSettings(mode="anonymous").gaps
    assert gap.startswith("teams.mode is 'anonymous' and needs teams.tenant_id: write the Directory (tenant) ID")


def test_without_the_sdk_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "botbuilder", None)
    assert "pip install '.[teams]'" in TeamsSettings(mode="anonymous", tenant_id=IDS["tenant_id"]).gaps[0]
    assert TeamsSettings().gaps == ()


def test_the_secret_comes_from_the_environment_or_a_file_beside_the_settings(here, written, monkeypatch):
    written("[teams]\napp_password_file = 'secret'\n")
    (here / "secret").write_text(f"{SECRET}\n")
    assert load().teams.app_password.get_secret_value() == SECRET
    assert load(here / "clarify-bot.toml").teams.app_password_file == here / "secret"
    monkeypatch.setenv("CLARIFY_TEAMS__APP_PASSWORD", "another")
    assert load().teams.app_password.get_secret_value() == "another"


def test_nothing_shows_the_secret(here, monkeypatch):
    monkeypatch.setenv("CLARIFY_TEAMS__APP_PASSWORD", SECRET)
    settings = load()
    for shown in (repr(settings), settings.model_dump_json(), f"{settings.teams}", repr(vars(settings))):
        assert "canary" not in shown


def test_a_secret_in_the_settings_file_is_refused_and_not_shown(written):
    written(f"[teams]\napp_password = '{SECRET}'\n")
    assert re.search(r"teams\.app_password must not be written here.*CLARIFY_TEAMS__APP_PASSWORD", refusal())


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (APP, "is an id: the secret's own Secret ID"),
        (TENANT.upper(), "is an id"),
        ("abC8******************", "is what Entra shows of a secret later"),
        ("https://canary", "is an address"),
        ("eyJcanary", "is a token"),
        (f" {SECRET}", "white space"),
        (f"'{SECRET}'", "quotes"),
        ("canaryé", "a character that none has"),
    ],
)
def test_what_is_mistaken_for_the_secret_is_named(here, monkeypatch, value, words):
    monkeypatch.setenv("CLARIFY_TEAMS__APP_PASSWORD", value)
    said = refusal()
    assert f"CLARIFY_TEAMS__APP_PASSWORD: teams.app_password {words}" in said or words in said
    assert said.endswith(APP_PASSWORD.where)
    assert value not in said


@pytest.mark.parametrize(
    "text",
    [
        f"[teams]\napp_id = '{SECRET}'",
        f"[teams]\napp_password_file = '{SECRET}'",
        f"[teams]\n'{SECRET}' = 1",
        f"[teams]\nmode = '{SECRET}'",
        f"teams = '{SECRET}'",
        f"[slack]\nmode = '{SECRET}'",
    ],
)
def test_a_secret_pasted_in_another_place_is_in_no_error(written, text):
    written(text)
    refusal()


@pytest.mark.parametrize("name", TEAMS_IDS)
@pytest.mark.parametrize("value", [APP.upper().replace("1", "A"), "contoso.onmicrosoft.com", f"{{{APP}}}", APP[:-1]])
def test_what_is_no_id_is_refused(written, name, value):
    written(f"[teams]\n{name} = '{value}'")
    said = refusal()
    assert f"teams.{name} is '{value}': must be an id" in said
    assert "small letters" in said


@pytest.mark.parametrize("public_url", ["http://bot.example.com", "https://bot.example.com/teams/messages"])
def test_an_address_that_teams_cannot_call_is_refused(written, public_url):
    written(f"[teams]\npublic_url = '{public_url}'")
    assert re.search(r"teams\.public_url.*write one such as https://bot\.example\.com", refusal())


@pytest.mark.parametrize("name", ["openid_url", "login_url"])
@pytest.mark.parametrize("url", ["http://login.example.com/", "login.example.com/", "ftp://127.0.0.1/", "http:///"])
def test_a_secret_and_keys_travel_encrypted(written, name, url):
    written(f"[teams]\n{name} = '{url}'")
    assert re.search(rf"teams\.{name}.*: must begin with https://", refusal())


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://[::1]/", "http://localhost/", "https://login.example/"])
def test_on_this_machine_they_need_not(url):
    assert TeamsSettings(login_url=url, openid_url=url).login_url == url


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_the_mode_without_tokens_is_had_on_this_machine(host):
    settings = Settings(http=HttpSettings(host=host), teams=TeamsSettings(mode="anonymous", tenant_id=IDS["tenant_id"]))
    assert settings.teams.gaps == ()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "bot.example.com"])
def test_the_mode_without_tokens_is_refused_where_others_reach_it(written, host):
    written(f"[http]\nhost = '{host}'\n[teams]\nmode = 'anonymous'\n")
    assert re.search(r"whoever reaches the bot is believed.*http\.host to be 127\.0\.0\.1", refusal())


def test_the_mode_without_tokens_is_refused_to_an_app_of_entras(written):
    written(f"[teams]\nmode = 'anonymous'\napp_id = '{APP}'\n")
    assert "teams.app_id to be empty" in refusal()
