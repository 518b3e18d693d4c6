"""What `doctor` finds out about Teams: from Entra, from the keys, and by knocking at the bot's door."""

import ssl
from dataclasses import dataclass, field, replace

import pytest
from aiohttp import ClientSession, ClientTimeout, TCPConnector, web

from bot.channels.settings import TeamsSettings
from bot.channels.teams.address import MESSAGES_PATH, Address
from bot.channels.teams.checks import examine
from bot.channels.teams.hello import Addressee, hello
from bot.channels.teams.keys import OpenIdKeys
from bot.channels.teams.listener import Listener
from bot.channels.teams.remedies import REFUSALS, REMEDIES
from bot.channels.teams.verifier import Verifier
from core.clock import SECOND, ManualClock, SystemClock
from tests.fakes.teams_openid import APP_ID, TENANT_ID, fake_openid
from tests.support.loopback import make_certificate, served

SECRET = "abC8Q~canary.canary-canary_canary0123456"
NAMES = ["app_password", "clock", "openid_url", "public_url", "manifest", "channel"]


@dataclass
class Entra:
    """Gives a token to this app in this organisation for this secret. `refusal`: the code with which it gives none."""

    refusal: int | None = None
    answer: web.Response | None = None
    url: str = ""
    forms: list = field(default_factory=list)

    async def token(self, request):
        form = dict(await request.post())
        self.forms.append(form)
        if self.answer is not None:
            return self.answer
        if code := self.refusal or self._wrong(request.match_info["tenant"], form):
            said = {"error": "invalid_client", "error_description": f"AADSTS{code}: no.", "error_codes": [code]}
            return web.json_response(said, status=401)
        return web.json_response({"token_type": "Bearer", "expires_in": 3599, "access_token": "a-token"})

    @staticmethod
    def _wrong(tenant, form):
        checks = (
            (90002, tenant == TENANT_ID),
            (700016, form.get("client_id") == APP_ID),
            (7000215, form.get("client_secret") == SECRET),
            (500011, form.get("scope") == "https://api.botframework.com/.default"),
            (70003, form.get("grant_type") == "client_credentials"),
        )
        return next((code for code, is_right in checks if not is_right), None)


@pytest.fixture
async def entra():
    fake = Entra()
    async with served({"/{tenant}/oauth2/v2.0/token": fake.token}) as address:
        fake.url = f"{address}/"
        yield fake


@pytest.fixture
def openid():
    with fake_openid() as running:
        yield running


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
async def session(certificate):
    """Trusts the bot's certificate."""
    connector = TCPConnector(ssl=ssl.create_default_context(cafile=certificate))
    async with ClientSession(timeout=ClientTimeout(total=5), connector=connector) as opened:
        yield opened


@pytest.fixture
def looked(entra, openid, session):
    """What is found, by name."""

    async def call(clock=None, send_to=None, **settings):
        defaults = {"mode": "on", "app_id": APP_ID, "tenant_id": TENANT_ID, "app_password": SECRET}
        known = TeamsSettings(**defaults | {"login_url": entra.url, "openid_url": openid.url} | settings)
        found = await examine(known, session, clock or SystemClock(), send_to)
        assert all(finding.fix for finding in found if not finding.ok), "what is not right has a remedy"
        assert len({finding.name for finding in found}) == len(found)
        assert "canary" not in repr(found)
        return {finding.name.removeprefix("teams."): finding for finding in found}

    return call


class RunningBot:
    """The bot's own door, with the verifier that stands there."""

    def __init__(self, keys):
        self._verifier = Verifier(APP_ID, TENANT_ID, keys, SystemClock())
        self.answer = Listener(self, self._never).routes()[0].handler
        self.take = self._never

    async def verify(self, headers, raw):
        return await self._verifier.verify(headers, raw)

    async def _never(self, *_):
        raise AssertionError("nothing gets as far as this")


# ── the token ──


async def test_when_all_is_well_only_what_cannot_be_seen_is_left(looked, entra, openid, certificate):
    bot = RunningBot(OpenIdKeys(SystemClock(), openid.url, loopback=True))
    async with served({f"/memory{MESSAGES_PATH}": bot.answer}, certificate) as address:
        found = await looked(public_url=f"{address}/memory")
    assert {name: finding.ok for name, finding in found.items()} == dict.fromkeys(NAMES, True) | {"channel": None}
    assert APP_ID in found["app_password"].words
    assert f"{address}/memory{MESSAGES_PATH} leads to the bot" in found["public_url"].words
    assert len(entra.forms) == 1


