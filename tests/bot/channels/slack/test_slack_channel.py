"""Over real HTTP, against a Slack that says no in every way: a card is out once, or it is known that it is not."""

import logging
from dataclasses import replace

import pytest

from bot.channels.base import CALLED_OFF, Absent, CannotTell, Found, NotSent, Profile, Sent, Unknown, Unreachable
from bot.channels.slack.channel import SlackChannel
from bot.channels.slack.pace import slack_pace
from bot.channels.slack.reading import profile_of
from bot.channels.slack.web import CallFailed, SlackWeb
from cards.model import with_outcome
from cards.slack import to_slack, to_slack_home
from core.clock import MINUTE, SECOND
from core.model.notices import MARGIN
from core.model.work import HOME, Extent
from tests.support.slack_cards import ADA, CARD, CARDS, TEAM, channel_over, outgoing

pytestmark = pytest.mark.usefixtures("user")

# ── sending ──


@pytest.mark.parametrize("state", CARDS)
async def test_a_card_is_a_direct_message_with_its_key(channel, acme, state) -> None:
    card = outgoing(card=CARDS[state])
    sent = await channel.send(card)
    (message,) = acme.messages(ADA)
    assert sent == Sent(message.ref)
    assert message.channel.startswith("D")
    assert {"blocks": message.blocks, "text": message.text} == to_slack(CARDS[state])
    assert message.metadata == {"event_type": "clarify_delivery", "event_payload": {"key": card.delivery_key}}
    (call,) = acme.calls("chat.postMessage")
    assert (call.args["unfurl_links"], call.args["unfurl_media"]) == (False, False)


@pytest.mark.parametrize(("waits", "posted"), [(MINUTE - MARGIN - 1, 4), (MINUTE - MARGIN, 3)])
async def test_a_card_whose_lease_ran_out_before_its_turn_came_is_not_posted(web, clock, acme, waits, posted) -> None:
    async def sleep(_: float) -> None:
        clock.advance(waits)

    async def may_go(card) -> bool:
        return card.is_held(clock.now())

    channel = SlackChannel(web, slack_pace(lambda: 0.0, sleep), may_go, lambda: TEAM)
    outcomes = [await channel.send(outgoing(name)) for name in ("first", "second", "third", "fourth")]
    assert isinstance(outcomes[-1], Sent) == (posted == 4)
    assert (outcomes[-1] == CALLED_OFF) == (posted == 3)
    assert len(acme.calls("chat.postMessage")) == posted


async def test_a_card_in_a_thread_stays_there(channel, acme) -> None:
    question = acme.store(ADA, "How long?")
    await channel.send(outgoing(thread=question.ts))
    assert acme.cards(ADA)[0].thread_ts == question.ts


async def test_the_conversation_is_opened_once(channel, acme) -> None:
    for name in ("first", "second", "third"):
        await channel.send(outgoing(name))
    assert len(acme.calls("conversations.open")) == 1


@pytest.mark.parametrize("opens_as", ["C123", "G123", "W1", ""])
async def test_nothing_is_posted_where_others_could_read_it(channel, acme, opens_as) -> None:
    acme.opens_as = opens_as or " "
    outcome = await channel.send(outgoing())
    assert isinstance(outcome, NotSent)
    assert outcome.lasting is Extent.PERSON
    assert acme.calls("chat.postMessage") == []


