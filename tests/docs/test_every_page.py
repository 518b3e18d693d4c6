"""Whatever a page names is there: commands with their options, settings, links, error codes, files, tests, parts."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import typer

from bot.cli.entry import app
from bot.cli.template import template
from bot.config import Settings, SourceSettings
from bot.http.v1.problems import KINDS
from core.memory import Memory
from tests.support.guides import BLOCK

ROOT = Path(__file__).parents[2]
PAGES = {str(file.relative_to(ROOT)): file.read_text("utf-8") for file in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))}
PROSE = {page: re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE) for page, text in PAGES.items()}

each_page = pytest.mark.parametrize("page", sorted(PAGES))


def blocks(page, *kinds):
    return [words for kind, words in BLOCK.findall(PAGES[page]) if kind in kinds]


def in_code(page):
    """What stands in code within sentences and tables."""
    return [" ".join(words.split()) for words in re.findall(r"`([^`]+)`", PROSE[page])]


# ── links ──


def anchors(text):
    """Where a heading is found, as a browser of repositories makes it."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_nowhere(page, target):
    name, _, anchor = target.partition("#")
    file = (ROOT / page).parent / name if name else ROOT / page
    return not file.exists() or (bool(anchor) and anchor not in anchors(PROSE[str(file.resolve().relative_to(ROOT))]))


@each_page
def test_every_link_leads_to_a_file_and_its_heading(page):
    targets = re.findall(r"\]\(([^)\s]+)\)", PROSE[page])
    assert [one for one in targets if "://" not in one and leads_nowhere(page, one)] == []


def test_a_link_to_no_file_and_to_no_heading_is_seen():
    assert leads_nowhere("README.md", "docs/none.md")
    assert leads_nowhere("README.md", "docs/operations.md#none")
    assert not leads_nowhere("README.md", "docs/operations.md#restore")


def test_the_readme_leads_to_every_page():
    for page in PAGES.keys() - {"README.md"}:
        assert f"]({page})" in PAGES["README.md"], page


# ── commands ──


def commands(command, path=()):
    yield path, {name for parameter in command.params for name in parameter.opts}
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))


KNOWN = dict(commands(typer.main.get_command(app)))


def said_to_be_typed(page):
    """Every command of the page, as words: what follows the program's name where it stands last in a line."""
    lines = [line for block in blocks(page, "sh", "") for line in block.replace("\\\n", " ").splitlines()]
    for line in [*in_code(page), *lines]:
        words = re.split(r"\s#|[&)|>]", line.replace("…", ""))[0].split()
        named = [at for at, word in enumerate(words) if re.fullmatch(r"(\S*[/(])?clarify-bot", word)]
        if named and re.match("[a-z]", " ".join(words[named[-1] + 1 :])):
            yield words[named[-1] + 1 :]


def is_wrong(words):
    """What of a command there is not: itself, or an option."""
    path = max((one for one in KNOWN if tuple(words[: len(one)]) == one), key=len)
    named = {word.partition("=")[0].strip("[],;|") for word in words if word.startswith("--")}
    return sorted(named - KNOWN[path] - {"--help"}) if path else words


@each_page
def test_every_command_that_is_named_exists_with_its_options(page):
    assert [(words, is_wrong(words)) for words in said_to_be_typed(page) if is_wrong(words)] == []


def test_a_command_and_an_option_that_there_is_not_are_seen():
    assert is_wrong(["frob"])
    assert is_wrong(["watch", "add", "--frob"]) == ["--frob"]
    assert is_wrong(shlex.split("watch add --label SECTION --json")) == []


def test_every_command_has_its_line_in_the_list():
    rows = re.findall(r"^\| (`.*?) \|", PAGES["docs/commands.md"], re.MULTILINE)
    listed = [tuple(command.split()) for row in rows for command in re.findall(r"`([^`]+)`", row)]
    ends = [path for path in KNOWN if not any(other[:-1] == path for other in KNOWN if other)]
    assert sorted(listed) == sorted(ends)


OTHERS = {"--hypothesis-profile=deep", "--stop-timeout"}
"""Options of pytest and of docker."""


@each_page
def test_every_option_that_stands_alone_is_one_of_some_command(page):
    alone = {words.split()[0] for words in in_code(page) if words.startswith("--")}
    assert alone - OTHERS - {"--help"} - {option for options in KNOWN.values() for option in options} == set()


@each_page
def test_every_target_of_make_is_one(page):
    typed = [words for block in blocks(page, "sh") for words in block.splitlines()] + in_code(page)
    named = {target for words in typed for target in re.findall(r"(?:^|[A-Z]\S* )make ((?:[a-z]+ ?)+)", words)}
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert {target for words in named for target in words.split()} - targets == set()


# ── settings ──

DEFAULTS = json.loads(Settings.model_construct().model_dump_json())
SETTINGS = {f"{section}.{name}" for section, them in DEFAULTS.items() if isinstance(them, dict) for name in them}
VARIABLES = {f"CLARIFY_{name.upper().replace('.', '__')}" for name in SETTINGS | DEFAULTS.keys()}
NO_SETTINGS = {"CLARIFY_DATA", "CLARIFY_BOT_TESTS_ON", "CLARIFY_API_KEY", "CLARIFY_EVERY_MOMENT"}
"""What tests are told by, and the key that `clarify-bot mcp` takes."""
SAID_IN_CODE = "".join(file.read_text("utf-8") for folder in ("bot", "core") for file in (ROOT / folder).rglob("*.py"))