@pytest.mark.parametrize("code", REMEDIES)
async def test_what_entra_refuses_is_explained_in_its_code_and_our_words(looked, entra, code):
    entra.refusal = int(code.removeprefix("AADSTS"))
    finding = (await looked())["app_password"]
    assert finding.ok is False
    assert finding.words == f"is not accepted: {REMEDIES[code].means} ({code})"
    assert finding.fix == REMEDIES[code].fix


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"app_password": "another-canary"}, "AADSTS7000215"),
        ({"app_id": TENANT_ID}, "AADSTS700016"),
        ({"tenant_id": APP_ID}, "AADSTS90002"),
    ],
)
async def test_what_is_wrong_in_the_settings_is_told_apart(looked, settings, code):
    assert code in (await looked(**settings))["app_password"].words


async def test_a_code_that_nobody_knows_is_passed_on_with_where_it_is_explained(looked, entra):
    entra.refusal = 16000
    finding = (await looked())["app_password"]
    assert "AADSTS16000" in finding.words
    assert "error?code=16000" in finding.fix


@pytest.mark.parametrize(
    "answer",
    [
        {"text": "<h1>Sign in</h1>"},
        {"text": "[]"},
        {"text": "{}"},
        {"text": '{"access_token": 1}'},
        {"text": '{"error_codes": []}', "status": 400},
        {"text": '{"error_codes": ["x"]}', "status": 400},
        {"body": b"\xff", "status": 500},
        {"status": 302, "headers": {"Location": "https://login.example.com/"}},
    ],
)
async def test_what_is_not_entra_is_not_green(looked, entra, answer):
    entra.answer = web.Response(**answer)
    finding = (await looked())["app_password"]
    assert finding.ok is False
    assert f"not Entra as it should be (HTTP {answer.get('status', 200)})" in finding.words
    assert "teams.login_url" in finding.fix


async def test_an_entra_that_cannot_be_reached_is_not_green(looked, unused_tcp_port):
    found = await looked(login_url=f"http://127.0.0.1:{unused_tcp_port}/")
    assert "was not tried: cannot be asked: no connection is accepted" in found["app_password"].words
    assert (found["app_password"].ok, found["clock"].ok, found["openid_url"].ok) == (False, None, True)


# ── the clock, and the keys ──


@pytest.mark.parametrize(("secs", "ok"), [(-75, False), (-45, True), (45, True), (75, False)])
async def test_a_clock_that_is_off_is_noticed_before_microsoft_minds(looked, entra, secs, ok):
    entra.refusal = 7000222  # whatever it says, it says what time it is
    finding = (await looked(ManualClock(SystemClock().now() + secs * SECOND)))["clock"]
    assert finding.ok is ok
    assert ("ahead of Entra" if secs > 0 else "behind Entra") in finding.words


@pytest.mark.parametrize("document", ["metadata", "keys"])
@pytest.mark.parametrize("trouble", ["500", "garbage", "[]", "{}", "moved", "cut"])
async def test_keys_that_cannot_be_had_are_said(looked, openid, document, trouble):
    openid.trouble[document] = trouble
    finding = (await looked())["openid_url"]
    assert finding.ok is False
    assert ("the connection is cut" if trouble == "cut" else "answered") in finding.words
    assert "teams.openid_url" in finding.fix


async def test_metadata_that_leads_nowhere_is_said(looked, openid):
    openid.keys_at = "nowhere"
    assert "cannot be asked" in (await looked())["openid_url"].words


async def test_keys_of_other_channels_are_none_for_teams(looked, openid):
    openid.key_list.clear()
    openid.add_key("other", endorsements=("webchat",))
    assert "names 1 keys, none of which" in (await looked())["openid_url"].words


# ── the door ──


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"status": 401, "text": "Password?"}, "something in front asks for a password (HTTP 401)"),
        ({"status": 403}, "refuses requests"),
        ({"status": 404}, "nothing at this path"),
        ({"status": 502}, "no bot behind it (HTTP 502)"),
        ({"status": 200}, "else than the bot answers (HTTP 200)"),
        ({"status": 301, "headers": {"Location": "https://www.example.com"}}, "leads elsewhere"),
    ],
)
async def test_what_answers_instead_of_the_bot_is_said(looked, certificate, answer, words):
    async with served({MESSAGES_PATH: lambda _: web.Response(**answer)}, certificate) as address:
        finding = (await looked(public_url=address))["public_url"]
    assert finding.ok is False
    assert words in finding.words


async def test_a_certificate_that_nobody_trusts_is_said(looked, session, certificate):
    other = TCPConnector()
    session._connector, trusting = other, session._connector
    async with served({MESSAGES_PATH: lambda _: web.Response(status=401, text="refused")}, certificate) as address:
        finding = (await looked(public_url=address))["public_url"]
    await other.close()
    session._connector = trusting
    assert "its certificate is not trusted" in finding.words


async def test_a_manifest_that_breaks_a_rule_is_found(looked, unused_tcp_port):
    finding = (await looked(public_url=f"https://127.0.0.1:{unused_tcp_port}/{'x' * 2048}"))["manifest"]
    assert (finding.ok, "at most 2048" in finding.words, finding.fix) == (False, True, "correct teams.public_url")


