"""The methods of Slack's Web API: what each needs, does and answers. https://docs.slack.dev/reference/methods"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

from tests.fakes.slack_blocks import MOST_IN_HOME, MOST_IN_MESSAGE, problems
from tests.fakes.slack_world import Message, Refused, User, Workspace

Json = dict[str, Any]
LONGEST_TEXT, LONGEST_BLOCKS = 40_000, 13_200


def auth_test(workspace: Workspace, _: Json) -> Json:
    return {
        "url": f"https://{workspace.name.lower()}.slack.example/",
        "team": workspace.name,
        "team_id": workspace.team,
        "user": "clarify",
        "user_id": workspace.bot_user,
        "bot_id": workspace.bot_id,
        "is_enterprise_install": False,
    }


def conversations_open(workspace: Workspace, args: Json) -> Json:
    users = str(args.get("users", "")).split(",")
    if len(users) > 1:
        return {"channel": {"id": f"G{workspace.number()}"}}
    user = workspace.user(users[0])
    _can_hear(user)
    if user.is_bot or not user.hears_bots:
        raise Refused("cannot_dm_bot")
    return {"channel": {"id": workspace.opens_as or workspace.channel(user.user_id)}}


def post_message(workspace: Workspace, args: Json) -> Json:
    user_id = _place(workspace, args)
    content = _content(workspace, "chat.postMessage", args)
    thread_ts = args.get("thread_ts")
    if thread_ts and workspace.find(args["channel"], thread_ts) is None:
        raise Refused("thread_not_found")
    message = workspace.store(user_id, **content, thread_ts=thread_ts, bot_id=workspace.bot_id)
    return {"channel": message.channel, "ts": message.ts, "message": message.shown()}


def post_ephemeral(workspace: Workspace, args: Json) -> Json:
    _place(workspace, args)
    content = _content(workspace, "chat.postEphemeral", args)
    workspace.ephemerals.append({"user": args.get("user"), **content})
    return {"message_ts": f"1.{workspace.number():06}"}


def update(workspace: Workspace, args: Json) -> Json:
    _place(workspace, args)
    message = workspace.find(args["channel"], str(args.get("ts")))
    if message is None:
        raise Refused("message_not_found")
    if message.bot_id != workspace.bot_id:
        raise Refused("cant_update_message")
    content = _content(workspace, "chat.update", args)
    message.text, message.blocks, message.metadata = content["text"], content["blocks"], content["metadata"]
    message.updates += 1
    return {"channel": message.channel, "ts": message.ts, "text": message.text, "message": message.shown()}


def history(workspace: Workspace, args: Json) -> Json:
    """The newest first; what was said in a thread is not there."""
    said = workspace.messages(workspace.whose(str(args.get("channel"))))
    top = [message for message in reversed(said) if message.thread_ts in {None, message.ts}]
    return _page([message for message in top if _within(message, args)], args)


def replies(workspace: Workspace, args: Json) -> Json:
    """The message that began the thread, then the oldest first."""
    said = workspace.messages(workspace.whose(str(args.get("channel"))))
    root = next((message for message in said if message.ts == args.get("ts")), None)
    if root is None:
        raise Refused("thread_not_found")
    below = [message for message in said if message.thread_ts == root.ts and message is not root]
    return _page([root, *(message for message in below if _within(message, args))], args)


def users_info(workspace: Workspace, args: Json) -> Json:
    user = workspace.user(str(args.get("user")))
    return {"user": described(workspace, user, with_locale=_true(args.get("include_locale")))}


def described(workspace: Workspace, user: User, *, with_locale: bool) -> Json:
    """A user as users.info and user_change tell of them."""
    profile: Json = {"real_name": user.name, "display_name": user.name}
    if "users:read.email" in workspace.scopes and user.email and not user.is_bot:
        profile["email"] = user.email
    told: Json = {"id": user.user_id, "team_id": workspace.team, "name": user.name.lower(), "deleted": user.deleted}
    told |= {"real_name": user.name, "profile": profile, "is_bot": user.is_bot, "is_app_user": False}
    if user.is_stranger:
        told["is_stranger"] = True
    if not user.deleted:
        told |= {"tz": user.zone, "tz_offset": 3_600, "is_restricted": user.is_restricted}
        told |= {"is_ultra_restricted": user.is_ultra_restricted, "is_email_confirmed": user.email_confirmed}
    return told | ({"locale": user.locale} if with_locale and not user.deleted else {})


def views_publish(workspace: Workspace, args: Json) -> Json:
    if not workspace.home_tab:
        raise Refused("not_enabled")
    user, view = workspace.user(str(args.get("user_id"))), args.get("view")
    shown = workspace.homes.get(user.user_id)
    if args.get("hash") and shown and args["hash"] != shown["hash"]:
        raise Refused("hash_conflict")
    if not isinstance(view, dict) or view.get("type") != "home":
        raise Refused("invalid_arguments", response_metadata={"messages": ["view: not a home view"]})
    if wrong := problems(view.get("blocks"), MOST_IN_HOME):
        raise Refused("invalid_arguments", response_metadata={"messages": wrong})
    stamp = {"id": shown["id"] if shown else f"V{workspace.number()}", "hash": f"h{workspace.number()}"}
    workspace.homes[user.user_id] = view | stamp | {"team_id": workspace.team, "app_id": "A1"}
    return {"view": workspace.homes[user.user_id]}


METHODS: dict[str, tuple[str | None, Callable[[Workspace, Json], Json]]] = {
    "auth.test": (None, auth_test),
    "conversations.open": ("im:write", conversations_open),
    "chat.postMessage": ("chat:write", post_message),
    "chat.postEphemeral": ("chat:write", post_ephemeral),
    "chat.update": ("chat:write", update),
    "conversations.history": ("im:history", history),
    "conversations.replies": ("im:history", replies),
    "users.info": ("users:read", users_info),
    "views.publish": (None, views_publish),
}


def perform(workspace: Workspace, method: str, args: Json) -> Json:
    """The whole answer of one call."""
    try:
        return {"ok": True, **_performed(workspace, method, args)}
    except Refused as refused:
        return refused.body


def _performed(workspace: Workspace, method: str, args: Json) -> Json:
    if workspace.refusal is not None:
        raise Refused(workspace.refusal)
    if method not in METHODS:
        workspace.violations.append(f"{method}: no such method, or none that this bot may use")
        raise Refused("unknown_method", req_method=method)
    scope, act = METHODS[method]
    if scope is not None and scope not in workspace.scopes:
        raise Refused("missing_scope", needed=scope, provided=",".join(sorted(workspace.scopes)))
    return act(workspace, args)


def _can_hear(user: User) -> None:
    if user.deleted:
        raise Refused("user_disabled")


def _place(workspace: Workspace, args: Json) -> str:
    """The user whose conversation a message is for: nothing else is ever posted to."""
    channel = str(args.get("channel"))
    if not channel.startswith("D"):
        workspace.violations.append(f"a message for {channel}, which is no direct message")
        raise Refused("not_in_channel")
    user_id = workspace.whose(channel)
    _can_hear(workspace.user(user_id))
    if not workspace.messages_tab:
        raise Refused("messages_tab_disabled")
    return user_id


def _content(workspace: Workspace, method: str, args: Json) -> Json:
    text, blocks = args.get("text") or "", args.get("blocks") or []
    if not text.strip():
        workspace.violations.append(f"{method}: a message without text")
    if any(ping in text for ping in ("<!", "<@", "<#")):
        workspace.violations.append(f"{method}: text that pings: {text[:80]}")
    if not text and not blocks:
        raise Refused("no_text")
    if len(text) > LONGEST_TEXT:
        raise Refused("msg_too_long")
    if wrong := problems(blocks, MOST_IN_MESSAGE):
        raise Refused("invalid_blocks", errors=wrong, response_metadata={"messages": wrong})
    if len(json.dumps(blocks, ensure_ascii=False, separators=(",", ":"))) > LONGEST_BLOCKS:
        raise Refused("msg_blocks_too_long")
    return {"text": text, "blocks": blocks, "metadata": _metadata(args.get("metadata"))}


def _metadata(metadata: Any) -> Json | None:
    if metadata is None:
        return None
    if not isinstance(metadata, dict) or not isinstance(metadata.get("event_type"), str):
        raise Refused("invalid_metadata_format")
    if not isinstance(metadata.get("event_payload"), dict):
        raise Refused("invalid_metadata_format")
    return metadata


def _true(value: Any) -> bool:
    return value in {True, "true", "1"}


def _within(message: Message, args: Json) -> bool:
    oldest, latest = str(args.get("oldest") or "0"), str(args.get("latest") or "9999999999.999999")
    at, first, last = (_micros(stamp) for stamp in (message.ts, oldest, latest))
    return first <= at <= last if _true(args.get("inclusive")) else first < at < last


def _micros(stamp: str) -> int:
    """Slack reads a stamp as seconds and up to six digits after the point."""
    seconds, _, fraction = stamp.partition(".")
    if not (seconds + fraction).isdecimal() or len(fraction) > 6:
        raise Refused("invalid_ts_oldest")
    return int(seconds) * 1_000_000 + int(fraction.ljust(6, "0"))


def _page(messages: list[Message], args: Json) -> Json:
    start, limit = _start(args.get("cursor")), min(int(args.get("limit") or 100), 999)
    shown = messages[start : start + limit]
    more = start + limit < len(messages)
    with_metadata = _true(args.get("include_all_metadata"))
    cursor = b64encode(f"next:{start + limit}".encode()).decode() if more else ""
    return {
        "messages": [message.shown(with_metadata=with_metadata) for message in shown],
        "has_more": more,
        "response_metadata": {"next_cursor": cursor},
    }


def _start(cursor: str | None) -> int:
    if not cursor:
        return 0
    try:
        return int(b64decode(cursor).decode().removeprefix("next:"))
    except ValueError:
        raise Refused("invalid_cursor") from None
