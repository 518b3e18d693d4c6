"""What Teams tells is kept for whom it concerns, answered as Teams wants it, and nothing of it reaches anybody else."""

from http import HTTPStatus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.teams.activities import kind, spoken
from bot.channels.teams.events import ELSEWHERE, UNCHOSEN, Events
from bot.channels.teams.port import Refused
from bot.ingress import Tap
from cards.codec import to_json
from cards.notices import notice
from core.model.grants import CardAction
from tests.fakes.teams_openid import SERVICE_URL, TENANT_ID, USER_ID
from tests.support.teams import ADA, BOT, CHAT, GROUP, Recording, deleted, edited, installed, members, tapped, written

EVENT = "a:1chat:1485983408511"
MUTE = {"verb": "watch_mute", "data": {"kind": "watch_mute", "target": "w1", "nonce": "n1", "arg": "1d"}}
CARD_TYPE = "application/vnd.microsoft.card.adaptive"
MESSAGE_TYPE = "application/vnd.microsoft.activity.message"


@pytest.fixture
def ingress():
    return Recording()


@pytest.fixture
def turn(ingress):
    return Events(ingress).turn


# ── what is said ──


async def test_what_somebody_writes_is_kept_with_the_address_they_can_be_written_to_by(turn, ingress):
    assert await turn(written("How long are backups kept?")) is None
    assert ingress.kept == [
        ("reached", ADA, CHAT, None, "en-GB"),
        ("said", ADA, EVENT, "How long are backups kept?"),
    ]


async def test_a_message_that_comes_again_is_the_same_event(turn, ingress):
    for _ in range(3):
        await turn(written("Hello"))
    assert {one[2] for one in ingress.named("said")} == {EVENT}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<at>clarify-bot</at> help", "help"),
        ("ask <at id='1'>Ada &amp; Bob</at>, <at>Grace</at>", "ask Ada & Bob, Grace"),
        ("a &lt; b &amp;&amp; c&nbsp;d", "a < b && c d"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        ("  two\r\nlines ", "two\nlines"),
        ("null\x00 byte", "null byte"),
    ],
)
def test_words_are_as_they_were_typed(text, words):
    assert spoken(text, "clarify-bot") == words


async def test_what_is_shared_without_words_is_words_of_nothing(turn, ingress):
    shared = [{"contentType": "application/vnd.microsoft.teams.file.download.info", "name": "x.pdf"}]
    await turn(written("", attachments=shared))
    assert ingress.named("said") == [("said", ADA, EVENT, "")]


async def test_a_picture_that_is_all_there_is_is_words_of_nothing_too(turn, ingress):
    await turn(written("", attachments=[{"contentType": "text/html", "content": "<p><img src='x'></p>"}]))
    assert ingress.named("said") == [("said", ADA, EVENT, "")]


async def test_neither_words_nor_anything_shared_is_nothing(turn, ingress):
    await turn(written("", attachments=[], value={"some": "form"}))
    assert ingress.named("said") == []


@pytest.mark.parametrize(
    ("more", "zone"),
    [
        ({"localTimezone": "Asia/Kolkata"}, "Asia/Kolkata"),
        ({"entities": [{"type": "clientInfo", "timezone": "Europe/Lisbon"}]}, "Europe/Lisbon"),
        ({"entities": [{"type": "mention", "timezone": "Europe/Lisbon"}, None, 3]}, None),
        ({"localTimezone": "x" * 100}, None),
        ({"localTimezone": {"a": 1}}, None),
    ],
)
async def test_where_somebody_lives_is_what_their_device_says(turn, ingress, more, zone):
    await turn(written("Hello", **more))
    assert ingress.named("reached")[0][3] == zone


async def test_ids_are_in_small_letters_however_they_came(turn, ingress):
    activity = written("Hello")
    activity["from"]["aadObjectId"] = USER_ID.upper()
    activity["channelData"]["tenant"]["id"] = TENANT_ID.upper()
    await turn(activity)
    assert ingress.named("said")[0][1] == ADA


# ── what is withdrawn ──


async def test_a_deleted_message_is_withdrawn(turn, ingress):
    await turn(deleted())
    assert ingress.kept == [("withdrawn", ADA, f"{EVENT}:deleted", EVENT, None)]