async def test_without_an_address_nobody_knocks(looked):
    found = await looked()
    assert (found["public_url"].ok, found["manifest"].ok) == (None, None)


# ── one card ──

CHAT = Address("", "a:1/2", "29:ada", "28:bot")


async def test_one_card_is_sent_into_the_chat_that_is_known(looked):
    posted = []

    async def activities(request):
        posted.append((request.match_info["conversation"], request.headers["Authorization"], await request.json()))
        return web.json_response({"id": "1"}, status=201)

    async with served({"/emea/v3/conversations/{conversation}/activities": activities}) as address:
        found = await looked(send_to=Addressee("ada", replace(CHAT, service_url=f"{address}/emea/")))
    assert (found["channel"].ok, found["channel"].words) == (True, "is open: ada was sent a card")
    ((conversation, bearer, message),) = posted
    assert (conversation, bearer) == ("a:1/2", "Bearer a-token")
    assert "They do." in str(message["attachments"])


@pytest.mark.parametrize("code", REFUSALS)
async def test_what_teams_refuses_is_explained(looked, code):
    finding = await refused(looked, web.json_response({"error": {"code": code, "message": "No."}}, status=403))
    assert finding.words == f"a card to ada was refused: {REFUSALS[code].means} ({code})"
    assert finding.fix == REFUSALS[code].fix


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            {"status": 401, "text": '{"message": "Authorization has been denied."}'},
            "does not know the bot by its token",
        ),
        ({"status": 403}, "is not installed for this person"),
        ({"status": 429, "headers": {"Retry-After": "2"}}, "asks for quiet"),
        ({"status": 400, "text": '{"error": {"code": "BadSyntax"}}'}, "Teams refuses it (BadSyntax)"),
        ({"status": 302, "headers": {"Location": "https://www.example.com"}}, "Teams refuses it (HTTP 302"),
        ({"status": 500, "body": b"\xff"}, "Teams refuses it (HTTP 500"),
    ],
)
async def test_an_answer_without_a_known_code_is_read_by_its_status(looked, answer, words):
    assert words in (await refused(looked, web.Response(**answer))).words


async def refused(looked, answer):
    async with served({"/{any:.*}": lambda _: answer}) as address:
        finding = (await looked(send_to=Addressee("ada", replace(CHAT, service_url=address))))["channel"]
    assert finding.ok is False
    return finding


async def test_a_connection_that_breaks_leaves_it_open_whether_the_card_came(looked):
    def cut(request):
        request.transport.abort()
        return web.Response()

    async with served({"/{any:.*}": cut}) as address:
        finding = (await looked(send_to=Addressee("ada", replace(CHAT, service_url=address))))["channel"]
    assert (finding.ok, finding.words) == (False, "whether a card reached ada is not known: the connection is cut")


@pytest.mark.parametrize("address", [None, replace(CHAT, conversation="")])
async def test_to_somebody_unheard_of_nothing_is_sent(looked, address):
    finding = (await looked(send_to=Addressee("ada", address)))["channel"]
    assert (finding.ok, finding.words) == (False, "no chat with ada is known")


async def test_the_token_goes_to_no_other_service(looked):
    finding = (await looked(send_to=Addressee("ada", replace(CHAT, service_url="https://smba.example.com/"))))[
        "channel"
    ]
    assert (finding.ok, "no service of Teams'" in finding.words) == (False, True)


async def test_a_token_of_entras_own_goes_to_no_service_on_this_machine(session):
    to = Addressee("ada", replace(CHAT, service_url="http://127.0.0.1:9/"))
    assert "no service of Teams'" in (await hello(session, to, "a-token", loopback=False)).words


async def test_without_a_token_no_card_is_sent(looked, entra):
    entra.refusal = 7000222
    finding = (await looked(send_to=Addressee("ada", replace(CHAT, service_url="http://127.0.0.1:9/"))))["channel"]
    assert (finding.ok, finding.words) == (None, "no card was sent without a token")


# ── what is not set up ──


async def test_without_teams_nothing_is_asked(looked, entra, openid):
    assert [finding.ok for finding in (await looked(mode="off")).values()] == [True]
    assert (entra.forms, openid.asked) == ([], {})


async def test_what_is_lacking_is_said_and_nothing_is_asked(looked, entra):
    found = await examine(TeamsSettings(mode="on", app_id=APP_ID, login_url=entra.url), None, SystemClock())
    assert [(finding.name, finding.ok) for finding in found] == [("teams", False), ("teams", False), ("teams", None)]
    assert found[0].words == "teams.mode is 'on' and needs teams.tenant_id"
    assert found[0].fix.startswith("write the Directory (tenant) ID")
    assert entra.forms == []


async def test_the_mode_without_tokens_is_never_green(looked, entra):
    found = await looked(mode="anonymous", app_id="")
    assert [(finding.ok, "believes whoever" in finding.words) for finding in found.values()] == [(None, True)]
    assert entra.forms == []
