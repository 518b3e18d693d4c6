"""Two tenants of the same content, and the same database as it was before the second came.

What is done for the first, whatever of the second's it names, must come to the same in both databases: then nothing of
the second shows, not even that it is there; and its rows must be as they were.
"""

import re
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

from bot import keys, webhook_key
from cards.codec import to_json
from cards.notices import notice
from core.clarifications.opening import Opening
from core.clock import DAY, SECOND, ManualClock
from core.ids import derived
from core.memory import Memory
from core.model.principals import Principal
from core.model.threads import USER, Asked, Said, Turn, thread_of
from core.model.watching import ScopeType
from core.model.work import NOTHING_OFFERED, Offer, Place
from core.store.tables import CardMessage, Job
from tests.support.memories import (
    add_person,
    change_row,
    open_memory,
    page,
    put,
    rows,
    section,
    source_id,
    watch_request,
)

MINE, THEIRS = "mine", "theirs"
QUESTION = "What may a meal cost?"
BEGAN = 1_600_000_000 * SECOND
"""Long ago by any machine's clock: the commands that are tried go by that."""
Ids = Mapping[str, str]

_MADE_UP = re.compile(
    r"(?P<id>[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12})"
    r"|(?P<ts>\b1\d{15}\b)"
    r"|(?P<time>\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?)"
    r"|(?P<free>\b\d+ [MG]B\b)"
    r"|(?P<secret>(clarify_|whsec_)[\w+/=-]+)"
)


