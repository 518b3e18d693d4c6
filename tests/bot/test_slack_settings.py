"""Slack's secrets: from the environment or from files, never from the settings file, and never shown."""

import json
import sys
import traceback

import pytest

from bot.channels.settings import SlackSettings
from bot.channels.slack.credentials import CREDENTIALS, NEEDED
from bot.config import Settings, load
from core.errors import InvalidConfig

BOT, APP, SECRET = "xoxb-11-canary", "xapp-1-A1-22-canary", "0123456789abcdef0123456789abcdef"
VALUES = {"bot_token": BOT, "signing_secret": SECRET, "app_token": APP}
URL = "https://bot.example.com"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def written(here):
    def write(text, name="clarify-bot.toml"):
        (here / name).write_text(text)
        return here / name

    return write


@pytest.fixture
def variables(monkeypatch):
    def put(**values):
        for name, value in values.items():
            monkeypatch.setenv(f"CLARIFY_SLACK__{name.upper()}", value)

    return put


def refusal(file=None):
    with pytest.raises(InvalidConfig) as refused:
        load(file)
    shown = "".join(traceback.format_exception(refused.value))
    assert "canary" not in shown
    assert SECRET not in shown
    return str(refused.value)


def test_secrets_come_from_the_environment(here, variables):
    variables(**VALUES)
    slack = load().slack
    assert {name: getattr(slack, name).get_secret_value() for name in VALUES} == VALUES


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_secrets_come_from_files_beside_the_settings(here, written, end):
    """Wherever the bot is started from, and however an editor ends a file."""
    (here / "etc").mkdir()
    for name, value in VALUES.items():
        (here / "etc" / name).write_bytes((value + end).encode())
    slack = load(written("[slack]\n" + "".join(f"{n}_file = '{n}'\n" for n in VALUES), "etc/bot.toml")).slack
    assert {name: getattr(slack, name).get_secret_value() for name in VALUES} == VALUES
    assert slack.bot_token_file == here / "etc" / "bot_token"


def test_a_file_may_be_named_in_the_environment(here, variables):
    (here / "token").write_text(BOT)
    variables(bot_token_file="token")
    assert load().slack.bot_token.get_secret_value() == BOT


def test_the_environment_goes_before_a_file_unless_it_is_blank(here, written, variables):
    written("[slack]\nbot_token_file = 'token'\n")
    (here / "token").write_text("xoxb-of-the-file")
    variables(bot_token=BOT)
    assert load().slack.bot_token.get_secret_value() == BOT
    variables(bot_token=" ")
    assert load().slack.bot_token.get_secret_value() == "xoxb-of-the-file"


def test_nothing_shows_a_secret(here, variables):
    variables(**VALUES)
    settings = load()
    for shown in (repr(settings), str(settings), settings.model_dump_json(), f"{settings.slack}", repr(vars(settings))):
        assert not any(value in shown for value in VALUES.values())


@pytest.mark.parametrize("credential", CREDENTIALS, ids=lambda credential: credential.name)
@pytest.mark.parametrize("value", ["'canary'", "'xoxb-canary'", "''", "3"])
def test_a_secret_in_the_settings_file_is_refused_and_not_shown(written, credential, value):
    written(f"[slack]\n{credential.name} = {value}\n")
    words = refusal()
    assert f"clarify-bot.toml: slack.{credential.name} must not be written here" in words
    assert credential.variable in words
    assert f"slack.{credential.file_setting}" in words


def test_a_secret_of_the_wrong_kind_is_named_with_its_variable(here, variables):
    variables(bot_token="xoxp-1-canary")
    words = refusal()
    assert "variable CLARIFY_SLACK__BOT_TOKEN: slack.bot_token is a user token: it begins with xoxp-" in words
    assert "OAuth & Permissions > Bot User OAuth Token, and begins with xoxb-" in words


