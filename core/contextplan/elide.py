"""A session in a window: the newest that fits, stubs of what must leave a trace, and a line for all that is left out.

The walk goes from the newest event to the oldest, and reads every payload at its turn, also where nothing can fit any
more: what was revoked a moment ago is never shown, and one that is missing is never passed over. The first message
that does not fit ends the conversation for all that is older, however small, so that what is kept has no holes but
those that were cut for other reasons; only stubs may still follow. A payload is dropped before the next is read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from core.contextplan.estimators import TokenEstimator
from core.contextplan.messages import Event, Message, Session, is_reasoning_event
from core.contextplan.payloads import COMPLIANCE, Payload, PayloadStore, Spool
from core.contextplan.stub import stub_content
from core.contextplan.tally import Tally, tally
from core.contextplan.window import Window
from core.errors import ContextPlanError, PayloadRevoked


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

    messages: tuple[Message, ...]
    elisions: tuple[Elision, ...]
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
        kept = _Kept(window.budget, tally(estimator))
        elisions = tuple(self._walk(session.events, kept))
        messages = tuple(kept.oldest_first())
        return PlanResult(messages, elisions, _estimated(estimator, messages))

    def _walk(self, events: Sequence[Event], kept: "_Kept") -> Iterator[Elision]:
        for event in reversed(events):
            elision = self._visit(event, kept)
            if elision:
                yield elision

    def _visit(self, event: Event, kept: "_Kept") -> Elision | None:
        try:
            payload = self.payloads.get(event.payload_ref)
        except PayloadRevoked:
            return Elision(self.payloads.status(event.payload_ref).ref, ElisionReason.REVOKED)
        if is_reasoning_event(event):
            return Elision(payload.ref, ElisionReason.REASONING_REDACTED)
        if kept.take_whole(Message(event.role, payload.content)):
            return None
        return self._left_out(event, payload, kept)

    def _left_out(self, event: Event, payload: Payload, kept: "_Kept") -> Elision:
        spooled = self._spooled(payload)
        if payload.retention == COMPLIANCE:
            stub = stub_content(payload.content)
            if kept.take(Message(event.role, stub)):
                return Elision(payload.ref, ElisionReason.RETENTION_EXPIRED, len(stub), spooled)
        return Elision(payload.ref, ElisionReason.WINDOW_OVERFLOW, 0, spooled)

    def _spooled(self, payload: Payload) -> str:
        if self.spool is None:
            return ""
        try:
            return self.spool.write(payload.subject_id, payload.content)
        except Exception:  # noqa: BLE001  # whatever a spool that was handed in fails with, the plan stands
            return ""


@dataclass(slots=True)
class _Kept:
    budget: int
    tally: Tally
    newest_first: list[Message] = field(default_factory=list)
    overflowed: bool = False

    def take_whole(self, message: Message) -> bool:
        taken = not self.overflowed and self.take(message)
        self.overflowed = not taken
        return taken

    def take(self, message: Message) -> bool:
        if not self._fits(message):
            return False
        self.tally.take()
        self.newest_first.append(message)
        return True

    def oldest_first(self) -> list[Message]:
        return self.newest_first[::-1]

    def _fits(self, message: Message) -> bool:
        try:
            return self.tally.tried([message], lambda: [message, *self.oldest_first()]) <= self.budget
        except Exception:  # noqa: BLE001  # whatever an estimator that was handed in fails with
            return False


def _estimated(estimator: TokenEstimator, messages: Sequence[Message]) -> int:
    try:
        return estimator.estimate(messages)
    except Exception:  # noqa: BLE001  # as above
        return 0
