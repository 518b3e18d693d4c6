"""Saved answers: durable, watched, rechecked, and superseded by a refresh; never changed in place.

Every change of status is a new version of the SAVED_ANSWER node, written in the transaction that emits `answer_stale`
when the answer got worse. A recheck is idempotent: the same evidence gives the same claims, no version and no event.
It reads and runs the model outside the write transaction, which starts over when the answer has moved meanwhile.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from sqlmodel import col

from core.answers.cadence import next_check
from core.answers.config import AnswersConfig
from core.answers.judging import Found, Judging, Today
from core.answers.recheck import Judged
from core.answers.saved import (
    changed,
    first_props,
    invalidated,
    judged_props,
    key_of,
    moves,
    questions_of,
    spans_of,
    superseded,
    watches_of,
)
from core.answers.status import AnswerStatus, news
from core.clock import DAY, FOREVER
from core.errors import InsufficientEvidence, InvalidRequest, NotFound
from core.ids import derived
from core.jobs.kinds import FENCE, JobKind
from core.model.answers import Answer, AnswerMove, Refreshed, SavedAnswer, saved_from_props
from core.model.erased import answer_of_nobody, answer_without
from core.model.nodes import SAVED_ANSWER, SUPERSEDES, EdgeWrite, Node, NodeWrite
from core.model.paging import WHOLE, Part
from core.model.ports import Answering, Fires, Graph, Library, Questions, Reader, Watches
from core.model.principals import Principal, person_reader, visible_to
from core.model.watching import EventKind
from core.store import clarifications, erasing, jobs, people, saved, sources, traces
from core.store.database import Database, ReadTx, WriteTx
from core.store.tables import NodeVersion
from core.store.versions import NODES
from core.store.view import view

_TRIES = 5


@dataclass(frozen=True, slots=True)
class Checked:
    """What a recheck found; `before` equals `after` where nothing moved."""

    before: AnswerStatus
    after: AnswerStatus
    changed_claims: tuple[int, ...] = ()


class AnswersEngine:
    def __init__(
        self,
        database: Database,
        graph: Graph,
        watches: Watches,
        fires: Fires,
        library: Library,
        reader: Reader,
        questions: Questions,
        answering: Answering,
        config: AnswersConfig,
    ) -> None:
        self._database = database
        self._graph = graph
        self._watches = watches
        self._fires = fires
        self._questions = questions
        self._judging = Judging(library, reader, questions)
        self._answering = answering
        self._config = config

    # ── saving ──

    def save(
        self, tx: WriteTx, trace_id: UUID, principal: Principal, supersedes: UUID | None = None
    ) -> tuple[UUID, bool]:
        """Save a traced answer once per person; the id, and whether it is new.

        Creates the internal watch, the owner's own watch and a first recheck: evidence may have moved since.
        Raises NotFound for another's trace, and for one whose words they may not read any more; InvalidRequest when the
        answer claims nothing.
        """
        tx.lock()
        answer_id = derived("answer", tx.tenant_id, trace_id, principal.person_id)
        if self._graph.current(tx, [answer_id], tx.now):
            return answer_id, False
        trace = traces.get(tx, trace_id)
        if trace is None or trace.kind != "generate" or trace.person_id != principal.person_id:
            raise NotFound
        if not any(claim["citations"] for claim in trace.body["claims"]):
            raise InvalidRequest("this answer rests on nothing, so there is nothing to keep up to date")
        cited = {span.source_id for claim in trace.body["claims"] for span in spans_of(claim)}
        if not all(visible_to(principal, row.readers) for row in sources.by_ids(tx, cited).values()):
            raise NotFound
        states = self._questions.states(tx, {one for claim in trace.body["claims"] for one in questions_of(claim)})
        props = first_props(trace_id, trace.body, principal.person_id, states, tx.now, supersedes)
        self._write_new(tx, answer_id, props, principal)
        return answer_id, True

    def _write_new(self, tx: WriteTx, answer_id: UUID, props: Mapping[str, Any], principal: Principal) -> None:
        self._put(tx, answer_id, props)
        for request in watches_of(answer_id, props):
            self._watches.create(tx, request, principal)
        self._enqueue_check(tx, answer_id, "saved", tx.now)

    def _put(self, tx: WriteTx, answer_id: UUID, props: Mapping[str, Any]) -> None:
        owner = UUID(props["owner"])
        readers = (person_reader(owner),)
        write = NodeWrite(answer_id, SAVED_ANSWER, key_of(props), props, readers=readers, observed_at=tx.now)
        self._graph.write(tx, [write], (tx.now, FOREVER))

    def _enqueue_check(self, tx: WriteTx, answer_id: UUID, cause: object, not_before: int) -> None:
        kind = JobKind.CHECK_ANSWER
        jobs.enqueue(tx, kind, FENCE[kind], answer_id, cause, {"answer_id": str(answer_id)}, not_before)

    # ── reading ──

    def get(self, tx: ReadTx, answer_id: UUID, principal: Principal, now: int) -> SavedAnswer:
        """Raises NotFound, alike for another's answer and for none."""
        node = self._owned(tx, answer_id, principal, now)
        return _as_seen(tx, [node], principal, now)[0]

    def _owned(self, tx: ReadTx, answer_id: UUID, principal: Principal, now: int) -> Node:
        node = self._graph.current(tx, [answer_id], now).get(answer_id)
        if node is None or node.label != SAVED_ANSWER or not visible_to(principal, node.readers or ()):
            raise NotFound
        return node

    def owned(self, tx: ReadTx, principal: Principal, now: int, part: Part = WHOLE) -> list[SavedAnswer]:
        """The person's saved answers that stand, newest first: a part after (saved_at, answer_id)."""
        nodes = saved.part_of(tx, principal.person_id, AnswerStatus.SUPERSEDED, now, part)
        return _as_seen(tx, [node for node in nodes if visible_to(principal, node.readers or ())], principal, now)

    def newest(self, tx: ReadTx, answer_id: UUID, principal: Principal, now: int) -> UUID:
        """The answer that stands for this one today, at the end of the chain of refreshes."""
        node = self._owned(tx, answer_id, principal, now)
        while node.props["supersededBy"]:
            node = self._owned(tx, UUID(node.props["supersededBy"]), principal, now)
        return node.node_id

    def history(self, tx: ReadTx, answer_id: UUID, principal: Principal, now: int) -> list[AnswerMove]:
        """Every version of an answer, oldest first. Raises NotFound, alike for another's answer and for none."""
        self._owned(tx, answer_id, principal, now)
        written = col(NodeVersion.valid_end) == FOREVER  # what a later version left of this one ends before it
        versions = NODES.select(tx, col(NodeVersion.node_id) == answer_id, written)
        return moves(sorted(versions, key=lambda node: node.tx_start))

    # ── rechecking ──

    def check(self, tenant_id: str, answer_id: UUID) -> Checked | None:
        """Judge a saved answer by what stands now; None for one that is gone or superseded."""
        for _ in range(_TRIES):
            with self._database.read(tenant_id) as tx:
                node = self._graph.current(tx, [answer_id], self._database.clock.now()).get(answer_id)
                if node is None or node.props["status"] == AnswerStatus.SUPERSEDED:
                    return None
                found = self._judging.found(self._today(tx, node), node.props["claims"])
            judged = self._judging.judge(found, node.props["question"], partial(self._akin, tenant_id, node))
            with self._database.write(tenant_id) as tx:
                checked = self._record(tx, node, judged)
                if checked is not None:
                    return checked
        raise InvalidRequest(f"answer {answer_id} kept changing while it was checked; it will be checked again")

    def _today(self, tx: ReadTx, node: Node) -> Today:
        """As things stand for the owner of an answer."""
        owner = people.get(tx, UUID(node.props["owner"]))
        readable = sources.readable(tx, people.principal(owner)) if owner and owner.active else ()
        return Today(tx, self._database.clock.now(), readable)

    def _akin(self, tenant_id: str, node: Node, claim: Found) -> Sequence[str]:
        with self._database.read(tenant_id) as tx:
            return self._judging.akin(self._today(tx, node), claim)

    def _record(self, tx: WriteTx, node: Node, judged: Sequence[Judged]) -> Checked | None:
        """Write what was found, if it is news; None when the answer has moved since it was read."""
        tx.lock()
        standing = self._graph.current(tx, [node.node_id], tx.now).get(node.node_id)
        if standing is None or standing.tx_start != node.tx_start:
            return None
        due = next_check(node.node_id, tx.now, self._config.recheck_max_age_days * DAY)
        self._enqueue_check(tx, node.node_id, due, due)
        props = judged_props(node.props, judged, tx.now)
        moved = changed(node.props["claims"], props["claims"])
        if not moved:
            return Checked(AnswerStatus(props["status"]), AnswerStatus(props["status"]))
        return self._move(tx, node, props, moved)

    def _move(self, tx: WriteTx, node: Node, props: Mapping[str, Any], moved: tuple[int, ...] = ()) -> Checked:
        """Write a new version, and tell its owner where it says that something is no longer well."""
        before, after = AnswerStatus(node.props["status"]), AnswerStatus(props["status"])
        self._put(tx, node.node_id, props)
        if news(before, after):
            self._fires.emit(tx, EventKind.ANSWER_STALE, node.node_id)
        return Checked(before, after, moved)

    # ── erasing ──

    def without_source(self, tx: WriteTx, source_id: UUID) -> int:
        """Let no version of an answer hold a word of an erased source, and those that stand say so; how many rows."""
        rows = erasing.answers_citing(tx, source_id)
        _rewrite(tx, rows, lambda props: answer_without(props, source_id))
        for node in self._graph.current(tx, {row.node_id for row in rows}, tx.now).values():
            if node.props["status"] != AnswerStatus.SUPERSEDED:
                self._move(tx, node, invalidated(node.props))
        return len(rows)

    def without_person(self, tx: WriteTx, person_id: UUID) -> int:
        """Let no version of an answer that a person saved hold what it said, and none stand any more; how many rows."""
        rows = erasing.answers_of(tx, person_id)
        _rewrite(tx, rows, answer_of_nobody)
        nodes = self._graph.current(tx, {row.node_id for row in rows}, tx.now)
        gone = [NodeWrite(node_id, SAVED_ANSWER, readers=(), tombstone=True) for node_id in nodes]
        self._graph.write(tx, gone, (tx.now, FOREVER))
        return len(rows)

    # ── refreshing ──

    def refresh(self, answer_id: UUID, principal: Principal) -> Refreshed:
        """Ask the saved question again and let the new answer supersede the old, in one transaction.

        Without evidence, where nothing is close enough, and where a model says nothing that the evidence bears, the old
        answer stays as it was (`answer` is None).
        """
        with self._database.read(principal.tenant_id) as tx:
            now = self._database.clock.now()
            newest = self.newest(tx, answer_id, principal, now)
            question = self.get(tx, newest, principal, now).question
        if newest != answer_id:
            return Refreshed(newest, None, already=True)
        try:
            answer = self._answering.generate(question, principal)
        except InsufficientEvidence:
            return Refreshed(answer_id, None, already=False)
        if not any(claim.is_borne for claim in answer.claims):
            return Refreshed(answer_id, None, already=False)
        with self._database.write(principal.tenant_id) as tx:
            return self.supersede(tx, answer_id, answer, principal)

    def ask_refresh(self, tx: WriteTx, answer_id: UUID, principal: Principal, delivery_key: str) -> UUID:
        """Enqueue a refresh of the answer that stands today, for the card that is to show it; its id.

        A second tap on that card is no second refresh, but where the first has ended and left the answer as it was. One
        that has given it a newer answer is done again, which shows that: the tap may be driven by whom a crash left it.
        """
        current = self.newest(tx, answer_id, principal, tx.now)
        if current != answer_id and _has_asked(tx, answer_id, delivery_key):
            current = answer_id
        version = self._owned(tx, current, principal, tx.now).tx_start
        kind = JobKind.REFRESH_ANSWER
        payload = {"answer_id": str(current), "person_id": str(principal.person_id), "delivery_key": delivery_key}
        jobs.enqueue_again(tx, kind, FENCE[kind], current, f"{version}:{delivery_key}", payload, tx.now)
        return current

    def supersede(self, tx: WriteTx, answer_id: UUID, answer: Answer, principal: Principal) -> Refreshed:
        """Save the new answer, let the old one point at it and end its watches; not where another did meanwhile.

        Raises NotFound.
        """
        tx.lock()
        newest = self.newest(tx, answer_id, principal, tx.now)
        if newest != answer_id:
            return Refreshed(newest, None, already=True)
        old = self._owned(tx, answer_id, principal, tx.now)
        new_id, _ = self.save(tx, answer.trace_id, principal, supersedes=answer_id)
        self._put(tx, answer_id, superseded(old.props, new_id))
        for request in watches_of(answer_id, old.props):
            self._watches.stop(tx, request, principal)
        edge = EdgeWrite(derived("edge", SUPERSEDES, new_id, answer_id), SUPERSEDES, new_id, answer_id)
        self._graph.link(tx, [edge], (tx.now, FOREVER))
        return Refreshed(new_id, answer, already=False)


def _as_seen(tx: ReadTx, nodes: Sequence[Node], principal: Principal, now: int) -> list[SavedAnswer]:
    """Saved answers as their owner may see them today."""
    asked = view(tx, principal, now)
    on = {UUID(one) for node in nodes for one in node.props["dependencies"]["clarifications"]}
    rows = clarifications.newest(tx, on)
    there = asked.nodes({row.node_id for row in rows.values()})
    questions = {one for one, row in rows.items() if row.node_id in there}
    return [saved_from_props(node.node_id, node.props, node.tx_start, asked.readable, questions) for node in nodes]


def _has_asked(tx: ReadTx, answer_id: UUID, delivery_key: str) -> bool:
    """Whether a card has had this very answer refreshed, in any version of it."""
    kind, versions = JobKind.REFRESH_ANSWER, NODES.select(tx, col(NodeVersion.node_id) == answer_id)
    return any(jobs.was_enqueued(tx, kind, answer_id, f"{row.tx_start}:{delivery_key}") for row in versions)


def _rewrite(tx: WriteTx, rows: Sequence[NodeVersion], change: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
    """Change what was written, in place, as only an erasure may."""
    for row in rows:
        row.key, row.props = "", change(row.props)
        tx.session.add(row)
    tx.session.flush()
