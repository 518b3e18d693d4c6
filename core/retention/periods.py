"""How long what is done with is kept. Pure.

Everything else stays: documents and their history, what is remembered of people, cards, what was told, the audit, and
what was given up, which somebody is to look at.
"""

from collections.abc import Mapping
from enum import StrEnum

from core.clock import DAY


class Spent(StrEnum):
    """What is done with: a table each."""

    TOKENS = "used_jti"
    EVENTS = "inbox"
    JOBS = "job"
    GRANTS = "card_grant"
    REQUESTS = "idempotency_key"
    TRACES = "trace"
    SAID = "thread_event"
    SPOOLED = "spooled"


KEPT: Mapping[Spent, int] = {
    # Past its expiry no token is believed; a day more than the clocks of any two processes differ.
    Spent.TOKENS: DAY,
    # Platforms deliver an event again for some hours at most, and whoever sees a card waiting taps it in the same week.
    Spent.EVENTS: 7 * DAY,
    # Long enough to see what was done and why; no cause comes back after that.
    Spent.JOBS: 30 * DAY,
    # What no card offers any more may still be in a tap that is on its way: for minutes.
    Spent.GRANTS: DAY,
    # As long as a program may ask whether what it sent was done: `core.requests` promises it.
    Spent.REQUESTS: DAY,
    # As long as a card of an answer is likely to be saved or watched from.
    Spent.TRACES: 90 * DAY,
    # As long as the answers in it can be traced: who comes back later asks a whole question.
    Spent.SAID: 90 * DAY,
    # To see what a window had no room for, while somebody still wonders; no plan reads it.
    Spent.SPOOLED: 30 * DAY,
}
