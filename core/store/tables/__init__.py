"""Every table. Each primary key leads with `tenant_id`, so that any of them can be partitioned by tenant.

Columns named *_at, *_until, *_start, *_end, tx and at are Ts. Ids are UUIDs. What each row means: page `data model`.
"""

from core.store.tables.memory import (
    Boundary,
    Clarification,
    EdgeVersion,
    Erasure,
    Feed,
    NodeVersion,
    RecallEntry,
    Source,
    SourceSighting,
    SourceVersion,
    Span,
)
from core.store.tables.people import (
    ApiKey,
    Brief,
    ChatIdentity,
    Person,
    Preference,
    Tenant,
    Workspace,
)
from core.store.tables.watching import (
    SweepCheckpoint,
    Watch,
    WatchFire,
    WatchPending,
    WatchScope,
)
from core.store.tables.work import (
    Audit,
    CardGrant,
    CardMessage,
    Inbox,
    Job,
    JobLane,
    LastShown,
    LocalMessage,
    NotifyDelivery,
    Trace,
    UsedJti,
)

__all__ = [
    "ApiKey",
    "Audit",
    "Boundary",
    "Brief",
    "CardGrant",
    "CardMessage",
    "ChatIdentity",
    "Clarification",
    "EdgeVersion",
    "Erasure",
    "Feed",
    "Inbox",
    "Job",
    "JobLane",
    "LastShown",
    "LocalMessage",
    "NodeVersion",
    "NotifyDelivery",
    "Person",
    "Preference",
    "RecallEntry",
    "Source",
    "SourceSighting",
    "SourceVersion",
    "Span",
    "SweepCheckpoint",
    "Tenant",
    "Trace",
    "UsedJti",
    "Watch",
    "WatchFire",
    "WatchPending",
    "WatchScope",
    "Workspace",
]
