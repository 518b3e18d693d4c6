"""A session in a window: the newest that fits, stubs of what must leave a trace, and a line for all that is left out.

The walk goes from the newest event to the oldest, and reads every payload at its turn, also where nothing can fit any
more: what was revoked a moment ago is never shown, and one that is missing is never passed over. The first message
that does not fit ends the conversation for all that is older, however small, so that what is kept has no holes but
those that were cut for other reasons; only stubs may still follow. A payload is dropped before the next is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from operator import index

from core.contextplan.estimators import TokenEstimator
from core.contextplan.messages import Event, Message, Session, is_reasoning_event
from core.contextplan.payloads import COMPLIANCE, Payload, PayloadStore, Spool
from core.contextplan.rows import Rows
from core.contextplan.stub import stub_content
from core.contextplan.tally import Tally, tally
from core.contextplan.window import Window
from core.errors import ContextPlanError, PayloadNotFound, PayloadRevoked


class ElisionReason(StrEnum):
    """`retention_expired` alone left a stub; whoever passes over `revoked` passes over what its store denied."""

    WINDOW_OVERFLOW = "window_overflow"
    RETENTION_EXPIRED = "retention_expired"
    REASONING_REDACTED = "reasoning_redacted"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Elision:
    """What was left out and why. `kept`: bytes of the stub; `spool_ref`: where the whole is, "" for nowhere."""

    ref: str
    reason: ElisionReason
    kept: int = 0
    spool_ref: str = ""


@dataclass(frozen=True, slots=True)
class PlanResult:
    """`messages` oldest first, `elisions` newest first; `estimated_tokens` is 0 where the estimator failed."""

    messages: Sequence[Message]
    elisions: Sequence[Elision]
    estimated_tokens: int


@dataclass(frozen=True, slots=True)
class ContextPlanner:
    """Safe for many threads where its payloads and spool are: nothing is kept between two plans."""

    payloads: PayloadStore
    spool: Spool | None = None

    def plan(self, session: Session | None, window: Window, estimator: TokenEstimator) -> PlanResult:
        """Fit a session into a window's budget (page: contextplan, Plan).

        The estimate is within the budget where the estimate of no message is, for an estimator that gives the same
        answer twice. Raises ContextPlanError: no session, a window that is not valid, PayloadNotFound; and what the
        payload store raises beside.
        """
        if session is None:
            raise ContextPlanError("nil_session", "there is no session to plan; one without events is a session too")
        window.validate()
        kept, out = _Kept(window.budget, tally(estimator)), _LeftOut()
        for event in reversed(session.events):
            self._visit(event, kept, out)
        messages = kept.oldest_first()
        return PlanResult(messages, out.newest_first(), _estimated(estimator, messages))

    def _visit(self, event: Event, kept: "_Kept", out: "_LeftOut") -> None:
        try:
            payload = self.payloads.get(event.payload_ref)
        except PayloadRevoked:
            out.add(self._revoked(event.payload_ref), ElisionReason.REVOKED)
            return
        if is_reasoning_event(event):
            out.add(payload.ref, ElisionReason.REASONING_REDACTED)
        elif not kept.take_whole(event.role, payload.content):
            self._leave_out(event, payload, kept, out)

    def _revoked(self, ref: str) -> str:
        """The payload's own name, or the event's for it where not even that is left by now."""
        try:
            return self.payloads.status(ref).ref
        except PayloadNotFound:
            return ref

    def _leave_out(self, event: Event, payload: Payload, kept: "_Kept", out: "_LeftOut") -> None:
        spooled = self._spooled(payload)
        if payload.retention == COMPLIANCE:
            stub = stub_content(payload.content)
            if kept.take(event.role, stub):
                out.add(payload.ref, ElisionReason.RETENTION_EXPIRED, len(stub), spooled)
                return
        out.add(payload.ref, ElisionReason.WINDOW_OVERFLOW, 0, spooled)

    def _spooled(self, payload: Payload) -> str:
        if self.spool is None:
            return ""
        try:
            return self.spool.write(payload.subject_id, payload.content)
        except Exception:  # noqa: BLE001  # whatever a spool that was handed in fails with, the plan stands
            return ""


@dataclass(slots=True)
class _Kept:
    """Messages, the newest first, by their fields."""

    budget: int
    tally: Tally
    roles: list[str] = field(default_factory=list)
    contents: list[bytes] = field(default_factory=list)
    overflowed: bool = False

    def take_whole(self, role: str, content: bytes) -> bool:
        taken = not self.overflowed and self.take(role, content)
        self.overflowed = not taken
        return taken

    def take(self, role: str, content: bytes) -> bool:
        if not self._fits(Message(role, content)):
            return False
        self.tally.take()
        self.roles.append(role)
        self.contents.append(content)
        return True

    def oldest_first(self) -> Sequence[Message]:
        return Rows(Message, self.roles[::-1], self.contents[::-1])

    def _fits(self, message: Message) -> bool:
        try:
            return self.tally.tried([message], lambda taken: [message, *taken]) <= self.budget
        except Exception:  # noqa: BLE001  # whatever an estimator that was handed in fails with
            return False


@dataclass(slots=True)
class _LeftOut:
    """Elisions, the newest first, by their fields."""

    refs: list[str] = field(default_factory=list)
    reasons: list[ElisionReason] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    spool_refs: list[str] = field(default_factory=list)

    def add(self, ref: str, reason: ElisionReason, kept: int = 0, spool_ref: str = "") -> None:
        self.refs.append(ref)
        self.reasons.append(reason)
        self.kept.append(kept)
        self.spool_refs.append(spool_ref)

    def newest_first(self) -> Sequence[Elision]:
        return Rows(Elision, self.refs, self.reasons, self.kept, self.spool_refs)


def _estimated(estimator: TokenEstimator, messages: Sequence[Message]) -> int:
    try:
        return index(estimator.estimate(messages))
    except Exception:  # noqa: BLE001  # as above
        return 0
