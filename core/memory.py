"""Memory: the whole embedded engine. Open it on a database, call it, close it.

What may be asked of it, in one place. It opens the transactions in which several engines take part; `core.engines`
makes them and hands each what it needs.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from core.answers.engine import Checked
from core.clarifications.views import ClarificationView, Recorded
from core.clock import Clock, SystemClock
from core.config import MemoryConfig
from core.context.views import Context
from core.embed.protocol import Embedder
from core.engines import Engines
from core.erasure.surfaces import ErasureReport
from core.errors import CoreError, InvalidQuery, NotFound
from core.generate.providers import LanguageModel
from core.graph.records import Record, interval
from core.ingest.engine import Incoming, IngestResult
from core.metrics import Backlog, Metrics
from core.model.answers import Answer, AnswerMove, Cited, Refreshed, SavedAnswer
from core.model.auditing import EVERYTHING, AuditFilter
from core.model.clarifying import OpenQuestion
from core.model.evidence import Resolution
from core.model.grants import CardAction
from core.model.nodes import Node
from core.model.paging import WHOLE, Part
from core.model.principals import ADMIN, OPERATOR, Principal
from core.model.spans import SpanRef
from core.model.threads import Asked, ThreadView
from core.model.watching import FireView, WatchRequest, WatchView
from core.planner.plan import Planned
from core.planner.request import PlanRequest
from core.planner.tokens import TokenAccounting
from core.store import audit, counts, models, sources, watches
from core.store.audit import AuditEntry
from core.store.counts import Status
from core.store.database import ANY_TENANT, Database
from core.store.migrate import upgrade
from core.store.view import view
from core.sweep.engine import Swept
from core.traces.views import TraceView
from core.verify.request import Verified, VerifyRequest

DEFAULT_TENANT = "default"


class Memory:
    """The memory of every tenant in one database. Synchronous, and safe to share between threads."""

    def __init__(
        self,
        url: str,
        *,
        embedder: Embedder | None,
        config: MemoryConfig | None = None,
        clock: Clock | None = None,
        keys: Mapping[str, Ed25519PublicKey] | None = None,
        llm: LanguageModel | None = None,
        accounting: TokenAccounting | None = None,
    ) -> None:
        """Open the database at `url` and bring its tables up to date.

        `keys`: public keys, by id, that may have signed a write token. `llm`: who writes answers; without it they are
        chosen from the evidence. `accounting`: what is known of the tokens of language models; None: what the one that
        writes answers knows, and without it they are estimated. Raises InvalidConfig, StoreUnavailable, and
        ModelMismatch when the database was embedded under another model.
        """
        self.config = config or MemoryConfig()
        self.clock = clock or SystemClock()
        self._database = Database(url, self.clock, synchronous=self.config.store.synchronous)
        try:
            upgrade(self._database)
            models.check(self._database, embedder)
        except CoreError:
            self._database.close()
            raise
        self._embedder = embedder
        self.metrics = Metrics()
        knows = accounting or (llm.provider if llm else None)
        self._engines = Engines(self._database, self.config, self.metrics, embedder, keys or {}, llm, knows)
        self.documents = self._engines.sources
        self.naming = self._engines.naming
        self.people = self._engines.people
        self.questions = self._engines.questions
        self.watched = self._engines.watched
        self.clarify = self._engines.clarify
        self.jobs = self._engines.jobs
        self.inbound = self._engines.inbound
        self.conversation = self._engines.conversation
        self.briefs = self._engines.briefs
        self.delivery = self._engines.delivery
        self.outcomes = self._engines.outcomes
        self.messages = self._engines.messages
        self.workspaces = self._engines.workspaces
        self.addresses = self._engines.addresses
        self.api_keys = self._engines.api_keys
        self.requests = self._engines.requests
        self.webhooks = self._engines.webhooks
        self.local = self._engines.local
        self.retention = self._engines.retention
        self.erasure = self._engines.erasure

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._database.close()

    def check_store(self) -> None:
        """Raise StoreUnavailable when the database does not answer."""
        self._database.check()

    def status(self, tenant_id: str) -> Status:
        """How much is remembered, and what waits."""
        with self._database.read(tenant_id) as tx:
            return counts.status(tx)

    def backlog(self) -> Backlog:
        """What waits, of every tenant together."""
        with self._database.read(ANY_TENANT) as tx:
            return counts.backlog(tx, self.clock.now())

    def audit(self, limit: int, wanted: AuditFilter = EVERYTHING, *, tenant: str = DEFAULT_TENANT) -> list[AuditEntry]:
        """Who did what, newest first, for an administrator. Raises NotFound for an entry to go on from there is not."""
        with self._database.read(tenant) as tx:
            return audit.rows(tx, limit, wanted)

    # ── documents ──

    def ingest(
        self,
        uri: str,
        data: bytes,
        *,
        readers: Sequence[str],
        tenant: str = DEFAULT_TENANT,
        media_type: str | None = None,
        valid_start: int | None = None,
        source_set: str | None = None,
        replace_invalid: bool = False,
        actor: str = OPERATOR,
    ) -> IngestResult:
        """Take a document in; equal text is a no-op. `valid_start` (Ts) None: from now on. `actor`: for the audit.

        Raises UnreadableDocument; InvalidRequest when no reader is named; Erased until somebody readmits it.
        """
        incoming = Incoming(uri, data, tuple(readers), media_type, valid_start, source_set, replace_invalid, actor)
        return self._engines.ingest.ingest(tenant, incoming)

    def remove(
        self, uri: str, *, tenant: str = DEFAULT_TENANT, valid_start: int | None = None, actor: str = OPERATOR
    ) -> IngestResult:
        """Tombstone a document that is gone. `actor`: for the audit. Raises NotFound."""
        return self._engines.ingest.remove(tenant, uri, valid_start, actor)

    def resolve(self, spans: Sequence[SpanRef], principal: Principal) -> dict[SpanRef, Resolution]:
        """Where cited words stand now: current coordinates, superseded or tombstoned."""
        with self._database.read(principal.tenant_id) as tx:
            return self._engines.library.resolve(tx, spans, sources.readable(tx, principal), self.clock.now())

    # ── erasing ──

    def erase(
        self, subject_id: UUID, reason: str, principal: Principal | None = None, *, tenant: str = DEFAULT_TENANT
    ) -> ErasureReport:
        """Destroy every word of a source, or of a person, down to the bytes; what was done. Again, only what is left.

        Raises InvalidRequest without a reason; NotFound for what there is not, and for a principal who is no admin.
        """
        if principal is None:
            return self.erasure.erase(tenant, subject_id, reason, OPERATOR)
        if ADMIN not in principal.roles:
            raise NotFound
        return self.erasure.erase(principal.tenant_id, subject_id, reason, principal.actor)

    # ── records ──

    def put_node(self, record: Record, *, tenant: str = DEFAULT_TENANT) -> Recorded:
        """Let a record be so over its interval, unless other documents say something else: then a clarification opens.

        Raises InvalidRequest.
        """
        with self._database.write(tenant) as tx:
            return self._engines.records.record(tx, record)

    def clarifications(self, principal: Principal) -> list[ClarificationView]:
        """What is in question of the nodes that the principal may read, with the options that they may read."""
        with self._database.read(principal.tenant_id) as tx:
            return self.questions.open_for(view(tx, principal, self.clock.now()))

    def remove_node(
        self,
        node_id: UUID,
        *,
        tenant: str = DEFAULT_TENANT,
        valid_start: int | None = None,
        valid_end: int | None = None,
    ) -> None:
        """Let a record stand no more, from now on or over an interval. Raises NotFound, InvalidRequest."""
        with self._database.write(tenant) as tx:
            tx.lock()
            self._engines.graph.end(tx, node_id, interval(tx.now, valid_start, valid_end))

    def get_as_of(
        self, node_id: UUID, principal: Principal, *, valid_time: int | None = None, tx_time: int | None = None
    ) -> Node:
        """What was so of a node at `valid_time`, as was believed at `tx_time`; None: now. Raises NotFound."""
        with self._database.read(principal.tenant_id) as tx:
            found = view(tx, principal, self.clock.now(), valid_time, tx_time).nodes([node_id])
            if node_id not in found:
                raise NotFound
            return found[node_id]

    def query(
        self,
        find: str | None,
        where: Sequence[Mapping[str, Any]],
        principal: Principal,
        *,
        valid_time: int | None = None,
        tx_time: int | None = None,
        limit: int = 100,
    ) -> list[Node]:
        """Nodes of the label `find` that meet all conditions (`core.graph.query`), best match first.

        Raises InvalidQuery.
        """
        if limit < 1:
            raise InvalidQuery(f"limit is {limit}; it must be at least 1")
        with self._database.read(principal.tenant_id) as tx:
            asked = view(tx, principal, self.clock.now(), valid_time, tx_time)
            return [node for node, _ in self._engines.graph.find(asked, find, where)[:limit]]

    # ── asking ──

    def plan(self, request: PlanRequest, principal: Principal) -> Planned:
        """Select evidence. Raises InvalidRequest, InsufficientEvidence, SemanticUnavailable."""
        with self._database.read(principal.tenant_id) as tx:
            return self._engines.planner.plan(tx, request, principal, self.clock.now())

    def context(self, request: PlanRequest, principal: Principal) -> Context:
        """The evidence that an answer to this request would rest on, within the server's ceilings.

        Raises InvalidRequest, InsufficientEvidence, SemanticUnavailable.
        """
        return self._engines.context.context(request, principal)

    def verify(self, request: VerifyRequest, principal: Principal) -> Verified:
        """What the wording of all that the principal may read says of each claim; never whether it is true.

        Raises VerifyUnavailable without a model for it; NotFound for a source they may not read; InvalidRequest.
        """
        return self._engines.verify.verify(request, principal)

    def generate(
        self,
        question: str,
        principal: Principal,
        *,
        find: str | None = None,
        where: Sequence[Mapping[str, Any]] = (),
        valid_time: int | None = None,
        tx_time: int | None = None,
        max_tokens: int | None = None,
        max_spans: int | None = None,
        allow_ungrounded: bool = False,
        asked: Asked | None = None,
    ) -> Answer:
        """Answer a question from what the principal may read, at these coordinates (Ts; None: now).

        `find` and `where` look for evidence too, as in `query`; `max_tokens` and `max_spans` as in `context`. Raises
        InsufficientEvidence when there is none, but with `allow_ungrounded`: then the answer, if a language model gives
        one, says that it rests on nothing. `asked`: where in a conversation, which then counts
        (docs/language-models.md). Raises InvalidRequest, SemanticUnavailable without an embedding model,
        GenerateUnavailable.
        """
        within = {"valid_time": valid_time, "tx_time": tx_time, "max_tokens": max_tokens, "max_spans": max_spans}
        return self._engines.generate.generate(
            question, principal, find=find, where=where, allow_ungrounded=allow_ungrounded, asked=asked, **within
        )

    def explain_thread(self, asked: Asked, principal: Principal, question: str = "") -> ThreadView:
        """What of the principal's own thread a prompt for a question would hold, and why not all. Raises NotFound."""
        return self._engines.generate.explain_thread(asked, principal, question)

    def find_sections(self, words: str, principal: Principal) -> list[Cited]:
        """Sections that a few words lead to, best first, of what the principal may read. Raises SemanticUnavailable."""
        with self._database.read(principal.tenant_id) as tx:
            return self._engines.planner.sections(tx, words, principal, self.clock.now())

    def find_questions(self, words: str, principal: Principal) -> list[OpenQuestion]:
        """What is open of what the principal may read, and these words speak of."""
        with self._database.read(principal.tenant_id) as tx:
            return self.questions.matching(view(tx, principal, self.clock.now()), words)

    def quote(self, question: str, span: SpanRef, principal: Principal) -> Answer:
        """The traced answer that quotes these words, to be saved like any other. Raises NotFound."""
        return self._engines.generate.quote(question, span, principal)

    def trace(self, trace_id: UUID, principal: Principal) -> TraceView:
        """What the principal asked came from. Raises NotFound, alike for what others asked and for none."""
        with self._database.read(principal.tenant_id) as tx:
            return self._engines.traces.get(tx, trace_id, principal, self.clock.now())

    # ── saved answers ──

    def save_answer(self, trace_id: UUID, principal: Principal) -> UUID:
        """Save a traced answer, once per person; it is watched from then on. Raises NotFound, InvalidRequest."""
        with self._database.write(principal.tenant_id) as tx:
            return self._engines.answers.save(tx, trace_id, principal)[0]

    def answer(self, answer_id: UUID, principal: Principal) -> SavedAnswer:
        """Raises NotFound, alike for another's answer and for none."""
        with self._database.read(principal.tenant_id) as tx:
            return self._engines.answers.get(tx, answer_id, principal, self.clock.now())

    def answers(self, principal: Principal, part: Part = WHOLE) -> list[SavedAnswer]:
        with self._database.read(principal.tenant_id) as tx:
            return self._engines.answers.owned(tx, principal, self.clock.now(), part)

    def answer_history(self, answer_id: UUID, principal: Principal) -> list[AnswerMove]:
        """Every version of a saved answer, oldest first. Raises NotFound, alike for another's answer and for none."""
        with self._database.read(principal.tenant_id) as tx:
            return self._engines.answers.history(tx, answer_id, principal, self.clock.now())

    def check_answer(self, answer_id: UUID, *, tenant: str = DEFAULT_TENANT) -> Checked | None:
        """Judge a saved answer by what stands now; None for one that is gone or superseded."""
        return self._engines.answers.check(tenant, answer_id)

    def refresh_answer(self, answer_id: UUID, principal: Principal) -> Refreshed:
        """Ask the saved question again and let the new answer supersede the old, in one transaction.

        Without evidence, or where nothing is close enough, the old answer stays as it was (`answer` is None).
        """
        return self._engines.answers.refresh(answer_id, principal)

    # ── watching ──

    def watch(self, request: WatchRequest, principal: Principal) -> WatchView:
        """Make a watch, or return the standing one. One that tells a webhook is the webhook's, and made by an admin.

        Raises InvalidRequest, NotFound, LimitReached.
        """
        with self._database.write(principal.tenant_id) as tx:
            return self._engines.watch.create(tx, request, principal)

    def watches(self, principal: Principal) -> list[WatchView]:
        return self.watched.own(principal)

    def recent_fires(self, principal: Principal, limit: int = 50) -> list[UUID]:
        """The fires of everything the principal watches or was told of, newest first."""
        with self._database.read(principal.tenant_id) as tx:
            return watches.fires_near(tx, principal.person_id, limit)

    def explain_fire(self, fire_id: UUID, principal: Principal) -> FireView:
        """Why somebody was notified, and what became of it for each recipient: to the owner of the watch.

        Whoever else was told sees what they may read of it, and what became of it for them. Raises NotFound.
        """
        return self.watched.explain(fire_id, principal)

    def mute_watch(self, watch_id: UUID, principal: Principal, until: int | None) -> WatchView:
        """Hold a watch's cards until a Ts (0 ends it), or stop it for good (None). Raises NotFound for another's."""
        with self._database.write(principal.tenant_id) as tx:
            return self._engines.watch.mute(tx, watch_id, principal, until)

    def mute_all(self, principal: Principal, until: int) -> None:
        """Hold every card of a person until a Ts; 0 ends it."""
        self.people.mute(principal.tenant_id, principal.person_id, until)

    def mute_for(self, principal: Principal, choice: str) -> None:
        """Hold every card of a person for one of `core.model.preferences.MUTE_CHOICES`. Raises InvalidRequest."""
        with self._database.write(principal.tenant_id) as tx:
            self.people.mute_for(tx, principal.person_id, choice)

    def prefer(self, principal: Principal, name: str, value: str) -> None:
        """Keep what a person chose (`core.model.preferences.CHOICES`). Raises InvalidRequest."""
        with self._database.write(principal.tenant_id) as tx:
            self.people.prefer(tx, principal.person_id, name, value)

    def sweep(self, tenant: str = DEFAULT_TENANT) -> Swept:
        """Turn what changed since the last sweep into fires and their jobs, once."""
        return self._engines.sweep.sweep(tenant)

    # ── taps ──

    def redeem(self, token: str, action: CardAction) -> dict[str, Any]:
        """Do what a card's button offers, once. Raises Refused with its code, LimitReached, InvalidRequest."""
        return self._engines.access.redeem(token, action)
