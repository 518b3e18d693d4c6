"""The package of the Teams app: Microsoft's own schema takes it, our rules take it, and each rule can say no."""

import json
import resource
from contextlib import contextmanager
from io import BytesIO
from zipfile import ZipFile

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.channels.teams.icons import color_icon
from bot.channels.teams.manifest import COMMANDS, LENGTHS, MOST_COMMANDS, SCHEMA, manifest, problems
from bot.channels.teams.package import MANIFEST_FILE, contents, contents_problems, pack
from bot.cli.entry import run
from tests.support.manifests import any_json, with_another
from tests.support.node import FOLDER, needs_node

SCHEMAS = FOLDER / "node_modules" / "@microsoft" / "app-manifest" / "build" / "json-schemas" / "teams"
ROOT = FOLDER.parents[1]
URL = "https://bot.example.com"
APP = "01234567-89ab-4cde-8f01-23456789abcd"
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=30)
HOSTS = st.from_regex(r"[a-z0-9-]{1,20}(\.[a-z0-9-]{1,20}){0,3}(:[1-9][0-9]{0,3})?", fullmatch=True)
MADE = manifest(URL, APP)


@pytest.fixture(scope="module")
def schema():
    text = (SCHEMAS / f"v{SCHEMA}" / "MicrosoftTeams.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft4Validator(json.loads(text))


class TestOfMicrosofts:
    pytestmark = needs_node

    @given(host=HOSTS, path=st.sampled_from(["", "/prefix"]), name=NAMES)
    @example(host="bot.example.com.", path="", name="http://")
    def test_what_is_made_passes_its_schema(self, schema, host, path, name):
        assert list(schema.iter_errors(manifest(f"https://{host}{path}", APP, name))) == []

    def test_its_schema_can_say_no(self, schema):
        assert list(schema.iter_errors(with_another(MADE, "bots", 0, "scopes", to=["everywhere"])))
        assert not list(schema.iter_errors(with_another(MADE, "developer", "websiteUrl", to="http://bot.example.com")))


@given(host=HOSTS, path=st.sampled_from(["", "/prefix"]), name=NAMES)
@example(host="bot.example.com.", path="", name="http://")
@example(host="[::1]", path="", name="x")
def test_what_is_made_keeps_our_rules(host, path, name):
    assert problems(manifest(f"https://{host}{path}", APP, name)) == []


def test_the_bot_is_in_personal_chats_alone():
    text = json.dumps(MADE)
    assert (text.count('"scopes"'), text.count('"scopes": ["personal"]')) == (2, 2)
    assert not any(word in text for word in ("groupChat", '"team"', "authorization", "webApplicationInfo"))
    assert MADE["bots"][0]["isNotificationOnly"] is False


async def test_every_command_it_offers_is_one(parts, ada):
    """A word that is no command would be asked as a question."""
    for title in COMMANDS:
        assert await parts.commands.reply(ada.tenant_id, ada.person_id, title) is not None, title


BOT, LISTED = ("bots", 0), ("bots", 0, "commandLists", 0)
COMMAND = {"title": "x", "description": "x"}


@pytest.mark.parametrize(
    ("spoiled", "words"),
    [
        *((with_another(MADE, *path), f"{'.'.join(path)} must have 1 to") for path in LENGTHS),
        *((with_another(MADE, *path, to="a" * (most + 1)), ".".join(path)) for path, most in LENGTHS.items()),
        (with_another(MADE, "name", "short", to=" "), "name.short must have 1 to 30"),
        (with_another(MADE, "manifestVersion", to="1.21"), "manifestVersion must be 1.22"),
        (with_another(MADE, "$schema"), "manifestVersion must be 1.22"),
        (with_another(MADE, "version", to="1.0"), "three numbers"),
        (with_another(MADE, "version", to="1.0.0-beta"), "three numbers"),
        (with_another(MADE, "version", to="01.0.0"), "three numbers"),
        (with_another(MADE, "id", to="clarify-bot"), "id must be the app's Application (client) ID"),
        (with_another(MADE, *BOT, "botId", to=APP.upper()), "bots.botId must be"),
        (with_another(MADE, "developer", "privacyUrl"), "developer.privacyUrl must be an address"),
        (with_another(MADE, "developer", "websiteUrl", to="http://x"), "developer.websiteUrl must begin with https://"),
        (with_another(MADE, "developer", "websiteUrl", to=f"https://{'x' * 2041}"), "at most 2048 characters"),
        (with_another(MADE, "icons", "color", to="https://x/c.png"), "icons.color must be color.png"),
        (with_another(MADE, "icons", "outline"), "icons.outline must be outline.png"),
        (with_another(MADE, "bots", to=[]), "bots must hold this one bot"),
        (with_another(MADE, "bots", to=MADE["bots"] * 2), "bots must hold this one bot"),
        (with_another(MADE, *BOT, "scopes", to=["personal", "team"]), "in no channel"),
        (with_another(MADE, *BOT, "scopes", to=["groupChat"]), "in no group chat"),
        (with_another(MADE, *BOT, "isNotificationOnly", to=True), "nobody could ask"),
        (with_another(MADE, *BOT, "isNotificationOnly"), "nobody could ask"),
        (with_another(MADE, *LISTED, "scopes", to=["team"]), "commandLists.scopes"),
        (with_another(MADE, *LISTED, "commands", to=[COMMAND] * (MOST_COMMANDS + 1)), "Teams shows no more"),
        (with_another(MADE, *LISTED, "commands", to=[]), "must be 1 to 10"),
        (with_another(MADE, *LISTED, "commands", to=[COMMAND] * 2), "stands twice"),
        (with_another(MADE, *LISTED, "commands", 0, "title", to="a" * 33), "the command 'aaa"),
        (with_another(MADE, *LISTED, "commands", 0, "description", to=""), "the command 'help'"),
        (with_another(MADE, "validDomains", 0, to="https://bot.example.com"), "names of hosts alone"),
        (with_another(MADE, "validDomains", 0, to="*.example.com"), "names of hosts alone"),
        (with_another(MADE, "permissions", 0, to="everything"), "permission everything is none"),
        (with_another(MADE, "defaultInstallScope", to="team"), "defaultInstallScope must be personal"),
        (with_another(MADE, "authorization", to={"permissions": {}}), "authorization is nothing that the bot has"),
        (with_another(MADE, "composeExtensions", to=[]), "composeExtensions is nothing that the bot has"),
    ],
)
def test_each_rule_says_no(spoiled, words):
    assert any(words in found for found in problems(spoiled)), problems(spoiled)


JSON = any_json("bots", "scopes", "commandLists", "commands", "title", "developer", "name", "validDomains", "id")


@given(JSON)
def test_anything_at_all_is_judged_in_words(found):
    assert problems(found), "nothing like this is our manifest"
    assert all(isinstance(words, str) and words for words in problems(found))


@given(st.sampled_from(["bots", "developer", "name", "icons", "id"]), JSON)
def test_a_part_of_any_kind_is_judged_in_words(part, value):
    assert problems(MADE | {part: value})


# ── the package ──


def test_the_same_app_is_the_same_bytes_and_another_is_not():
    assert pack(contents(manifest(URL, APP))) == pack(contents(manifest(URL, APP)))
    assert pack(contents(manifest(URL, APP, "other"))) != pack(contents(MADE))


def test_the_package_holds_three_files_at_its_top():
    with ZipFile(BytesIO(pack(contents(MADE)))) as package:
        assert package.testzip() is None
        assert {one.filename for one in package.infolist()} == {MANIFEST_FILE, "color.png", "outline.png"}
        assert {one.date_time for one in package.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert json.loads(package.read(MANIFEST_FILE)) == MADE


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("outline.png", color_icon(), "outline.png must be a PNG of 32 by 32"),
        ("color.png", b"", "color.png must be a PNG of 192 by 192"),
        ("color.png", b"GIF89a" + bytes(40), "color.png must be a PNG"),
        (MANIFEST_FILE, b"{", "manifest.json must be JSON"),
        (MANIFEST_FILE, b"\xff", "manifest.json must be JSON"),
        (MANIFEST_FILE, b"[]", "bots must hold this one bot"),
    ],
)
def test_a_file_that_teams_would_refuse_is_named(name, data, words):
    files = contents(MADE)
    assert contents_problems(files) == []
    assert any(words in found for found in contents_problems({**files, name: data}))


