"""A tap changes something once, or is refused with its own code, changes nothing, and leaves its trace."""

from dataclasses import asdict, replace

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bot.tokens import mint
from core.access.card_tokens import AUDIENCE
from core.clock import DAY, SECOND
from core.errors import Refused
from core.ids import nonce
from core.model.grants import CardAction, PermittedAction
from core.model.nodes import SAVED_ANSWER, SECTION
from core.model.watching import ScopeType
from core.store.tables import Job, NodeVersion, Person, Source, UsedJti, Watch
from tests.support.cards import card_with, tap
from tests.support.memories import KEY, KEY_ID, audited, change_row, page, put, rows, source_id, watch_request
from tests.support.threads import at_once

QUESTION = "How much do meals cost a day?"


@pytest.fixture
def answer(memory, ada):
    put(memory, "travel.md", page("Travel", {"Meals": "Meals cost at most 40 EUR a day."}))
    return memory.generate(QUESTION, ada)


@pytest.fixture
def card(memory, ada, answer):
    """Offers to watch and to save what the answer rests on."""
    target = str(answer.trace_id)
    return card_with(memory, ada, [PermittedAction("watch_create", target), PermittedAction("answer_save", target)])


@pytest.fixture
def write(card, answer):
    return tap(card, "watch_create", str(answer.trace_id))


@pytest.fixture
def action(answer):
    return CardAction("watch_create", str(answer.trace_id))


def signed(write, clock, **changed):
    """A token with some claims other than `mint` would write them; None leaves a claim out."""
    issued = clock.now() // SECOND
    claims = asdict(write) | {"person_id": str(write.person_id), "aud": AUDIENCE, "iss": "clarify-bot"}
    claims |= {"iat": issued, "exp": issued + 120, "jti": nonce()} | changed
    return jwt.encode({k: v for k, v in claims.items() if v is not None}, KEY, "EdDSA", headers={"kid": KEY_ID})


def refused(memory, token, action):
    with pytest.raises(Refused) as caught:
        memory.redeem(token, action)
    return caught.value.code


def nothing_written(memory):
    return rows(memory, Watch) == [] and [n for n in rows(memory, NodeVersion) if n.label == SAVED_ANSWER] == []


def refusals(memory):
    return [row.detail["code"] for row in audited(memory) if row.outcome == "refused"]


def test_a_tap_does_what_the_card_offered_and_is_audited(memory, ada, write, action, mint_token):
    result = memory.redeem(mint_token(write), action)
    assert result == {"watching": ["Meals"], "fresh": True}
    assert len(memory.watches(ada)) == 1
    (row,) = audited(memory)
    assert (row.outcome, row.actor, row.action, row.target) == (
        "done",
        f"person:{ada.person_id}",
        action.kind,
        action.target,
    )


def test_a_second_tap_with_its_own_token_sees_the_same_result(memory, write, action, mint_token):
    memory.redeem(mint_token(write), action)
    assert memory.redeem(mint_token(write), action) == {"watching": ["Meals"], "fresh": False}


# ── refusals of what is well signed: each with its code, no write, one audit row ──


def test_expired(memory, write, action, mint_token, clock):
    token = mint_token(write)
    clock.advance(125 * SECOND)
    check_refused(memory, token, action, "expired")


def test_wrong_audience(memory, write, action, clock):
    check_refused(memory, signed(write, clock, aud="somebody.else"), action, "wrong_audience")


