"""What goes on in a memory: who is known, what waits or was given up, and which sources were looked at."""

from collections.abc import Iterator
from dataclasses import replace

from bot.config import Settings, SourceSettings
from bot.doctor.finding import Finding
from bot.worker import PRUNE_EVERY
from core.clock import HOUR, MINUTE, SECOND, to_datetime
from core.erasure.surfaces import Copies
from core.memory import Memory
from core.model.principals import EVERYONE, person_reader

LONGEST_LAG_SECS, LOST_LAG_SECS = 600, 3600
"""Past the first nobody has looked for long; past the second whoever waits for news hears none."""
AHEAD = MINUTE
"""Changes made at once are dated one after the other, and clocks of several machines differ by seconds."""
_LATE, _LOST = 3, 30
"""A source set is late when it was last looked at three of its intervals ago; at thirty, and an hour, nobody looks."""
_FILES_BY = 3 * PRUNE_EVERY
"""By when the bot has tried so often to write the files anew that whatever hinders it will not pass by itself."""
_RUN = "see that `clarify-bot run` runs, and what its log says"


def examine(memory: Memory, settings: Settings) -> list[Finding]:
    parts = (_people, _readers, _workspaces, _clock, _waiting, _given_up, _erasures)
    return [finding for part in parts for finding in part(memory, settings)]


def _people(memory: Memory, settings: Settings) -> Iterator[Finding]:
    active = [one for one in memory.people.all(settings.tenant) if one.active]
    if not active:
        fix = "add somebody: `clarify-bot person add NAME --email ADDRESS`"
        yield Finding("people", True, "nobody is known yet", fix)
        return
    yield Finding("people", True, f"{len(active)} are known")
    bound = {one.place.platform for one in memory.people.places(settings.tenant)}
    for platform, section in (("slack", settings.slack), ("teams", settings.teams)):
        if section.mode in {"off", "anonymous"} or platform in bound:
            continue
        bind = f"bind somebody: `clarify-bot bind PERSON {platform} USER_ID`"
        words = "; whoever has the same e-mail address is bound when they first write" if section.trusted else ""
        yield Finding(f"{platform}.people", True, f"nobody is bound there yet{words}", "" if section.trusted else bind)


def _readers(memory: Memory, settings: Settings) -> Iterator[Finding]:
    """Roles are words one types: one that is mistyped lets nobody in."""
    now = memory.clock.now()
    people = [one for one in memory.people.all(settings.tenant) if one.active]
    keys = [one for one in memory.api_keys.all(settings.tenant) if not one.revoked_at and not 0 < one.expires_at <= now]
    if not people and not keys:
        return
    admitted = {EVERYONE, *(person_reader(one.person_id) for one in people)}
    admitted.update(*(one.roles for one in people), *(one.roles for one in keys))
    closed = [one for one in memory.documents.standing(settings.tenant) if admitted.isdisjoint(one.readers)]
    if closed:
        named = ", ".join(sorted({reader for one in closed for reader in one.readers})) or "nobody"
        words = f"{len(closed)} documents can be read by nobody who is active and by no key: they are for {named}"
        fix = "let somebody hold that role: `clarify-bot person add NAME --role ROLE`; or take them in for others"
        yield Finding("readers", True, words, fix)


def _workspaces(memory: Memory, settings: Settings) -> Iterator[Finding]:
    for one in memory.workspaces.all(settings.tenant):
        if one.paused:
            fix = f"put right what it says: docs/{one.platform}.md has these words; then start the bot anew"
            yield Finding(f"workspace {one.workspace}", False, f"is paused: {one.reason}; nothing is sent there", fix)


def _clock(memory: Memory, settings: Settings) -> Iterator[Finding]:
    newest = memory.messages.moment(settings.tenant)
    if newest - memory.clock.now() > AHEAD:
        fix = "set this machine's clock right; if it was ahead and was set back, docs/operations.md (Clocks) says more"
        words = f"the newest change is of {to_datetime(newest):%Y-%m-%d %H:%M} UTC, which this clock has yet to reach"
        yield Finding("clock", False, f"{words}: what was begun then waits until it has", fix)


def _waiting(memory: Memory, settings: Settings) -> Iterator[Finding]:
    status = memory.status(settings.tenant)
    if dead := status.jobs.get("dead", 0):
        fix = "see why: `clarify-bot jobs list --state dead`; then `clarify-bot jobs retry --all-dead`"
        yield Finding("jobs", False, f"{dead} were given up", fix)
    else:
        yield Finding("jobs", True, "none was given up")
    lag = memory.backlog().sweep_lag_secs
    if lag > LONGEST_LAG_SECS:
        is_missed = lag > LOST_LAG_SECS and bool(status.watches or status.saved_answers)
        words = f"the oldest that nobody was told of waits for {lag / 60:.0f} minutes"
        yield Finding("changes", not is_missed, words, _RUN)


def _given_up(memory: Memory, settings: Settings) -> Iterator[Finding]:
    """Nothing ends these, so that they are advice: an error that no command mends would hide every other."""
    if parked := memory.status(settings.tenant).cards.get("parked", 0):
        words = f"{parked} were refused by their platform for good, and are not sent again"
        fix = "see why in the log: `delivery.ended`; their people's next cards tell of the same changes"
        yield Finding("cards", True, words, fix)
    if failed := memory.backlog().events.get("failed", 0):
        words = f"{failed} things that people said or tapped came to nothing, and are not tried again"
        yield Finding(
            "events", True, words, "see why in the log: `inbound.given_up`; what is asked again is tried anew"
        )


def _erasures(memory: Memory, settings: Settings) -> Iterator[Finding]:
    for report in memory.erasure.reports(settings.tenant):
        begins = str(report.erasure_id)[:8]
        if not report.rewritten:
            is_late = memory.clock.now() - report.at > _FILES_BY
            fix = f"{_RUN}; or erase the same again, which says what is in the way: a reader, or too little room"
            yield Finding(f"erasure {begins}", not is_late, "the database's files still hold deleted pages", fix)
        left = [copy for copy in report.copies.values() if copy in {Copies.REFUSED, Copies.UNKNOWN}]
        if left:
            fix = f"look there: `clarify-bot erasure report {begins} --json` names them"
            yield Finding(f"erasure {begins}", True, f"{len(left)} cards may still be shown by a platform", fix)


def synced(memory: Memory, settings: Settings, source: SourceSettings, readable: Finding) -> Finding:
    """With when it was last looked at, of a source that can be read, or that could only be tried by reading it."""
    at = memory.documents.last_checked(settings.tenant, source.name)
    if readable.ok is False:
        return readable
    if at is None:
        words = f"{readable.words}; " if readable.ok else ""
        fix = readable.fix or "start `clarify-bot run`, which takes it in"
        return replace(readable, words=f"{words}nothing of it was taken in yet", fix=fix)
    when = f"was last looked at on {to_datetime(at):%Y-%m-%d %H:%M} UTC"
    ago, interval = memory.clock.now() - at, source.every_secs * SECOND
    is_lost = ago > max(_LOST * interval, HOUR)
    return Finding(readable.name, not is_lost, when, _RUN if ago > _LATE * interval else "")
