"""Watches: made, listed, muted and stopped."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from bot.http.v1.paging import PageAsked, page, part
from bot.http.v1.problems import Problem
from bot.http.v1.route import Call, Nothing, Reply
from bot.http.v1.shapes import Asked, Reader, Told, Ts, Whole, said
from core.errors import InvalidRequest
from core.model.principals import ADMIN, Principal
from core.model.watching import HEARD, Cadence, EventKind, ScopeType, TargetKind, WatchRequest, WatchView
from core.results.standing import LONGEST
from core.watch.config import LONGEST_DEBOUNCE


class ForPerson(Asked):
    """One person, in their direct messages; others than the key's own where a steward says so."""

    kind: Literal["chat_person"]
    person_id: UUID


class Audience(Asked):
    """People, and whoever holds one of these roles when there is something to tell."""

    roles: list[Reader] = Field(default=[], max_length=50)
    persons: list[UUID] = Field(default=[], max_length=200)


class ForMany(Asked):
    """An audience, each in their own direct messages."""

    kind: Literal["chat_shared"]
    audience: Audience


class ForWebhook(Asked):
    """A program, by a webhook that an operator registered; where an admin says so."""

    kind: Literal["webhook"]
    webhook_id: UUID


class WatchAsked(Asked):
    """A watch to be. `scopeRefs`: ids, labels, or one query as JSON text, as `scopeType` says.

    Without `events`: all that come of the scope. Without a `target`: the person of the key.
    """

    name: Annotated[str, said(200)]
    scope_type: Literal["entity", "label", "source", "query", "clarification"]
    scope_refs: Annotated[list[Annotated[str, said(LONGEST)]], Field(min_length=1, max_length=100)]
    events: Annotated[list[EventKind], Field(min_length=1, max_length=len(EventKind))] | None = None
    target: Annotated[ForPerson | ForMany | ForWebhook, Field(discriminator="kind")] | None = None
    cadence: Cadence | None = None
    debounce_secs: Annotated[Whole, Field(ge=0, le=LONGEST_DEBOUNCE)] | None = None


class MuteAsked(Asked):
    """Until when a watch is to be quiet, as a Ts; 0 lets it speak again."""

    muted_until: Ts


class WatchMade(Told):
    """`fresh` false: the same was watched already."""

    watch_id: UUID
    fresh: bool


class AudienceTold(Told):
    """People, and whoever holds one of these roles when there is something to tell."""

    roles: list[str] = Field(default=[])
    persons: list[UUID] = Field(default=[])


class TargetTold(Told):
    """Whom a watch tells, as it was asked for; of one that others made, its kind alone."""

    kind: TargetKind
    person_id: UUID | None = None
    audience: AudienceTold | None = None
    webhook_id: UUID | None = None


class OwnerTold(Told):
    """Whose it is: a person's, or the webhook's that it tells."""

    person_id: UUID | None = None
    webhook_id: UUID | None = None


class WatchTold(Told):
    """A watch as its owner sees it. `suspended`: why it rests; `gone`: nothing stands of what it is on.

    `debounceSecs` is never less than the server's floor. `lastFiredTx` null: it has told nothing yet.
    """

    watch_id: UUID
    owner: OwnerTold
    name: str
    scope_type: ScopeType
    scope_refs: list[str]
    events: list[EventKind]
    target: TargetTold
    debounce_secs: int
    cadence: Cadence
    enabled: bool
    muted_until: int
    suspended: str | None
    created_at: int
    last_fired_tx: int | None
    result_fingerprint: str | None
    gone: bool


class WatchesTold(Told):
    """Oldest first."""

    watches: list[WatchTold]
    next_cursor: str | None


def make_watch(call: Call[WatchAsked, Nothing]) -> Reply:
    """Watch something; the same wish again is the watch that stands already."""
    asked, scope = call.body, ScopeType(call.body.scope_type)
    events = tuple(asked.events or HEARD[scope])
    request = WatchRequest(
        asked.name, scope, tuple(asked.scope_refs), events, _target(call), asked.cadence, asked.debounce_secs
    )
    made = call.memory.watch(request, call.principal)
    status = 201 if made.fresh else 200
    return Reply(WatchMade(watch_id=made.watch_id, fresh=made.fresh), status, f"/watches/{made.watch_id}")


def _target(call: Call[WatchAsked, Nothing]) -> dict[str, Any]:
    """As core writes it. Raises Problem PERSON_REQUIRED where a key of nobody would tell itself, or other people."""
    target = call.body.target
    if not isinstance(target, ForWebhook) and call.principal.person is None:
        raise Problem("PERSON_REQUIRED")
    if target is None:
        return {"kind": "chat_person", "person_id": str(call.principal.person_id)}
    return target.model_dump(mode="json", by_alias=False)


def require_watcher(principal: Principal) -> None:
    """Raises Problem PERSON_REQUIRED for a key that has no watches to see: people have, and admins webhooks'."""
    if principal.person is None and ADMIN not in principal.roles:
        raise Problem("PERSON_REQUIRED")


def list_watches(call: Call[None, PageAsked]) -> Reply:
    """What the person of the key watches, oldest first; for an admin's key also what tells webhooks."""
    require_watcher(call.principal)
    found = call.memory.watched.part(call.principal, part("watches", call.query, int, UUID))
    shown, after = page("watches", found, lambda one: (one.created_tx, one.watch_id), call.query)
    return Reply(WatchesTold(watches=[_watch(one) for one in shown], next_cursor=after))


def get_watch(call: Call[Any, Nothing]) -> Reply:
    """One of these watches, or one that others made and that has told them something: not what it is on."""
    require_watcher(call.principal)
    return Reply(_watch(call.memory.watched.one(call.id, call.principal)))


def mute_watch(call: Call[MuteAsked, Nothing]) -> Reply:
    """Hold its cards until a time; one card then says what has changed meanwhile. What tells a webhook has none."""
    require_watcher(call.principal)
    until = call.body.muted_until
    if 0 < until <= call.memory.clock.now():
        raise InvalidRequest("that time is over: it is in microseconds since 1970; 0 unmutes", at=("muted_until",))
    call.memory.mute_watch(call.id, call.principal, until)
    return get_watch(call)


def stop_watch(call: Call[None, Nothing]) -> Reply:
    """End it; of one that others made, hear no more."""
    require_watcher(call.principal)
    call.memory.mute_watch(call.id, call.principal, None)
    return Reply(None, 204)


def _watch(watch: WatchView) -> WatchTold:
    owner = "webhook_id" if watch.target["kind"] == TargetKind.WEBHOOK else "person_id"
    return WatchTold(
        watch_id=watch.watch_id,
        owner=OwnerTold.model_validate({owner: watch.owner_id}),
        name=watch.name,
        scope_type=watch.scope_type,
        scope_refs=list(watch.refs),
        events=list(watch.events),
        target=TargetTold.model_validate(watch.target),
        debounce_secs=watch.debounce_secs,
        cadence=watch.cadence,
        enabled=watch.enabled,
        muted_until=watch.muted_until,
        suspended=watch.suspended,
        created_at=watch.created_at,
        last_fired_tx=watch.last_fired_tx,
        result_fingerprint=watch.result_fingerprint,
        gone=watch.gone,
    )
