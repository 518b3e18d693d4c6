"""Watches: made once for one wish, muted and stopped. `core.watched` reads them."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from core.clock import FOREVER
from core.errors import InvalidRequest, LimitReached, NotFound
from core.ids import derived
from core.jsonhash import json_hash
from core.model.nodes import LABEL
from core.model.ports import Results
from core.model.principals import ADMIN, STEWARD, Principal
from core.model.watching import (
    HEARD,
    Cadence,
    ScopeType,
    TargetKind,
    WatchRequest,
    WatchView,
)
from core.results.standing import standing
from core.store import audit, clarifications, messages, people, sources, watches, webhooks
from core.store.database import WriteTx
from core.store.tables import Watch
from core.store.view import view
from core.watch.config import LONGEST_DEBOUNCE, WatchConfig
from core.watch.target import heard_by

_FOR_WEBHOOKS = {ScopeType.ENTITY, ScopeType.LABEL, ScopeType.SOURCE}
"""What a webhook may be told of. Saved answers are their owners', and questions are put to people."""

_FOR_ANYBODY = {ScopeType.LABEL, ScopeType.QUERY}
"""What may be watched by whoever can read none of it yet."""


class WatchEngine:
    def __init__(self, config: WatchConfig, results: Results) -> None:
        self._config = config
        self._results = results

    def create(self, tx: WriteTx, request: WatchRequest, principal: Principal) -> WatchView:
        """Make a watch, or return the standing one with the same owner, scope, events and target.

        Raises InvalidRequest, InvalidQuery, NotFound for a scope the owner cannot read, LimitReached.
        """
        tx.lock()
        request = _canonical(request)
        self._check(tx, request, principal)
        found = self._found(tx, request, principal)
        owner_id = _owner(request, principal)
        key = _key(request, owner_id)
        standing = watches.by_key(tx, key)
        if standing is None or not standing.enabled:
            self._check_limit(tx, request, principal)
        if standing is not None:
            fresh = not standing.enabled
            standing.enabled, standing.suspended, standing.muted_until = True, None, 0
            standing.notice_at = None
            watches.unmute(tx, standing.watch_id, owner_id)
            standing.result_fingerprint = found
            if fresh:
                standing.name, standing.created_tx, standing.created_at = request.name, tx.tx, tx.now
                standing.debounce_secs = self._debounce(request)
            if fresh or request.cadence:
                standing.cadence = request.cadence or Cadence.IMMEDIATE
            tx.session.add(standing)
            return watches.view_of(standing, fresh=fresh)
        watch = self._new(tx, request, owner_id, key)
        watch.result_fingerprint = found
        watches.add(tx, watch, _index(request))
        if request.target["kind"] == TargetKind.WEBHOOK:
            detail = {"watch_id": str(watch.watch_id)}
            audit.record(tx, principal.actor, "webhook_watched", f"webhook:{owner_id}", detail=detail)
        return watches.view_of(watch, fresh=True)

    def stop(self, tx: WriteTx, request: WatchRequest, principal: Principal) -> None:
        """End the watch that this request made, if it stands."""
        watch = watches.by_key(tx, _key(_canonical(request), _owner(request, principal)))
        if watch is not None:
            watch.enabled = False
            tx.session.add(watch)

    def _check(self, tx: WriteTx, request: WatchRequest, principal: Principal) -> None:
        if not request.refs or not request.events:
            raise InvalidRequest("a watch needs something to watch and at least one event")
        target = TargetKind(request.target["kind"])
        if target in watches.TOLD_BY_CARDS:
            _check_people(tx, request.target, principal)
        _check_cadence(request, target)
        _check_scope(request)
        reader = _told(tx, request, principal) if target is TargetKind.WEBHOOK else principal
        if set(request.events).isdisjoint(HEARD[request.scope_type]):
            heard = ", ".join(HEARD[request.scope_type])
            raise InvalidRequest(
                f"no such event ever comes of the scope {request.scope_type}: name {heard}", at=("events",)
            )
        if request.scope_type not in _FOR_ANYBODY and not _readable(tx, request, reader):
            raise NotFound

    def _found(self, tx: WriteTx, request: WatchRequest, principal: Principal) -> str | None:
        """The fingerprint of what a query finds now. It is asked before the transaction takes its tx.

        The recall index takes in what it is shown, and must not learn what is not committed yet.
        """
        if request.scope_type is not ScopeType.QUERY:
            return None
        return self._results.first(tx, request.refs[0], principal, tx.now)

    def _check_limit(self, tx: WriteTx, request: WatchRequest, principal: Principal) -> None:
        if not _counts(request):
            return
        counted = [watch for watch in watches.of_owner(tx, _owner(request, principal)) if _counts(watch)]
        if len(counted) >= self._config.max_watches_per_person:
            raise LimitReached(f"you have {len(counted)} watches, the most there may be: stop one first")

    def _new(self, tx: WriteTx, request: WatchRequest, owner_id: UUID, key: str) -> Watch:
        # An id outlives an erasure, and must not confirm a guess at the words of a query.
        made_of = (owner_id, tx.tx) if request.scope_type is ScopeType.QUERY else (key,)
        return Watch(
            tenant_id=tx.tenant_id,
            watch_id=derived("watch", tx.tenant_id, *made_of),
            owner_id=owner_id,
            name=request.name,
            scope_type=request.scope_type,
            scope_refs=list(request.refs),
            events=list(request.events),
            target=dict(request.target),
            cadence=request.cadence or Cadence.IMMEDIATE,
            debounce_secs=self._debounce(request),
            dedup_key=key,
            created_tx=tx.tx,
            created_at=tx.now,
        )

    def _debounce(self, request: WatchRequest) -> int:
        if not _shown(request):
            return 0
        asked = self._config.debounce_default_secs if request.debounce_secs is None else request.debounce_secs
        return max(asked, self._config.debounce_floor_secs)

    def mute(self, tx: WriteTx, watch_id: UUID, principal: Principal, until: int | None) -> WatchView:
        """Hold a watch's cards to the principal until a Ts, or let them hear no more of it (None); its owner ends it.

        Raises NotFound for a watch that is not theirs and has told them nothing; InvalidRequest for a Ts to hold until
        what tells a webhook, which has no cards.
        """
        watch = watches.get(tx, watch_id)
        if watch is None:
            raise NotFound
        own = watches.is_of(watch, principal)
        if own and watch.target["kind"] == TargetKind.WEBHOOK:
            return _end_for_webhook(tx, watch, principal, until)
        person_id = principal.person
        if person_id is None or not (own or watches.was_told(tx, watch_id, person_id)):
            raise NotFound
        if own and until is None:
            _stop(tx, watch)
        elif own and watch.target["kind"] == TargetKind.PERSON:
            messages.look_again(tx, UUID(watch.target["person_id"]))  # before the watch, as whoever takes a card does
            watch.muted_until = until or 0
            tx.session.add(watch)
        else:
            messages.look_again(tx, person_id)
            watches.mute_for(tx, watch_id, person_id, FOREVER if until is None else until)
        return watches.view_of(watch)

    def pace(self, tx: WriteTx, watch_id: UUID, principal: Principal, cadence: Cadence) -> WatchView:
        """Let a watch tell at another pace from now on. Raises NotFound for another's watch."""
        watch = watches.get(tx, watch_id)
        if watch is None or watch.owner_id != principal.person_id or not (watch.enabled and _shown(watch)):
            raise NotFound
        watch.cadence = cadence
        tx.session.add(watch)
        return watches.view_of(watch)

    def stop_all(self, tx: WriteTx, principal: Principal) -> int:
        """End everything that a person watches; how many watches that were."""
        standing = [watch for watch in watches.of_owner(tx, principal.person_id) if _shown(watch)]
        for watch in standing:
            _stop(tx, watch)
        return len(standing)