def test_a_lifetime_that_is_too_long(memory, write, action, clock):
    check_refused(memory, signed(write, clock, exp=clock.now() // SECOND + 121), action, "malformed")


def test_another_action(memory, write, mint_token):
    check_refused(memory, mint_token(write), CardAction("answer_save", write.target_id), "action_mismatch")


def test_another_argument(memory, write, mint_token):
    check_refused(memory, mint_token(write), CardAction(write.action_kind, write.target_id, "1d"), "action_mismatch")


def test_another_target(memory, write, mint_token):
    check_refused(memory, mint_token(write), CardAction(write.action_kind, "elsewhere"), "target_mismatch")


def test_an_unknown_grant(memory, write, action, mint_token):
    token = mint_token(replace(write, scope_fingerprint="b3:" + "0" * 64))
    check_refused(memory, token, action, "fingerprint_mismatch")


def test_another_generation_of_the_card(memory, write, action, mint_token):
    check_refused(memory, mint_token(replace(write, generation_id="g-2")), action, "fingerprint_mismatch")


def test_a_grant_of_another_tenant_is_no_grant_here(memory, write, action, mint_token):
    memory.people.ensure_tenant("other", "Other")
    assert refused(memory, mint_token(replace(write, tenant="other")), action) == "fingerprint_mismatch"
    assert [row.detail["code"] for row in audited(memory, "other")] == ["fingerprint_mismatch"]


def test_what_the_card_never_offered(memory, write, mint_token):
    asked = replace(write, action_kind="answer_refresh")
    check_refused(memory, mint_token(asked), CardAction("answer_refresh", write.target_id), "not_granted")


def test_somebody_elses_card(memory, bob, write, action, mint_token):
    check_refused(memory, mint_token(replace(write, person_id=bob.person_id)), action, "not_authorised")


def test_a_person_who_is_no_longer_active(memory, ada, write, action, mint_token):
    change_row(memory, Person, ("default", ada.person_id), active=False)
    check_refused(memory, mint_token(write), action, "not_authorised")


def test_a_right_lost_since_the_card_was_sent(memory, write, action, mint_token):
    change_row(memory, Source, ("default", source_id("travel.md")), readers=["legal"])
    check_refused(memory, mint_token(write), action, "not_authorised")


def test_another_persons_trace(memory, bob, answer, mint_token):
    target = str(answer.trace_id)
    card = card_with(memory, bob, [PermittedAction("answer_save", target)])
    check_refused(
        memory, mint_token(tap(card, "answer_save", target)), CardAction("answer_save", target), "not_authorised"
    )


def check_refused(memory, token, action, code):
    assert refused(memory, token, action) == code
    assert nothing_written(memory)
    assert refusals(memory) == [code]


# ── what nobody signed fills no audit ──


def test_garbage_is_refused_and_not_audited(memory, action):
    assert refused(memory, "garbage", action) == "malformed"
    assert (audited(memory), rows(memory, UsedJti)) == ([], [])


@pytest.mark.parametrize("kid", [KEY_ID, "stranger"])
def test_a_strangers_signature_is_refused_and_not_audited(memory, write, action, clock, kid):
    token = mint(Ed25519PrivateKey.generate(), kid, write, clock.now(), nonce())
    assert refused(memory, token, action) == "bad_signature"
    assert (nothing_written(memory), audited(memory), rows(memory, UsedJti)) == (True, [], [])


# ── once ──


def test_a_replayed_token_is_refused(memory, write, action, mint_token):
    token = mint_token(write)
    memory.redeem(token, action)
    assert refused(memory, token, action) == "replayed"
    assert (len(rows(memory, Watch)), refusals(memory)) == (1, ["replayed"])


def test_a_token_is_spent_at_first_sight_whatever_follows(memory, write, action, mint_token):
    token = mint_token(write)
    assert refused(memory, token, CardAction("answer_save", write.target_id)) == "action_mismatch"
    assert refused(memory, token, action) == "replayed"
    assert nothing_written(memory)


def test_one_token_from_two_threads_at_once_writes_once(memory, write, action, mint_token):
    token = mint_token(write)
    results = at_once(*[lambda: memory.redeem(token, action)] * 2)
    assert sorted(getattr(result, "code", "done") for result in results) == ["done", "replayed"]
    assert len(rows(memory, Watch)) == 1


# ── the other buttons ──


def test_saving_through_a_card(memory, ada, card, answer, mint_token):
    target = str(answer.trace_id)
    save = lambda: memory.redeem(mint_token(tap(card, "answer_save", target)), CardAction("answer_save", target))  # noqa: E731
    first, again = save(), save()
    assert (first["fresh"], again) == (True, first | {"fresh": False})
    assert [str(saved.answer_id) for saved in memory.answers(ada)] == [first["answer_id"]]


def test_asking_for_a_refresh_through_a_card_enqueues_one_job(memory, ada, answer, mint_token):
    answer_id = str(memory.save_answer(answer.trace_id, ada))
    card = card_with(memory, ada, [PermittedAction("answer_refresh", answer_id)], "refresh")
    for _ in range(2):
        memory.redeem(mint_token(tap(card, "answer_refresh", answer_id)), CardAction("answer_refresh", answer_id))
    (job,) = [job for job in rows(memory, Job) if job.kind == "refresh:answer"]
    assert job.payload["answer_id"] == answer_id
    assert job.payload["delivery_key"] == str(card.message_id)


@pytest.mark.parametrize("arg", ["1d", "stop"])
def test_muting_through_a_card(memory, ada, mint_token, clock, arg):
    watch = memory.watch(watch_request(ada, ScopeType.LABEL, SECTION), ada)
    target = str(watch.watch_id)
    card = card_with(memory, ada, [PermittedAction("watch_mute", target, ("1d", "stop"))])
    until = memory.redeem(mint_token(tap(card, "watch_mute", target, arg)), CardAction("watch_mute", target, arg))[
        "until"
    ]
    assert until == (clock.now() + DAY if arg == "1d" else None)
    assert [view.muted_until for view in memory.watches(ada)] == ([until] if until else [])


def test_nobody_mutes_another_persons_watch(memory, ada, bob, mint_token):
    watch = memory.watch(watch_request(ada, ScopeType.LABEL, SECTION), ada)
    target = str(watch.watch_id)
    card = card_with(memory, bob, [PermittedAction("watch_mute", target, ("stop",))])
    token = mint_token(tap(card, "watch_mute", target, "stop"))
    assert refused(memory, token, CardAction("watch_mute", target, "stop")) == "not_authorised"
    assert len(memory.watches(ada)) == 1


def test_what_is_gone_by_the_time_of_the_tap_is_not_watched(memory, clock, ada, card, write, action, mint_token):
    put(memory, "travel.md", page("Travel", {"Food": "Meals cost at most 40 EUR a day."}))
    assert refused(memory, mint_token(write), action) == "not_authorised"
    assert rows(memory, Watch) == []
