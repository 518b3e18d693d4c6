"""Webhooks: registered by an operator, told of fires as their roles may read, switched off when nobody takes them.

A fire's job is sent at least once, always under the fire's id: a crash, or a lost lease, between sending and recording
sends it again, and the receiver knows it by its id. What is sent is composed when it is sent, from today's rights.
The request itself is made by whoever leases the job: `take`, send, `record`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from core.clock import DAY, FOREVER
from core.errors import InvalidConfig, InvalidRequest, NotFound
from core.ids import jitter, random_id
from core.jobs.backoff import wait
from core.model.job_states import JobState, step
from core.model.nodes import Node
from core.model.principals import BOT, OPERATOR, role_names
from core.model.work import Leased
from core.store import audit, jobs, watches, webhooks
from core.store.database import Database, ReadTx, WriteTx
from core.store.tables import Watch, WatchFire, Webhook
from core.store.versions import NODES
from core.store.view import View, view
from core.webhooks import signing
from core.webhooks.addresses import checked_url
from core.webhooks.replies import Ending, Reply, ending, is_hopeless, rest
from core.webhooks.views import FIRED, TEST, NewSecret, Parcel, SentView, WatchedView, WebhookView, body_of, fired

_LONGEST_NAME = 100
_BOTH_GOOD = DAY
"""How long a renewed webhook signs with the secret before as well."""
_SHOWN = 20
"""Fires that a webhook's page tells of."""


