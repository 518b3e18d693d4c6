"""Settings come from one file and the environment; what is off is named with file, key, value and what is allowed."""

import json
import tomllib
from pathlib import Path

import pytest

from bot.channels.settings import CREDENTIALS
from bot.cli.template import EXAMPLES, MEANINGS, SECTIONS, template
from bot.config import CACHE, Settings, load, make_embedder, memory_config, open_memory
from bot.keys import create
from core.embed.hashing import HashingEmbedder
from core.errors import InvalidConfig


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, text, name="clarify-bot.toml"):
    (folder / name).write_text(text)
    return folder / name


def test_without_a_file_the_defaults_hold(here):
    settings = load()
    assert (settings.database, settings.tenant, settings.embedder) == (
        "sqlite:///clarify-bot.db",
        "default",
        "minilm",
    )
    assert (settings.http.host, settings.http.port) == ("127.0.0.1", 8080)
    assert (settings.inbox.enabled, settings.inbox.port) == (False, 8081)
    assert (settings.sources, settings.cache) == ((), CACHE)


def test_the_file_in_this_folder_is_read(here):
    write(here, 'company = "Saltmeadow"\n[watch]\nsettle_secs = 0\n')
    assert load().company == "Saltmeadow"
    assert memory_config(load()).watch.settle_secs == 0


def test_paths_are_taken_from_the_files_folder(here):
    (here / "etc").mkdir()
    file = write(here / "etc", '[[sources]]\nname = "a"\npath = "docs"\nreaders = ["everyone"]\n')
    settings = load(file)
    folder = file.parent
    assert settings.database == f"sqlite:///{folder}/clarify-bot.db"
    assert (settings.keys, settings.sources[0].path) == (folder / "keys", folder / "docs")


def test_absolute_paths_and_other_databases_stay(here):
    (here / "etc").mkdir()
    file = write(here / "etc", 'database = "postgresql://host/name"\nkeys = "/srv/keys"\n')
    assert load(file).database == "postgresql://host/name"
    assert str(load(file).keys) == "/srv/keys"


def test_the_environment_goes_before_the_file(here, monkeypatch):
    write(here, "[http]\nport = 9000\nhost = '::1'\n")
    monkeypatch.setenv("CLARIFY_HTTP__PORT", "9001")
    monkeypatch.setenv("CLARIFY_SOURCES", json.dumps([{"name": "a", "git": "https://x/y", "readers": ["r"]}]))
    settings = load()
    assert (settings.http.port, settings.http.host) == (9001, "::1")
    assert settings.sources[0].every_secs == 300


def test_settings_made_in_code_are_what_they_say(here, monkeypatch):
    """The demo must never play into the database that the environment names."""
    monkeypatch.setenv("CLARIFY_DATABASE", "sqlite:///real.db")
    monkeypatch.setenv("CLARIFY_TENANT", "real")
    settings = Settings(database="sqlite:///demo.db")
    assert (settings.database, settings.tenant) == ("sqlite:///demo.db", "default")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[http]\nport = 99999", ["http.port is 99999", "65535"]),
        ("[http]\nprot = 1", ["http.prot", "no such setting"]),
        ("tennant = 'x'", ["tennant", "no such setting"]),
        ("tenant = ' '", ["tenant is ' '", "must not be blank"]),
        ("[planner]\nalpha = 3", ["planner.alpha is 3", "less than or equal to 1"]),
        ("[store]\nsynchronous = 'OFF'", ["store.synchronous is 'OFF'", "'NORMAL' or 'FULL'"]),
        ("[[sources]]\nname = 'a'\nreaders = ['x']", ["sources.0", "either path or git"]),
        ("[[sources]]\nname = 'a'\npath = 'x'", ["sources.0.readers", "Field required"]),
        ("[[sources]]\nname = 'a'\npath = 'x'\nreaders = []", ["sources.0.readers is []", "at least 1"]),
        ("[[sources]]\nname = 'a/b'\npath = 'x'\nreaders = ['x']", ["sources.0.name is 'a/b'"]),
        ("[[sources]]\nname='a'\npath='x'\nreaders=['x']\n" * 2, ["two sources are named 'a'"]),
        ("port = ", ["not TOML", "Invalid value"]),
    ],
)
def test_what_is_off_is_named(here, text, words):
    write(here, text)
    with pytest.raises(InvalidConfig) as refused:
        load()
    assert all(word in str(refused.value) for word in ["clarify-bot.toml", *words])


def test_a_bad_variable_is_named_instead_of_the_file(here, monkeypatch):
    monkeypatch.setenv("CLARIFY_HTTP__PORT", "many")
    with pytest.raises(InvalidConfig, match=r"variable CLARIFY_HTTP__PORT: http\.port is 'many'"):
        load()


def test_a_list_that_is_not_json_in_the_environment_is_refused(here, monkeypatch):
    monkeypatch.setenv("CLARIFY_SOURCES", "docs")
    with pytest.raises(InvalidConfig, match=r"environment.*JSON"):
        load()


def test_no_password_of_an_address_reaches_an_error(here):
    write(here, "[[sources]]\nname = 'a'\ngit = 'https://ada:hunter2@x/y'\npath = 'x'\nreaders = ['x']\n")
    with pytest.raises(InvalidConfig) as refused:
        load()
    assert "hunter2" not in str(refused.value)


