"""The command line from outside: what it prints, and its exit codes: 0 done, 1 failed, 2 used wrongly."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest

PAGE = "# Leave\n\nEverybody has 28 days of paid leave.\n\n| Office | City |\n|---|---|\n| North | Oslo |\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLARIFY_EMBEDDER", "hashing")
    monkeypatch.setenv("CLARIFY_ANSWERS__MIN_COSINE", "0.2")
    return tmp_path


@pytest.fixture
def cli(shell):
    return shell


@pytest.fixture
def ready(cli, here, tables_there):
    """A memory with a person and a document."""
    cli("init")
    cli("person", "add", "Ada", "--email", "ada@example.com")
    (here / "docs").mkdir()
    (here / "docs" / "leave.md").write_text(PAGE)
    cli("ingest", "docs", "--readers", "everyone")
    return cli


def outside(*arguments, **more):
    """The same command as a process of its own."""
    command = [sys.executable, "-c", "from bot.cli import main; main()", *arguments]
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    return subprocess.Popen(command, stderr=subprocess.PIPE, env=env, preexec_fn=_hears_interrupts, **more)  # noqa: PLW1509  # one line, no lock


def _hears_interrupts():
    """A run that was started in the background ignores them, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def one_sentence(printed):
    assert printed.err.startswith("clarify-bot: ")
    assert printed.err.count("\n") == 1
    return printed.err


# ── init ──


def test_init_makes_what_a_first_start_needs(cli, here):
    printed = cli("init").out
    assert "person add" in printed
    assert sorted(path.name for path in here.iterdir() if not path.name.startswith("clarify-bot.db-")) == [
        "clarify-bot.db",
        "clarify-bot.toml",
        "keys",
    ]


def test_init_again_changes_nothing(cli, here):
    cli("init")
    (here / "clarify-bot.toml").write_text('company = "Mine"\n')
    key = (here / "keys" / "private.pem").read_bytes()
    cli("init")
    assert (here / "clarify-bot.toml").read_text() == 'company = "Mine"\n'
    assert (here / "keys" / "private.pem").read_bytes() == key


def test_init_elsewhere_keeps_everything_there(cli, here):
    (here / "etc").mkdir()
    cli("init", "--config", "etc/mine.toml")
    assert sorted(path.name for path in here.iterdir()) == ["etc"]
    cli("status", "--config", "etc/mine.toml")


def test_init_into_a_folder_that_is_not_there_leaves_nothing(cli, here):
    one_sentence(cli("init", "--config", "none/x.toml", code=1))
    assert list(here.iterdir()) == []


# ── ingest ──


def test_ingest_counts_and_is_idempotent(ready):
    again = "0 new, 0 changed, 1 unchanged, 0 removed"
    assert ready("ingest", "docs", "--readers", "everyone").out == f"{again}\n"
    assert ready("ingest", "docs", "--readers", "membr").out == f"{again}, 1 read by others than before\n"
    assert json.loads(ready("ingest", "docs", "--readers", "everyone", "--json").out)["readers_changed"] == 1


def test_ingest_reports_bad_files_and_goes_on(ready, here):
    (here / "docs" / "b.png").write_bytes(b"\0")
    printed = ready("ingest", "docs", "--readers", "everyone", "--json")
    report = json.loads(printed.out)
    assert (report["unchanged"], report["problems"][0]["path"]) == (1, "b.png")
    assert printed.err == "", "a machine has it on stdout"
    assert "b.png" in ready("ingest", "docs", "--readers", "everyone").err


def test_a_file_that_cannot_be_read_at_all_is_wrong_use(ready, here):
    (here / "b.png").write_bytes(b"\0")
    assert "binary" in one_sentence(ready("ingest", "b.png", "--readers", "everyone", code=2))


def test_blank_readers_are_wrong_use_in_plain_words(ready):
    message = one_sentence(ready("ingest", "docs", "--readers", "", code=2))
    assert "--readers '': must not be blank" in message


def test_readers_may_be_a_list_in_one(ready):
    ready("ingest", "docs", "--readers", "steward, admin")
    ready("ask", "How many days of leave?", code=0)
    assert "do not know" in ready("ask", "How many days of paid leave?").out


