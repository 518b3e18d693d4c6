"""The life of one card message, as one table.

A card is written down as `sending` before it is sent, and sent once. An attempt ends as accepted by the platform
(`sent`), definitely not accepted (`failed`, to be tried again; `parked` where the error is permanent, which stays:
the next card about changes carries what this one was to tell), or `unknown`: a time-out, a reset or a crash while in
flight. From `unknown` no way leads back to sending but through proof that the card is not there, nor from `sent` unless
the platform says that its copy is gone. Where a platform cannot tell for an hour, the next card carries it too; where
somebody taps the one that was given up, it stands from then on.
So no road leads to two cards, and every road ends in a card, a recorded reason, or a card that carries the change.
"""

from enum import StrEnum

from core.errors import InvalidRequest


class CardState(StrEnum):
    PENDING = "pending"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    PARKED = "parked"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"
    REDACTED = "redacted"


class CardEvent(StrEnum):
    """What happens to a card message."""

    CLAIM = "claim"
    SKIP = "skip"
    ACCEPT = "accept"
    REJECT = "reject"
    PARK = "park"
    LOSE = "lose"
    FIND = "find"
    MISS = "miss"
    CARRY = "carry"
    REDACT = "redact"
    VANISH = "vanish"


TRANSITIONS: dict[CardState, dict[CardEvent, CardState]] = {
    CardState.PENDING: {CardEvent.CLAIM: CardState.SENDING, CardEvent.SKIP: CardState.SKIPPED},
    CardState.SENDING: {
        CardEvent.ACCEPT: CardState.SENT,
        CardEvent.REJECT: CardState.FAILED,
        CardEvent.PARK: CardState.PARKED,
        CardEvent.SKIP: CardState.SKIPPED,
        CardEvent.LOSE: CardState.UNKNOWN,
    },
    CardState.FAILED: {
        CardEvent.CLAIM: CardState.SENDING,
        CardEvent.PARK: CardState.PARKED,
        CardEvent.SKIP: CardState.SKIPPED,
    },
    CardState.PARKED: {CardEvent.CARRY: CardState.SKIPPED, CardEvent.SKIP: CardState.SKIPPED},
    CardState.UNKNOWN: {
        CardEvent.FIND: CardState.SENT,
        CardEvent.MISS: CardState.PENDING,
        CardEvent.CARRY: CardState.SKIPPED,
        CardEvent.REDACT: CardState.REDACTED,
    },
    CardState.SENT: {CardEvent.REDACT: CardState.REDACTED, CardEvent.VANISH: CardState.PENDING},
    CardState.SKIPPED: {CardEvent.FIND: CardState.SENT},
    CardState.REDACTED: {},
}


def step(state: CardState, event: CardEvent) -> CardState:
    """The state after `event`. Raises InvalidRequest for a move the table does not hold."""
    allowed = TRANSITIONS[state]
    if event not in allowed:
        raise InvalidRequest(f"a card that is {state} cannot {event}; it can {', '.join(allowed) or 'do nothing more'}")
    return allowed[event]
