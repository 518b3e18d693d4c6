"""What the help of a command says at its end: how it is written, and what its exit code means."""

from collections.abc import Iterator, Mapping
from typing import Any

_CODES = "Exit codes: 0 done, 1 failed, 2 used wrongly."
_MORE = {
    "doctor": "Exit codes: 0 nothing must be mended, something may be advised; 1 something must; 2 used wrongly.",
    "ingest": "Exit codes: 0 done, also where some files cannot be read; 1 failed; 2 used wrongly, or none can be.",
    "webhook test": "Exit codes: 0 it was taken; 1 it was not, or failed; 2 used wrongly.",
    "run": "Exit codes: 0 ended as asked, 1 failed, 2 wrong settings.",
}
_ABOUT = """\
\b
Begin with:
  clarify-bot demo --once        see what it does
  clarify-bot init               then `doctor`, which says what is still missing

Every command has --help. With --json stdout holds one JSON value for a machine (`spans`: one a line, for each piece),
and an error is one line on stderr:
{"error": {"code": ..., "message": ...}}. Exit codes: 0 done, 1 failed, 2 used wrongly, 130 interrupted."""
EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "init": ("init", "init --config /etc/clarify-bot/clarify-bot.toml"),
    "ingest": (
        "ingest handbook --readers everyone",
        "ingest https://github.com/acme/handbook.git --readers member,steward --include '*.md'",
    ),
    "spans": ("spans handbook/travel.md",),
    "ask": ("ask 'How many days of leave do I have?' --as ada@example.com",),
    "status": ("status --json",),
    "bind": (
        "bind ada@example.com slack U012ABCDEF",
        "bind ada@example.com teams 76543210-89ab-4cde-8f01-23456789abcd",
    ),
    "unbind": ("unbind slack U012ABCDEF",),
    "audit": ("audit --action erase", "audit --actor ada@example.com --since 7d --json"),
    "export": ("export --person ada@example.com --out ada.json",),
    "backup": ("backup --out clarify-bot.backup",),
    "restore": ("restore clarify-bot.backup --replace",),
    "context": ("context 'What may a meal cost?' --as ada@example.com --max-spans 5",),
    "verify": ("verify 'A meal may cost 40 EUR.' --source handbook/travel.md",),
    "run": ("run", "run --config /etc/clarify-bot/clarify-bot.toml"),
    "demo": ("demo --once",),
    "mcp": ("mcp",),
    "reembed": ("reembed",),
    "doctor": ("doctor", "doctor --send-to U012ABCDEF"),
    "person add": ("person add 'Ada Lovelace' --email ada@example.com --zone Europe/London --role steward",),
    "person list": ("person list",),
    "person deactivate": ("person deactivate ada@example.com",),
    "person activate": ("person activate ada@example.com",),
    "workspace list": ("workspace list",),
    "tenant list": ("tenant list",),
    "tenant add": ("tenant add acme --name 'Acme Ltd'",),
    "tenant rename": ("tenant rename acme 'Acme plc'",),
    "key add": ("key add wiki-export --role member", "key add 'laptop of Ada' --for ada@example.com --days 90"),
    "key list": ("key list",),
    "key revoke": ("key revoke 1b4e28ba-2fa1-41d2-883f-0016d3cca427",),
    "keys list": ("keys list",),
    "keys rotate": ("keys rotate",),
    "watch add": (
        "watch add --source handbook/travel.md --as ada@example.com",
        "watch add --label SECTION --cadence weekly --as ada@example.com",
    ),
    "watch list": ("watch list --as ada@example.com",),
    "watch mute": ("watch mute 1b4e28ba 1w --as ada@example.com",),
    "watch stop": ("watch stop 1b4e28ba --as ada@example.com",),
    "watch why": ("watch why --as ada@example.com",),
    "webhook add": ("webhook add wiki https://wiki.example.com/hooks/clarify --role member",),
    "webhook list": ("webhook list",),
    "webhook show": ("webhook show wiki",),
    "webhook watch": ("webhook watch wiki --source handbook/travel.md",),
    "webhook unwatch": ("webhook unwatch wiki 1b4e28ba-2fa1-41d2-883f-0016d3cca427",),
    "webhook test": ("webhook test wiki",),
    "webhook renew": ("webhook renew wiki",),
    "webhook enable": ("webhook enable wiki",),
    "webhook remove": ("webhook remove wiki",),
    "jobs list": ("jobs list --state dead",),
    "jobs show": ("jobs show 1b4e28ba-2fa1-41d2-883f-0016d3cca427",),
    "jobs retry": ("jobs retry 1b4e28ba-2fa1-41d2-883f-0016d3cca427", "jobs retry --all-dead"),
    "clarification list": ("clarification list --all",),
    "clarification show": ("clarification show 1b4e28ba",),
    "clarification open": ("clarification open handbook/travel.md 'Which limit holds?' --audience steward --quorum 2",),
    "clarification override": ("clarification override 1b4e28ba 2",),
    "erase source": ("erase source handbook/secret.md --reason 'asked by mail'",),
    "erase person": ("erase person ada@example.com --reason 'left, and asked for it'",),
    "erasure report": ("erasure report", "erasure report 1b4e28ba --json"),
    "erasure readmit": ("erasure readmit handbook/secret.md",),
    "eval staleness": ("eval staleness --data handbook-data",),
    "eval retrieval": ("eval retrieval --data retrieval-data",),
    "eval answers": ("eval answers --data handbook-data",),
    "eval claims": ("eval claims --data claims-data",),
    "eval calibrate": ("eval calibrate --data claims-data",),
    "cards preview": ("cards preview --out cards.html",),
    "manifest slack": ("manifest slack --url https://bot.example.com", "manifest slack --socket --out slack.json"),
    "manifest teams": ("manifest teams --url https://bot.example.com --out app.zip",),
}
"""By command, how it is written: without the name of the program."""


def explain(command: Any) -> None:
    """Let the help of each command end with its examples and exit codes, and lists show its whole first sentence."""
    command.epilog = _ABOUT
    for path, one in commands_of(command):
        one.short_help = (one.help or "").partition("\n\n")[0].partition(". ")[0].replace("\n", " ").rstrip(".") + "."
        if not hasattr(one, "commands"):
            one.epilog = _end(path)


def commands_of(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every group and command within a group, by what is written for it."""
    for name, one in getattr(command, "commands", {}).items():
        yield " ".join((*path, name)), one
        yield from commands_of(one, (*path, name))


def _end(path: str) -> str:
    lines = [f"  clarify-bot {example}" for example in EXAMPLES.get(path, ())]
    examples = "\n".join(["\b", "Example:" if len(lines) == 1 else "Examples:", *lines, "", ""]) if lines else ""
    return examples + _MORE.get(path, _CODES)