class WebhooksEngine:
    def __init__(self, database: Database, *, max_attempts: int) -> None:
        self._database = database
        self._max_attempts = max_attempts

    # ── registering ──

    def add(
        self,
        tenant_id: str,
        name: str,
        url: str,
        roles: Iterable[str],
        key: bytes,
        *,
        allow_plain: bool = False,
        allow_private: bool = False,
        actor: str = OPERATOR,
    ) -> NewSecret:
        """Register a webhook that is told what `roles` may read; `key` is what secrets are derived from.

        Raises InvalidRequest for a name that is taken or none, no role, or a URL that may not be used.
        """
        held, webhook_id = role_names(roles), random_id()
        if not name.strip() or len(name) > _LONGEST_NAME:
            raise InvalidRequest(f"a webhook needs a name of 1 to {_LONGEST_NAME} characters")
        if not held:
            raise InvalidRequest("a webhook needs at least one role: it is told of what its roles may read")
        checked_url(url, allow_plain=allow_plain, allow_private=allow_private)
        secret = signing.secret_of(key, webhook_id, 1)
        with self._database.write(tenant_id) as tx:
            tx.lock()
            if webhooks.named(tx, name.strip()) is not None:
                raise InvalidRequest(f"there is a webhook named {name.strip()!r} already")
            row = Webhook(
                tenant_id=tenant_id,
                webhook_id=webhook_id,
                name=name.strip(),
                url=url,
                roles=held,
                allow_plain=allow_plain,
                allow_private=allow_private,
                secret_hash=signing.fingerprint(secret),
                created_at=tx.now,
            )
            tx.session.add(row)
            audit.record(tx, actor, "webhook_added", _target(webhook_id), detail={"roles": held})
        return NewSecret(webhook_id, signing.shown(secret))

    def all(self, tenant_id: str) -> list[WebhookView]:
        with self._database.read(tenant_id) as tx:
            return [_view(row) for row in webhooks.of_tenant(tx)]

    def named(self, tenant_id: str, name: str) -> WebhookView:
        """Raises NotFound."""
        with self._database.read(tenant_id) as tx:
            return _view(_named(tx, name))

    def watched(self, tenant_id: str, webhook_id: UUID) -> list[WatchedView]:
        """What a webhook is told of, the oldest watch first."""
        with self._database.read(tenant_id) as tx:
            rows = watches.of_owner(tx, webhook_id)
        return [WatchedView(row.watch_id, row.scope_type, tuple(row.scope_refs), tuple(row.events)) for row in rows]

    def sent(self, tenant_id: str, webhook_id: UUID) -> list[SentView]:
        """What became of the newest fires, newest first."""
        with self._database.read(tenant_id) as tx:
            found = watches.fires(tx, watches.fires_for(tx, webhook_id, _SHOWN))
        newest_first = [fire for fire, _ in reversed(found.values())]
        return [SentView(fire.fire_id, fire.status, fire.reason, fire.created_at) for fire in newest_first]

    def renew(self, tenant_id: str, name: str, key: bytes, actor: str = OPERATOR) -> NewSecret:
        """Make a new secret; for a day the one before signs as well. Raises NotFound, and InvalidConfig as `take`."""
        with self._database.write(tenant_id) as tx:
            row = _locked(tx, name)
            _known_secret(row, key)
            row.turn, row.old_secret_until = row.turn + 1, tx.now + _BOTH_GOOD
            secret = signing.secret_of(key, row.webhook_id, row.turn)
            row.secret_hash = signing.fingerprint(secret)
            tx.session.add(row)
            audit.record(tx, actor, "webhook_secret_renewed", _target(row.webhook_id))
            return NewSecret(row.webhook_id, signing.shown(secret))

    def enable(self, tenant_id: str, name: str, actor: str = OPERATOR) -> None:
        """Let a webhook that was switched off go on, from the next fire. Raises NotFound."""
        with self._database.write(tenant_id) as tx:
            row = _locked(tx, name)
            if not row.enabled:
                audit.record(tx, actor, "webhook_enabled", _target(row.webhook_id))
            row.enabled, row.reason, row.failing_since, row.held_until = True, None, 0, 0
            tx.session.add(row)

    def remove(self, tenant_id: str, name: str, actor: str = OPERATOR) -> None:
        """Forget a webhook and end its watches; what is still to be sent to it is skipped. Raises NotFound."""
        with self._database.write(tenant_id) as tx:
            row = _locked(tx, name)
            webhooks.forget(tx, row)
            audit.record(tx, actor, "webhook_removed", _target(row.webhook_id))

    def unwatch(self, tenant_id: str, name: str, watch_id: UUID, actor: str = OPERATOR) -> None:
        """End one of a webhook's watches. Raises NotFound."""
        with self._database.write(tenant_id) as tx:
            row, watch = _locked(tx, name), watches.get(tx, watch_id)
            if watch is None or watch.owner_id != row.webhook_id or not watch.enabled:
                raise NotFound(f"the webhook {row.name!r} has no watch {watch_id}")
            watch.enabled = False
            tx.session.add(watch)
            audit.record(tx, actor, "webhook_unwatched", _target(row.webhook_id), detail={"watch_id": str(watch_id)})

    # ── sending ──

    def trial(self, tenant_id: str, name: str, key: bytes) -> Parcel:
        """A message that tells of nothing, also to one that is off. Raises NotFound, and InvalidConfig as `take`."""
        with self._database.read(tenant_id) as tx:
            row, now = _named(tx, name), self._database.clock.now()
            body = body_of(TEST, now, {"webhook_id": str(row.webhook_id)})
            return _parcel(row, key, str(random_id()), now, body)

    def take(self, leased: Leased, key: bytes) -> Parcel | None:
        """The request that tells of a job's fire; None where there is none to make: then the job ended, or waits.

        Raises InvalidConfig where `key` is not what the webhook's secret was derived from.
        """
        with self._database.write(leased.tenant_id) as tx:
            if jobs.held(tx, leased) is None:
                return None
            subject = _subject(tx, leased)
            if subject is None:
                jobs.end(tx, leased, state=step(JobState.LEASED, "complete"), error="skipped: no_fire")
                return None
            fire, watch, row = subject
            if row is not None and row.enabled and row.held_until > tx.now:
                _put_off(tx, leased, row.held_until)
                return None
            events = _readable(tx, row, fire.events)
            reason = _pointless(row, watch, events)
            if row is None or reason:
                _end(tx, leased, fire, "skipped", reason)
                return None
            window = fire.window_start, fire.window_end
            said = fired(fire.fire_id, fire.watch_id, window, events, fire.truncated)
            return _parcel(row, key, str(fire.fire_id), tx.now, body_of(FIRED, fire.created_at, said))

    def record(self, leased: Leased, reply: Reply) -> bool:
        """Write down what came of a request, on the fire, the webhook and the job; True where it was switched off."""
        with self._database.write(leased.tenant_id) as tx:
            if jobs.held(tx, leased) is None or (subject := _subject(tx, leased)) is None:
                return False
            fire, _, row = subject
            match ending(reply):
                case Ending.DELIVERED:
                    _end(tx, leased, fire, "delivered", None)
                    return row is not None and _took(tx, row)
                case Ending.GONE:
                    _end(tx, leased, fire, "skipped", "gone")
                    return row is not None and _switch_off(tx, row, "gone")
                case Ending.FAILED:
                    return self._failed(tx, leased, fire, row, reply)

    def _failed(self, tx: WriteTx, leased: Leased, fire: WatchFire, row: Webhook | None, reply: Reply) -> bool:
        """Try again, or give up; a webhook that has long taken nothing is switched off then."""
        given_up = leased.attempts >= self._max_attempts
        again_at = tx.now + wait(leased.attempts, jitter())
        state = step(JobState.LEASED, "give_up" if given_up else "fail")
        jobs.end(tx, leased, state=state, error=reply.reason, not_before=again_at)
        fire.status, fire.reason = ("skipped", "given_up") if given_up else ("fired", f"failing:{reply.reason}")
        tx.session.add(fire)
        if not given_up:
            tx.job_due(leased.tenant_id, leased.kind, again_at)
        if row is None or not row.enabled:
            return False
        row.failing_since, row.reason = row.failing_since or tx.now, reply.reason
        row.held_until = max(row.held_until, tx.now + rest(reply))
        tx.session.add(row)
        return given_up and is_hopeless(row.failing_since, tx.now) and _switch_off(tx, row, reply.reason)


