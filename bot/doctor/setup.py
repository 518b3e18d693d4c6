"""What `init` and the settings make: the keys, the database, the embedder, and whether they go together."""

import os
from collections.abc import Iterable
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from bot import keys, webhook_key
from bot.config import Settings, SourceSettings, make_embedder, open_memory
from bot.doctor import work
from bot.doctor.finding import Finding
from bot.doctor.work import synced
from core.clock import to_datetime
from core.errors import CoreError, InvalidConfig
from core.maintenance import inspect_tables
from core.memory import Memory
from core.model.tables_state import TablesState
from core.webhooks.views import WebhookView

_INIT = "run `clarify-bot init`, which makes what is missing and leaves the rest as it is"
_TABLES = {
    TablesState.CURRENT: ("answers, and its tables are up to date", ""),
    TablesState.ABSENT: ("was never set up", _INIT),
    TablesState.OLDER: (
        "has the tables of an older clarify-bot (revision {revision})",
        "run `clarify-bot init`, which brings them up to date; make a copy before",
    ),
    TablesState.NEWER: ("was made by a newer clarify-bot (revision {revision})", "update this program"),
}
_TIMEOUT_SECS = 5
_ADDRESS = "write `database` as sqlite:///FILE or postgresql://HOST/NAME"


def examine(settings: Settings) -> list[Finding]:
    """The keys, the database, the embedder, whether they go together, what waits in them, and the sources."""
    parts = [_keys(settings), _database(settings), _embedder(settings)]
    memory = _memory(settings, parts)
    return [*parts, memory, *(_inside(settings) if memory.ok else map(_source, settings.sources))]


def _inside(settings: Settings) -> list[Finding]:
    with open_memory(settings) as memory:
        webhooks = [_webhook(memory, settings, one) for one in memory.webhooks.all(settings.tenant)]
        sources = [synced(memory, settings, one, _source(one)) for one in settings.sources]
        return [*webhooks, *work.examine(memory, settings), *sources]


def _keys(settings: Settings) -> Finding:
    try:
        kid, _ = keys.load_private(settings.keys)
        public = {one.kid for one in keys.public_keys(settings.keys) if one.until is None}
    except InvalidConfig as error:
        return Finding("keys", False, str(error), _INIT)
    if kid in public:
        return Finding("keys", True, f"the private key {kid} signs, and its public key is there")
    words = f"the private key {kid} has no public key in {settings.keys}: every tap would be refused"
    return Finding("keys", False, words, f"put {kid}.public.pem back; or move private.pem away, and {_INIT}")


def _database(settings: Settings) -> Finding:
    """Whether the tables are this program's. Opening the memory would bring them up to date, or make them."""
    try:
        url = make_url(settings.database)
    except SQLAlchemyError:
        return Finding("database", False, "its address cannot be read", _ADDRESS)
    shown, kind = url.render_as_string(), url.get_backend_name()
    file = Path(str(url.database))
    if kind == "sqlite" and not file.is_file():
        return Finding("database", False, f"there is no file {file}", _INIT)
    is_blank = kind == "sqlite" and not file.stat().st_size  # even to open it would write its first page
    try:
        state, revision = (TablesState.ABSENT, "") if is_blank else inspect_tables(settings.database)
    except InvalidConfig as error:
        return Finding("database", False, str(error), _ADDRESS)
    except CoreError as error:
        fix = "check the address in `database`, that the server runs, and that this user may read and write there"
        return Finding("database", False, f"{shown} cannot be used: {error}", fix)
    words, fix = _TABLES[state]
    return Finding("database", state is TablesState.CURRENT, f"{shown} {words.format(revision=revision)}", fix)


def _embedder(settings: Settings) -> Finding:
    short = {"timeout_secs": min(settings.embedder_endpoint.timeout_secs, _TIMEOUT_SECS), "retries": 0}
    endpoint = settings.embedder_endpoint.model_copy(update=short)
    try:
        embedder = make_embedder(settings.model_copy(update={"embedder_endpoint": endpoint}))
        if embedder is None:
            return Finding("embedder", True, "none is wanted: nothing is found by meaning")
        embedder.embed(["hello"])
    except CoreError as error:
        fix = "do what it says, or install clarify-bot anew; or name another embedder, such as hashing for a trial"
        return Finding("embedder", False, str(error), fix)
    return Finding("embedder", True, f"{embedder.model} loads")


def _memory(settings: Settings, parts: Iterable[Finding]) -> Finding:
    """Whether what is right by itself goes together."""
    if not all(part.ok for part in parts):
        return Finding("memory", None, "was not opened", "put right what is above first")
    try:
        with open_memory(settings) as memory:
            is_there = settings.tenant in memory.people.tenants()
    except CoreError as error:
        return Finding("memory", False, str(error), "name the database and the embedder that belong together")
    if is_there:
        return Finding("memory", True, f"opens, and has the tenant {settings.tenant!r}")
    return Finding("memory", False, f"has no tenant {settings.tenant!r}", _INIT)


def _webhook(memory: Memory, settings: Settings, one: WebhookView) -> Finding:
    """Whether it is on, takes what it is sent, and can be signed for here. Nothing is sent."""
    name = f"webhook {one.name}"
    try:
        memory.webhooks.trial(settings.tenant, one.name, webhook_key.load(settings.keys))
    except InvalidConfig as error:
        return Finding(name, False, str(error), "do what it says: until then nothing is sent to it from here")
    mend = f"see to its receiver, and try it with `clarify-bot webhook test {one.name}`"
    if not one.enabled:
        again = f"{mend}; then `clarify-bot webhook enable {one.name}`"
        return Finding(name, False, f"was switched off: {one.reason}", again)
    if one.failing_since:
        return Finding(name, False, f"has taken nothing since {to_datetime(one.failing_since)}: {one.reason}", mend)
    return Finding(name, True, "is on, and what it is sent can be signed")


def _source(source: SourceSettings) -> Finding:
    name = f"source {source.name}"
    if source.path is None:
        return Finding(name, None, "a git address is not tried here", "try it with `git ls-remote` and the address")
    if os.access(source.path, os.R_OK):
        return Finding(name, True, f"{source.path} can be read")
    is_there = os.path.lexists(source.path)
    words = f"{source.path} cannot be read" if is_there else f"{source.path} does not exist"
    return Finding(
        name, False, words, "correct its path in clarify-bot.toml, or let the user that runs the bot read it"
    )