def test_another_folder_of_the_same_name_is_not_taken_for_the_set(ready, here):
    (here / "other" / "docs").mkdir(parents=True)
    (here / "other" / "docs" / "x.md").write_text("Something else.")
    message = one_sentence(ready("ingest", "other/docs", "--readers", "everyone", code=2))
    assert "--name" in message
    assert json.loads(ready("status", "--json").out)["documents"] == 1
    ready("ingest", "other/docs", "--readers", "everyone", "--name", "more")
    assert json.loads(ready("status", "--json").out)["documents"] == 2


def test_include_limits_the_set(ready, here):
    (here / "docs" / "notes.txt").write_text("Notes.")
    assert "0 new" in ready("ingest", "docs", "--readers", "everyone", "--include", "*.md").out


def test_histories_are_taken_in(ready, here):
    rows = [{"path": "a.md", "text": f"Version {n}.", "committed_at": f"2026-01-0{n}T00:00:00Z"} for n in (1, 2)]
    (here / "hb.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert "1 new, 1 changed" in ready("ingest", "--versions", "hb.jsonl", "--readers", "everyone").out


def test_a_repository_is_replayed(ready, here):
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", here / "docs", *words], check=True)
    assert "1 new" in ready("ingest", "docs", "--git", "--readers", "everyone", "--name", "git").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ingest", "none", "--readers", "x"], "does not exist"),
        (["ingest", "docs", "--readers", ","], "blank"),
        (["ingest", "docs", "--readers", "x", "--name", "a/b"], "--name"),
        (["ingest", "docs", "--readers", "x", "--git", "--versions"], "one of them"),
        (["ingest", "gopher://x/y", "--readers", "x"], "no address to clone from"),
        (["ingest", "docs", "--git", "--readers", "x"], "not a git repository"),
        (["spans", "none.md"], "cannot be read"),
        (["spans", "docs"], "cannot be read"),
        (["ask", " "], "empty"),
        (["person", "add", " "], "empty"),
        (["person", "add", "Bo", "--email", "bo"], "e-mail"),
        (["person", "add", "Bo", "--zone", "Mars"], "time zone"),
        (["status", "--config", "none.toml"], "none.toml"),
        (["eval", "claims", "--data", "none"], "cannot be read"),
    ],
)
def test_wrong_use_is_one_sentence_and_2(ready, arguments, words):
    assert words in one_sentence(ready(*arguments, code=2))


@pytest.mark.parametrize("arguments", [["ingest", "docs"], ["frob"], ["ask"], ["status", "--frob"], []])
def test_a_command_that_cannot_be_understood_is_2(cli, arguments):
    cli(*arguments, code=2)


# ── ask ──


def test_an_answer_shows_its_citation_numbered_with_source_and_section(ready):
    """A page that begins with its own title says it once."""
    printed = ready("ask", "How many days of paid leave does everybody have?").out
    assert printed.startswith("Everybody has 28 days of paid leave. [1]\n")
    assert "[1] Leave (docs/leave.md)" in printed


def test_an_answer_as_json(ready):
    found = json.loads(ready("ask", "How many days of paid leave does everybody have?", "--json").out)
    assert found["known"]
    assert found["claims"][0]["citations"][0]["uri"] == "docs/leave.md"


def test_what_is_not_known_is_said_with_what_comes_nearest(ready, monkeypatch):
    monkeypatch.setenv("CLARIFY_ANSWERS__MIN_COSINE", "0.99")
    printed = ready("ask", "Who pays for leave?").out
    assert "I do not know" in printed
    assert "28 days" in printed
    assert not json.loads(ready("ask", "Who pays for leave?", "--json").out)["known"]


def test_nothing_near_is_said_too(ready):
    assert ready("ask", "?!").out == "I do not know: nothing in the documents you can read answers this.\n"


