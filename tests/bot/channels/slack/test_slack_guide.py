"""docs/slack.md says what the code does: its tables are the code's, and its settings are real ones."""

import re
import tomllib

import pytest

from bot.channels.connection import LONGEST_SECS
from bot.channels.settings import SlackSettings
from bot.channels.slack.credentials import CREDENTIALS, NEEDED
from bot.channels.slack.manifest import EVENTS, SCOPES
from bot.channels.slack.remedies import REMEDIES
from bot.config import load
from tests.support.guides import Guide

GUIDE = Guide.of("slack.md")


def test_every_scope_stands_there_with_its_reason():
    assert dict(GUIDE.table("## What each scope is for")) == dict(SCOPES)


def test_every_event_stands_there():
    sentence = GUIDE.text[GUIDE.text.index("It hears of") :].partition("and of nothing else")[0]
    assert set(re.findall(r"`([^`]+)`", sentence)) == set(EVENTS)


def test_it_says_how_soon_the_bot_notices_by_itself():
    assert "the bot notices by itself within five minutes" in GUIDE.text
    assert LONGEST_SECS == 5 * 60


def test_every_secret_stands_there_with_its_place_and_where_it_goes():
    modes = {
        credential.name: "both" if all(credential in NEEDED[mode] for mode in ("http", "socket")) else words
        for mode, words in (("http", "HTTP"), ("socket", "Socket Mode"))
        for credential in NEEDED[mode]
    }
    assert GUIDE.table("## 2. Copy the secrets") == [
        [c.words, c.place, modes[c.name], c.variable, c.file_setting] for c in CREDENTIALS
    ]


def test_every_word_of_slacks_stands_there_with_what_helps():
    assert {word: (means, fix) for word, means, fix in GUIDE.table("## Slack's words, and what helps")} == {
        word: (remedy.means, remedy.fix) for word, remedy in REMEDIES.items()
    }


def test_there_are_commands_and_settings_to_look_at():
    assert {"clarify-bot run", "clarify-bot doctor", "clarify-bot manifest slack --socket"} <= set(GUIDE.commands)
    assert len(GUIDE.settings) == 2


@pytest.mark.parametrize("text", GUIDE.settings)
def test_the_settings_it_shows_are_complete(tmp_path, text):
    (tmp_path / "clarify-bot.toml").write_text(text)
    (tmp_path / "secrets").mkdir()
    values = {"bot_token": "xoxb-1", "signing_secret": "0" * 32, "app_token": "xapp-1"}
    for credential in CREDENTIALS:
        named = tomllib.loads(text)["slack"].get(credential.file_setting)
        if named:
            (tmp_path / named).write_text(values[credential.name] + "\n")
    slack = load(tmp_path / "clarify-bot.toml").slack
    assert slack.mode != SlackSettings().mode
    assert slack.gaps == ()