async def test_a_user_id_that_names_two_people_opens_nothing(channel, acme) -> None:
    acme.add_user("U2", "Bob")
    outcome = await channel.send(outgoing(user_id="U1,U2"))
    assert outcome.lasting is Extent.PERSON
    assert acme.calls("chat.postMessage") == []


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("ratelimited:7", NotSent("ratelimited", retry_after=7 * SECOND)),
        ("ratelimited:none", NotSent("ratelimited", retry_after=30 * SECOND)),
        ("limited:7", NotSent("ratelimited", retry_after=7 * SECOND)),
        ("500", Unknown("unreadable answer, HTTP 500")),
        ("503-stored", Unknown("unreadable answer, HTTP 503")),
        ("internal_error", Unknown("internal_error")),
        ("fatal_error-stored", Unknown("fatal_error")),
        ("request_timeout", Unknown("request_timeout")),
        ("garbage-stored", Unknown("unreadable answer, HTTP 200")),
        ("cut", Unknown("ServerDisconnectedError")),
        ("cut-stored", Unknown("ServerDisconnectedError")),
        ("account_inactive", NotSent("account_inactive", lasting=Extent.WORKSPACE)),
        ("token_revoked", NotSent("token_revoked", lasting=Extent.WORKSPACE)),
        ("invalid_blocks", NotSent("invalid_blocks", lasting=Extent.CARD)),
        ("what_is_this", NotSent("what_is_this", read=True)),
    ],
)
async def test_a_post_is_tried_once_and_ends_as_it_did(channel, acme, fault, outcome) -> None:
    acme.script("chat.postMessage", fault)
    assert await channel.send(outgoing()) == outcome
    assert len(acme.calls("chat.postMessage")) == 1
    assert len(acme.cards(ADA)) == (1 if fault.endswith("-stored") else 0)


async def test_no_answer_in_time_leaves_it_in_doubt(slack, acme) -> None:
    acme.script("chat.postMessage", "silence-stored")
    web = SlackWeb(acme.token, slack.url, timeout_secs=0.3)
    assert await channel_over(web).send(outgoing()) == Unknown("TimeoutError")
    await web.close()


async def test_a_slack_that_cannot_be_reached_got_nothing(unused_tcp_port, acme) -> None:
    web = SlackWeb(acme.token, f"http://127.0.0.1:{unused_tcp_port}/api/")
    assert await channel_over(web).send(outgoing()) == NotSent("Slack cannot be reached: ClientConnectorError")
    await web.close()


@pytest.mark.parametrize(
    "fault", ["500", "internal_error-stored", "cut", "garbage", "ratelimited:7", "channel_not_found"]
)
async def test_a_conversation_that_does_not_open_leaves_nothing_in_doubt(channel, acme, fault) -> None:
    acme.script("conversations.open", fault, fault)
    outcome = await channel.send(outgoing())
    assert isinstance(outcome, NotSent)
    assert outcome.lasting is None
    assert isinstance(await channel.send(outgoing()), NotSent)
    assert isinstance(await channel.send(outgoing()), Sent)


async def test_each_refusal_reaches_as_far_as_it_says(channel, acme, user) -> None:
    user.hears_bots = False
    assert await channel.send(outgoing()) == NotSent("cannot_dm_bot", lasting=Extent.PERSON)
    user.hears_bots = True
    acme.messages_tab = False
    assert await channel.send(outgoing()) == NotSent("messages_tab_disabled", lasting=Extent.WORKSPACE)
    acme.deactivate(ADA)
    assert await channel.send(outgoing()) == NotSent("user_disabled", lasting=Extent.PERSON)
    assert await channel.send(outgoing(user_id="U9")) == NotSent("user_not_found", lasting=Extent.PERSON)
    acme.refusal = "account_inactive"
    assert await channel.send(outgoing()) == NotSent("account_inactive", lasting=Extent.WORKSPACE)


async def test_a_missing_scope_is_told_with_what_is_needed(channel, acme) -> None:
    acme.scopes = frozenset({"chat:write"})
    needs = "missing_scope (needs im:write; has chat:write)"
    assert await channel.send(outgoing()) == NotSent(needs, lasting=Extent.WORKSPACE)


async def test_a_stored_card_that_is_none_is_given_up(channel, acme) -> None:
    outcome = await channel.send(replace(outgoing(), card={"type": "Poem"}))
    assert isinstance(outcome, NotSent)
    assert outcome.lasting is Extent.CARD
    assert acme.calls("chat.postMessage") == []


async def test_an_answer_that_names_no_message_leaves_it_in_doubt(channel, acme) -> None:
    acme.script("chat.postMessage", '{"ok": true}-stored')
    assert await channel.send(outgoing()) == Unknown("the message has no ts")
    acme.script("conversations.open", '{"ok": true}')
    channel._conversations.clear()
    assert await channel.send(outgoing()) == NotSent("conversations.open gave no id")


