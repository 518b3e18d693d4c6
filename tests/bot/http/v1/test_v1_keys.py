"""Who calls: one path says the same whatever is wrong with a key, and before anything else is looked at."""

import pytest

from core.clock import DAY
from tests.support.http import key

BODY = {"data": b"\xff", "headers": {"Content-Type": "application/json"}}


@pytest.fixture
def wrong(memory, clock, bob):
    """Keys that are nobody's any more, and what is no key."""
    revoked = memory.api_keys.create("default", "x", ["member"])
    memory.api_keys.revoke("default", revoked.key_id)
    over = memory.api_keys.create("default", "x", ["member"], keep_for=DAY).secret
    clock.advance(DAY)
    gone = key(memory, person=bob)
    memory.people.set_active("default", bob.person_id, active=False)
    good = key(memory, "member")
    secrets = (revoked.secret, over, gone, "clarify_" + "A" * 43, good[:-1], good + "A", "é", "x" * 5000)
    return [
        *({"Authorization": f"Bearer {secret}"} for secret in secrets),
        *(
            {"Authorization": said}
            for said in ("", "Bearer", "Bearer ", f"Basic {good}", good, f"Bearer {good} {good}")
        ),
        {"X-Api-Key": good},
        {},
    ]


async def test_whatever_is_wrong_with_a_key_the_same_is_said(nobody, wrong):
    heard = [await nobody("POST", "/query", {}, headers=headers) for headers in wrong]
    told = {(one.status, one.code, one.raw, one.headers["WWW-Authenticate"]) for one in heard}
    assert len(told) == 1
    [(status, code, _, challenge)] = told
    assert (status, code, challenge) == (401, "UNAUTHENTICATED", 'Bearer realm="clarify-bot"')


async def test_every_endpoint_asks_for_a_key_before_it_reads_a_body(nobody, wrong):
    from bot.http.v1.routes import ROUTES

    for route in ROUTES:
        path = route.path.replace("{id}", "7").replace("{uri}", "x")
        assert (await nobody(route.method, path, **BODY)).code == "UNAUTHENTICATED"


async def test_two_keys_at_once_are_none(nobody, memory):
    good = f"Bearer {key(memory, 'member')}"
    both = [("Authorization", good), ("Authorization", good)]
    assert (await nobody("POST", "/query", {"find": "SECTION"}, headers=dict(both[:1]))).status == 200
    async with nobody.session.post(f"{nobody.base}/query", json={"find": "SECTION"}, headers=both) as answer:
        assert answer.status == 401


async def test_the_word_bearer_is_written_as_one_likes(nobody, memory):
    for word in ("bearer", "BEARER"):
        told = await nobody(
            "POST", "/query", {"find": "SECTION"}, headers={"Authorization": f"{word} {key(memory, 'x')}"}
        )
        assert told.status == 200


async def test_a_revoked_key_is_refused_from_the_next_request_on(nobody, memory):
    made = memory.api_keys.create("default", "x", ["member"])
    call = nobody.as_(made.secret)
    assert (await call("GET", "/sources")).status == 200
    memory.api_keys.revoke("default", made.key_id)
    assert (await call("GET", "/sources")).code == "UNAUTHENTICATED"
