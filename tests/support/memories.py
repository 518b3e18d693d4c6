"""Short words for what almost every test of the engines does."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import text
from sqlmodel import SQLModel, select

from core.clock import SECOND, Clock
from core.config import MemoryConfig
from core.embed.hashing import HashingEmbedder
from core.ids import derived
from core.ingest.engine import IngestResult
from core.memory import Memory
from core.model.node_ids import document_id, section_id
from core.model.principals import STEWARD, Principal
from core.model.watching import EventKind, ScopeType, TargetKind, WatchRequest
from core.model.work import Place
from core.store.tables import Audit, Tenant

NOW = 1_790_000_000 * SECOND
KEY = Ed25519PrivateKey.generate()
KEY_ID = "k1"
LOW_BAR = {"answers": {"min_cosine": 0.05}}
"""Hashed words are nowhere near as close as meanings are."""


def open_memory(
    url: str,
    clock: Clock,
    *,
    embedder: Any = HashingEmbedder(),  # noqa: B008  # stateless
    accounting: Any = None,
    llm: Any = None,
    **settings: Any,
) -> Memory:
    config = MemoryConfig.model_validate(LOW_BAR | settings)
    keys = {KEY_ID: KEY.public_key()}
    return Memory(url, embedder=embedder, clock=clock, config=config, keys=keys, accounting=accounting, llm=llm)


def place_of(person_id: UUID) -> Place:
    return Place("local", "local", str(person_id))


def add_person(
    memory: Memory, name: str, roles: Sequence[str] = ("member",), *, tenant: str = "default", bound: bool = True
) -> Principal:
    person_id = memory.people.put(tenant, name, roles=roles)
    if bound:
        memory.people.bind(tenant, person_id, place_of(person_id))
    return memory.people.principal(tenant, person_id)


def made_steward(memory: Memory, who: Principal) -> Principal:
    """The same person, who may let others be told from now on."""
    name = memory.people.get(who.tenant_id, who.person_id).display_name
    memory.people.put(who.tenant_id, name, roles=sorted(who.roles | {STEWARD}))
    return memory.people.principal(who.tenant_id, who.person_id)


def page(title: str, sections: Mapping[str, str]) -> bytes:
    """A Markdown document with one paragraph under each heading."""
    parts = [f"# {title}", *(f"## {heading}\n\n{words}" for heading, words in sections.items())]
    return ("\n\n".join(parts) + "\n").encode()


def put(memory: Memory, uri: str, data: bytes, readers: Sequence[str] = ("everyone",), **more: Any) -> IngestResult:
    """Ingest, and let a second pass."""
    result = memory.ingest(uri, data, readers=readers, **more)
    memory.clock.advance(SECOND)  # type: ignore[attr-defined]  # a ManualClock
    return result


def rows(memory: Memory, table: Any, tenant: str | None = "default") -> list[Any]:
    """Every row of a table; of all tenants when `tenant` is None."""
    with memory._database.read(tenant or "") as tx:
        chosen = select(table) if tenant is None else select(table).where(table.tenant_id == tenant)
        return list(tx.session.exec(chosen).all())


def audited(memory: Memory, tenant: str = "default") -> list[Any]:
    """Every row of the audit, oldest first, but for the people that most tests begin with."""
    setting_up = {"person_added", "chat_bound"}
    found = sorted(rows(memory, Audit, tenant), key=lambda row: row.at)
    return [row for row in found if row.action not in setting_up]


def change_row(memory: Memory, table: Any, key: tuple[Any, ...], **values: Any) -> None:
    """Set columns of one row, as an administrator's tool would."""
    with memory._database.write(key[0]) as tx:
        row = tx.session.get_one(table, key)
        for name, value in values.items():
            setattr(row, name, value)
        tx.session.add(row)


def dump(memory: Memory) -> str:
    """Everything that the database holds, as text; whole rows, for a row's own text leaves out the middle of them."""
    with memory._database.engine.connect() as connection:
        tables = SQLModel.metadata.sorted_tables
        return "\n".join(str(tuple(row)) for table in tables for row in connection.execute(select(table)))


@contextmanager
def without_table(memory: Memory, name: str) -> Iterator[None]:
    """Somebody took a table away, and brings it back."""

    def _rename(was: str, to: str) -> None:
        with memory._database.engine.begin() as connection:
            connection.execute(text(f"ALTER TABLE {was} RENAME TO {to}"))

    _rename(name, f"{name}_away")
    try:
        yield
    finally:
        _rename(f"{name}_away", name)


def last_tx(memory: Memory, tenant: str = "default") -> int:
    return next(row.last_tx for row in rows(memory, Tenant, tenant))


def source_id(uri: str, tenant: str = "default") -> Any:
    """The id that the first source of a uri gets."""
    return derived("source", tenant, uri, 0)


def section(uri: str, *path: str, tenant: str = "default") -> str:
    return str(section_id(source_id(uri, tenant), path, 0))


def document(uri: str, tenant: str = "default") -> str:
    return str(document_id(source_id(uri, tenant)))


CHANGES = (EventKind.FACT_CHANGED, EventKind.FACT_TOMBSTONED)


def watch_request(
    principal: Principal, scope: ScopeType, *refs: str, events: Sequence[EventKind] = CHANGES, **more: Any
) -> WatchRequest:
    """A watch that tells its owner; at the shortest debounce, so that tests need not wait for it."""
    target = {"kind": TargetKind.PERSON, "person_id": str(principal.person_id)}
    return WatchRequest(
        more.pop("name", "a watch"), scope, refs, tuple(events), target, **({"debounce_secs": 0} | more)
    )
