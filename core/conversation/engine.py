"""Conversations: what was said in a thread, as its person may read it at this moment."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from core.contextplan import ByteEstimator, Calibrated, Message
from core.conversation.payloads import Told
from core.conversation.planning import planned
from core.conversation.views import explained
from core.errors import NotFound
from core.model.principals import Principal
from core.model.threads import Asked, Before, History, Line, Room, ThreadView, Turn, event_ref
from core.model.work import Place
from core.store import erasing, factors, inbox, people, rights, sources, spool, threads
from core.store.database import Database, ReadTx
from core.store.tables import Inbox, ThreadEvent

LISTED = 10
"""Threads that are named to whoever asks for one that is not theirs."""


class ConversationEngine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, tenant_id: str, person_id: UUID, place: Place, turn: Turn) -> None:
        """Write down what an event led to, at the end of its thread, once; nothing of somebody who is gone."""
        with self._database.write(tenant_id) as tx:
            tx.lock()
            threads.record(tx, person_id, place, turn)

    def told(self, principal: Principal, asked: Asked) -> list[Told]:
        """What was said in the principal's own thread before a question, oldest first. Raises NotFound, UnknownKey."""
        with self._database.read(principal.tenant_id) as tx:
            return _told(tx, principal, asked, self._database.clock.now())

    def questions(self, principal: Principal, asked: Asked, limit: int) -> list[Before]:
        """What the principal last asked in their own thread before a question, newest first."""
        with self._database.read(principal.tenant_id) as tx:
            return threads.questions(tx, asked.thread_id, principal.person_id, asked.event_id, limit)

    def withdraw(self, tenant_id: str, place: Place, event_id: str, text: str | None) -> bool:
        """A message was deleted (`text` None), or says something else now: it and its answer are revoked.

        Its words go wherever they are kept by its event: the thread, what was put aside, the inbox, and every trace
        whose question holds them; an answer that was saved stays. Whoever writes a trace is kept out meanwhile.
        False where it says what it said, as after a link in it was unfurled, or was never kept; one that was deleted
        before it came is done with when it comes.
        """
        key = inbox.key(place, event_id)
        with self._database.write(tenant_id) as tx:
            tx.exclude()
            found, received = threads.of_event(tx, key), inbox.question(tx, key)
            if text is not None and text == _said(tx, found, received):
                return False
            bound = people.identity(tx, place)
            theirs = {row.person_id for row in found} | ({bound.person_id} if bound else set())
            if bound and not found and inbox.open_event(tx, key):
                threads.revoke_ahead(tx, bound.person_id, place, key)
            threads.revoke(tx, found)
            erasing.traces_saying(tx, event_ref(tenant_id, key, 0), theirs)
            if received is not None:
                inbox.reword(tx, received, text)
            elif text is None and not found:
                person_id = bound.person_id if bound else None
                inbox.keep(tx, place, event_id, person_id, "question", {}, "done", "deleted before it came")
            return bool(found) or received is not None

    def history(self, principal: Principal, asked: Asked, model: str, room: Room) -> History:
        """What of the principal's own thread goes into a prompt; what it has no room for is put aside whole.

        To put something aside may take its time where others write. So a look always comes after it: what was
        withdrawn meanwhile, by whatever process, is in no prompt.
        """
        while True:
            told, estimator = self._standing(principal, asked, model)
            found = planned(told, room, estimator)
            if found.compacted:
                self._compact(principal.tenant_id, found.key, found.compacted)
            elif not self._put_aside(principal.tenant_id, found.left_out):
                return History(found.lines, frozenset(source for one in found.shown for source in one.source_ids))

    def explain(self, principal: Principal, asked: Asked, model: str, room: Room) -> ThreadView:
        """What of the principal's own thread `history` would give now, and why not the rest; nothing is written.

        Raises NotFound.
        """
        told, estimator = self._standing(principal, asked, model)
        with self._database.read(principal.tenant_id) as tx:
            readable = sources.readable(tx, rights.today(tx, principal, self._database.clock.now()))
            rows = threads.compacted(tx, asked.thread_id, principal.person_id)
            aside = [replace(_as_read(row, readable), content=_spooled(tx, row)) for row in rows]
            if not (told or aside):
                theirs = ", ".join(map(str, threads.threads(tx, principal.person_id, LISTED))) or "none"
                raise NotFound(f"there is no conversation {asked.thread_id} of theirs; the newest of theirs: {theirs}")
        found = planned(told, room, estimator)
        events = explained(aside, found, estimator)
        budget = max(0, room.spare(()))
        return ThreadView(asked.thread_id, model, budget, found.estimated_tokens, estimator.factor, events)

    def _standing(self, principal: Principal, asked: Asked, model: str) -> tuple[list[Told], Calibrated]:
        now = self._database.clock.now()
        with self._database.read(principal.tenant_id) as tx:
            return _told(tx, principal, asked, now), Calibrated(ByteEstimator(), factor=factors.of(tx, model))

    def _compact(self, tenant_id: str, key: str, dropped: Sequence[Told]) -> None:
        """Move the words of these to the spool, marked by the compaction's key; what was moved already stays."""
        with self._database.write(tenant_id) as tx:
            for row in spool.keep(tx, [one.ref for one in dropped]):
                row.compacted, row.content = key, b""
                tx.session.add(row)

    def _put_aside(self, tenant_id: str, left_out: Sequence[Told]) -> bool:
        """Copy the words of these to the spool; whether any were not there yet."""
        refs = {one.ref for one in left_out}
        with self._database.read(tenant_id) as tx:
            refs -= spool.among(tx, refs)
        if refs:
            with self._database.write(tenant_id) as tx:
                spool.keep(tx, refs)
        return bool(refs)

    def learn(self, tenant_id: str, model: str, told: Sequence[Line], tokens: int) -> None:
        """A prompt had so many tokens, says the model's server.

        What is estimated is estimated anew under the row's lock, so that answers at once are told one after the other
        how far off the factor is by then, and do not all correct the same fault.
        """
        with self._database.write(tenant_id) as tx:
            row = factors.locked(tx, model)
            calibrated = Calibrated(ByteEstimator(), factor=row.factor)
            messages = [Message(line.role, line.text.encode("utf-8", "replace")) for line in told]
            calibrated.observe(calibrated.estimate(messages), tokens)
            row.factor = calibrated.factor
            tx.session.add(row)


