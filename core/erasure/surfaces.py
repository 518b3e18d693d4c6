"""Every place that words come to lie in, and what an erasure does there. Pure.

What is not here holds no words: feed, edges, fires, deliveries, grants, tokens, jobs and the audit name things by their
ids alone; webhooks and keys that stand for nobody are the operator's own words, and logs never hold any.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class Surface(StrEnum):
    """The surfaces; each value is a row of an erasure's report."""

    VERSIONS = "versions"
    SPANS = "spans"
    NODES = "nodes"
    RECORDS = "records"
    RECALL_ENTRIES = "recall_entries"
    ANSWERS = "answers"
    TRACES = "traces"
    THREADS = "threads"
    SPOOL = "spool"
    WATCHES = "watches"
    CLARIFICATIONS = "clarifications"
    CARDS = "cards"
    LOCAL_MESSAGES = "local_messages"
    CHAT_IDENTITIES = "chat_identities"
    CHAT_ADDRESSES = "chat_addresses"
    API_KEYS = "api_keys"
    REQUESTS = "requests"
    PREFERENCES = "preferences"
    EVENTS = "events"
    JOBS = "jobs"


DONE: dict[Surface, str] = {
    Surface.VERSIONS: "text destroyed, and the key of its hashes",
    Surface.SPANS: "headings destroyed; coordinates and hashes stay",
    Surface.NODES: "properties destroyed; a tombstone stands",
    Surface.RECORDS: "what rested on it destroyed; a tombstone stands",
    Surface.RECALL_ENTRIES: "deleted, here and in the index of every process",
    Surface.ANSWERS: "text replaced by a mark in every version",
    Surface.TRACES: "words destroyed; coordinates and numbers stay",
    Surface.THREADS: "what was said destroyed, and what quoted it",
    Surface.SPOOL: "deleted",
    Surface.WATCHES: "name replaced by a mark, and a query destroyed",
    Surface.CLARIFICATIONS: "question and options from it replaced by a mark",
    Surface.CARDS: "emptied; what a platform shows is redacted by jobs",
    Surface.LOCAL_MESSAGES: "emptied or deleted",
    Surface.CHAT_IDENTITIES: "deleted",
    Surface.CHAT_ADDRESSES: "deleted",
    Surface.API_KEYS: "deleted: who calls with one is unknown",
    Surface.REQUESTS: "deleted: what was asked under a name with such a key",
    Surface.PREFERENCES: "deleted, with briefs and what was shown",
    Surface.EVENTS: "deleted: what was said and tapped",
    Surface.JOBS: "what waited to be done is cancelled",
}


class Copies(StrEnum):
    """What became of a card that a platform may show."""

    REDACTED = "redacted"
    WAITING = "waiting"
    """The job is under way."""
    REFUSED = "refused"
    """The platform would not have it changed: somebody has to remove it there."""
    UNKNOWN = "unknown"
    """Nobody knows whether the platform took it."""


@dataclass(frozen=True, slots=True)
class ErasureReport:
    """What was done, by surface in rows, and what became of the cards that platforms show, by message id.

    `rewritten`: the store's files were written anew since; `hindered`: why they were not just now, of one just made.
    Of PostgreSQL's write-ahead log, of replicas and backups it says nothing: those end when who runs them lets them.
    """

    erasure_id: UUID
    at: int
    actor: str
    subject_type: str
    subject_id: UUID
    reason: str
    surfaces: Mapping[str, int]
    copies: Mapping[str, Copies]
    rewritten: bool
    hindered: str = ""
