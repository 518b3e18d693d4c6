"""Events with anything in place of what Slack documents: none is repeated for ever, nor logged with what it holds."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bot.channels.base import Profile
from bot.channels.slack.reading import cursor_of, listed, profile_of, stamp_of
from bot.ingress import Ingress
from bot.memory_gateway import MemoryGateway
from core.model.work import Place
from tests.fakes.slack_inbound import SlackRequest
from tests.support.slack import let_in, served
from tests.support.slack_cards import ADA, TEAM

pytestmark = pytest.mark.usefixtures("user")
SECRET = "my private question"
HERE = Place("slack", TEAM, ADA)
HOSTILE = [
    "",
    "\x00",
    "A\x00da",
    "\ud800",
    "x\udfff",
    "../../etc/passwd",
    "Europe/Nowhere",
    "\u202e",
    "a" * 5_000,
    SECRET,
]

texts = st.text(st.characters(codec=None, categories=None), max_size=8) | st.sampled_from(HOSTILE)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def paths(value, at=()):
    """The way to each field in an object, and in the objects in it."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield (*at, key)
        yield from paths(inner, (*at, key))


def put(value, path, new):
    """The object with something else there."""
    first, *rest = path
    return value | {first: put(value[first], rest, new) if rest else new}


def without(value, path):
    first, *rest = path
    return value | {first: without(value[first], rest)} if rest else {k: v for k, v in value.items() if k != first}


@pytest.fixture
async def door(slack, acme, memory, web):
    """A bot whose ingress is the real one, on a real database."""
    let_in(memory, acme)
    memory.people.bind("default", memory.people.put("default", "Ada", zone="Europe/Berlin"), HERE)
    gateway = MemoryGateway(memory)
    async with served(slack, gateway, Ingress(gateway, lambda: None), web) as running:
        yield running
    gateway.stop()


KINDS = ["user_change", "message", "file", "app_home_opened", "tokens_revoked", "app_uninstalled"]


def event(acme, inbound, kind):
    if kind == "file":
        request = inbound.message(ADA, "")
        return put(request.payload, ("event", "files"), [{"id": "F1"}])
    told = {
        "user_change": lambda: inbound.user_change(ADA),
        "message": lambda: inbound.message(ADA, SECRET),
        "app_home_opened": lambda: inbound.home_opened(ADA),
        "tokens_revoked": inbound.tokens_revoked,
        "app_uninstalled": inbound.uninstalled,
    }
    return told[kind]().payload


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
async def test_an_event_with_anything_in_place_of_a_field_is_acknowledged(door, acme, inbound, kind, data):
    payload = event(acme, inbound, kind)
    path = data.draw(st.sampled_from([path for path in paths(payload) if path != ("type",)]))
    changed = put(payload, path, data.draw(anything)) if data.draw(st.booleans()) else without(payload, path)
    with capture_logs() as logs:
        assert (await door.hear(SlackRequest("event", changed))).status == 200
    assert SECRET not in json.dumps(logs)


@pytest.mark.parametrize("kind", KINDS)
async def test_an_event_as_slack_documents_it_is_no_cause_to_complain(bot, acme, inbound, kind):
    with capture_logs() as logs:
        assert (await bot.hear(SlackRequest("event", event(acme, inbound, kind)))).status == 200
    assert logs == []


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("user_change", ("event", "user"), None),
        ("user_change", ("event", "user", "id"), SECRET),
        ("user_change", ("event", "user", "deleted"), SECRET),
        ("message", ("event", "channel"), [SECRET]),
        ("message", ("event", "ts"), SECRET),
        ("message", ("event", "text"), {"x": SECRET}),
        ("message", ("event", "user"), SECRET),
        ("app_home_opened", ("event", "user"), None),
        ("tokens_revoked", ("event", "tokens", "bot"), SECRET),
    ],
)
async def test_what_cannot_be_read_is_logged_by_its_kind_and_has_no_effect(
    bot, acme, inbound, ingress, kind, path, value
):
    with capture_logs() as logs:
        reply = await bot.hear(SlackRequest("event", put(event(acme, inbound, kind), path, value)))
    assert (reply.status, ingress.kept) == (200, [])
    assert [(entry["event"], entry["kind"]) for entry in logs] == [("slack.unreadable", kind)]
    assert SECRET not in json.dumps(logs)


@pytest.mark.parametrize("body", [None, 5, [], SECRET, {}, {"type": None}, {"type": [SECRET]}])
async def test_an_event_that_says_not_even_what_it_is_is_acknowledged(bot, acme, inbound, ingress, body):
    payload = event(acme, inbound, "message") | {"event": body}
    with capture_logs() as logs:
        assert (await bot.hear(SlackRequest("event", payload))).status == 200
    assert ingress.kept == []
    assert SECRET not in json.dumps(logs)


