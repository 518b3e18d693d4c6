"""A way to Teams without an SDK and without HTTP: it holds what any other has to, and is quick."""

from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus

from bot.channels.base import Gone, NotSent, Profile, Sent, Unknown, Unreachable, UpdateOutcome
from bot.channels.teams.address import Address
from bot.channels.teams.outcomes import Trouble, answered, meaning, without_effect
from bot.channels.teams.port import Answered, Claims, Headers, Json, Refused, Turn
from bot.channels.teams.profiles import profile_of
from bot.channels.teams.strict_json import read_object
from core.clock import Clock
from tests.fakes.faults import STORED, Faults, takes_effect
from tests.fakes.teams_connector import said
from tests.fakes.teams_openid import APP_ID, SERVICE_URL
from tests.fakes.teams_world import BOT, Refusal, World

_NO_ANSWER = {"cut", "silence", "half"}
_UNREADABLE = {"empty", "garbage"}


class _Failed(Exception):
    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.error)
        self.trouble = trouble


class MemoryTransport:
    """Faults are scripted in the same words as those of the fake connector."""

    def __init__(self, world: World, clock: Clock) -> None:
        self.world = world
        self.faults = Faults()
        self._clock = clock

    async def verify(self, headers: Headers, raw: bytes) -> Claims:
        if dict(headers).get("Authorization") != "Bearer good":
            raise Refused(HTTPStatus.UNAUTHORIZED, "not the token that is good here")
        return Claims(APP_ID, SERVICE_URL)

    async def take(self, claims: Claims, raw: bytes, turn: Turn) -> Answered | None:
        try:
            told = read_object(raw)
        except ValueError as error:
            raise Refused(HTTPStatus.BAD_REQUEST, "the activity cannot be read") from error
        return await turn(told)

    async def send(self, address: Address, message: Json) -> UpdateOutcome:
        try:
            return Sent(self._done("send", lambda: self.world.send(address.conversation, message, 0))["id"])
        except _Failed as failed:
            return meaning(failed.trouble, self._clock.now())

    async def update(self, address: Address, activity_id: str, message: Json) -> UpdateOutcome:
        try:
            self._done("update", lambda: self.world.update(address.conversation, activity_id, message, 0))
        except _Failed as failed:
            outcome = meaning(failed.trouble, self._clock.now())
            return Sent(activity_id) if isinstance(outcome, Unknown) and failed.trouble.error == "empty" else outcome
        return Sent(activity_id)

    async def open_dm(self, tenant: str, address: Address) -> Address | NotSent:
        asked = {"bot": {"id": BOT}, "members": [{"id": address.user}], "channelData": {"tenant": {"id": tenant}}}
        try:
            opened = self._done("open", lambda: self.world.open(asked))
        except _Failed as failed:
            return without_effect(failed.trouble, self._clock.now())
        return replace(address, conversation=opened["id"], bot=BOT)

    async def member(self, address: Address, workspace: str, user_id: str) -> Profile | None:
        try:
            found = self._done("member", lambda: self.world.member(address.conversation, user_id))
        except _Failed as failed:
            if isinstance(meaning(failed.trouble, self._clock.now()), Gone):
                return None
            raise Unreachable(failed.trouble.error) from None
        return profile_of(found, workspace, user_id)

    async def ready(self) -> None:
        if self.faults.next("token") != "ok":
            raise Refused(HTTPStatus.UNAUTHORIZED, "as scripted")

    async def close(self) -> None:
        """There is nothing to close."""

    def _done(self, operation: str, act: Callable[[], Json]) -> Json:
        fault = self.faults.next(operation)
        try:
            body = act() if takes_effect(fault) else {}
        except Refusal as refusal:
            raise _Failed(Trouble(refusal.code, refusal.status)) from None
        if fault != "ok":
            raise _Failed(_trouble(fault.removesuffix(STORED)))
        return body


def _trouble(fault: str) -> Trouble:
    if fault in _NO_ANSWER:
        return Trouble(fault)
    if fault in _UNREADABLE:
        return Trouble(fault, HTTPStatus.OK)
    answer = said(fault)
    return answered(answer.status, answer.headers.get("Retry-After"), bytes(answer.body or b""))
