"""Cards as direct messages in Slack, and as the view of somebody's home tab.

A message goes only to the id that conversations.open gave for its recipient, and only when that is a direct message's.
Such an id goes stale now and then. It is then asked for once more and the call made once more, which is safe since
Slack said that there is no such place. Ids of users mean something within one workspace alone: in another they may be
somebody else's, so that nothing is done before Slack has said which one the token is for, nor for any other.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from bot.channels.base import CALLED_OFF, Absent, CannotTell, Found, NotSent, Profile, SendOutcome, Sent, Unreachable
from bot.channels.pace import Pace
from bot.channels.slack.outcomes import Trouble, meaning, without_effect
from bot.channels.slack.reading import cursor_of, direct, listed, marked, profile_of, stamp_of
from bot.channels.slack.web import CallFailed, Reply, SlackWeb
from bot.channels.writing import MayGo, NotWritten, drawn
from cards.slack import to_slack, to_slack_home
from core.model.notices import Outgoing
from core.model.work import HOME, Extent

PAGE, MOST_PAGES = 200, 50
UNKNOWABLE = frozenset({"user_not_found", "users_not_found", "user_not_visible", "missing_scope"})
"""Why there is no profile to be had, and asking again would not help: whoever it is is told how to be known."""

Answer = TypeVar("Answer")


class SlackChannel:
    """One workspace, by its bot token. `workspace`: which one Slack says that is; None until it has said so.

    `may_go`: asked of a card whose turn has come.
    """

    def __init__(self, web: SlackWeb, pace: Pace, may_go: MayGo, workspace: Callable[[], str | None]) -> None:
        self._web = web
        self._pace = pace
        self._may_go = may_go
        self._workspace = workspace
        self._conversations: dict[str, str] = {}

    async def send(self, card: Outgoing) -> SendOutcome:
        return await self._ended(card, self._publish if card.kind == HOME else self._post)

    async def update(self, card: Outgoing) -> SendOutcome:
        return await self._ended(card, self._publish if card.kind == HOME else self._replace)

    async def find_sent(self, card: Outgoing) -> Found | Absent | CannotTell:
        """A home tab is always absent: publishing it again does no harm."""
        if card.kind == HOME:
            return Absent()
        try:
            self._check(card.place.workspace)
            return await self._there(card, lambda conversation: self._search(conversation, card))
        except NotWritten as refused:
            return CannotTell(refused.outcome.reason)
        except CallFailed as failed:
            gone = failed.trouble.error == "thread_not_found"  # with the message that began it
            return Absent() if gone else CannotTell(failed.trouble.reason)

    async def profile(self, workspace: str, user_id: str) -> Profile | None:
        try:
            self._check(workspace)
            reply = await self._web.ask(self._web.client.users_info(user=user_id, include_locale=True))
        except NotWritten as refused:
            raise Unreachable(refused.outcome.reason) from refused
        except CallFailed as failed:
            if failed.trouble.error in UNKNOWABLE:
                return None
            raise Unreachable(failed.trouble.reason) from failed
        if not isinstance(reply.body.get("user"), dict):
            raise Unreachable("unreadable answer")
        return profile_of(user_id, reply.body["user"], workspace)

    def _check(self, workspace: str) -> None:
        mine = self._workspace()
        if mine is None:
            raise NotWritten(NotSent("Slack has not said yet which workspace the token is for"))
        if workspace != mine:
            raise NotWritten(NotSent(f"the token is for the workspace {mine}, and not for {workspace}"))

    async def _ended(self, card: Outgoing, write: Callable[[Outgoing], Awaitable[Sent]]) -> SendOutcome:
        try:
            self._check(card.place.workspace)
            return await write(card)
        except NotWritten as refused:
            return refused.outcome
        except CallFailed as failed:
            return meaning(failed.trouble)

    async def _post(self, card: Outgoing) -> Sent:
        message = _message(card) | {"thread_ts": card.place.thread, "unfurl_links": False, "unfurl_media": False}

        async def post(conversation: str) -> Sent:
            await self._pace.turn(conversation)
            if not await self._may_go(card):
                raise NotWritten(CALLED_OFF)
            reply = await self._web.ask(self._web.client.chat_postMessage(channel=conversation, **message))
            return Sent(f"{conversation}/{_stamp(reply)}")

        return await self._there(card, post)

    async def _replace(self, card: Outgoing) -> Sent:
        known, _, ts = (card.message_ref or "").partition("/")
        if direct(known) is None:
            raise NotWritten(NotSent(f"{card.message_ref!r} is no message of Slack's", lasting=Extent.CARD))
        message = _message(card)

        async def replace(conversation: str) -> Sent:
            await self._pace.turn(conversation)
            await self._web.ask(self._web.client.chat_update(channel=conversation, ts=ts, **message))
            return Sent(f"{conversation}/{ts}")

        return await self._there(card, replace, known)

    async def _publish(self, card: Outgoing) -> Sent:
        view = drawn(card, to_slack_home)
        await self._pace.turn(card.place.user_id)
        await self._web.ask(self._web.client.views_publish(user_id=card.place.user_id, view=view))
        return Sent(HOME)

    async def _there(self, card: Outgoing, act: Callable[[str], Awaitable[Answer]], known: str = "") -> Answer:
        """Act in the recipient's conversation, and once more if Slack no longer knows its id."""
        user_id = card.place.user_id
        try:
            return await act(known or await self._conversation(user_id))
        except CallFailed as failed:
            if failed.trouble.error != "channel_not_found":
                raise
        self._conversations.pop(user_id, None)
        return await act(await self._conversation(user_id))

    async def _conversation(self, user_id: str) -> str:
        if user_id not in self._conversations:
            self._conversations[user_id] = await self._open(user_id)
        return self._conversations[user_id]

    async def _open(self, user_id: str) -> str:
        try:
            reply = await self._web.ask(self._web.client.conversations_open(users=user_id))
        except CallFailed as failed:
            raise NotWritten(without_effect(failed.trouble)) from failed
        channel = reply.body.get("channel")
        opened = channel.get("id") if isinstance(channel, dict) else None
        if opened is None:
            raise NotWritten(NotSent("conversations.open gave no id"))
        if direct(opened) is None:
            raise NotWritten(NotSent(f"{opened!r} is no direct message", lasting=Extent.PERSON))
        return str(opened)

    async def _search(self, conversation: str, card: Outgoing) -> Found | Absent | CannotTell:
        """Everything ever said there, page by page, the newest first; in a thread, all of it.

        Were it only what came since the card was made, a clock that was ahead then would hide a card that stands.
        """
        cursor = None
        for _ in range(MOST_PAGES):
            page = (await self._page(conversation, card.place.thread, cursor)).body
            messages = listed(page)
            if messages is None:
                return CannotTell("unreadable answer")
            ts = stamp_of(messages, card.delivery_key)
            if ts is not None:
                return Found(f"{conversation}/{ts}")
            cursor = cursor_of(page)
            if cursor is None:
                return CannotTell("the history breaks off") if page.get("has_more") else Absent()
        return CannotTell("the history is too long to be read")

    async def _page(self, conversation: str, thread: str | None, cursor: str | None) -> Reply:
        chosen: dict[str, Any] = {
            "channel": conversation,
            "include_all_metadata": True,
            "limit": PAGE,
            "cursor": cursor,
        }
        client = self._web.client
        page = client.conversations_replies(ts=thread, **chosen) if thread else client.conversations_history(**chosen)
        return await self._web.ask(page)


def _message(card: Outgoing) -> dict[str, Any]:
    """Also when it replaces another: a message that is replaced without metadata loses it."""
    return drawn(card, to_slack) | {"metadata": marked(card.delivery_key)}


def _stamp(reply: Reply) -> str:
    if isinstance(reply.body.get("ts"), str):
        return str(reply.body["ts"])
    raise CallFailed(Trouble("the message has no ts"))