def _stop(tx: WriteTx, watch: Watch) -> None:
    watch.enabled = False
    tx.session.add(watch)


def _end_for_webhook(tx: WriteTx, watch: Watch, principal: Principal, until: int | None) -> WatchView:
    if not watch.enabled and until is None:
        return watches.view_of(watch)
    if not watch.enabled:
        raise NotFound
    if until is not None:
        words = "a webhook is sent no cards that could be held: end the watch, or switch the webhook off"
        raise InvalidRequest(words, at=("muted_until",))
    _stop(tx, watch)
    detail = {"watch_id": str(watch.watch_id)}
    audit.record(tx, principal.actor, "webhook_unwatched", f"webhook:{watch.owner_id}", detail=detail)
    return watches.view_of(watch)


def _check_cadence(request: WatchRequest, target: TargetKind) -> None:
    if request.cadence not in {None, *Cadence}:
        raise InvalidRequest(f"there is no cadence {request.cadence!r}: one of {', '.join(Cadence)}")
    if target not in watches.TOLD_BY_CARDS and request.cadence not in {None, Cadence.IMMEDIATE}:
        raise InvalidRequest(
            f"only people have briefs: what is told to no person has no cadence {request.cadence}", at=("cadence",)
        )


def _check_scope(request: WatchRequest) -> None:
    """Labels that a node can have, and a time to gather for."""
    for number, label in enumerate(request.refs if request.scope_type is ScopeType.LABEL else ()):
        if not LABEL.fullmatch(label):
            words = f"{label!r} is no label: capitals, digits and _, as in SECTION or PROJECT"
            raise InvalidRequest(words, at=("scope_refs", number))
    if request.debounce_secs is not None and not 0 <= request.debounce_secs <= LONGEST_DEBOUNCE:
        raise InvalidRequest(f"a watch gathers for 0 to {LONGEST_DEBOUNCE} seconds, not for {request.debounce_secs}")


