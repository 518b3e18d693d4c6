"""Job kinds and the fence: every kind has exactly one audience, and nobody else may ever lease it."""

from enum import StrEnum


class Audience(StrEnum):
    """Who leases jobs. Worker and connector are reserved: no kind is theirs yet."""

    CLARIFY = "clarify"
    INTERNAL = "internal"
    WORKER = "worker"
    CONNECTOR = "connector"


class JobKind(StrEnum):
    NOTIFY_WATCH = "notify:watch"
    NOTIFY_BRIEF = "notify:brief"
    NOTIFY_REDACT = "notify:redact"
    NOTIFY_WEBHOOK = "notify:webhook"
    CLARIFY_ASK = "clarify:ask"
    CHECK_ANSWER = "check:answer"
    REFRESH_ANSWER = "refresh:answer"


FENCE: dict[JobKind, Audience] = {
    JobKind.NOTIFY_WATCH: Audience.CLARIFY,
    JobKind.NOTIFY_BRIEF: Audience.CLARIFY,
    JobKind.NOTIFY_REDACT: Audience.CLARIFY,
    JobKind.NOTIFY_WEBHOOK: Audience.CLARIFY,
    JobKind.CLARIFY_ASK: Audience.CLARIFY,
    JobKind.CHECK_ANSWER: Audience.INTERNAL,
    JobKind.REFRESH_ANSWER: Audience.INTERNAL,
}


def may_lease(audience: str, kind: str) -> bool:
    """False for a kind nobody knows."""
    return kind in set(JobKind) and FENCE[JobKind(kind)] == audience
