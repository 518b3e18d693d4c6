"""The way to Teams by the Bot Framework's SDK, of which nothing else here knows.

The SDK's parts are used as they are, but for those that it lets one choose. It sends by blocking requests in threads,
each made up to four times, follows redirects, and reads errors only where they are JSON: here it sends over one session
of connections, a POST once, and whatever is no success is read by `outcomes`. Its credentials fetch a token within each
turn and each send: here the one token is at hand. A turn makes no request at all.

Nothing is asked of a service that is none of Teams' own, and no token is made for it.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from typing import Any, NoReturn

from aiohttp import ClientResponse, ClientSession, ClientTimeout, DummyCookieJar
from azure.core.exceptions import AzureError
from botbuilder.core import CloudAdapterBase, TurnContext
from botbuilder.schema import Activity, ChannelAccount, ConversationParameters
from botframework.connector.aio import ConnectorClient
from botframework.connector.auth import BotFrameworkAuthentication, ClaimsIdentity
from botframework.connector.auth.authenticate_request_result import AuthenticateRequestResult
from botframework.connector.auth.connector_factory import ConnectorFactory
from botframework.connector.bot_framework_sdk_client_async import BotFrameworkConnectorConfiguration
from msrest.exceptions import ClientException
from msrest.pipeline import Request, Response
from msrest.pipeline.async_abc import AsyncHTTPSender, AsyncPipeline
from msrest.pipeline.universal import RawDeserializer
from msrest.universal_http import ClientRequest
from msrest.universal_http.async_abc import AsyncClientResponse

from bot.channels.base import Gone, NotSent, Profile, Sent, Unknown, Unreachable, UpdateOutcome
from bot.channels.inbound import limited
from bot.channels.teams.address import Address, is_service
from bot.channels.teams.outcomes import DONE, ELSEWHERE, Trouble, answered, failed, meaning, no_token, without_effect
from bot.channels.teams.port import Answered, Claims, Headers, Json, Refused, Turn
from bot.channels.teams.profiles import profile_of
from bot.channels.teams.strict_json import read_object
from bot.channels.teams.token import Token
from bot.channels.teams.verifier import Anonymous, Verifier
from core.clock import Clock

TIMEOUT_SECS, CONNECT_SECS = 15.0, 8.0
MOST_BYTES = 262_144
"""Of an answer: they hold an id, a member or an error."""
_DONE = {HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.ACCEPTED}
_NO_CREDENTIALS = object()
"""The SDK wants some; a request's token is among its own headers."""