# ── the command ──


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(capsys, *arguments, code=0):
    assert run(["manifest", "teams", *arguments]) == code
    return capsys.readouterr()


def test_the_file_in_manifests_is_what_the_command_prints(capsys):
    text = (ROOT / "manifests" / "teams" / MANIFEST_FILE).read_text(encoding="utf-8")
    assert printed(capsys, "--url", URL, "--app-id", APP).out == text


def test_the_command_writes_the_package_over_an_older_one(capsys, here):
    (here / "app.zip").write_text("old")
    printed(capsys, "--url", URL, "--app-id", APP, "--out", "app.zip")
    assert (here / "app.zip").read_bytes() == pack(contents(MADE))
    assert [file.name for file in here.iterdir()] == ["app.zip"]


def test_what_is_not_said_is_taken_from_the_settings(capsys, here):
    (here / "clarify-bot.toml").write_text(f"[teams]\napp_id = '{APP}'\npublic_url = '{URL}'\n")
    assert json.loads(printed(capsys).out) == MADE
    assert json.loads(printed(capsys, "--url", f"{URL}/b", "--name", "x").out) == manifest(f"{URL}/b", APP, "x")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--app-id", APP], "--url, or in teams.public_url"),
        (["--url", URL], "--app-id, or in teams.app_id, the Application (client) ID"),
        (["--url", "http://bot.example.com", "--app-id", APP], "--url must begin with https://"),
        (["--url", f"{URL}/teams/messages", "--app-id", APP], "--url must be written without /teams/messages"),
        (["--url", URL, "--app-id", "clarify-bot"], "in small letters"),
        (["--url", URL, "--app-id", APP.upper()], "in small letters"),
        (["--url", URL, "--app-id", APP, "--name", "x" * 31], "name.short must have 1 to 30 characters"),
        (["--url", URL, "--app-id", APP, "--name", " "], "name.short must have 1 to 30 characters"),
    ],
)
def test_nothing_that_teams_would_refuse_is_written(capsys, here, arguments, words):
    found = printed(capsys, *arguments, "--out", "app.zip", code=2)
    assert (found.out, list(here.iterdir())) == ("", [])
    assert words in found.err


@contextmanager
def nearly_full():
    """A disk on which no file can have more than a kilobyte; not even the one that the tests' own report goes to."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_what_does_not_fit_leaves_the_older_package_and_no_half_of_one(capsys, here):
    (here / "app.zip").write_text("older")
    with nearly_full():
        printed(capsys, "--url", URL, "--app-id", APP, "--out", "app.zip", code=1)
    assert [(file.name, file.read_text()) for file in here.iterdir()] == [("app.zip", "older")]


def test_what_cannot_be_written_leaves_nothing(capsys, here):
    (here / "app.zip").mkdir()
    printed(capsys, "--url", URL, "--app-id", APP, "--out", "app.zip", code=1)
    assert [file.name for file in here.iterdir()] == ["app.zip"]
    assert "no such file or folder" in printed(capsys, "--url", URL, "--app-id", APP, "--out", "no/x", code=1).err