async def test_each_change_of_a_message_is_an_event_of_its_own(turn, ingress):
    await turn(edited("First", timestamp="2026-06-01T09:01:00.000Z"))
    await turn(edited("Second", timestamp="2026-06-01T09:02:00.000Z"))
    first, second = ingress.kept
    assert (first[3:], second[3:]) == ((EVENT, "First"), (EVENT, "Second"))
    assert first[2] != second[2]


async def test_a_message_put_back_is_no_news(turn, ingress):
    await turn(edited("Again", "undeleteMessage"))
    assert ingress.kept == []


# ── coming and going ──


@pytest.mark.parametrize("activity", [installed("add"), members(membersAdded=[BOT])])
async def test_when_it_is_installed_the_address_is_kept_and_a_welcome_due(turn, ingress, activity):
    await turn(activity)
    assert [one[0] for one in ingress.kept] == ["reached", "arrived"]


@pytest.mark.parametrize("activity", [installed("remove"), members(membersRemoved=[BOT])])
async def test_row_35_when_it_is_removed_that_is_obeyed_at_once(turn, ingress, activity):
    await turn(activity)
    assert ingress.kept == [("left", ADA, f"{EVENT}:left", "app_removed")]


@pytest.mark.parametrize(
    "activity",
    [
        installed("add-upgrade"),
        installed("remove-upgrade"),
        installed("other"),
        members(membersAdded=[{"id": "29:1user"}]),
        members(membersRemoved=[{"id": "29:1user"}], membersAdded=None),
        members(membersAdded="28:x"),
        members(),
    ],
)
async def test_what_is_about_others_or_a_new_version_changes_nothing(turn, ingress, activity):
    await turn(activity)
    assert ingress.kept == []


# ── taps ──


async def test_row_31_a_tap_is_answered_with_the_card_as_it_stands(turn, ingress):
    ingress.comes = to_json(notice("Muted for a day", "Nothing comes until then."))
    answered = await turn(tapped(MUTE))
    assert ingress.named("tapped") == [
        ("tapped", ADA, Tap("n1", CardAction("watch_mute", "w1", "1d"), f"{SERVICE_URL}|a:1chat|1700")),
    ]
    assert (answered.status, answered.kind) == (HTTPStatus.OK, CARD_TYPE)
    assert "Muted for a day" in str(answered.value)
    assert answered.value["version"] == "1.5"


async def test_a_refusal_is_said_to_whoever_tapped(turn, ingress):
    ingress.comes = "This card is no longer active."
    answered = await turn(tapped(MUTE))
    assert answered.body() == {"statusCode": 200, "type": MESSAGE_TYPE, "value": "This card is no longer active."}


async def test_set_without_a_choice_asks_for_one_and_does_nothing(turn, ingress):
    data = {"kind": "preference_set", "target": "mute", "nonce": "n1", "arg": "", "preference_set:mute": ""}
    answered = await turn(tapped({"verb": "preference_set", "data": data}))
    assert answered.value == UNCHOSEN
    assert ingress.named("tapped") == []


async def test_what_was_chosen_is_what_is_tapped(turn, ingress):
    data = {"kind": "preference_set", "target": "mute", "nonce": "n1", "arg": "", "preference_set:mute": "1d"}
    await turn(tapped({"verb": "preference_set", "data": data}))
    assert ingress.named("tapped")[0][2].action == CardAction("preference_set", "mute", "1d")


@pytest.mark.parametrize(
    "action",
    [
        {},
        {"verb": 3, "data": {}},
        {"verb": "watch_mute", "data": None},
        {"verb": "watch_mute", "data": {}},
        {"verb": "answer_save", "data": MUTE["data"]},
        {"verb": "watch_mute", "data": MUTE["data"] | {"nonce": "n 1"}},
        {"verb": "watch_mute", "data": MUTE["data"] | {"target": ["w1"]}},
    ],
)
async def test_what_no_card_offers_is_refused_and_has_no_effect(turn, ingress, action):
    answered = await turn(tapped(action))
    assert (answered.status, answered.kind) == (HTTPStatus.OK, MESSAGE_TYPE)
    assert ingress.named("tapped") == []


async def test_row_32_what_a_client_does_by_itself_changes_nothing(turn, ingress):
    activity = tapped(MUTE)
    activity["value"]["trigger"] = "automatic"
    answered = await turn(activity)
    assert (answered.status, answered.kind) == (HTTPStatus.OK, MESSAGE_TYPE)
    assert ingress.named("tapped") == []