def _said(tx: ReadTx, found: Sequence[ThreadEvent], received: Inbox | None) -> str | None:
    """What a message said, as it is remembered: in its thread, put aside, or as it came in."""
    if not found:
        return received.body.get("text") if received else None
    first = found[0]
    content = _spooled(tx, first) if first.compacted else first.content
    return None if first.revoked else content.decode("utf-8", "replace")


def _spooled(tx: ReadTx, row: ThreadEvent) -> bytes:
    copy = spool.get(tx, row.ref)
    return copy.content if copy else b""


def _told(tx: ReadTx, principal: Principal, asked: Asked, now: int) -> list[Told]:
    readable = sources.readable(tx, rights.today(tx, principal, now))
    found: list[Told] = []
    for row in threads.events(tx, asked.thread_id, principal.person_id):
        if row.event_id == asked.event_id:
            break
        found.append(_as_read(row, readable))
    return found


def _as_read(row: ThreadEvent, readable: frozenset[UUID]) -> Told:
    source_ids = frozenset(map(UUID, row.source_ids))
    return Told(
        row.ref,
        row.event_id,
        row.role,
        row.kind,
        row.retention,
        row.content,
        row.size,
        row.person_id,
        source_ids,
        row.calls,
        row.answers,
        withheld=row.revoked or not source_ids <= readable,
    )