def test_people_read_what_they_may(ready):
    ready("person", "add", "Bo", "--role", "guest")
    ready("ingest", "docs", "--readers", "member")
    question = "How many days of paid leave does everybody have?"
    assert "28" in ready("ask", question, "--as", "ada@example.com").out
    assert "28" not in ready("ask", question, "--as", "Bo").out
    assert "--as" in one_sentence(ready("ask", question, code=2))
    assert "person list" in one_sentence(ready("ask", question, "--as", "Cy", code=1))


def test_nobody_can_ask_before_somebody_is_known(cli):
    cli("init")
    assert "person add" in one_sentence(cli("ask", "Anything?", code=2))


def test_no_text_of_a_document_drives_the_terminal(ready, here):
    (here / "docs" / "evil.md").write_text("Vault code \x1b]0;owned\x07 is \u202e4321 \x1b[31mred.\n")
    ready("ingest", "docs", "--readers", "everyone")
    printed = ready("ask", "What is the vault code?").out + ready("spans", "docs/evil.md").out
    assert "4321" in printed
    assert not set(printed) & {"\x1b", "\x07", "\u202e"}


# ── status, people, spans ──


def test_status_counts(ready):
    found = json.loads(ready("status", "--json").out)
    assert (found["documents"], found["people"], found["late"]) == (1, 1, False)
    assert "documents" in ready("status").out


def test_status_says_when_sources_are_late(ready, here, monkeypatch):
    source = {"name": "docs", "path": "docs", "readers": ["everyone"], "every_secs": 5}
    monkeypatch.setenv("CLARIFY_SOURCES", json.dumps([source]))
    assert not json.loads(ready("status", "--json").out)["late"]
    with closing(sqlite3.connect(here / "clarify-bot.db")) as database:
        database.execute("UPDATE source SET checked_at = checked_at - 3600000000")
        database.commit()
    assert "last looked at" in ready("status").out
    assert "last looked at" in ready("ask", "How many days of paid leave does everybody have?").out


def test_people_are_listed_with_their_roles(ready):
    ready("person", "add", "Bo", "--zone", "Europe/Berlin", "--role", "steward", "--role", "member")
    people = json.loads(ready("person", "list", "--json").out)
    assert [(p["display_name"], p["zone"], p["roles"]) for p in people] == [
        ("Ada", "UTC", ["member"]),
        ("Bo", "Europe/Berlin", ["member", "steward"]),
    ]
    assert "Europe/Berlin" in ready("person", "list").out


def test_spans_are_exact_bytes_one_a_line(ready, here):
    (here / "ü.md").write_text(PAGE.replace("Leave", "Ürlaub"))
    raw = (here / "ü.md").read_bytes()
    spans = [json.loads(line) for line in ready("spans", "ü.md", "--json").out.splitlines()]
    assert all(raw[span["start"] : span["end"]].decode() == span["text"] for span in spans)
    assert set(spans[0]) == {"kind", "path", "start", "end", "text", "header", "lead", "section"}
    assert [span["kind"] for span in spans] == ["heading", "paragraph", "cell", "cell"]
    assert spans[3]["header"] == "Office | City"
    assert "Oslo" in ready("spans", "ü.md").out


def test_of_a_document_that_was_taken_in_spans_shows_names_and_ids(ready):
    spans = [json.loads(line) for line in ready("spans", "docs/leave.md", "--ingested", "--json").out.splitlines()]
    assert {span["section"] for span in spans} == {"docs/leave.md#Leave"}
    assert all(UUID(span["section_id"]) and UUID(span["passage_id"]) for span in spans)
    assert "docs/leave.md#Leave\n" in ready("spans", "docs/leave.md", "--ingested").out
    assert "#Leave\n" in ready("spans", "docs/leave.md").out
    assert "stands under the uri 'docs/nope.md'" in ready("spans", "docs/nope.md", "--ingested", code=1).err


def test_the_preview_is_a_page_of_cards(cli, here):
    cli("cards", "preview", "--out", "cards.html")
    assert (here / "cards.html").read_text().count("<article") > 20
    assert cli("cards", "preview").out.startswith("<!doctype html>")


# ── failures ──


def test_a_database_never_set_up_is_not_made_in_passing(cli, here):
    assert "clarify-bot init" in one_sentence(cli("status", code=1))
    assert list(here.iterdir()) == []


