"""With --json a command that succeeds prints one JSON value and nothing else: each of them, in one long day."""

import json
import shlex

from tests.bot.cli.test_every_command import FOR_MACHINES

DAY = """
init
tenant add acme
tenant rename acme 'Acme Ltd'
tenant list
person add Ada --email ada@example.com
person deactivate Ada
person activate Ada
person list
workspace list
doctor
ingest docs --readers everyone
status
ask 'How many days of paid leave?'
context 'How many days of paid leave?'
verify 'Everybody has 28 days of paid leave.'
key add laptop --role member
key list
key revoke {key_id}
keys list
keys rotate
watch add --source docs/a.md
watch list
watch mute {watch_id} 1d
watch stop {watch_id}
webhook add wiki https://wiki.example.com/hooks --role member
webhook list
webhook watch wiki --source docs/a.md
webhook show wiki
webhook unwatch wiki {watch_id}
webhook renew wiki
webhook enable wiki
webhook remove wiki
clarification open docs/a.md 'Which holds?' --audience member
clarification list
clarification show {clarification_id}
clarification override {clarification_id} 1
jobs list
jobs retry --all-dead
audit
export --person Ada
backup --out day.backup
restore day.backup --replace
reembed
erase source docs/a.md --reason asked
erasure report
erasure readmit docs/a.md
erase person Ada --reason left
manifest slack --socket
manifest teams --url https://bot.example.com --app-id 76543210-89ab-4cde-8f01-23456789abcd
"""
ELSEWHERE = {
    "spans": "a line for each piece: tests/bot/cli/test_commands.py",
    "demo": "tests/bot/test_demo.py",
    "bind": "tests/bot/cli/test_workspace_commands.py",
    "unbind": "tests/bot/cli/test_workspace_commands.py",
    "watch why": "tests/bot/cli/test_watch_commands.py",
    "webhook test": "tests/bot/cli/test_webhook_commands.py",
    "jobs show": "tests/bot/cli/test_job_commands.py",
    **dict.fromkeys(("eval staleness", "eval retrieval", "eval answers"), "tests/bot/evaluate"),
    **dict.fromkeys(("eval claims", "eval calibrate"), "tests/bot/evaluate"),
}
STEPS = [line for line in DAY.splitlines() if line]


def test_every_command_that_a_machine_reads_is_tried():
    tried = {path for path in FOR_MACHINES if any(f"{line} ".startswith(f"{path} ") for line in STEPS)}
    assert tried | ELSEWHERE.keys() == set(FOR_MACHINES)


def test_what_each_prints_is_one_value(shell, tables_there, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLARIFY_EMBEDDER", "hashing")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Leave\n\nEverybody has 28 days of paid leave.\n")
    known = {}
    for step in STEPS:
        printed = shell(*shlex.split(step.format(**known)), "--json")
        value = json.loads(printed.out)
        assert printed.out.count("\n") == 1, step
        known |= value if isinstance(value, dict) else {}
