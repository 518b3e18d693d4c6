"""The manifest of the Slack app: Slack's own schema takes it, our rules take it, and each rule can say no."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.channels.slack.manifest import COMMAND, EVENTS, LONGEST_NAME, SCOPES, manifest, problems
from bot.cli.entry import run
from tests.support.manifests import any_json, with_another

ROOT = Path(__file__).parents[4]
SCHEMA = jsonschema.Draft7Validator(
    json.loads((Path(__file__).parent / "slack-manifest.schema.2.0.0.json").read_text(encoding="utf-8"))
)
URL = "https://bot.example.com"
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=LONGEST_NAME)


def changed(*path, to=None, made=None):
    return with_another(made or manifest(URL), *path, to=to)


@pytest.mark.parametrize("public_url", [URL, f"{URL}/prefix", None])
@given(name=NAMES)
@example(name="http://")
def test_what_is_made_passes_slacks_schema_and_our_rules(public_url, name):
    made = manifest(public_url, name)
    assert list(SCHEMA.iter_errors(made)) == []
    assert problems(made) == []
    assert made["display_information"]["name"] == made["features"]["bot_user"]["display_name"] == name


def test_every_address_is_the_same_endpoint():
    text = json.dumps(manifest(f"{URL}/prefix"))
    assert text.count(f"{URL}/prefix/slack/events") == text.count("https://") == 3


def test_socket_mode_has_no_address():
    assert "http" not in json.dumps(manifest(None))
    assert manifest(None)["settings"]["socket_mode_enabled"]
    assert not manifest(URL)["settings"]["socket_mode_enabled"]


def test_nothing_but_direct_messages_is_asked_for():
    assert set(manifest(URL)["oauth_config"]["scopes"]) == {"bot"}
    assert set(SCOPES) == {"chat:write", "im:write", "im:history", "commands", "users:read", "users:read.email"}
    assert set(EVENTS) == {"message.im", "app_home_opened", "app_uninstalled", "tokens_revoked", "user_change"}


SCOPE, EVENT = ("oauth_config", "scopes", "bot"), ("settings", "event_subscriptions", "bot_events")
HOME, SETTINGS = ("features", "app_home"), ("settings",)
COMMAND_AT = ("features", "slash_commands", 0)


@pytest.mark.parametrize(
    ("spoiled", "words"),
    [
        (changed("display_information", "name", to="a" * (LONGEST_NAME + 1)), "name must have"),
        (changed("display_information", "name", to=" "), "name must have"),
        (changed("display_information"), "name must have"),
        (changed("features", "bot_user"), "no features.bot_user"),
        (changed("features", "bot_user", to={"always_online": True}), "no features.bot_user"),
        *((changed(*SCOPE, to=[s for s in SCOPES if s != scope]), f"{scope} is missing") for scope in SCOPES),
        *((changed(*EVENT, to=[e for e in EVENTS if e != event]), f"{event} is missing") for event in EVENTS),
        (changed(*SCOPE, to=[s for s in SCOPES if s != "im:history"]), "message.im needs the scope im:history"),
        (changed(*SCOPE, to=[s for s in SCOPES if s != "users:read"]), "user_change needs the scope users:read"),
        (changed(*SCOPE, to=[*SCOPES, "chat:wirte"]), "chat:wirte is none that the bot needs"),
        *(
            (changed(*SCOPE, to=[*SCOPES, scope]), f"{scope} reaches beyond direct messages")
            for scope in ("channels:history", "groups:read", "files:write", "mpim:history")
        ),
        (changed("oauth_config", "scopes", "bot_optional", to=["channels:read"]), "channels:read reaches beyond"),
        (changed("oauth_config", "scopes", "user", to=["search:read"]), "user scope search:read"),
        (changed("oauth_config", "scopes", "user_optional", to=["search:read"]), "user scope search:read"),
        (changed("settings", "event_subscriptions", "user_events", to=["message.im"]), "user event message.im"),
        (changed(*EVENT, to=[*EVENTS, "message.channels"]), "message.channels is none that the bot hears"),
        (changed("settings", "event_subscriptions", "request_url"), "settings.event_subscriptions has no request_url"),
        (changed("settings", "interactivity", "request_url"), "settings.interactivity has no request_url"),
        (changed(*COMMAND_AT, "url"), f"{COMMAND} has no url"),
        (changed(*SETTINGS, "interactivity", "is_enabled", to=False), "interactivity is off"),
        (changed(*SETTINGS, "interactivity"), "interactivity is off"),
        (changed(*COMMAND_AT, "url", to="http://bot.example.com"), "features.slash_commands.0.url must begin"),
        (changed("oauth_config", "redirect_urls", to=["HTTP://x"]), "oauth_config.redirect_urls.0 must begin"),
        (changed(*HOME, "home_tab_enabled", to=False), "Home tab is off"),
        (changed(*HOME, "messages_tab_enabled", to=False), "Messages tab is off"),
        (changed(*HOME, "messages_tab_enabled"), "Messages tab is off"),
        (changed(*HOME, "messages_tab_read_only_enabled", to=True), "read-only"),
        (changed(*HOME, "messages_tab_read_only_enabled"), "read-only"),
        (changed(*COMMAND_AT, "should_escape", to=True), "escapes what people type"),
        (changed("features", "slash_commands"), f"{COMMAND} is missing"),
        (changed(*SETTINGS, "token_rotation_enabled", to=True), "token rotation is on"),
        (changed(*SETTINGS, "org_deploy_enabled", to=True), "org-wide deployment is on"),
    ],
)
def test_each_rule_says_no(spoiled, words):
    assert any(words in found for found in problems(spoiled)), problems(spoiled)


def test_an_address_may_be_missing_in_socket_mode_alone():
    without = changed("settings", "interactivity", "request_url")
    assert problems(without) == ["settings.interactivity has no request_url, and Socket Mode is off"]
    assert problems(changed(*SETTINGS, "socket_mode_enabled", to=True, made=without)) == []


JSON = any_json("features", "settings", "oauth_config", "scopes", "bot", "slash_commands", "command")


@given(JSON)
def test_anything_at_all_is_judged_in_words(found):
    assert all(isinstance(words, str) and words for words in problems(found))
    assert problems(found), "nothing like this is our manifest"


@given(st.sampled_from(["features", "settings", "oauth_config", "display_information"]), JSON)
def test_a_part_of_any_kind_is_judged_in_words(part, value):
    assert problems(manifest(URL) | {part: value})


# ── the command ──


def printed(capsys, *arguments, code=0):
    assert run(["manifest", "slack", *arguments]) == code
    return capsys.readouterr()


def test_the_file_in_manifests_is_what_the_command_writes(capsys, tmp_path):
    text = (ROOT / "manifests" / "slack.json").read_text(encoding="utf-8")
    assert printed(capsys, "--url", URL).out == text
    printed(capsys, "--url", URL, "--out", str(tmp_path / "made.json"))
    assert (tmp_path / "made.json").read_text(encoding="utf-8") == text


def test_the_command_makes_one_for_socket_mode_and_another_name(capsys):
    made = json.loads(printed(capsys, "--socket", "--name", "Saltmeadow's memory").out)
    assert made == manifest(None, "Saltmeadow's memory")
    assert json.loads(printed(capsys, "--url", URL, "--socket").out) == manifest(None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--url"),
        (["--url", "http://bot.example.com"], "--url must begin with https://"),
        (["--url", "http://bot.example.com", "--socket"], "--url must begin with https://"),
        (["--socket", "--name", "x" * 36], "1 to 35 characters"),
        (["--socket", "--name", " "], "1 to 35 characters"),
    ],
)
def test_nothing_that_slack_would_refuse_is_written(capsys, arguments, words):
    found = printed(capsys, *arguments, code=2)
    assert found.out == ""
    assert words in found.err