def test_a_tenant_never_set_up_is_named(ready, monkeypatch):
    monkeypatch.setenv("CLARIFY_TENANT", "other")
    assert "'other'" in one_sentence(ready("status", code=1))


@pytest.mark.parametrize(
    ("address", "code", "words"),
    [
        ("sqlite:///garbage.db", 1, "not a SQLite database"),
        ("mysql://host/name", 2, "'mysql'"),
        ("postgresql://127.0.0.1:1/name", 1, "cannot be reached"),
    ],
)
def test_a_database_that_cannot_be_used_is_one_sentence(cli, here, monkeypatch, address, code, words):
    (here / "garbage.db").write_text("garbage " * 100)
    monkeypatch.setenv("CLARIFY_DATABASE", address)
    assert words in one_sentence(cli("status", code=code))


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_is_no_failure(ready, closed):
    """What is opened next, the database for one, must not be taken for it either."""
    command = f"{sys.executable} -c 'from bot.cli import main; main()' person add Bo {closed}"
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    assert subprocess.run(command, shell=True, env=env, check=True, capture_output=True).stderr == b""
    assert "Bo" in ready("person", "list").out


def test_a_terminal_in_another_encoding_shows_what_it_can(ready):
    ready("person", "add", "Zoë")
    env = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONPATH": str(Path(__file__).parents[3])}
    command = [sys.executable, "-c", "from bot.cli import main; main()", "person", "list"]
    printed = subprocess.run(command, env=os.environ | env, check=True, capture_output=True).stdout.decode("ascii")
    assert "Zo?" in printed


@pytest.mark.parametrize(("columns", "is_one_a_line"), [("120", True), ("60", False), ("20", False)])
def test_a_terminal_too_narrow_for_a_row_has_it_in_lines(ready, monkeypatch, columns, is_one_a_line):
    """With its name and its id whole."""
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    someone, *_ = json.loads(ready("person", "list", "--json").out)
    printed = ready("person", "list").out
    assert ("Ada" in printed, someone["person_id"] in printed) == (True, True)
    assert any({"Ada", someone["person_id"]} <= set(line.split()) for line in printed.splitlines()) == is_one_a_line


def test_it_says_which_version_it_is(cli):
    assert cli("--version").out.strip()[0].isdigit()


def test_a_full_disk_is_one_sentence(ready):
    with Path("/dev/full").open("w") as full:
        process = outside("spans", "docs/leave.md", stdout=full)
        message = process.communicate()[1].decode()
    assert (process.returncode, message.count("\n")) == (1, 1)
    assert "disk is full" in message


def test_a_reader_that_has_seen_enough_is_no_news(ready, here):
    (here / "long.md").write_text("A line.\n\n" * 20_000)
    process = outside("spans", "long.md", stdout=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    message = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), message) == (1, b"")


def test_an_interrupt_ends_in_130_without_a_traceback(here):
    os.mkfifo(here / "pipe.md")
    process = outside("spans", "pipe.md", stdout=subprocess.PIPE)
    with (here / "pipe.md").open("wb"):  # opens once the command reads
        process.send_signal(signal.SIGINT)
        _, message = process.communicate()
    assert (process.returncode, message.strip()) == (130, b"")


def test_help_comes_without_loading_what_is_heavy():
    script = (
        "import sys\nfrom bot.cli.entry import run\nrun(['ask', '--help'])\n"
        "print(sorted({'numpy', 'sqlalchemy', 'sqlmodel', 'onnxruntime', 'aiohttp'} & set(sys.modules)))"
    )
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, env=env).stdout.decode()
    assert printed.endswith("[]\n")


@pytest.mark.parametrize(
    "command",
    ["init", "ingest", "spans", "ask", "status", "run", "demo", "person add", "person list", "eval staleness",
     "eval retrieval", "eval claims", "cards preview", "manifest slack", "doctor",
     "workspace list", "bind", "unbind"],
)  # fmt: skip
def test_every_command_explains_itself(cli, command):
    printed = cli(*command.split(), "--help").out
    assert printed.startswith("Usage: ")
    assert len(printed.splitlines()) > 5