def _subject(tx: WriteTx, leased: Leased) -> tuple[WatchFire, Watch, Webhook | None] | None:
    """The fire of a job, its watch, and the webhook, unless it was removed; None where the fire was forgotten."""
    fire_id = UUID(leased.payload["fire_id"])
    found = watches.fires(tx, [fire_id]).get(fire_id)
    return found and (*found, webhooks.locked(tx, UUID(found[1].target["webhook_id"])))


def _pointless(row: Webhook | None, watch: Watch, events: Sequence[Any]) -> str | None:
    """Why a fire is not to be told, if so."""
    if row is None:
        return "webhook_removed"
    if not row.enabled:
        return "webhook_disabled"
    if not watch.enabled:
        return "watch_stopped"
    return None if events else "not_authorised"


def _readable(tx: WriteTx, row: Webhook | None, events: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those events that are about what the webhook's roles may read today, or might if it still stood."""
    if row is None:
        return []
    readable = view(tx, webhooks.reader(row), tx.now)
    ids = [UUID(event["changed_ref_id"]) for event in events]
    found: dict[UUID, list[Node]] = {}
    for node in NODES.open_rows(tx, ids, (0, FOREVER)):
        found.setdefault(node.node_id, []).append(node)
    about = zip(ids, events, strict=True)
    return [event for ref, event in about if ref in readable.readable or _admits(readable, found.get(ref, ()))]


def _admits(asked: View, versions: Sequence[Node]) -> bool:
    """Whether every version of a node may be read, by who may read what stood there where it stands no more."""
    owned = [version for version in versions if version.sources or version.readers]
    return bool(owned) and all(asked.shows(replace(version, tombstone=False)) for version in owned)


def _end(tx: WriteTx, leased: Leased, fire: WatchFire, status: str, reason: str | None) -> None:
    skipped = f"skipped: {reason}" if reason else None
    jobs.end(tx, leased, state=step(JobState.LEASED, "complete"), error=skipped)
    fire.status, fire.reason = status, reason
    tx.session.add(fire)


def _put_off(tx: WriteTx, leased: Leased, until: int) -> None:
    """Let a job wait without an attempt: nothing was sent. Its lease is over, so that no other shares its number."""
    state = step(JobState.LEASED, "fail")
    jobs.end(tx, leased, state=state, not_before=until, attempts=leased.attempts - 1)
    tx.job_due(leased.tenant_id, leased.kind, until)


def _took(tx: WriteTx, row: Webhook) -> bool:
    row.delivered_at, row.failing_since, row.held_until = tx.now, 0, 0
    row.reason = None if row.enabled else row.reason
    tx.session.add(row)
    return False


def _switch_off(tx: WriteTx, row: Webhook, reason: str) -> bool:
    """True where it was on."""
    if not row.enabled:
        return False
    row.enabled, row.reason = False, reason
    tx.session.add(row)
    audit.record(tx, BOT, "webhook_disabled", _target(row.webhook_id), detail={"reason": reason})
    return True


def _parcel(row: Webhook, key: bytes, message_id: str, now: int, body: bytes) -> Parcel:
    secrets = [_known_secret(row, key)]
    if row.old_secret_until > now:
        secrets.append(signing.secret_of(key, row.webhook_id, row.turn - 1))
    return Parcel(row.url, signing.headers(message_id, now, body, secrets), body, row.allow_private)


def _known_secret(row: Webhook, key: bytes) -> bytes:
    """The webhook's secret. Raises InvalidConfig where another key would sign what its receiver takes for forged."""
    secret = signing.secret_of(key, row.webhook_id, row.turn)
    if signing.fingerprint(secret) != row.secret_hash:
        raise InvalidConfig(
            f"the webhook {row.name!r} was registered with another key file: put that one back,"
            " or remove the webhook and add it anew"
        )
    return secret


def _named(tx: ReadTx, name: str) -> Webhook:
    row = webhooks.named(tx, name)
    if row is None:
        raise NotFound(f"there is no webhook named {name!r}")
    return row


def _locked(tx: WriteTx, name: str) -> Webhook:
    row = webhooks.locked(tx, _named(tx, name).webhook_id)
    if row is None:
        raise NotFound(f"there is no webhook named {name!r}")
    return row


def _target(webhook_id: UUID) -> str:
    return f"webhook:{webhook_id}"


def _view(row: Webhook) -> WebhookView:
    return WebhookView(
        row.webhook_id,
        row.name,
        row.url,
        tuple(row.roles),
        row.allow_plain,
        row.allow_private,
        row.enabled,
        row.reason,
        row.failing_since,
        row.delivered_at,
        row.created_at,
    )