def _owner(request: WatchRequest, principal: Principal) -> UUID:
    """Whose watch it is: the webhook's that it tells, whichever admin asked for it, or the person's."""
    target = request.target
    return UUID(target["webhook_id"]) if target["kind"] == TargetKind.WEBHOOK else principal.person_id


def _check_people(tx: WriteTx, target: Mapping[str, Any], principal: Principal) -> None:
    """A watch tells its owner, and others where a steward sets it. Raises InvalidRequest, NotFound."""
    heard = heard_by(target)
    if (heard.roles or heard.persons != {principal.person_id}) and STEWARD not in principal.roles:
        raise InvalidRequest("a watch tells its own owner; only a steward lets others be told", at=("target",))
    for person_id in heard.persons:
        person = people.get(tx, person_id)
        if person is None or not person.active:
            raise NotFound(f"there is no person {person_id}")


def _told(tx: WriteTx, request: WatchRequest, principal: Principal) -> Principal:
    """Whom a webhook reads as, and so whose rights its watches are under. Raises InvalidRequest."""
    if ADMIN not in principal.roles:
        raise InvalidRequest("only an admin lets a webhook be told", at=("target",))
    if request.scope_type not in _FOR_WEBHOOKS:
        of = ", ".join(sorted(_FOR_WEBHOOKS))
        raise InvalidRequest(f"a webhook is told of {of}, and of no {request.scope_type}", at=("scope_type",))
    try:
        row = webhooks.get(tx, UUID(str(request.target.get("webhook_id"))))
    except ValueError:
        row = None
    if row is None or not row.enabled:
        words = "a watch tells a webhook that is registered and not switched off: see `webhook list`"
        raise InvalidRequest(words, at=("target", "webhook_id"))
    return webhooks.reader(row)


def _canonical(request: WatchRequest) -> WatchRequest:
    """The request in the one way to write it, each thing and event once. Raises InvalidRequest, InvalidQuery."""
    if request.scope_type is ScopeType.QUERY and len(request.refs) != 1:
        raise InvalidRequest(f"a watch is on one query, and these are {len(request.refs)}", at=("scope_refs",))
    refs = (_named(request.scope_type, ref, number) for number, ref in enumerate(request.refs))
    return replace(request, refs=tuple(dict.fromkeys(refs)), events=tuple(dict.fromkeys(request.events)))


def _named(scope_type: ScopeType, ref: str, number: int) -> str:
    """What a watch is on, as the feed names it."""
    if scope_type is ScopeType.LABEL:
        return ref
    if scope_type is ScopeType.QUERY:
        return standing(ref).text
    try:
        return str(UUID(ref))
    except ValueError:
        words = f"{ref!r} is no id: what is watched by {scope_type} is named by a UUID in text"
        raise InvalidRequest(words, at=("scope_refs", number)) from None


def _index(request: WatchRequest) -> Collection[str]:
    """What a watch is looked for by: a query, by the labels of what it sees."""
    return standing(request.refs[0]).query.sees if request.scope_type is ScopeType.QUERY else request.refs


def _key(request: WatchRequest, owner_id: UUID) -> str:
    return json_hash([str(owner_id), request.scope_type, sorted(request.refs), sorted(request.events), request.target])


def _readable(tx: WriteTx, request: WatchRequest, principal: Principal) -> bool:
    if request.target["kind"] == TargetKind.INTERNAL or request.scope_type is ScopeType.ANSWER:
        return True  # made by the answers engine for the answer's own owner, in the transaction that saves it
    ids = [UUID(ref) for ref in request.refs]
    if request.scope_type is ScopeType.SOURCE:
        return sources.readable(tx, principal).issuperset(ids)
    if request.scope_type is ScopeType.CLARIFICATION:
        return _may_read_questions(tx, ids, principal)
    return len(view(tx, principal, tx.now).nodes(ids)) == len(set(ids))


def _may_read_questions(tx: WriteTx, ids: Collection[UUID], principal: Principal) -> bool:
    """Whether each of these is there, and is about what the principal may read."""
    asked = clarifications.newest(tx, ids)
    about = {row.node_id for row in asked.values()}
    return len(asked) == len(set(ids)) and about == view(tx, principal, tx.now).nodes(about).keys()


def _shown(watch: Watch | WatchRequest) -> bool:
    return bool(watch.target["kind"] != TargetKind.INTERNAL)


def _counts(watch: Watch | WatchRequest) -> bool:
    """Watches on saved answers come with them, outside the limit: at the limit too an answer can be saved."""
    return _shown(watch) and watch.scope_type != ScopeType.ANSWER
