"""Whether a request is Teams': the token over it first, and only then what is in its body.

The Bot Connector signs a token for the bot it writes to, not for the words: whoever holds one could put any body under
it until it expires. So the body must come from the service that the token names, and from the one tenant served here.
"""

from http import HTTPStatus

from bot.channels.inbound import MOST_BYTES
from bot.channels.teams.address import is_service
from bot.channels.teams.bearer import CHANNEL, Checks, bearer, check, check_claims, is_id, key_id, refuse, signed_claims
from bot.channels.teams.keys import OpenIdKeys
from bot.channels.teams.port import Claims, Headers, Json, Refused
from bot.channels.teams.strict_json import read_object
from core.clock import Clock


def _is_from_teams(activity: Json, loopback: bool) -> bool:
    url = activity.get("serviceUrl")
    return isinstance(url, str) and is_service(url, loopback=loopback)


def _object(outer: Json, name: str) -> Json:
    inner = outer.get(name)
    return inner if isinstance(inner, dict) else {}


_ACTIVITY: Checks = (
    ("the activity is of no type", lambda activity, _: activity.get("type") and isinstance(activity["type"], str)),
    ("the activity is from another channel", lambda activity, _: activity.get("channelId") == CHANNEL),
    ("the activity is from a service that is none of Teams'", _is_from_teams),
)
_ORIGIN: Checks = (
    (
        "the activity is from another service than the token",
        lambda activity, claims, _: activity["serviceUrl"] == claims.get("serviceurl"),
    ),
    (
        "the activity is from another tenant",
        lambda activity, _, tenant_id: is_id(_object(_object(activity, "channelData"), "tenant").get("id"), tenant_id),
    ),
    (
        "the conversation is in another tenant",
        lambda activity, _, tenant_id: is_id(_object(activity, "conversation").get("tenantId") or tenant_id, tenant_id),
    ),
)


class Verifier:
    """For the app and the tenant of those ids, in small letters. `loopback`: a service on this machine is one too."""

    def __init__(self, app_id: str, tenant_id: str, keys: OpenIdKeys, clock: Clock, loopback: bool = False) -> None:
        self._app_id = app_id
        self._tenant_id = tenant_id
        self._keys = keys
        self._clock = clock
        self._loopback = loopback

    async def verify(self, headers: Headers, raw: bytes) -> Claims:
        """What the request proves. Raises Refused."""
        _check_size(raw)
        token = bearer(headers)
        claims = signed_claims(token, await self._keys.find(key_id(token)))
        check_claims(claims, self._app_id, self._clock.now())
        activity = _activity(raw, loopback=self._loopback)
        check(_ORIGIN, activity, claims, self._tenant_id)
        return Claims(self._app_id, activity["serviceUrl"])


class Anonymous:
    """In development, without an app: whoever reaches the bot on loopback may speak, but for a page in a browser."""

    async def verify(self, headers: Headers, raw: bytes) -> Claims:
        """Where the request says it comes from; nothing is proven. Raises Refused."""
        _check_size(raw)
        if any(name.lower() == "origin" for name, _ in headers):
            refuse("a page in a browser sent it")
        return Claims("", _activity(raw, loopback=True)["serviceUrl"])


def _check_size(raw: bytes) -> None:
    if len(raw) > MOST_BYTES:
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body has more than {MOST_BYTES} bytes")


def _activity(raw: bytes, *, loopback: bool) -> Json:
    """The activity that a body holds, whoever sent it."""
    try:
        activity = read_object(raw)
    except ValueError as error:
        raise Refused(HTTPStatus.BAD_REQUEST, "the body is no object in JSON that says one thing") from error
    check(_ACTIVITY, activity, loopback)
    return activity