class BotFrameworkTransport:
    """For one app. `token` None: in development, where none is asked for. `loopback`: so may a service be this machine.

    `verifier`: who may speak to the bot.
    """

    def __init__(
        self,
        app_id: str,
        verifier: Verifier | Anonymous,
        token: Token | None,
        clock: Clock,
        *,
        loopback: bool = False,
        timeout_secs: float = TIMEOUT_SECS,
    ) -> None:
        self._app_id = app_id
        self._verifier = verifier
        self._token = token
        self._clock = clock
        self._loopback = loopback
        self._timeout_secs = timeout_secs
        self._sender = _Sender(ClientTimeout(total=timeout_secs, connect=min(CONNECT_SECS, timeout_secs)))
        self._clients: dict[str, ConnectorClient] = {}
        self._adapter = _Adapter(_Authentication())

    # ── in ──

    async def verify(self, headers: Headers, raw: bytes) -> Claims:
        return await self._verifier.verify(headers, raw)

    async def take(self, claims: Claims, raw: bytes, turn: Turn) -> Answered | None:
        told, activity = _read(raw)
        answers: list[Answered | None] = []

        async def logic(_: TurnContext) -> None:
            answers.append(await turn(told))

        await self._adapter.process_activity(self._let_in(claims), activity, logic)
        return answers[0]

    def _let_in(self, claims: Claims) -> AuthenticateRequestResult:
        let_in = AuthenticateRequestResult()
        let_in.claims_identity = ClaimsIdentity({"aud": claims.app_id, "serviceurl": claims.service_url}, True)
        let_in.connector_factory = _Factory(self._client)
        return let_in

    # ── out ──

    async def send(self, address: Address, message: Json) -> UpdateOutcome:
        outcome = await self._written(address, message, "send_to_conversation", address.conversation)
        return Unknown("the message has no id") if outcome == Sent("") else outcome

    async def update(self, address: Address, activity_id: str, message: Json) -> UpdateOutcome:
        outcome = await self._written(address, message, "update_activity", address.conversation, activity_id)
        return Sent(activity_id) if isinstance(outcome, Sent) else outcome

    async def open_dm(self, tenant: str, address: Address) -> Address | NotSent:
        bot, user = ChannelAccount(id=address.bot or f"28:{self._app_id}"), ChannelAccount(id=address.user)
        where = {"tenant": {"id": tenant}}  # the SDK's own field for it is spelt as Teams does not
        asked = ConversationParameters(is_group=False, bot=bot, members=[user], channel_data=where)
        try:
            opened = await self._asked(address, "create_conversation", asked)
        except _Failed as failure:
            return without_effect(failure.trouble, self._clock.now())
        if not _id_of(opened):
            return NotSent("the conversation has no id")
        return replace(address, conversation=opened.id, bot=bot.id)

    async def member(self, address: Address, workspace: str, user_id: str) -> Profile | None:
        try:
            found = await self._asked(address, "get_conversation_member", address.conversation, user_id)
        except _Failed as failure:
            if isinstance(meaning(failure.trouble, self._clock.now()), Gone):
                return None
            raise Unreachable(failure.trouble.error) from None
        if found is None:
            raise Unreachable("unreadable answer")
        return profile_of(found.serialize() | found.additional_properties, workspace, user_id)

    async def ready(self) -> None:
        if self._token is not None:
            await self._token.get()

    async def close(self) -> None:
        await self._sender.close()
        if self._token is not None:
            await self._token.close()

    async def _written(self, address: Address, message: Json, operation: str, *where: str) -> UpdateOutcome:
        """Sent with the id that the answer names, or ""."""
        try:
            return Sent(_id_of(await self._asked(address, operation, *where, Activity.deserialize(message))))
        except _Failed as failure:
            return meaning(failure.trouble, self._clock.now())

    async def _asked(self, address: Address, operation: str, *given: Any) -> Any:
        """What the SDK makes of the answer to one request. Raises _Failed."""
        if not is_service(address.service_url, loopback=self._loopback):
            raise _Failed(ELSEWHERE)
        bearer = await self._bearer()
        call = getattr(self._client(address.service_url).conversations, operation)
        try:
            done = await call(*given, custom_headers={"Authorization": f"Bearer {bearer}"} if bearer else {})
        except (ClientException, AzureError, ValueError) as error:  # it came, and says nothing that the SDK can read
            raise _Failed(Trouble("unreadable answer", HTTPStatus.OK)) from error
        except _Failed as failure:
            raise _Failed(self._heeded(failure.trouble, bearer)) from None
        self._heeded(DONE, bearer)
        return done

    async def _bearer(self) -> str | None:
        if self._token is None:
            return None
        try:
            return self._token.held or await self._token.get()
        except Refused as refused:
            raise _Failed(no_token(refused)) from None

    def _heeded(self, trouble: Trouble, bearer: str | None) -> Trouble:
        """The same, with what it tells of the token."""
        if self._token is None or bearer is None or trouble.status is None:
            return trouble
        if trouble.status == HTTPStatus.UNAUTHORIZED:
            return replace(trouble, fresh=self._token.refused(bearer))
        self._token.accepted()
        return trouble

    def _client(self, service_url: str) -> ConnectorClient:
        """The one for a service. Raises Refused for one that is none of Teams'."""
        if not is_service(service_url, loopback=self._loopback):
            raise Refused(HTTPStatus.UNAUTHORIZED, "the activity is from a service that is none of Teams'")
        if service_url not in self._clients:
            config = BotFrameworkConnectorConfiguration(
                _NO_CREDENTIALS,
                service_url,
                pipeline_type=lambda config: AsyncPipeline([config.user_agent_policy, RawDeserializer()], self._sender),
            )
            config.connection.timeout = self._timeout_secs
            self._clients[service_url] = ConnectorClient(_NO_CREDENTIALS, custom_configuration=config)
        return self._clients[service_url]


