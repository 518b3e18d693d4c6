"""One tenant in Teams as its Bot Connector sees it: who is in it, their chats with the bot, what stands there."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.fakes.teams_openid import APP_ID, TENANT_ID

Json = dict[str, Any]
BOT = f"28:{APP_ID}"
MOST_BYTES = 28_672
"""Of a message; the real limit is said to be about that."""


class Refusal(Exception):
    """What the Connector says no with."""

    def __init__(self, status: int, code: str, words: str = "") -> None:
        super().__init__(code)
        self.status, self.code = status, code
        self.body = {"error": {"code": code, "message": words or code}} if code else None


@dataclass
class User:
    """`user_id` is Entra's; `teams_id` what the bot hears them called by.

    `no`: the code that whatever is sent to them is refused with.
    """

    user_id: str
    name: str
    upn: str
    email: str | None = None
    role: str = "user"
    tenant_id: str = TENANT_ID
    no: str | None = None
    conversation: str | None = None

    @property
    def teams_id(self) -> str:
        return f"29:{self.user_id[-12:]}"

    @property
    def ids(self) -> set[str]:
        return {self.user_id, self.teams_id}

    def member(self) -> Json:
        told = {"id": self.teams_id, "name": self.name, "aadObjectId": self.user_id, "tenantId": self.tenant_id}
        told |= {"userPrincipalName": self.upn, "email": self.email or self.upn, "userRole": self.role}
        return told | {"objectId": self.user_id, "givenName": self.name, "surname": ""}


@dataclass
class Message:
    """What stands in a chat. `written`: how often."""

    activity_id: str
    activity: Json
    written: int = 1

    @property
    def card(self) -> Json:
        content: Json = self.activity["attachments"][0]["content"]
        return content


@dataclass
class World:
    """`messages`: of each conversation, in order."""

    users: dict[str, User] = field(default_factory=dict)
    messages: dict[str, list[Message]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._numbers = count(1)

    def add_user(self, user_id: str, name: str = "Ada", **more: Any) -> User:
        """Somebody for whom the app is installed, who has no chat with it yet."""
        user = User(user_id, name, more.pop("upn", f"{name.lower()}@acme.example"), **more)
        self.users[user_id] = user
        return user

    def chat(self, user: User) -> str:
        """The id of their chat with the bot, which is opened if need be."""
        if user.conversation is None:
            user.conversation = f"a:{next(self._numbers)}-{user.user_id[:8]}"
            self.messages[user.conversation] = []
        return user.conversation

    def lose_chat(self, user: User) -> None:
        """Its id is not known any more; the next one will be another."""
        if user.conversation:
            del self.messages[user.conversation]
        user.conversation = None

    def open(self, asked: Json) -> Json:
        [member] = asked["members"]
        user = next((one for one in self.users.values() if member["id"] in one.ids), None)
        if user is None or asked["channelData"]["tenant"]["id"] != user.tenant_id:
            raise Refusal(400, "BadSyntax", "Invalid user identity in provided tenant")
        if asked.get("isGroup") or asked["bot"]["id"] != BOT:
            raise Refusal(400, "BadArgument")
        if user.no == "ForbiddenOperationException":
            raise Refusal(403, user.no)
        return {"id": self.chat(user)}

    def send(self, conversation: str, activity: Json, size: int) -> Json:
        self._check(conversation, activity, size)
        message = Message(str(1_700_000_000_000 + next(self._numbers)), activity)
        self.messages[conversation].append(message)
        return {"id": message.activity_id}

    def update(self, conversation: str, activity_id: str, activity: Json, size: int) -> Json:
        self._check(conversation, activity, size)
        message = next((one for one in self.messages[conversation] if one.activity_id == activity_id), None)
        if message is None:
            raise Refusal(404, "ActivityNotFoundInConversation", "Conversation not found.")
        message.activity, message.written = activity, message.written + 1
        return {"id": activity_id}

    def member(self, conversation: str, member_id: str) -> Json:
        self._chat(conversation)
        user = next((one for one in self.users.values() if member_id in one.ids), None)
        if user is None or user.conversation != conversation:
            raise Refusal(404, "MemberNotFoundInConversation", "Member not found in conversation.")
        return user.member()

    def _check(self, conversation: str, activity: Json, size: int) -> None:
        user = self._chat(conversation)
        if user.no:
            raise Refusal(403, user.no)
        if activity.get("type") != "message":
            raise Refusal(400, "BadSyntax", "Activity type is required.")
        if size > MOST_BYTES:
            raise Refusal(413, "MessageSizeTooBig", "Message size too large.")

    def _chat(self, conversation: str) -> User:
        user = next((one for one in self.users.values() if one.conversation == conversation), None)
        if user is None:
            raise Refusal(404, "ConversationNotFound", "Conversation not found.")
        return user