# ── stale conversations ──


async def test_a_stale_id_is_asked_for_once_more(channel, acme) -> None:
    await channel.send(outgoing("first"))
    acme.stale(ADA)
    sent = await channel.send(outgoing("second"))
    first, second = acme.cards(ADA)
    assert sent == Sent(second.ref)
    assert first.channel != second.channel


async def test_an_id_that_stays_stale_is_left_for_later(channel, acme) -> None:
    acme.script("chat.postMessage", *["channel_not_found"] * 5)
    assert await channel.send(outgoing()) == NotSent("channel_not_found", read=True)
    assert (len(acme.calls("chat.postMessage")), len(acme.calls("conversations.open"))) == (2, 2)
    assert acme.cards(ADA) == []


# ── updating ──


async def test_an_update_replaces_the_message_and_keeps_its_key(channel, acme) -> None:
    card = outgoing()
    sent = await channel.send(card)
    shown = outgoing(card=with_outcome(CARD, "Muted for a day"), message_ref=sent.message_ref)
    for _ in range(2):
        assert await channel.update(shown) == sent
    (message,) = acme.cards(ADA)
    assert (message.updates, message.blocks) == (2, to_slack(with_outcome(CARD, "Muted for a day"))["blocks"])
    assert await channel.find_sent(card) == Found(sent.message_ref)


async def test_an_update_follows_a_conversation_whose_id_went_stale(channel, acme) -> None:
    sent = await channel.send(outgoing())
    acme.stale(ADA)
    moved = await channel.update(outgoing(message_ref=sent.message_ref))
    assert moved != sent
    assert moved.message_ref.partition("/")[2] == sent.message_ref.partition("/")[2]
    assert acme.cards(ADA)[0].updates == 1


async def test_a_message_that_is_gone_or_not_ours_is_not_updated(channel, acme) -> None:
    sent = await channel.send(outgoing())
    theirs = acme.store(ADA, "mine")
    outcome = await channel.update(outgoing(message_ref=theirs.ref))
    assert outcome == NotSent("cant_update_message", lasting=Extent.CARD)
    acme.forget(acme.cards(ADA)[0])
    outcome = await channel.update(outgoing(message_ref=sent.message_ref))
    assert outcome == NotSent("message_not_found", lasting=Extent.CARD)


@pytest.mark.parametrize("ref", [None, "", "C1/1.1", "home", "7"])
async def test_only_a_direct_message_is_updated(channel, acme, ref) -> None:
    outcome = await channel.update(outgoing(message_ref=ref))
    assert outcome.lasting is Extent.CARD
    assert acme.received == []


# ── whom the token is for ──


@pytest.mark.parametrize("workspace", [None, "T2"])
async def test_nobody_is_written_to_or_looked_up_by_a_token_that_is_not_for_their_workspace(web, acme, workspace):
    """There, or before it is known, the same id may be somebody else's."""
    channel, standing = channel_over(web, workspace), outgoing(message_ref="D1/1.1")
    for done in (channel.send(outgoing()), channel.send(outgoing(kind=HOME)), channel.update(standing)):
        outcome = await done
        assert isinstance(outcome, NotSent)
        assert (outcome.lasting, outcome.retry_after) == (None, None), "it waits for a bot whose token is"
    assert isinstance(await channel.find_sent(standing), CannotTell)
    with pytest.raises(Unreachable):
        await channel.profile("T1", ADA)
    assert acme.received == []


# ── the home tab ──


@pytest.mark.parametrize("state", CARDS)
async def test_a_home_card_is_published_to_its_person(channel, acme, state) -> None:
    card = outgoing(card=CARDS[state], kind=HOME)
    assert await channel.send(card) == Sent(HOME)
    first = acme.home(ADA)
    assert {"type": "home", "blocks": first["blocks"]} == to_slack_home(CARDS[state])
    assert await channel.update(replace(card, message_ref=HOME)) == Sent(HOME)
    assert acme.home(ADA)["id"] == first["id"]
    assert acme.messages(ADA) == []


