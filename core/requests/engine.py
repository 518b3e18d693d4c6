"""Requests that come again under one name are done once: what the first was told, the second is told.

A row is begun before the work, in a transaction of its own, and ended after it with what was said. In between whoever
comes with the same name is turned away. Whoever is still at it extends its lease; a row whose worker died is free again
once its lease is over. What is kept for a day are ids, and hashes under a secret that only the caller has: nothing that
could be read or guessed.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.clock import DAY
from core.errors import NotFound
from core.model.principals import Principal
from core.requests.views import LEASE, Begun, Standing
from core.store import requests
from core.store.database import Database

KEPT = DAY


class RequestsEngine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, principal: Principal, name: bytes, content: bytes) -> Begun:
        """Take a request in hand, unless it was before. `name` and `content` are keyed hashes."""
        if principal.api_key is None:
            raise NotFound
        with self._database.write(principal.tenant_id) as tx:
            if requests.insert(tx, principal.api_key, name, content):
                return Begun(Standing.FRESH, tx.now)
            row = requests.locked(tx, principal.api_key, name)
            if row is None or row.created_at <= tx.now - KEPT:
                requests.begin_again(tx, principal.api_key, name, content)
                return Begun(Standing.FRESH, tx.now)
            if row.content != content:
                return Begun(Standing.OTHER)
            if row.said is not None:
                return Begun(Standing.DONE, said=row.said)
            if row.started_at > tx.now - LEASE:
                return Begun(Standing.BUSY)
            row.started_at = tx.now
            tx.session.add(row)
            return Begun(Standing.FRESH, tx.now)

    def keep(self, principal: Principal, name: bytes, begun: Begun) -> Begun:
        """Hold it for as long again from now, and end it by what is returned; the same where another has taken it."""
        if principal.api_key is None:
            raise NotFound
        with self._database.write(principal.tenant_id) as tx:
            kept = requests.keep(tx, principal.api_key, name, begun.since)
        return replace(begun, since=tx.now) if kept else begun

    def end(self, principal: Principal, name: bytes, begun: Begun, said: Mapping[str, Any]) -> None:
        """Keep what was said, unless another has taken the request over meanwhile."""
        self._settle(principal, name, begun, said)

    def give_up(self, principal: Principal, name: bytes, begun: Begun) -> None:
        """Nothing was done: the same may be asked again."""
        self._settle(principal, name, begun, None)

    def _settle(self, principal: Principal, name: bytes, begun: Begun, said: Mapping[str, Any] | None) -> None:
        if principal.api_key is not None:
            with self._database.write(principal.tenant_id) as tx:
                requests.settle(tx, principal.api_key, name, begun.since, said)
