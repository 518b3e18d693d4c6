"""Redeeming a write token: the one way in which a tap on a card changes anything.

In order: the signature over the token, its time and audience; the jti burnt in a commit of its own, whatever follows;
the grant of the card it was tapped on, against the token and against what is asked; the person, active and in the
tenant now; then the write, which authorises against today's rights. Every refusal has its own code, and an audit row
once the signature is good: what is unsigned could be anybody's and must not fill the audit.
"""

from collections.abc import Callable, Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from core.access.card_tokens import LEEWAY_SECS, CardWriteClaims, check_claims, check_request, signed_claims
from core.clock import SECOND
from core.errors import CoreError, NotFound, Refused
from core.model.grants import CardAction, Grant, grant_from_json
from core.model.principals import Principal, person_reader
from core.store import audit, jobs, messages, people
from core.store.database import Database, WriteTx
from core.store.tables import UsedJti

Effect = Callable[[WriteTx, Principal, CardAction, Grant], dict[str, Any]]


class AccessEngine:
    def __init__(self, database: Database, keys: Mapping[str, Ed25519PublicKey], effects: Mapping[str, Effect]) -> None:
        self._database = database
        self._keys = keys
        self._effects = effects

    def redeem(self, token: str, action: CardAction) -> dict[str, Any]:
        """Do what a card offered, once.

        Raises Refused with the code of the first rule that does not hold, or what the write itself raises.
        """
        claims = signed_claims(token, self._keys)
        try:
            check_claims(claims, self._database.clock.now())
            self._burn(claims)
            with self._database.write(claims.tenant) as tx:
                return self._act(tx, claims, action)
        except CoreError as refusal:
            self._audit_refusal(claims, action, refusal)
            raise

    def _burn(self, claims: CardWriteClaims) -> None:
        row = {"tenant_id": claims.tenant, "jti": claims.jti, "exp_at": (claims.exp + LEEWAY_SECS) * SECOND}
        with self._database.write(claims.tenant) as tx:
            if not jobs.insert_once(tx, UsedJti, row):
                raise Refused("replayed", "this token has been used: tap the button again")

    def _act(self, tx: WriteTx, claims: CardWriteClaims, action: CardAction) -> dict[str, Any]:
        body = messages.grant(tx, claims.scope_fingerprint)
        if body is None:
            raise Refused("fingerprint_mismatch", "the token does not belong to any card that was sent")
        grant = grant_from_json(body)
        check_request(claims, action, grant)
        person = people.get(tx, claims.person_id)
        if person is None or not person.active:
            raise Refused("not_authorised", "this person is no longer active here")
        try:
            result = self._effects[action.kind](tx, people.principal(person), action, grant)
        except NotFound as missing:
            raise Refused("not_authorised", "this is no longer yours to see or to change") from missing
        audit.record(tx, person_reader(person.person_id), action.kind, action.target)
        return result

    def _audit_refusal(self, claims: CardWriteClaims, action: CardAction, refusal: CoreError) -> None:
        with self._database.write(claims.tenant) as tx:
            actor, detail = person_reader(claims.person_id), {"code": refusal.code, "jti": claims.jti}
            audit.record(tx, actor, action.kind, action.target, "refused", detail)