@pytest.mark.parametrize("team", [None, "", 5, {}, ["T1"], "T\x00", "\ud800", "t1"])
async def test_an_event_of_no_workspace_is_acknowledged_before_it_is_known_which_is_served(
    slack, memory, web, ingress, acme, inbound, team
):
    gateway = MemoryGateway(memory)
    payload = event(acme, inbound, "message") | {"team_id": team, "authorizations": []}
    async with served(slack, gateway, ingress, web, settled=False) as bot:
        assert (await bot.hear(SlackRequest("event", payload | {"event": {"type": "message"}}))).status == 200
    gateway.stop()


# ── of a profile, what can be read counts ──


async def test_a_profile_without_a_readable_name_or_zone_still_says_that_somebody_left(door, memory, acme, inbound):
    acme.deactivate(ADA)
    payload = event(acme, inbound, "user_change")
    for path, value in ((("profile",), None), (("tz",), "\ud800"), (("locale",), "\x00"), (("name",), 5)):
        payload = put(payload, ("event", "user", *path), value)
    assert (await door.hear(SlackRequest("event", payload))).status == 200
    assert [one.state for one in memory.people.places("default") if one.place == HERE] == ["unreachable"]


async def test_a_zone_that_cannot_be_read_leaves_the_one_that_was_known(door, memory, acme, inbound):
    for zone in (None, 5, "\x00", "\ud800", "Europe/Nowhere", "../etc/passwd", "a" * 300, ["Asia/Tokyo"]):
        payload = put(event(acme, inbound, "user_change"), ("event", "user", "tz"), zone)
        assert (await door.hear(SlackRequest("event", payload))).status == 200
        assert [person.zone for person in memory.people.all("default") if person.display_name == "Ada"] == [
            "Europe/Berlin"
        ]


users = st.dictionaries(
    st.sampled_from(["profile", "name", "real_name", "tz", "locale", "deleted", "team_id", "enterprise_user"]),
    anything | st.dictionaries(st.sampled_from(["display_name", "real_name", "email", "teams"]), anything),
)


@given(users)
def test_whatever_a_profile_is_what_is_read_of_it_can_be_kept(user):
    told = profile_of(ADA, user, TEAM)
    for text in (told.display_name, told.email, told.zone, told.locale):
        assert text is None or (text and "\x00" not in text and text.encode())
    assert isinstance(told.active, bool)


@pytest.mark.parametrize(
    ("user", "told"),
    [
        ({"profile": {"display_name": " A\x00da "}}, Profile("Ada", None, None, None, active=True)),
        ({"profile": {"display_name": "\x00", "real_name": "Ada"}}, Profile("Ada", None, None, None, active=True)),
        ({"profile": None, "name": ["x"]}, Profile(ADA, None, None, None, active=True)),
        (
            {"profile": {"email": "a\x00@x.example"}, "is_email_confirmed": True},
            Profile(ADA, None, None, None, active=True),
        ),
        (
            {"profile": {"email": "a@x.example"}, "is_email_confirmed": True},
            Profile(ADA, "a@x.example", None, None, active=True),
        ),
        (
            {"tz": "America/Port-au-Prince", "locale": "pt-BR"},
            Profile(ADA, None, "America/Port-au-Prince", "pt-BR", active=True),
        ),
        ({"deleted": "who knows"}, Profile(ADA, None, None, None, active=False)),
    ],
)
def test_what_is_read_of_a_profile(user, told):
    assert profile_of(ADA, user, TEAM) == told


@pytest.mark.parametrize(
    "odd",
    [
        {"is_email_confirmed": False},
        {"is_email_confirmed": None},
        {"is_email_confirmed": "yes"},
        {"team_id": 5},
        {"team_id": "T2", "enterprise_user": {"teams": f"{TEAM}, T2"}},
        {"team_id": "T2", "enterprise_user": 5},
        {"is_restricted": "maybe"},
    ],
)
def test_an_address_counts_only_where_it_can_be_read_that_it_is_a_full_member_s(odd):
    assert profile_of(ADA, {"profile": {"email": "a@x.example"}, "is_email_confirmed": True} | odd, TEAM).email is None


@given(st.dictionaries(st.sampled_from(["messages", "response_metadata", "has_more"]), anything))
def test_no_page_of_a_history_is_an_error(page):
    cursor_of(page)
    assert stamp_of(listed(page) or [], "key") is None
