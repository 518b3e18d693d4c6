"""Saved answers: durable, watched, rechecked, and superseded by a refresh; never changed in place.

Every change of status is a new version of the SAVED_ANSWER node, written in the transaction that emits `answer_stale`
when the answer got worse. A recheck is idempotent: the same evidence gives the same claims, no version and no event.
It reads and runs the model outside the write transaction, which starts over when the answer has moved meanwhile.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from core.answers.config import AnswersConfig
from core.answers.diff import nearest
from core.answers.recheck import Judged, Reading, evidence_state, reread
from core.answers.status import AnswerStatus, ClaimState, Severity, fold, fold_severity, worse
from core.clock import DAY, FOREVER
from core.errors import InsufficientEvidence, InvalidRequest, NotFound
from core.ids import derived
from core.jobs.kinds import FENCE, JobKind
from core.model.answers import Answer, Refreshed, SavedAnswer, saved_from_props
from core.model.erased import answer_of_nobody, answer_without
from core.model.evidence import Resolution
from core.model.nodes import SAVED_ANSWER, SUPERSEDES, EdgeWrite, Node, NodeWrite
from core.model.ports import Answering, Graph, Library, Reader, Watches
from core.model.principals import Principal, person_reader, visible_to
from core.model.spans import SpanRef
from core.model.watching import EventKind, ScopeType, TargetKind, WatchRequest
from core.store import erasing, jobs, people, sources, traces
from core.store.database import Database, ReadTx, WriteTx
from core.store.tables import NodeVersion

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
        library: Library,
        reader: Reader,
        answering: Answering,
        config: AnswersConfig,
    ) -> None:
        self._database = database
        self._graph = graph
        self._watches = watches
        self._library = library
        self._reader = reader
        self._answering = answering
        self._config = config

    # ── saving ──

    def save(self, tx: WriteTx, trace_id: UUID, principal: Principal) -> tuple[UUID, bool]:
        """Save a traced answer once per person; the id, and whether it is new.

        Creates the internal watch, the owner's own watch and a first recheck: evidence may have moved since.
        Raises NotFound for another's trace; InvalidRequest when the answer claims nothing.
        """
        tx.lock()
        answer_id = derived("answer", tx.tenant_id, trace_id, principal.person_id)
        if self._graph.current(tx, [answer_id], tx.now):
            return answer_id, False
        trace = traces.get(tx, trace_id)
        if trace is None or trace.kind != "generate" or trace.person_id != principal.person_id:
            raise NotFound
        if not trace.body["claims"]:
            raise InvalidRequest("this answer rests on nothing, so there is nothing to keep up to date")
        self._write_new(tx, answer_id, trace_id, trace.body, principal)
        return answer_id, True

    def _write_new(
        self, tx: WriteTx, answer_id: UUID, trace_id: UUID, body: Mapping[str, Any], principal: Principal
    ) -> None:
        claims = [{**claim, **asdict(Judged(ClaimState.OK))} for claim in body["claims"]]
        props = {
            "question": body["question"],
            "answerText": body["answerText"],
            "claims": claims,
            "dependencies": {"sources": _source_ids(claims), "clarifications": []},
            "status": AnswerStatus.CURRENT,
            "severity": None,
            "traceId": str(trace_id),
            "planHash": body["planHash"],
            "owner": str(principal.person_id),
            "savedAt": tx.now,
            "checkedAt": tx.now,
            "supersedes": None,
            "supersededBy": None,
        }
        self._put(tx, answer_id, props)
        for request in _watches(answer_id, props):
            self._watches.create(tx, request, principal)
        self._enqueue_check(tx, answer_id, "saved", tx.now)

    def _put(self, tx: WriteTx, answer_id: UUID, props: Mapping[str, Any]) -> None:
        owner = UUID(props["owner"])
        key = f"{props['status']}:{props['severity']}:{props['supersededBy']}:{[c['state'] for c in props['claims']]}"
        write = NodeWrite(answer_id, SAVED_ANSWER, key, props, readers=(person_reader(owner),), observed_at=tx.now)
        self._graph.write(tx, [write], (tx.now, FOREVER))

    def _enqueue_check(self, tx: WriteTx, answer_id: UUID, cause: object, not_before: int) -> None:
        kind = JobKind.CHECK_ANSWER
        jobs.enqueue(tx, kind, FENCE[kind], answer_id, cause, {"answer_id": str(answer_id)}, not_before)

    # ── reading ──

    def get(self, tx: ReadTx, answer_id: UUID, principal: Principal, now: int) -> SavedAnswer:
        """Raises NotFound, alike for another's answer and for none."""
        node = self._owned(tx, answer_id, principal, now)
        return saved_from_props(answer_id, node.props, node.tx_start, sources.readable(tx, principal))

    def _owned(self, tx: ReadTx, answer_id: UUID, principal: Principal, now: int) -> Node:
        node = self._graph.current(tx, [answer_id], now).get(answer_id)
        if node is None or node.label != SAVED_ANSWER or not visible_to(principal, node.readers or ()):
            raise NotFound
        return node

    def owned(self, tx: ReadTx, principal: Principal, now: int) -> list[SavedAnswer]:
        """The person's saved answers that stand, newest first."""
        nodes = [
            node
            for node in self._graph.labelled(tx, SAVED_ANSWER, now)
            if visible_to(principal, node.readers or ()) and node.props["status"] != AnswerStatus.SUPERSEDED
        ]
        readable = sources.readable(tx, principal)
        saved = [saved_from_props(node.node_id, node.props, node.tx_start, readable) for node in nodes]
        return sorted(saved, key=lambda answer: -answer.saved_at)

    def newest(self, tx: ReadTx, answer_id: UUID, principal: Principal, now: int) -> UUID:
        """The answer that stands for this one today, at the end of the chain of refreshes."""
        node = self._owned(tx, answer_id, principal, now)
        while node.props["supersededBy"]:
            node = self._owned(tx, UUID(node.props["supersededBy"]), principal, now)
        return node.node_id

    # ── rechecking ──

    def check(self, tenant_id: str, answer_id: UUID) -> Checked | None:
        """Judge a saved answer by what stands now; None for one that is gone or superseded."""
        for _ in range(_TRIES):
            with self._database.read(tenant_id) as tx:
                node = self._graph.current(tx, [answer_id], self._database.clock.now()).get(answer_id)
                if node is None or node.props["status"] == AnswerStatus.SUPERSEDED:
                    return None
                judged = self._judge(tx, node)
            with self._database.write(tenant_id) as tx:
                checked = self._record(tx, node, judged)
                if checked is not None:
                    return checked
        raise InvalidRequest(f"answer {answer_id} kept changing while it was checked; it will be checked again")

    def _judge(self, tx: ReadTx, node: Node) -> list[Judged]:
        owner = people.get(tx, UUID(node.props["owner"]))
        readable: Collection[UUID] = sources.readable(tx, people.principal(owner)) if owner and owner.active else ()
        claims: Sequence[Mapping[str, Any]] = node.props["claims"]
        cited = [_spans(claim) for claim in claims]
        now = self._database.clock.now()
        resolved = self._library.resolve(tx, [span for spans in cited for span in spans], readable, now)
        return [
            Judged(ClaimState.INVALIDATED)
            if claim.get("erased")
            else self._judge_claim(tx, claim["text"], [resolved[span] for span in spans], spans, readable)
            for claim, spans in zip(claims, cited, strict=True)
        ]

    def _judge_claim(
        self,
        tx: ReadTx,
        text: str,
        resolutions: Sequence[Resolution],
        spans: Sequence[SpanRef],
        readable: Collection[UUID],
    ) -> Judged:
        state = evidence_state(resolutions)
        if state is not ClaimState.AFFECTED:
            return Judged(state)
        if all(resolution.span is None or resolution.clearable for resolution in resolutions):
            return reread(self._read(tx, text, spans, readable))
        sentences = self._library.around(tx, spans, self._database.clock.now())
        return Judged(ClaimState.AFFECTED, Severity.MATERIAL, nearest(text, sentences))

    def _read(self, tx: ReadTx, text: str, spans: Sequence[SpanRef], readable: Collection[UUID]) -> Reading | None:
        """Rule 4: the sections that held the evidence first; where nothing near is there, all the owner may read."""
        now = self._database.clock.now()
        near = self._library.around(tx, spans, now)
        verdict = self._reader.still_says(text, near)
        if verdict is None:
            return None
        if verdict.says:
            return Reading(says=True, numbers_differ=False, nearest="")
        after = nearest(text, near)
        if after or verdict.numbers_differ:
            return Reading(says=False, numbers_differ=verdict.numbers_differ, nearest=after)
        elsewhere = self._reader.still_says(text, self._reader.candidates(tx, text, readable, now))
        return Reading(says=elsewhere is not None and elsewhere.says, numbers_differ=False, nearest="")

    def _record(self, tx: WriteTx, node: Node, judged: Sequence[Judged]) -> Checked | None:
        """Write what was found, if it is news; None when the answer has moved since it was read."""
        tx.lock()
        standing = self._graph.current(tx, [node.node_id], tx.now).get(node.node_id)
        if standing is None or standing.tx_start != node.tx_start:
            return None
        before = AnswerStatus(node.props["status"])
        after = fold([claim.state for claim in judged])
        claims = [{**claim, **asdict(found)} for claim, found in zip(node.props["claims"], judged, strict=True)]
        moved = tuple(i for i, (old, new) in enumerate(zip(node.props["claims"], claims, strict=True)) if old != new)
        self._enqueue_check(tx, node.node_id, tx.now // DAY, tx.now + self._config.recheck_max_age_days * DAY)
        if not moved:
            return Checked(before, before)
        severity = fold_severity(claim.severity for claim in judged)
        self._put(
            tx,
            node.node_id,
            {**node.props, "claims": claims, "status": after, "severity": severity, "checkedAt": tx.now},
        )
        if worse(after, before):
            self._watches.emit(tx, EventKind.ANSWER_STALE, node.node_id)
        return Checked(before, after, moved)

    # ── erasing ──

    def without_source(self, tx: WriteTx, source_id: UUID) -> int:
        """Let no version of an answer hold a word of an erased source, and those that stand say so; how many rows."""
        rows = erasing.answers_citing(tx, source_id)
        _rewrite(tx, rows, lambda props: answer_without(props, source_id))
        for node in self._graph.current(tx, {row.node_id for row in rows}, tx.now).values():
            if node.props["status"] != AnswerStatus.SUPERSEDED:
                self._invalidate(tx, node)
        return len(rows)

    def _invalidate(self, tx: WriteTx, node: Node) -> None:
        before = AnswerStatus(node.props["status"])
        gone = asdict(Judged(ClaimState.INVALIDATED))
        claims = [{**claim, **gone} if claim.get("erased") else claim for claim in node.props["claims"]]
        after, severity = fold([c["state"] for c in claims]), fold_severity(c["severity"] for c in claims)
        self._put(tx, node.node_id, {**node.props, "claims": claims, "status": after, "severity": severity})
        if worse(after, before):
            self._watches.emit(tx, EventKind.ANSWER_STALE, node.node_id)

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

        Without evidence, or where nothing is close enough, the old answer stays as it was (`answer` is None).
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
        if not answer.known:
            return Refreshed(answer_id, None, already=False)
        with self._database.write(principal.tenant_id) as tx:
            return Refreshed(self.supersede(tx, answer_id, answer, principal), answer, already=False)

    def ask_refresh(self, tx: WriteTx, answer_id: UUID, principal: Principal, delivery_key: str) -> UUID:
        """Enqueue a refresh of the answer that stands today, for the card that is to show it; its id.

        A second tap on that card is no second refresh, but where the first has ended and left the answer as it was.
        """
        current = self.newest(tx, answer_id, principal, tx.now)
        version = self._owned(tx, current, principal, tx.now).tx_start
        kind = JobKind.REFRESH_ANSWER
        payload = {"answer_id": str(current), "person_id": str(principal.person_id), "delivery_key": delivery_key}
        jobs.enqueue_again(tx, kind, FENCE[kind], current, f"{version}:{delivery_key}", payload, tx.now)
        return current

    def supersede(self, tx: WriteTx, answer_id: UUID, answer: Answer, principal: Principal) -> UUID:
        """Save the new answer, let the old one point at it and end its watches.

        Raises NotFound; InvalidRequest if it lost the race.
        """
        tx.lock()
        old = self._owned(tx, answer_id, principal, tx.now)
        if old.props["status"] == AnswerStatus.SUPERSEDED:
            raise InvalidRequest("this answer has been refreshed already")
        new_id, _ = self.save(tx, answer.trace_id, principal)
        self._put(tx, answer_id, {**old.props, "status": AnswerStatus.SUPERSEDED, "supersededBy": str(new_id)})
        for request in _watches(answer_id, old.props):
            self._watches.stop(tx, request, principal)
        edge = EdgeWrite(derived("edge", SUPERSEDES, new_id, answer_id), SUPERSEDES, new_id, answer_id)
        self._graph.link(tx, [edge], (tx.now, FOREVER))
        return new_id


def _rewrite(tx: WriteTx, rows: Sequence[NodeVersion], change: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
    """Change what was written, in place, as only an erasure may."""
    for row in rows:
        row.key, row.props = "", change(row.props)
        tx.session.add(row)
    tx.session.flush()


def _watches(answer_id: UUID, props: Mapping[str, Any]) -> tuple[WatchRequest, WatchRequest]:
    """The internal watch that has an answer checked, and its owner's own."""
    question = props["question"]
    internal = {"kind": TargetKind.INTERNAL, "job_kind": JobKind.CHECK_ANSWER, "answer_id": str(answer_id)}
    person = {"kind": TargetKind.PERSON, "person_id": props["owner"]}
    moved = (EventKind.NEW_SOURCE_VERSION, EventKind.FACT_TOMBSTONED)
    refs = tuple(props["dependencies"]["sources"])
    return (
        WatchRequest(question, ScopeType.SOURCE, refs, moved, internal),
        WatchRequest(question, ScopeType.ANSWER, (str(answer_id),), (EventKind.ANSWER_STALE,), person),
    )


def _spans(claim: Mapping[str, Any]) -> list[SpanRef]:
    return [SpanRef(UUID(source), tx, start, end) for source, tx, start, end in claim["citations"]]


def _source_ids(claims: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted({citation[0] for claim in claims for citation in claim["citations"]})
