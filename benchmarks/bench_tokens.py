"""What a tap costs beyond the signature: mint and verify with our checks, and the whole of redeeming, against PyJWT."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from statistics import median

import jwt

from benchmarks.support import KEY, KEY_ID, Bench, Line, cpu, document, opened
from bot.tokens import mint
from core.access.card_tokens import AUDIENCE, LIFETIME_SECS, CardWrite, check_request, verify
from core.clock import SECOND
from core.memory import DEFAULT_TENANT
from core.model.grants import CardAction, Grant, PermittedAction, fingerprint, grant_to_json
from core.model.node_ids import document_id
from core.store import messages, sources

ROUNDS, TURNS = 200, 7
DOCUMENT = "handbook.md"


def run() -> list[Line]:
    with opened() as bench:
        bench.put(DOCUMENT, document(3))
        return list(_compared(bench))


def _compared(bench: Bench) -> Iterator[Line]:
    action, write, grant = _offer(bench)
    public, now, jti = KEY.public_key(), bench.clock.now(), map(str, count())
    payload = {"sub": str(write.person_id), "aud": AUDIENCE, "exp": now // SECOND + LIFETIME_SECS}

    def bare() -> None:
        token = jwt.encode(payload, KEY, algorithm="EdDSA")
        jwt.decode(token, public, algorithms=["EdDSA"], audience=AUDIENCE, options={"verify_exp": False})

    def checked() -> None:
        check_request(verify(mint(KEY, KEY_ID, write, now, "j"), {KEY_ID: public}, now), action, grant)

    def redeemed() -> None:
        bench.memory.redeem(mint(KEY, KEY_ID, write, now, next(jti)), action)

    base, *others = _micros(bare, checked, redeemed)
    for name, taken in zip(("checked in memory", "redeemed through the database"), others, strict=True):
        yield f"token, {name}", taken / base, f"× bare PyJWT; {taken:.0f} µs, against {base:.0f} µs"


def _offer(bench: Bench) -> tuple[CardAction, CardWrite, Grant]:
    """A card that lets the person watch the document, and the tap on it."""
    with bench.database.write(DEFAULT_TENANT) as tx:
        target = str(document_id(sources.ids_by_uri(tx, [DOCUMENT])[DOCUMENT]))
        permitted = PermittedAction("watch_create", target)
        grant = Grant(DEFAULT_TENANT, bench.person.person_id, (permitted,), "g-1", "d-1")
        messages.add_grant(tx, fingerprint(grant), grant_to_json(grant))
    write = CardWrite(
        tenant=DEFAULT_TENANT,
        person_id=grant.person_id,
        action_kind=permitted.kind,
        target_id=target,
        scope_fingerprint=fingerprint(grant),
        generation_id=grant.generation_id,
    )
    return CardAction(permitted.kind, target), write, grant


def _micros(*calls: Callable[[], None]) -> list[float]:
    """Microseconds of each, the median of turns taken one after the other."""
    turns = [[cpu(partial(_repeat, call)) for call in calls] for _ in range(TURNS)]
    return [median(taken) / ROUNDS * 1e6 for taken in zip(*turns, strict=True)]


def _repeat(call: Callable[[], None]) -> None:
    for _ in range(ROUNDS):
        call()