def _read(raw: bytes) -> tuple[Json, Activity]:
    """An activity as it came, and as the SDK has it. Raises Refused, 400."""
    try:
        told = read_object(raw)
        return told, Activity.deserialize(told)
    except (ClientException, AzureError, ValueError, AttributeError, TypeError) as error:
        raise Refused(HTTPStatus.BAD_REQUEST, "the activity cannot be read") from error


def _id_of(answer: Any) -> str:
    """The id it names, or nothing."""
    named = getattr(answer, "id", None)
    return named if isinstance(named, str) else ""


class _Failed(Exception):
    """A request was not made, or not met."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.error)
        self.trouble = trouble


class _Reply(AsyncClientResponse):
    """An answer that was read whole."""

    def __init__(self, request: ClientRequest, answer: ClientResponse, body: bytes) -> None:
        super().__init__(request, answer)
        self.status_code, self._body = answer.status, body
        self.headers = {name.lower(): value for name, value in answer.headers.items()}

    def body(self) -> bytes:
        return self._body


class _Sender(AsyncHTTPSender[ClientRequest, AsyncClientResponse]):
    """Over a session that the first request opens. A GET or PUT whose connection was cut may be made once more."""

    def __init__(self, timeout: ClientTimeout) -> None:
        self._timeout = timeout
        self._session: ClientSession | None = None

    async def send(self, request: Request[ClientRequest], **_: Any) -> Response[ClientRequest, AsyncClientResponse]:
        asked = request.http_request
        try:
            async with self._opened().request(
                asked.method, asked.url, data=_utf8(asked.data), headers=_unmeasured(asked), allow_redirects=False
            ) as answer:
                body = await limited(answer.content, MOST_BYTES)
        except Exception as error:
            raise _Failed(failed(error)) from error
        if answer.status not in _DONE:
            raise _Failed(answered(answer.status, answer.headers.get("Retry-After"), body))
        return Response(request, _Reply(asked, answer, body))

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _opened(self) -> ClientSession:
        if self._session is None:
            self._session = ClientSession(timeout=self._timeout, trust_env=True, cookie_jar=DummyCookieJar())
        return self._session


def _utf8(body: str | None) -> bytes | None:
    """The same JSON without the SDK's escapes, which take up to three times the room that a card was fitted into."""
    if body is None or "\\u" not in body:
        return body.encode() if body else None
    return json.dumps(json.loads(body), ensure_ascii=False).encode(errors="replace")


def _unmeasured(asked: ClientRequest) -> dict[str, str]:
    return {name: value for name, value in asked.headers.items() if name.lower() != "content-length"}


class _Adapter(CloudAdapterBase):  # type: ignore[misc]  # the SDK has no types
    """The SDK's, without what belongs to a web server of its own. An error within a turn passes through it."""


class _Factory(ConnectorFactory):  # type: ignore[misc]  # the SDK has no types
    def __init__(self, client: Callable[[str], ConnectorClient]) -> None:
        self._client = client

    async def create(self, service_url: str, _audience: str) -> ConnectorClient:
        return self._client(service_url)


def _not_asked(*_: object) -> NoReturn:
    """What the SDK would ask of a request that nobody has verified, or of one that comes from itself."""
    raise RuntimeError("the SDK asks for what is decided before it is called")


class _Authentication(BotFrameworkAuthentication):  # type: ignore[misc]  # the SDK has no types
    """Who comes this far has been verified, and has a connector."""

    authenticate_request = authenticate_streaming_request = create_connector_factory = _not_asked

    async def create_user_token_client(self, claims_identity: ClaimsIdentity) -> None:
        """No token of a user's is ever asked for."""