def test_a_named_file_must_be_there(here):
    with pytest.raises(InvalidConfig, match=r"none\.toml: cannot be read"):
        load(here / "none.toml")


@pytest.mark.parametrize("data", [b"\xff\xfe", b'company = "\xe9"'])
def test_a_file_that_is_not_utf8_is_refused(here, data):
    (here / "clarify-bot.toml").write_bytes(data)
    with pytest.raises(InvalidConfig, match="UTF-8"):
        load()


def test_embedders_by_name(here):
    assert make_embedder(Settings(embedder="none")) is None
    assert isinstance(make_embedder(Settings(embedder="hashing")), HashingEmbedder)
    assert make_embedder(Settings()).dim == 384
    with pytest.raises(InvalidConfig, match="minilm, hashing, none, endpoint, or a folder"):
        make_embedder(Settings(embedder="gpt"))


ENDPOINT = "embedder = 'endpoint'\n[embedder_endpoint]\nurl = 'https://api.example.com/v1'\nmodel = 'small'\n"
KEY_VARIABLE = "CLARIFY_EMBEDDER_ENDPOINT__KEY"


def test_an_endpoint_is_named_after_its_host_and_model_and_asked_for_nothing_yet(here, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, "sk-secret\n")
    write(here, ENDPOINT)
    embedder = make_embedder(load())
    assert (embedder.model, embedder.dim) == ("small@api.example.com", None)


@pytest.mark.parametrize("without", ["url", "model"])
def test_an_endpoint_needs_an_address_and_a_model(here, without):
    write(here, "\n".join(line for line in ENDPOINT.splitlines() if not line.startswith(without)))
    with pytest.raises(InvalidConfig, match=rf"embedder_endpoint\.url, .*embedder_endpoint\.model; .*{KEY_VARIABLE}"):
        make_embedder(load())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ENDPOINT + "key = 'sk-secret'\n", ["embedder_endpoint.key must not be written here", KEY_VARIABLE]),
        (ENDPOINT + "key = {sk-secret = 1}\n", ["embedder_endpoint.key must not be written here", KEY_VARIABLE]),
        (ENDPOINT + "batch_size = 0\n", ["embedder_endpoint.batch_size is 0", "greater than or equal to 1"]),
        ("embedder_endpoint = 'sk-secret'\n", ["embedder_endpoint: "]),
        (ENDPOINT + "token = 'sk-secret'\n", ["embedder_endpoint.token", "no such setting"]),
    ],
)
def test_what_is_off_about_an_endpoint_is_named_and_its_key_is_not(here, text, words):
    write(here, text)
    with pytest.raises(InvalidConfig) as refused:
        load()
    assert all(word in str(refused.value) for word in words)
    assert "sk-secret" not in str(refused.value)


def test_a_key_in_the_wrong_shape_is_not_shown(here, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, "sk-sec\nret")
    write(here, ENDPOINT)
    with pytest.raises(InvalidConfig, match="copy it again") as refused:
        make_embedder(load())
    assert "sk-" not in str(refused.value)
    assert "sk-" not in repr(load())


def test_a_memory_opens_with_and_without_keys(here):
    settings = Settings(embedder="hashing")
    open_memory(settings).close()
    create(settings.keys)
    open_memory(settings).close()
    next(settings.keys.glob("*.public.pem")).write_text("no key")
    with pytest.raises(InvalidConfig, match="not a public key"):
        open_memory(settings)


# ── the file that `init` writes ──


def uncommented(text):
    """Every setting as if its # had been removed."""
    lines = [line.removeprefix("# ") for line in text.splitlines() if line.startswith(("# ", "["))]
    return "\n".join(line for line in lines if line.startswith("[") or " = " in line.partition("#")[0])


def test_the_template_is_toml_that_changes_nothing(here):
    write(here, template(), "x.toml")
    assert load(Path("x.toml")) == load()


def test_the_template_shows_every_setting_with_its_default():
    text = uncommented(template())
    shown = tomllib.loads(text)
    sources = shown.pop("sources")
    assert Settings(sources=sources).sources[0].name == "handbook"
    secrets = {"embedder_endpoint": {"key"}, "llm": {"key"}}
    for credential in CREDENTIALS:
        secrets.setdefault(credential.section, set()).add(credential.name)
    expected = json.loads(Settings.model_construct().model_dump_json(exclude={"sources": True, **secrets}))
    for key, example in EXAMPLES.items():
        section, _, name = key.partition(".")
        assert expected[section][name] is None, "an example stands only where there is no default"
        expected[section][name] = example
    assert shown == expected


def test_the_template_says_where_each_secret_goes_and_has_no_line_for_it():
    lines = template().splitlines()
    for credential in CREDENTIALS:
        assert any(credential.variable in line and f"# {credential.file_setting} = " in line for line in lines)
        assert not any(line.startswith(f"# {credential.name} =") for line in lines)


def test_everything_explained_is_a_setting():
    values = Settings.model_construct().model_dump()
    assert set(SECTIONS) == {key for key, value in values.items() if isinstance(value, dict)}
    for key in MEANINGS:
        section, _, name = key.rpartition(".")
        assert name in (values[section] if section else values)


def test_bounds_are_shown():
    assert "# port = 8080   # 0 to 65535" in template()
    assert "# bm25_half = 10.0   # the word score that counts one half; above 0" in template()
