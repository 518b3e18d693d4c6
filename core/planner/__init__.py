"""What an answer may cite: recall finds generously, selection chooses strictly; the same input gives the same plan."""

from core.planner.candidates import Candidate, SpanClass
from core.planner.plan import EvidencePlan, PlannedSpan, PlanStats, RecallStats, plan_hash
from core.planner.request import PlannerConfig, PlanRequest
from core.planner.selection import Selection, SelectStats, select
from core.planner.tokens import TokenAccounting, estimate_tokens

__all__ = [
    "Candidate",
    "EvidencePlan",
    "PlanRequest",
    "PlanStats",
    "PlannedSpan",
    "PlannerConfig",
    "RecallStats",
    "SelectStats",
    "Selection",
    "SpanClass",
    "TokenAccounting",
    "estimate_tokens",
    "plan_hash",
    "select",
]
