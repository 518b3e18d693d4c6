"""Erasure: the words of a source or of a person are destroyed, down to the bytes.

One transaction destroys the words in every row and every version of it (`core.store.erasing`), tombstones what stood,
lets answers say that their evidence is gone, and writes down what was done. Then the store is written anew, so that
nothing deleted is left in its files; until that has succeeded it is tried again. Cards that platforms show are redacted
by `notify:redact` jobs. Other processes drop what they keep in memory when they next see the tenant's tx.

| what happens in the middle | what is left |
|---|---|
| the process dies before the commit | everything, as if nothing had been asked |
| it dies after it; a reader; no room | no words in any row; the files are written anew by the next to try |
| an ingest is under way | whichever commits first; an erased source takes no version any more |
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from core.clock import FOREVER
from core.erasure.surfaces import Copies, ErasureReport
from core.errors import InvalidRequest, NotFound, StoreUnavailable
from core.ids import random_id
from core.jobs.kinds import FENCE, JobKind
from core.model.card_states import CardState
from core.model.erased import ERASED, NOT_REDACTED
from core.model.nodes import EdgeWrite, NodeWrite
from core.model.ports import Erasable, Graph
from core.model.principals import OPERATOR
from core.model.work import stranger
from core.store import audit, erasing, erasures, jobs, people, sources
from core.store.database import Database, WriteTx
from core.store.tables import CardMessage, Erasure, NodeVersion, Person, Source
from core.store.versions import EDGES, NODES


class ErasureEngine:
    def __init__(self, database: Database, graph: Graph, answers: Erasable) -> None:
        self._database = database
        self._graph = graph
        self._answers = answers

    def erase(self, tenant_id: str, subject_id: UUID, reason: str, actor: str) -> ErasureReport:
        """Erase a source or a person; again, only finish what was begun, as far as can be now: `hindered` says by what.

        Raises NotFound, InvalidRequest without a reason.
        """
        if not reason.strip():
            raise InvalidRequest("say why it is erased: the reason is kept with the report")
        with self._database.write(tenant_id) as tx:
            tx.exclude()
            erasure_id = self._begun(tx, subject_id, reason, actor)
        hindered = self._hindered(tenant_id)
        report = next(report for report in self.reports(tenant_id) if report.erasure_id == erasure_id)
        return replace(report, hindered=hindered)

    def keep_out(self, tenant_id: str, source_id: UUID, uri: str, reason: str) -> None:
        """Let a document that was erased from another copy of the memory, and never was in this, not be taken in."""
        with self._database.write(tenant_id) as tx:
            tx.exclude()
            if sources.by_uri(tx, uri) is None:
                sources.add_erased(tx, source_id, uri)
                self._record(tx, ("source", source_id), reason, OPERATOR, Counter(), ())
        self.finish(tenant_id)

    def reports(self, tenant_id: str) -> list[ErasureReport]:
        """Every erasure, newest first, with what has become of it by now."""
        with self._database.read(tenant_id) as tx:
            return [_report(row, erasures.cards(tx, row.report["cards"])) for row in erasures.all_of(tx)]

    def finish(self, tenant_id: str) -> bool:
        """Write the store anew where an erasure still waits for it; whether none waits any more."""
        with self._database.read(tenant_id) as tx:
            waiting = erasures.waiting(tx)
        if not waiting:
            return True
        if not self._database.rewrite():
            return False
        with self._database.write(tenant_id) as tx:
            erasures.rewritten(tx, waiting)
        return True

    def _hindered(self, tenant_id: str) -> str:
        """Finish; or what kept the files from being written anew, which undoes nothing of what is committed."""
        try:
            return "" if self.finish(tenant_id) else "somebody was reading"
        except StoreUnavailable as error:
            return str(error)

    # ── inside the one transaction ──

    def _begun(self, tx: WriteTx, subject_id: UUID, reason: str, actor: str) -> UUID:
        """The erasure of a source or a person, which is done here unless it was before."""
        source, person = sources.by_ids(tx, [subject_id]).get(subject_id), people.get(tx, subject_id)
        if (source and source.erased_tx) or (person and person.display_name == ERASED):
            before = erasures.of(tx, subject_id)
            if before is not None:
                return before
        if source is not None:
            return self._record(tx, ("source", subject_id), reason, actor, *self._erase_source(tx, source))
        if person is not None:
            return self._record(tx, ("person", subject_id), reason, actor, *self._erase_person(tx, person))
        raise NotFound(f"there is no source and no person {subject_id}")

    def _erase_source(self, tx: WriteTx, row: Source) -> tuple[Counter[str], list[UUID]]:
        source_id = row.source_id
        self._retire(tx, source_id)
        things = erasing.things_of(tx, source_id)
        watches = erasing.watches_on(tx, things)
        cards = erasing.cards_quoting(tx, source_id, things, watches)
        done = erasing.source(tx, row)
        records = erasing.records_from(tx, source_id)
        done["records"] = self._retire_records(tx, records)
        done["clarifications"] = erasing.clarifications(tx, source_id)
        done["traces"] = erasing.traces_from(tx, source_id)
        done += erasing.said_of(tx, source_id)
        done["answers"] = self._answers.without_source(tx, source_id)
        done["watches"] = erasing.unname(tx, watches)
        tx.feed("source", source_id, "erased", new_tx=tx.tx)
        return done, cards

    def _retire(self, tx: WriteTx, source_id: UUID) -> None:
        """Let what stands of a source stand no more, from now on, whatever was to be of it later."""
        ahead = (tx.now, FOREVER)
        nodes = {row.node_id: row for row in NODES.open_of_source(tx, source_id, ahead) if not row.tombstone}
        edges = {row.edge_id: row for row in EDGES.open_of_source(tx, source_id, ahead) if not row.tombstone}
        gone = [NodeWrite(row.node_id, row.label, source_id=source_id, tombstone=True) for row in nodes.values()]
        cut = [
            EdgeWrite(row.edge_id, row.label, row.from_id, row.to_id, source_id, tombstone=True)
            for row in edges.values()
        ]
        self._graph.write(tx, gone, ahead)
        self._graph.link(tx, cut, ahead)

    def _retire_records(self, tx: WriteTx, emptied: Collection[NodeVersion]) -> int:
        """Let what rested on a source stand no more, and what others say of the same go on; how many records."""
        tx.session.flush()
        ahead = [row for row in emptied if row.tx_end == FOREVER and row.valid_end > tx.now and not row.tombstone]
        for row in ahead:
            gone = NodeWrite(row.node_id, row.label, readers=(), tombstone=True)
            self._graph.write(tx, [gone], (max(row.valid_start, tx.now), row.valid_end))
        return len({row.node_id for row in emptied})

    def _erase_person(self, tx: WriteTx, row: Person) -> tuple[Counter[str], list[UUID]]:
        person_id = row.person_id
        places = erasing.places_of(tx, person_id)
        done = erasing.person(tx, row)
        cards = erasing.cards_to(tx, {person_id, *map(stranger, places)})
        erasing.nowhere(tx, cards)
        done += erasing.doings(tx, person_id, places)
        done["traces"] = erasing.traces_of(tx, person_id)
        done["answers"] = self._answers.without_person(tx, person_id)
        done["watches"] = erasing.watches_of(tx, person_id)
        tx.feed("person", person_id, "erased", new_tx=tx.tx)
        return done, cards

    def _record(
        self,
        tx: WriteTx,
        subject: tuple[str, UUID],
        reason: str,
        actor: str,
        done: Counter[str],
        cards: Collection[UUID],
    ) -> UUID:
        """Empty the cards, have their copies redacted, and write down what was done."""
        shown = erasing.empty(tx, cards)
        kind = JobKind.NOTIFY_REDACT
        payloads = {message_id: {"message_id": str(message_id)} for message_id in shown}
        jobs.enqueue_each(tx, kind, FENCE[kind], "erased", payloads, tx.now)
        done["cards"] = len(cards)
        done["local_messages"] += erasing.local_copies(tx, cards)
        erasure_id, surfaces = random_id(), {name: count for name, count in sorted(done.items()) if count}
        report: dict[str, Any] = {"surfaces": surfaces, "cards": [str(one) for one in shown], "rewritten": False}
        erasures.add(tx, erasure_id, actor, subject, reason, report)
        audit.record(tx, actor, "erase", f"{subject[0]}:{subject[1]}", detail={"erasure": str(erasure_id)})
        return erasure_id


def _report(row: Erasure, cards: Mapping[UUID, CardMessage]) -> ErasureReport:
    body = row.report
    copies = {str(message_id): _copy(message) for message_id, message in cards.items()}
    return ErasureReport(
        row.erasure_id,
        row.at,
        row.actor,
        row.subject_type,
        row.subject_id,
        row.reason,
        body["surfaces"],
        copies,
        body["rewritten"],
    )


def _copy(message: CardMessage) -> Copies:
    match message.state:
        case CardState.REDACTED:
            return Copies.REDACTED
        case CardState.SKIPPED | CardState.UNKNOWN:
            return Copies.UNKNOWN
        case CardState.SENT if message.update_at is None and message.reason == NOT_REDACTED:
            return Copies.REFUSED
    return Copies.WAITING