@dataclass(frozen=True)
class Side:
    """One of the two databases. `known`: the ids that are in both, or that are named; any other was made since."""

    folder: Path
    mine: Ids
    theirs: Ids

    @property
    def file(self) -> Path:
        return self.folder / "clarify-bot.db"

    def said(self, text: str) -> str:
        """What was said, without what no two runs say alike: new ids, moments, secrets, what is free of a disk."""
        known = {*self.mine.values(), *self.theirs.values()}

        def _blind(found: re.Match[str]) -> str:
            return found[0] if found[0] in known else f"«{found.lastgroup}»"

        return _MADE_UP.sub(_blind, text.replace(str(self.folder), "«folder»"))

    def theirs_as_it_is(self) -> list[object]:
        """Every row of the second tenant."""
        with sqlite3.connect(self.file) as opened:
            names = [name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            having = [n for n in names if any(c[1] == "tenant_id" for c in opened.execute(f"PRAGMA table_info({n})"))]
            all_of = [opened.execute(f"SELECT * FROM {n} WHERE tenant_id = ?", [THEIRS]).fetchall() for n in having]
        return list(zip(having, all_of, strict=True))

    @contextmanager
    def opened(self) -> Iterator[Memory]:
        """The memory, on a day after everything."""
        memory = open_memory(f"sqlite:///{self.file}", ManualClock(BEGAN + 30 * DAY))
        try:
            yield memory
        finally:
            memory.close()


@dataclass(frozen=True)
class Sides:
    """`alone`: before the second tenant came. `beside`: with it. `own`: once more with it."""

    alone: Side
    beside: Side
    own: Side

    def copied(self, to: Path) -> "Sides":
        made = (replace(side, folder=to / name) for name, side in self._named())
        sides = Sides(*made)
        for (_, old), (_, new) in zip(self._named(), sides._named(), strict=True):
            shutil.copytree(old.folder, new.folder)
        return sides

    def _named(self) -> list[tuple[str, Side]]:
        return [("alone", self.alone), ("beside", self.beside), ("own", self.own)]

    def __iter__(self) -> Iterator[Side]:
        return iter((self.alone, self.beside))


def filled(template: Any, ids: Ids) -> Any:
    """What names what it is to name in braces, all through a JSON value."""
    if isinstance(template, str):
        return template.format_map(ids)
    if isinstance(template, list):
        return [filled(one, ids) for one in template]
    return {name: filled(one, ids) for name, one in template.items()} if isinstance(template, dict) else template


def two_tenants(folder: Path, migrated: Path) -> Sides:
    alone, beside = folder / "alone", folder / "beside"
    alone.mkdir()
    shutil.copy(migrated, alone / "clarify-bot.db")
    keys.create(alone / "keys")
    webhook_key.ensure(alone / "keys")
    (alone / "handbook").mkdir()
    (alone / "handbook" / "new.md").write_text("# New\n\nA night may cost 120 EUR.\n")
    mine = _furnished(alone, MINE)
    shutil.copytree(alone, beside)
    theirs = _furnished(beside, THEIRS)
    beside_it = Side(beside, mine, theirs)
    return Sides(Side(alone, mine, theirs), beside_it, beside_it)


def _furnished(folder: Path, tenant: str) -> Ids:
    memory = open_memory(f"sqlite:///{folder / 'clarify-bot.db'}", ManualClock(BEGAN))
    try:
        memory.people.ensure_tenant(tenant, "A company")
        return _Furnishing(memory, tenant, webhook_key.load(folder / "keys")).done()
    finally:
        memory.close()


class _Furnishing:
    """One of everything, alike in each tenant but for what is named after it."""

    def __init__(self, memory: Memory, tenant: str, key: bytes) -> None:
        self._memory = memory
        self._tenant = tenant
        self._key = key
        self._ada = add_person(memory, "Ada", ("member", "admin", "steward"), tenant=tenant)
        self._place = Place("slack", f"T0{tenant.upper()}", f"U0{tenant.upper()}")

    def done(self) -> Ids:
        people = self._people()
        return people | self._documents() | self._told() | self._asked() | self._programs() | self._cards()

    def _people(self) -> dict[str, str]:
        memory, tenant = self._memory, self._tenant
        memory.workspaces.connect(tenant, "slack", self._place.workspace, "A workspace", {}, trusted=False)
        memory.people.bind(tenant, self._ada.person_id, self._place)
        own = memory.people.put(tenant, f"Eve of {tenant}", email=f"eve@{tenant}.example")
        return {
            "tenant": tenant,
            "ada": str(self._ada.person_id),
            "person": f"Eve of {tenant}",
            "email": f"eve@{tenant}.example",
            "person_id": str(own),
            "workspace": self._place.workspace,
            "user": self._place.user_id,
        }

    def _documents(self) -> dict[str, str]:
        own, gone = f"{self._tenant}.md", f"gone-{self._tenant}.md"
        for uri in ("travel.md", own, gone):
            self._put(uri, "A meal may cost at most 40 EUR.")
        done = self._memory.erase(source_id(gone, self._tenant), "asked for", tenant=self._tenant)
        return {
            "uri": own,
            "source": str(source_id(own, self._tenant)),
            "node": section(own, own, "Meals", tenant=self._tenant),
            "erased": gone,
            "erased_id": str(source_id(gone, self._tenant)),
            "erasure": str(done.erasure_id),
        }

    def _put(self, uri: str, words: str) -> None:
        put(self._memory, uri, page(uri, {"Meals": words}), tenant=self._tenant, source_set="handbook")

    def _told(self) -> dict[str, str]:
        memory, tenant = self._memory, self._tenant
        trace = memory.generate(QUESTION, self._ada).trace_id
        answer = memory.save_answer(trace, self._ada)
        meals = section("travel.md", "travel.md", "Meals", tenant=tenant)
        watch = memory.watch(watch_request(self._ada, ScopeType.ENTITY, meals, name=f"of {tenant}"), self._ada).watch_id
        memory.sweep(tenant)
        self._put("travel.md", "A meal may cost at most 55 EUR.")
        memory.sweep(tenant)
        fire = memory.watched.fires(watch, self._ada)[0].fire_id
        dead, *_, job = [one.job_id for one in memory.jobs.find(tenant)]
        change_row(memory, Job, (tenant, dead), state="dead")
        told = {"trace": trace, "answer": answer, "watch": watch, "fire": fire, "dead": dead, "job": job}
        return {name: str(one) for name, one in told.items()} | {"watched": f"of {tenant}"}

    def _asked(self) -> dict[str, str]:
        memory, tenant = self._memory, self._tenant
        node = UUID(section("travel.md", "travel.md", "Meals", tenant=tenant))
        opened = memory.clarify.open(tenant, Opening(node, "A day, or a meal?", ["member"], ["day", "meal"]))
        memory.conversation.append(
            tenant, self._ada.person_id, self._place, Turn("e1", [Said(USER, f"I am of {tenant}")])
        )
        asked = Asked(thread_of(tenant, self._place))
        return {"clarification": str(opened.clarification_id), "thread": str(asked.thread_id)}

    def _programs(self) -> dict[str, str]:
        memory, tenant, name = self._memory, self._tenant, f"hook-{self._tenant}"
        nobody = "http://127.0.0.1:9/"
        hook = memory.webhooks.add(tenant, name, nobody, ["member"], self._key, allow_plain=True, allow_private=True)
        target = {"kind": "webhook", "webhook_id": str(hook.webhook_id)}
        request = replace(watch_request(self._ada, ScopeType.LABEL, "SECTION"), target=target)
        watch = memory.watch(request, Principal(tenant, None, frozenset({"admin"})))
        key = memory.api_keys.create(tenant, "portal", (), person_id=self._ada.person_id)
        return {
            "webhook": name,
            "webhook_id": str(hook.webhook_id),
            "webhook_watch": str(watch.watch_id),
            "key": str(key.key_id),
            "secret": key.secret,
        }

    def _cards(self) -> dict[str, str]:
        return {"nonce": posted_card(self._memory, self._ada, self._place, NOTHING_OFFERED).nonce}


def posted_card(memory: Memory, who: Principal, place: Place, offer: Offer, for_: str = "") -> CardMessage:
    """A card that stands in somebody's direct messages, and permits what is offered."""
    card = to_json(notice("A card", "Words."))
    subject = str(derived("card", repr(offer), for_))
    made = memory.messages.post(who.tenant_id, who.person_id, place, subject, "reply", lambda _: card, offer)
    row: CardMessage = next(one for one in rows(memory, CardMessage, who.tenant_id) if one.message_id == made)
    return row