@each_page
def test_settings_in_a_block_are_settings_with_values_that_may_be(page):
    for block in blocks(page, "toml"):
        Settings(**tomllib.loads(block))


@each_page
def test_every_variable_is_that_of_a_setting(page):
    assert set(re.findall(r"CLARIFY_\w*[A-Z]", PAGES[page])) - NO_SETTINGS - VARIABLES == set()


@each_page
def test_every_section_is_one_of_the_settings(page):
    assert set(re.findall(r"`\[+([a-z_]+)\]+`", PAGES[page])) - DEFAULTS.keys() - {"erased"} == set()


FILES = {"py", "txt", "onnx", "onnx_data"}


def is_dotted_nowhere(words):
    """A name with a dot: a setting, an event of the log, a line of `doctor`, a module, or a method of the memory."""
    first, last = words.split(".")
    is_said = f'"{words}"' in SAID_IN_CODE or (first in DEFAULTS and f'{{section}}.{last}"' in SAID_IN_CODE)
    is_method = first == "memory" and hasattr(Memory, last)
    return not (words in SETTINGS or is_said or is_method or (ROOT / first / f"{last}.py").exists() or last in FILES)


@each_page
def test_every_name_with_a_dot_is_a_setting_or_an_event_or_a_line_of_doctor(page):
    assert [
        words for words in in_code(page) if re.fullmatch(r"[a-z_]+\.[a-z_]+", words) and is_dotted_nowhere(words)
    ] == []


def test_a_setting_that_there_is_not_is_seen():
    assert is_dotted_nowhere("planner.frob")
    assert not is_dotted_nowhere("planner.alpha")


SHOWN = re.compile(r"^# (\w+) = (.*?)(?:   # (.*))?$", re.MULTILINE)


def described():
    """Every setting as the file of `init` shows it: its section, its name, its default or an example, what it is."""
    rest = template().partition("# database")
    parts = re.split(r"^\[(\w+)\]$", rest[1] + rest[2], flags=re.MULTILINE)
    top = parts[0].partition("\n# ──")[0]
    for section, text in [("", top), *zip(parts[1::2], parts[2::2], strict=True)]:
        yield from ((section, *row) for row in SHOWN.findall(text))


def listed():
    """The same as the guide to the settings lists it."""
    section = ""
    for line in PAGES["docs/settings.md"].splitlines():
        if heading := re.match(r"^## (?:`\[+(\w+)\]+`)?", line):
            section = heading[1] or ""
        if row := re.fullmatch(r"\| `(\w+)` \| `(.*?)` \| (.*) \|", line):
            yield section, *row.groups()


def test_every_setting_is_listed_with_its_default_and_what_it_is():
    assert [row for row in listed() if row[0] != "sources"] == list(described())


def test_every_setting_of_a_source_is_listed():
    names = {name for section, name, *_ in listed() if section == "sources"}
    assert names == SourceSettings.model_fields.keys()


# ── codes, files, parts ──


@each_page
def test_every_error_code_is_one(page):
    codes = {code for words in in_code(page) for code in re.findall(r"\b[A-Z]+_[A-Z_]+\b(?!_)", words)}
    assert {code for code in codes if not code.startswith("CLARIFY")} - KINDS.keys() == {
        *({"HTTPS_PROXY"} if page == "docs/teams.md" else ())
    }


@each_page
def test_every_file_that_is_named_exists(page):
    named = [
        re.match(r"(?:(?:core|bot|cards|tests|docs|deploy|benchmarks|manifests)/)[\w./*-]+", one)
        for one in in_code(page)
    ]
    plain = re.findall(r"(?<![\w/.-])((?:tests|docs|core|bot|cards)/[\w/]+\.(?:py|md))", PAGES[page])
    assert [path for path in [*(one[0] for one in named if one), *plain] if not list(ROOT.glob(path))] == []


def parts(folder):
    """What lies in this folder: modules and packages."""
    return {file.stem for file in (ROOT / folder).iterdir() if file.suffix in {".py", ""}} - {"__init__", "__pycache__"}


def placed(after):
    """What stands in the first column of the table that follows these words on the map."""
    rest = PAGES["ARCHITECTURE.md"].partition(f"{after}\n")[2]
    table = re.search(r"(?:^\|.*\n)+", rest, re.MULTILINE)[0]
    return {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])}


@pytest.mark.parametrize(
    ("after", "folder"),
    [
        ("## core", "core"),
        ("## cards", "cards"),
        ("## bot", "bot"),
        ("In Slack's:", "bot/channels/slack"),
        ("In Teams':", "bot/channels/teams"),
        ("In the local inbox's:", "bot/channels/inbox"),
    ],
)
def test_the_map_shows_no_part_that_there_is_not(after, folder):
    assert placed(after) - parts(folder) == set()


@pytest.mark.parametrize(("after", "folder"), [("## core", "core"), ("## bot", "bot"), ("## cards", "cards")])
def test_the_map_shows_every_package(after, folder):
    packages = {file.parent.name for file in (ROOT / folder).glob("*/__init__.py")}
    assert packages - placed(after) == set()
