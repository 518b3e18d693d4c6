"""Rotating the key that signs taps, as an operator does it, beside a bot that goes on working."""

import json

import pytest

from bot.app import signer_of
from bot.config import load, open_memory
from bot.tokens import mint
from core.access.card_tokens import LEEWAY_SECS, LIFETIME_SECS, CardWrite
from core.clock import SECOND, ManualClock, SystemClock
from core.errors import Refused
from core.ids import nonce
from core.model.grants import CardAction
from core.model.work import Place

ACTION = CardAction("answer_save", "t", None)


def test_the_list_says_which_key_signs_and_until_when_the_others_are_good(set_up):
    [first] = json.loads(set_up("keys", "list", "--json"))
    assert (first["state"], first["until"]) == ("signs", None)
    made = json.loads(set_up("keys", "rotate", "--json"))
    listed = {one["key_id"]: (one["state"], one["until"]) for one in json.loads(set_up("keys", "list", "--json"))}
    assert listed == {made["key_id"]: ("signs", None), first["key_id"]: ("checks", made["old_until"])}
    told = set_up("keys", "list")
    assert "checks" in told
    assert "UTC" in told
    assert "signs from now on" in set_up("keys", "rotate")


def test_where_there_is_no_key_that_is_said(said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "clarify-bot init" in said("keys", "rotate", code=2)
    assert "clarify-bot init" in said("keys", "list", code=2)


def minted(signer, person_id, now):
    write = CardWrite(
        tenant="default", person_id=person_id, action_kind=ACTION.kind, target_id=ACTION.target,
        scope_fingerprint="f", generation_id="g",
    )  # fmt: skip
    return mint(signer.key, signer.kid, write, now, nonce())


def refusal(memory, token):
    with pytest.raises(Refused) as refused:
        memory.redeem(token, ACTION)
    return refused.value.code


def test_a_bot_that_runs_signs_with_the_new_key_and_takes_what_the_old_one_signed_for_two_minutes(set_up):
    clock = ManualClock(SystemClock().now())
    settings = load()
    signer = signer_of(settings.keys)
    with open_memory(settings, clock) as memory:
        person = memory.people.put("default", "Ada")
        memory.people.bind("default", person, Place("local", "local", "ada"))
        old = signer()
        before = minted(old, person, clock.now())
        made = json.loads(set_up("keys", "rotate", "--json"))
        assert signer().kid == made["key_id"]
        assert refusal(memory, before) == "fingerprint_mismatch", "its signature is good; there is no such card"
        assert refusal(memory, minted(signer(), person, clock.now())) == "fingerprint_mismatch"
        clock.ts = made["old_until"] - SECOND
        assert refusal(memory, minted(old, person, clock.now())) == "fingerprint_mismatch"
        clock.ts = made["old_until"] + SECOND
        assert refusal(memory, minted(old, person, clock.now())) == "bad_signature", (
            "a thief of the old key has no more"
        )
        assert refusal(memory, minted(signer(), person, clock.now())) == "fingerprint_mismatch"
        assert made["old_until"] - clock.now() <= (LIFETIME_SECS + LEEWAY_SECS) * SECOND


def test_init_makes_the_public_key_again_that_went_missing(set_up, tmp_path):
    [public] = (tmp_path / "keys").glob("*.public.pem")
    public.unlink()
    assert "clarify-bot init" in set_up("keys", "list", code=2)
    set_up("init")
    assert public.exists()
    set_up("keys", "list")
