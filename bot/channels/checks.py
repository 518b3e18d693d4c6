"""What `doctor` finds out alike of every platform."""

from collections.abc import Iterable
from email.utils import parsedate_to_datetime

from bot.doctor import Finding
from cards.notices import notice
from core.clock import SECOND, from_datetime

HELLO = notice(
    "Hello from clarify-bot", "This is a test of whether cards arrive. They do.", "Nothing needs to be done."
)
FIRST = "put right what is above first"
LARGEST_SKEW = 60 * SECOND
"""Every platform's signatures hold for five minutes: a clock that is off by one is on its way there."""


def lacking(section: str, gaps: Iterable[str]) -> list[Finding]:
    """What a mode needs and has not, so that nobody was asked anything."""
    parted = [gap.partition(": ") for gap in gaps]
    found = [Finding(section, False, words, fix) for words, _, fix in parted]
    return [*found, Finding(section, None, "was asked nothing", FIRST)]


def clock_finding(section: str, platform: str, date: str, now: int) -> Finding:
    """How far this machine's clock is from the platform's, by the Date that it answered with."""
    name = f"{section}.clock"
    try:
        skew = now - from_datetime(parsedate_to_datetime(date))
    except ValueError:
        return Finding(name, None, f"{platform} did not say what time it is", FIRST)
    direction = "ahead of" if skew > 0 else "behind"
    words = f"this machine is {abs(skew) // SECOND} s {direction} {platform}"
    if abs(skew) <= LARGEST_SKEW:
        return Finding(name, True, words)
    return Finding(
        name, False, f"{words}; from 300 s on every request is refused", "let the machine's clock follow NTP"
    )