async def test_other_kinds_of_invoke_are_answered_as_not_there(turn, ingress):
    answered = await turn(tapped(MUTE, name="composeExtension/query"))
    assert answered.status == HTTPStatus.NOT_IMPLEMENTED
    assert ingress.kept == []


# ── where others read along ──


@pytest.mark.parametrize("conversation", [GROUP, GROUP | {"conversationType": "channel"}, GROUP | {"isGroup": None}])
async def test_said_among_others_it_is_only_noted_that_they_called(turn, ingress, conversation):
    assert await turn(written("What do we pay?", conversation=conversation)) is None
    assert ingress.kept == [("elsewhere", ADA, f"{GROUP['id']}:1485983408511")]


async def test_a_conversation_that_says_not_what_it_is_is_taken_for_one_with_others(turn, ingress):
    await turn(written("What do we pay?", conversation={"id": "a:1chat", "tenantId": TENANT_ID}))
    assert [one[0] for one in ingress.kept] == ["elsewhere"]


async def test_a_tap_among_others_is_refused_to_whoever_tapped(turn, ingress):
    answered = await turn(tapped(MUTE, conversation=GROUP))
    assert answered.value == ELSEWHERE
    assert ingress.kept == []


@pytest.mark.parametrize("activity", [installed("add"), installed("remove"), deleted(), edited("x")])
async def test_nothing_else_that_happens_among_others_is_heeded(turn, ingress, activity):
    assert await turn(activity | {"conversation": GROUP}) is None
    assert ingress.kept == []


# ── what cannot be read ──


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *((field, value) for field in ("id", "from", "recipient", "conversation", "channelData")
          for value in (None, 3, [], {}, "\x00", "a b")),
        ("id", ".."),
        ("id", "."),
        ("serviceUrl", None),
    ],
)  # fmt: skip
async def test_what_cannot_be_read_is_acknowledged_without_effect(turn, ingress, field, value):
    activity = written("Hello") | {field: value}
    assert await turn(activity) is None
    assert ingress.kept == []


async def test_an_invoke_that_cannot_be_read_is_told_so_in_the_body(turn):
    answered = await turn(tapped(MUTE) | {"from": None})
    assert answered.status == HTTPStatus.BAD_REQUEST


async def test_row_30_an_invoke_that_could_not_be_kept_is_told_so_in_the_body(turn, ingress):
    ingress.fails = RuntimeError("words of a document")
    answered = await turn(tapped(MUTE))
    assert answered.status == HTTPStatus.SERVICE_UNAVAILABLE
    assert "words of a document" not in str(answered.value)


async def test_what_else_could_not_be_kept_raises_so_that_it_comes_again(turn, ingress):
    ingress.fails = RuntimeError("the disk is full")
    with pytest.raises(RuntimeError):
        await turn(written("Hello"))


async def test_a_kind_that_nobody_knows_is_acknowledged_without_effect(turn, ingress):
    for told in ("typing", "messageReaction", "event", "", None, 3, ["message"]):
        assert await turn(written("Hello", type=told)) is None
    assert ingress.kept == []
    assert kind({"type": "secret words"}) == "other"


async def test_before_the_organisation_is_known_everything_is_to_come_again(turn, ingress):
    ingress.served = False
    with pytest.raises(Refused) as refused:
        await turn(written("Hello"))
    assert refused.value.status == HTTPStatus.SERVICE_UNAVAILABLE


_ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    base=st.sampled_from([written("Hi"), tapped(MUTE), installed("add"), edited("x"), members(membersAdded=[BOT])]),
    changes=st.dictionaries(
        st.sampled_from(["id", "from", "conversation", "value", "text", "entities", "attachments", "channelData",
                         "membersAdded", "replyToId", "action", "name", "timestamp", "localTimezone"]),
        _ANY_JSON,
        max_size=3,
    ),
)  # fmt: skip
async def test_whatever_it_holds_it_is_read_or_left(base, changes):
    ingress = Recording()
    answered = await Events(ingress).turn(base | changes)
    assert (answered is None) == (base["type"] != "invoke")
    assert all("\x00" not in str(one) for one in ingress.kept)
