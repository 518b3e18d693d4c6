"""What Teams tells the bot, and an ingress that notes what it is given of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.channels.teams.address import Address
from bot.ingress import Reach, Tap
from core.model.work import Place
from tests.fakes.teams_openid import APP_ID, SERVICE_URL, TENANT_ID, USER_ID, message

Json = dict[str, Any]
ADA = Place("teams", TENANT_ID, USER_ID)
CHAT = Address(SERVICE_URL, "a:1chat", "29:1user", f"28:{APP_ID}", None, "en-GB")
BOT = {"id": f"28:{APP_ID}"}
GROUP = {"conversationType": "groupChat", "isGroup": True, "tenantId": TENANT_ID, "id": "19:group@thread.v2"}


@dataclass
class Recording:
    """`comes`: what a tap comes to. `served`: whether the organisation is known. `fails`: what the next look raises."""

    kept: list[tuple[Any, ...]] = field(default_factory=list)
    comes: str | Mapping[str, Any] = "no longer active"
    served: bool = True
    fails: Exception | None = None

    async def serves(self, place: Place) -> bool:
        if self.fails:
            raise self.fails
        return self.served

    def _reached(self, place: Place, reach: Reach | None) -> None:
        if reach is not None:
            self.kept.append(("reached", place, Address.from_row(reach.address), reach.zone, reach.locale))

    async def said(self, place: Place, event_id: str, text: str, reach: Reach | None = None) -> None:
        self._reached(place, reach)
        self.kept.append(("said", place, event_id, text))

    async def withdrawn(self, place: Place, event_id: str, message: str, text: str | None) -> None:
        self.kept.append(("withdrawn", place, event_id, message, text))

    async def arrived(self, place: Place, event_id: str, reach: Reach | None = None) -> None:
        self._reached(place, reach)
        self.kept.append(("arrived", place, event_id))

    async def left(self, place: Place, event_id: str, reason: str) -> None:
        self.kept.append(("left", place, event_id, reason))

    async def elsewhere(self, place: Place, event_id: str) -> None:
        self.kept.append(("elsewhere", place, event_id))

    async def seen_through(
        self, place: Place, tap: Tap, patience_secs: float, reach: Reach | None = None
    ) -> str | Mapping[str, Any]:
        self._reached(place, reach)
        self.kept.append(("tapped", place, tap))
        return self.comes

    def named(self, *names: str) -> list[tuple[Any, ...]]:
        return [one for one in self.kept if one[0] in names]


def written(text: str, **more: Any) -> Json:
    """A message of Ada's."""
    return message(text) | more


def tapped(action: Mapping[str, Any], reply_to: str = "1700", **more: Any) -> Json:
    """A tap of Ada's on what a card shows: an Action.Execute as Teams sends it."""
    value = {"action": {"type": "Action.Execute", **action}, "trigger": "manual"}
    told = {"type": "invoke", "name": "adaptiveCard/action", "value": value, "replyToId": reply_to}
    return _without_words(message()) | told | more


def installed(action: str, **more: Any) -> Json:
    return _without_words(message()) | {"type": "installationUpdate", "action": action} | more


def members(**changes: Any) -> Json:
    """`membersAdded` or `membersRemoved`."""
    return _without_words(message()) | {"type": "conversationUpdate"} | changes


def edited(text: str, event: str = "editMessage", **more: Any) -> Json:
    told = {"type": "messageUpdate", "channelData": {"tenant": {"id": TENANT_ID}, "eventType": event}}
    return message(text) | told | more


def deleted() -> Json:
    told = {"type": "messageDelete", "channelData": {"tenant": {"id": TENANT_ID}, "eventType": "softDeleteMessage"}}
    return _without_words(message()) | told


def _without_words(activity: Json) -> Json:
    return {name: value for name, value in activity.items() if name not in {"text", "textFormat"}}
