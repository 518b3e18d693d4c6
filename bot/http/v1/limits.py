"""How much and how long: the limits of `/v1`, and why each is what it is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    largest_json: int = 1024 * 1024
    """Bytes: fifty claims of a thousand characters, each written as an escape, are a third of it."""
    largest_document: int = 10 * 1024 * 1024
    """Bytes: ten novels. Taking in as much holds other writers up for seconds."""
    body_secs: float = 30
    """For a body to arrive: ten megabytes on a slow line."""
    answer_secs: float = 120
    """For an answer: twice what a language model is given with the settings as they are made."""
    caller_secs: float = 5
    """For a key to be looked up: a millisecond's work, so that more is a database that hangs."""
    callers_at_once: int = 100
    """Keys that are looked up, of all callers together: who has none could send any number."""
    at_once: int = 16
    """Requests of one key in hand, so that no program keeps all others waiting."""
    long_at_once: int = 5
    """Of the gateway's eight threads for long calls; the rest are left to people who ask in a chat."""
    long_of_one_key: int = 3
    """Of these five, so that a program whose questions take long leaves some to others."""


LIMITS = Limits()
