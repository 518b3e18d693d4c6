"""A conversation in a model's window: what fits, what is left out and why; the same input gives the same plan. Pure."""

from core.contextplan.calibrate import Calibrated
from core.contextplan.compact import CompactResult, compact
from core.contextplan.elide import ContextPlanner, Elision, ElisionReason, PlanResult
from core.contextplan.estimators import AdditiveEstimator, ByteEstimator, TokenEstimator
from core.contextplan.messages import Event, Message, Session, ToolCall, is_reasoning_event
from core.contextplan.payloads import Payload, PayloadStatus, PayloadStore, Spool
from core.contextplan.stub import stub_content
from core.contextplan.window import Compaction, Window
from core.errors import ContextPlanError, PayloadNotFound, PayloadRevoked

__all__ = [
    "AdditiveEstimator",
    "ByteEstimator",
    "Calibrated",
    "CompactResult",
    "Compaction",
    "ContextPlanError",
    "ContextPlanner",
    "Elision",
    "ElisionReason",
    "Event",
    "Message",
    "Payload",
    "PayloadNotFound",
    "PayloadRevoked",
    "PayloadStatus",
    "PayloadStore",
    "PlanResult",
    "Session",
    "Spool",
    "TokenEstimator",
    "ToolCall",
    "Window",
    "compact",
    "is_reasoning_event",
    "stub_content",
]