def test_a_secret_of_the_wrong_kind_is_named_with_its_file(here, written):
    (here / "token").write_text(APP)
    written("[slack]\nbot_token_file = 'token'\n")
    assert refusal().startswith(f"{'token'}: slack.bot_token is an app-level token")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read: No such file"),
        (b"", "is empty; it must hold the bot token"),
        (b"\n", "is empty"),
        (b"\xff\xfex\0", "not text in UTF-8"),
        (b" xoxb-canary\n", "white space"),
        (b"xoxb-canary\nxoxb-canary\n", "white space"),
        (b"'xoxb-canary'", "quotes"),
    ],
)
def test_a_file_that_holds_no_secret_is_named(here, written, content, words):
    written("[slack]\nbot_token_file = 'token'\n")
    if content is not None:
        (here / "token").write_bytes(content)
    found = refusal()
    assert words in found
    assert "token" in found


def test_a_file_may_begin_with_a_byte_order_mark(here, written):
    (here / "token").write_bytes(b"\xef\xbb\xbfxoxb-1\n")
    written("[slack]\nbot_token_file = 'token'\n")
    assert load().slack.bot_token.get_secret_value() == "xoxb-1"


@pytest.mark.parametrize(
    "text",
    [
        f"[slack]\nbot_token_file = '{BOT}'",
        f"[slack]\nsigning_secret_file = '{SECRET}'",
        f"[slack]\npublic_url = '{BOT}'",
        f"[slack]\nmode = '{BOT}'",
        f"[slack]\napi_url = '{SECRET}'",
        f"[slack]\nbot_tokn = '{BOT}'",
        f"[slack]\n{BOT} = 1",
        f"slack = '{BOT}'",
        f"[http]\nport = '{BOT}'",
        f"[http]\nhost = '{BOT}' {BOT}",
        f"[[sources]]\nname = '/{BOT}'\npath = 'x'\nreaders = ['x']",
        f"[slack\nbot_token = '{BOT}'",
        "[slack]\npublic_url = 'https://ada:canary@bot.example.com'",
    ],
)
def test_a_secret_pasted_in_another_place_is_in_no_error(written, text):
    written(text)
    refusal()


@pytest.mark.parametrize(
    "value",
    [BOT, '{"bot_token": ["canary"]}', '{"bot_token": {"canary": 1}}', '["canary"]', '{"canary": "xoxb-canary"'],
)
def test_a_secret_in_a_variable_that_cannot_be_read_is_in_no_error(here, monkeypatch, value):
    monkeypatch.setenv("CLARIFY_SLACK", value)
    refusal()


@pytest.mark.parametrize("mode", NEEDED)
def test_what_a_mode_lacks_is_said_with_where_it_stands_and_goes(mode):
    """Blank is lacking: with a blank signing secret Slack's SDK starts, and then answers 500 to everything."""
    gaps = SlackSettings(mode=mode, signing_secret=" ").gaps
    for credential, gap in zip(NEEDED[mode], gaps, strict=False):
        assert f"slack.mode is {mode!r} and needs {credential.words}" in gap
        assert all(words in gap for words in (credential.variable, credential.file_setting, credential.place))
    assert len(gaps) == len(NEEDED[mode]) + (mode == "http")


def test_without_slacks_own_package_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "slack_bolt", None)
    assert "pip install '.[slack]'" in SlackSettings(mode="socket", **VALUES).gaps[0]
    assert SlackSettings().gaps == ()


@pytest.mark.parametrize("mode", NEEDED)
def test_what_has_all_lacks_nothing(mode):
    assert SlackSettings(mode=mode, public_url=URL, **VALUES).gaps == ()


@pytest.mark.parametrize("public_url", ["http://bot.example.com", "bot.example.com", f"{URL}/slack/events"])
def test_an_address_that_slack_cannot_call_is_refused(written, public_url):
    written(f"[slack]\npublic_url = '{public_url}'")
    assert "write one such as https://bot.example.com" in refusal()


def test_the_address_loses_its_last_slash(written):
    written(f"[slack]\npublic_url = '{URL}/prefix/'")
    assert load().slack.public_url == f"{URL}/prefix"


def test_without_slack_nothing_is_needed():
    assert Settings().slack.gaps == ()
    assert json.loads(Settings().model_dump_json())["slack"]["mode"] == "off"