async def test_a_home_card_in_doubt_is_published_again(channel, acme) -> None:
    acme.script("views.publish", "cut-stored")
    assert await channel.send(outgoing(kind=HOME)) == Unknown("ServerDisconnectedError")
    assert await channel.find_sent(outgoing(kind=HOME)) == Absent()
    assert await channel.send(outgoing(kind=HOME)) == Sent(HOME)


async def test_a_home_tab_that_is_off_ends_that_card_alone(channel, acme) -> None:
    acme.home_tab = False
    assert await channel.send(outgoing(kind=HOME)) == NotSent("not_enabled", lasting=Extent.CARD)
    assert isinstance(await channel.send(outgoing()), Sent)


# ── whose profile ──


async def test_a_profile_has_what_slack_has_verified(channel) -> None:
    told = await channel.profile("T1", ADA)
    assert told == Profile("Ada", "ada@acme.example", "Europe/Berlin", "en-GB", active=True)


@pytest.mark.parametrize(
    "odd",
    [
        {"email_confirmed": False},
        {"is_bot": True},
        {"is_stranger": True},
        {"is_restricted": True},
        {"is_ultra_restricted": True},
    ],
)
async def test_an_address_counts_only_of_a_full_member_who_confirmed_it(channel, acme, odd) -> None:
    acme.add_user("U2", "Eve", email="ada@acme.example", **odd)
    assert (await channel.profile("T1", "U2")).email is None


def test_somebody_of_another_workspace_has_no_address_here() -> None:
    user = {"team_id": "T2", "is_email_confirmed": True, "profile": {"email": "ada@acme.example"}}
    assert [profile_of(ADA, user, team).email for team in ("T1", "T2")] == [None, "ada@acme.example"]


async def test_a_user_who_left_is_known_and_not_active(channel, acme) -> None:
    acme.deactivate(ADA)
    told = await channel.profile("T1", ADA)
    assert (told.active, told.zone, told.locale) == (False, None, None)


async def test_a_token_that_may_not_look_people_up_knows_nobody(channel, acme) -> None:
    """So that a stranger is told how to be known, and does not wait for an answer that cannot come."""
    acme.scopes -= {"users:read"}
    assert await channel.profile("T1", ADA) is None


async def test_a_user_nobody_knows_is_none_and_an_outage_is_not(channel, acme) -> None:
    assert await channel.profile("T1", "U9") is None
    acme.script("users.info", "500", "ratelimited:7", '{"ok": true}', "cut", "cut")
    for _ in range(4):
        with pytest.raises(Unreachable):
            await channel.profile("T1", ADA)


# ── the client ──


async def test_no_token_and_no_card_is_ever_logged_or_raised(web, acme, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    acme.script("auth.test", "ok", "cut", "500", "garbage")
    await web.ask(web.client.auth_test())
    for _ in range(3):
        with pytest.raises(CallFailed) as failed:
            await web.ask(web.client.auth_test())
        assert acme.token not in f"{failed.value!r} {failed.value.trouble!r} {failed.value.__context__!r}"
    assert isinstance(await channel_over(web).send(outgoing()), Sent)
    assert acme.token not in caplog.text
    assert to_slack(CARD)["text"] not in caplog.text


async def test_all_calls_share_one_session_which_is_closed(web) -> None:
    session = web.client.session
    for _ in range(5):
        await web.ask(web.client.auth_test())
    assert web.client.session is session
    await web.close()
    assert session.closed


async def test_a_client_that_was_never_used_closes(slack, acme) -> None:
    await SlackWeb(acme.token, slack.url).close()


async def test_a_proxy_is_taken_from_the_environment_with_its_exceptions(
    slack, acme, unused_tcp_port, monkeypatch
) -> None:
    """Slack's client alone would send everything through it, whatever NO_PROXY says."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{unused_tcp_port}")
    for exceptions, outcome in (("127.0.0.1", Sent), ("", NotSent)):
        monkeypatch.setenv("NO_PROXY", exceptions)
        web = SlackWeb(acme.token, slack.url)
        assert isinstance(await channel_over(web).send(outgoing()), outcome)
        await web.close()
